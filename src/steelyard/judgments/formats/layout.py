"""What a layout is: how to know it by its columns, and how to turn it into one row per answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from steelyard.judgments.coded import Coded
from steelyard.judgments.sheet import Cells, Sheet, id_cells, text_cells
from steelyard.judgments.table_kinds import OPTIONAL_NUMBERS, OPTIONAL_TEXT, RATER_NAMES
from steelyard.maths.arrays import Codes, Labels, Mask, object_cells

UNKNOWN_RATER = "unknown"  # stands for everyone in a file that publishes no raters


@dataclass(frozen=True, eq=False)
class Answers:
    """One row per answer under Steelyard's column names, cells still as they were written.

    `rows` is the row of the sheet that each answer stands in. `ignored` names columns of the sheet that have no
    place here, `left_out` counts answers that have none, by reason.
    """

    kind: str
    columns: Mapping[str, Cells]
    rows: Codes
    range: tuple[float, float] | None = None
    ignored: tuple[str, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)

    def where(self, keep: Mask, reason: str | None = None) -> Answers:
        """The chosen answers; the others are counted under a reason, unless they are no answers at all."""
        columns = {name: cells[keep] for name, cells in self.columns.items()}
        gone = int(len(keep) - keep.sum())
        left_out = {**self.left_out, reason: gone} if reason is not None and gone else self.left_out
        return replace(self, columns=columns, rows=self.rows[keep], left_out=left_out)


@dataclass(frozen=True, slots=True)
class FileLayout:
    """One way to write judgments of one kind; `needs` lists the columns that must be there."""

    name: str
    kind: str
    needs: tuple[str, ...]
    convert: Callable[[Sheet], Answers]

    def missing(self, sheet: Sheet) -> list[str]:
        """The needed columns that the sheet does not have."""
        return [name for name in self.needs if sheet.named(name) is None]


def all_rows(sheet: Sheet) -> Codes:
    """Every row of the sheet, once."""
    return np.arange(len(sheet))


def renamed(sheet: Sheet, roles: Mapping[str, Sequence[str]]) -> dict[str, Cells]:
    """The sheet's columns, those with a role under its name and the rest under their own.

    A role goes to the first of its names that the sheet has; a name that a role has taken is not used again.
    """
    taken = _taken(sheet, roles)
    roles_found = {role: sheet.columns[column] for column, role in taken.items()}
    rest = {
        name: cells for name, cells in sheet.columns.items() if name not in taken and name not in roles_found
    }
    return {**roles_found, **rest}


def displaced(sheet: Sheet, roles: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The columns that `renamed` leaves out: those whose own name is the role of another column."""
    taken = _taken(sheet, roles)
    return tuple(name for name in sheet.columns if name not in taken and name in taken.values())


def _taken(sheet: Sheet, roles: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The role of each column that has one."""
    taken: dict[str, str] = {}
    for role, names in roles.items():
        column = sheet.named(*names)
        if column is not None and column not in taken:
            taken[column] = role
    return taken


def usual_roles(*own: str) -> dict[str, tuple[str, ...]]:
    """The roles that every long layout knows, with the layout's own columns first."""
    named = {name: (name,) for name in (*own, *OPTIONAL_TEXT, *OPTIONAL_NUMBERS)}
    return {**named, "rater": RATER_NAMES}


def words(cells: Cells) -> Coded:
    """Cells as text in lower case without spaces around, None where blank."""
    return id_cells(cells).mapped(_folded)


def _folded(labels: Labels) -> Labels:
    return object_cells([None if label is None else label.casefold() for label in labels.tolist()])


def side_by_side(columns: Sequence[Cells]) -> Cells:
    """Columns of one row each, as one column: row by row, from left to right."""
    stacked = np.empty((len(columns[0]), len(columns)), dtype=object)
    for at, cells in enumerate(columns):
        stacked[:, at] = text_cells(cells)
    return stacked.ravel()


def numbered(sheet: Sheet, stem: str, ending: str = "") -> dict[int, str]:
    """Columns called stem + number + ending, by number from 1 up without a gap."""
    by_number: dict[int, str] = {}
    while (column := sheet.named(f"{stem}{len(by_number) + 1}{ending}")) is not None:
        by_number[len(by_number) + 1] = column
    return by_number


def blank(cells: Cells) -> Mask:
    """Which cells hold nothing."""
    if isinstance(cells, Coded):
        return cells.where(lambda label: False, empty=True)
    return np.array([cell is None for cell in cells.tolist()], dtype=bool)
