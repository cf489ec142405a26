"""`FileLayout`: how to recognise a layout by its columns, and how to convert it to one row per answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from steelyard.judgments.coded import Coded
from steelyard.judgments.sheet import Cells, Sheet, id_cells, text_cells
from steelyard.judgments.table_kinds import OPTIONAL_NUMBERS, OPTIONAL_TEXT, RATER_NAMES, SEGMENT_NAMES
from steelyard.maths.arrays import Codes, Labels, Mask, object_cells

UNKNOWN_RATER = "unknown"  # the rater of all rows in a file without a rater column


@dataclass(frozen=True, slots=True)
class OutcomeColumn:
    """Name of the column with outcomes, the words allowed in it, and whether it may also name one of the two items."""

    name: str
    words: tuple[str, ...]
    names_items: bool = False


@dataclass(frozen=True, eq=False)
class Answers:
    """One row per answer under Steelyard's column names, with unparsed cells.

    `rows` is the row of the sheet that each answer comes from. `ignored` names unused columns of the sheet, and
    `left_out` counts omitted answers by reason. `outcome` describes the column of outcomes if it has other words than
    Steelyard's. `systems` is true if the items are systems, which occur in many segments.
    """

    kind: str
    columns: Mapping[str, Cells]
    rows: Codes
    range: tuple[float, float] | None = None
    ignored: tuple[str, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    outcome: OutcomeColumn | None = None
    systems: bool = False

    def where(self, keep: Mask, reason: str | None = None) -> Answers:
        """Return the selected answers; the others are counted under a reason, if there is one."""
        columns = {name: cells[keep] for name, cells in self.columns.items()}
        omitted = int(len(keep) - keep.sum())
        left_out = {**self.left_out, reason: omitted} if reason is not None and omitted else self.left_out
        return replace(self, columns=columns, rows=self.rows[keep], left_out=left_out)


@dataclass(frozen=True, slots=True)
class FileLayout:
    """A layout for judgments of one kind; `needs` lists the required columns."""

    name: str
    kind: str
    needs: tuple[str, ...]
    convert: Callable[[Sheet], Answers]

    def missing(self, sheet: Sheet) -> list[str]:
        """Return the required columns that the sheet does not have."""
        return [name for name in self.needs if sheet.named(name) is None]


def all_rows(sheet: Sheet) -> Codes:
    """Return every row of the sheet, once."""
    return np.arange(len(sheet))


def renamed(sheet: Sheet, roles: Mapping[str, Sequence[str]]) -> dict[str, Cells]:
    """Return the columns of the sheet, renamed to their role if they have one.

    A role takes the first of its names that the sheet has. Each column has at most one role.
    """
    taken = _taken(sheet, roles)
    roles_found = {role: sheet.columns[column] for column, role in taken.items()}
    rest = {
        name: cells for name, cells in sheet.columns.items() if name not in taken and name not in roles_found
    }
    return {**roles_found, **rest}


def displaced(sheet: Sheet, roles: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return the columns that `renamed` omits, because another column has their name as its role."""
    taken = _taken(sheet, roles)
    return tuple(name for name in sheet.columns if name not in taken and name in taken.values())


def _taken(sheet: Sheet, roles: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the role of each column that has one."""
    taken: dict[str, str] = {}
    for role, names in roles.items():
        column = sheet.named(*names)
        if column is not None and column not in taken:
            taken[column] = role
    return taken


def usual_roles(*own: str) -> dict[str, tuple[str, ...]]:
    """Return the roles that every long layout knows, with the layout's own columns first."""
    named = {name: (name,) for name in (*own, *OPTIONAL_TEXT, *OPTIONAL_NUMBERS)}
    return {**named, "rater": RATER_NAMES}


def pair_roles(*own: str) -> dict[str, tuple[str, ...]]:
    """Return the roles that every layout of comparisons knows: a prompt is a segment."""
    return {**usual_roles(*own), "segment": SEGMENT_NAMES}


def words(cells: Cells) -> Coded:
    """Return cells as stripped lower-case text, None where blank."""
    return id_cells(cells).mapped(_folded)


def known_words(cells: Cells, known: Collection[str]) -> Coded:
    """Return known words in lower case and other words as written, so that messages quote these; None where blank."""

    def folded(labels: Labels) -> Labels:
        pairs = zip(labels.tolist(), _folded(labels).tolist(), strict=True)
        return object_cells([low if low in known else label for label, low in pairs])

    return id_cells(cells).mapped(folded)


def _folded(labels: Labels) -> Labels:
    return object_cells([None if label is None else label.casefold() for label in labels.tolist()])


def side_by_side(columns: Sequence[Cells]) -> Cells:
    """Return several columns as one: row by row, from left to right."""
    stacked = np.empty((len(columns[0]), len(columns)), dtype=object)
    for at, cells in enumerate(columns):
        stacked[:, at] = text_cells(cells)
    return stacked.ravel()


def numbered(sheet: Sheet, stem: str, ending: str = "") -> dict[int, str]:
    """Return the columns named stem + number + ending, by number from 1 without a gap.

    Parameters
    ----------
    sheet
        Sheet to search.
    stem
        Text before the number.
    ending
        Text after the number.

    Returns
    -------
    dict
        Column name by number.
    """
    by_number: dict[int, str] = {}
    while (column := sheet.named(f"{stem}{len(by_number) + 1}{ending}")) is not None:
        by_number[len(by_number) + 1] = column
    return by_number


def blank(cells: Cells) -> Mask:
    """Return which cells are empty."""
    if isinstance(cells, Coded):
        return cells.where(lambda label: False, empty=True)
    return np.array([cell is None for cell in cells.tolist()], dtype=bool)
