"""The columns of a log: which column has which role, and the words of outcomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.errors import MissingColumn, UnknownName
from steelyard.judgments.formats.pairs import (
    ARENA_SEGMENT_NAMES,
    ARENA_TIME_NAMES,
    ARENA_WORDS,
    EVALICA_WORDS,
)
from steelyard.judgments.sheet import bare
from steelyard.judgments.table_kinds import OUTCOMES, RATER_NAMES, SEGMENT_NAMES

WORDS = {word: word for word in OUTCOMES}
SEGMENTS = tuple(dict.fromkeys((*SEGMENT_NAMES, *ARENA_SEGMENT_NAMES)))


@dataclass(frozen=True)
class Layout:
    """A layout of a log: its kind of judgment, the names of its columns by role, and its words for outcomes."""

    kind: str
    needs: Mapping[str, str]
    words: Mapping[str, str]


LAYOUTS = (
    Layout("comparison", {"left": "left", "right": "right", "outcome": "outcome"}, WORDS),
    Layout("comparison", {"left": "model_a", "right": "model_b", "outcome": "winner"}, ARENA_WORDS),
    Layout("comparison", {"left": "left", "right": "right", "outcome": "winner"}, EVALICA_WORDS),
    Layout("ranking", {"task": "task", "item": "item", "rank": "rank"}, {}),
    Layout("rating", {"item": "item", "score": "score"}, {}),
)
OPTIONAL = {
    "rater": RATER_NAMES,
    "segment": SEGMENTS,
    "at": ARENA_TIME_NAMES,
    "task": ("task",),
    "count": ("count",),
}


@dataclass(frozen=True)
class Columns:
    """The columns of a log by role, and the meaning of each word for an outcome."""

    kind: str
    roles: Mapping[str, str]
    words: Mapping[str, str]

    def column(self, name: str, present: Sequence[str]) -> str:
        """Return the column of the log for a name or role; raise `UnknownName` if there is none."""
        if name in self.roles:
            return self.roles[name]
        if name not in present:
            raise UnknownName("column", name, present)
        return name


def columns_of(names: Sequence[str], source: str, kind: str | None = None) -> Columns:
    """Return the columns of a log.

    Parameters
    ----------
    names
        Names of all columns.
    source
        Name of the log, for messages.
    kind
        Kind of judgment; None to recognise it from the columns.

    Returns
    -------
    Columns
        The columns by role.

    Raises
    ------
    MissingColumn
        If no layout suits the columns.
    """
    plain = {bare(name): name for name in reversed(names)}
    suitable = [each for each in LAYOUTS if kind in (None, each.kind)]
    for layout in suitable:
        if all(bare(name) in plain for name in layout.needs.values()):
            roles = {role: plain[bare(name)] for role, name in layout.needs.items()}
            return Columns(layout.kind, {**_optional(plain, set(roles.values())), **roles}, layout.words)
    wanted = suitable[0] if suitable else LAYOUTS[0]
    missing = [name for name in wanted.needs.values() if bare(name) not in plain]
    raise MissingColumn(source, missing, names, wanted.kind, line=None)


def layouts_in(names: Sequence[str]) -> dict[str, list[str]]:
    """Return the columns that each kind of judgment needs, for the kinds whose columns a log has."""
    plain = {bare(name): name for name in reversed(names)}
    found: dict[str, list[str]] = {}
    for layout in LAYOUTS:
        if all(bare(name) in plain for name in layout.needs.values()):
            found.setdefault(layout.kind, [plain[bare(name)] for name in layout.needs.values()])
    return found


def _optional(plain: Mapping[str, str], taken: set[str]) -> dict[str, str]:
    roles = {}
    for role, names in OPTIONAL.items():
        column = next((plain[bare(name)] for name in names if bare(name) in plain), None)
        if column is not None and column not in taken:
            roles[role] = column
            taken.add(column)
    return roles


def as_text(column: Any) -> Any:
    """Return a column of a log as text. Whole numbers have no decimal point."""
    if column.type().is_string():
        return column
    whole = column.type().is_floating()
    return column.cast("int64").cast("string") if whole else column.cast("string")
