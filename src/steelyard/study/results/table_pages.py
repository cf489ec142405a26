"""Tables of a study in pages, for programs that read them in parts."""

from __future__ import annotations

import math
from typing import Any

from steelyard.judgments.sheet import plain_cells
from steelyard.study.results.arm_exports import table_of
from steelyard.study.results.watch import Watch

Columns = dict[str, list[Any]]


class TablePages:
    """Parts of the tables of a study. The newest table is kept, so that its pages are made from one state."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._kept: tuple[tuple[str, str, int], Columns] | None = None

    def page(self, what: str, condition: str, start: int, most: int) -> tuple[int, int, list[dict[str, Any]]]:
        """Return the log position, the number of rows of a table, and some of its rows.

        Parameters
        ----------
        what
            Name of the table.
        condition
            Name of the arm. Default: all arms.
        start
            Index of the first row.
        most
            Largest number of rows.

        Returns
        -------
        log_position : int
            Log position of the table.
        total : int
            Number of all rows.
        rows : list of dict
            The rows.
        """
        position = self._watch.ledger(condition).log_position
        if self._kept is None or self._kept[0] != (what, condition, position):
            columns, _ = table_of(self._watch, what, condition)
            plain = {
                name: [_finite(cell) for cell in plain_cells(values)] for name, values in columns.items()
            }
            self._kept = ((what, condition, position), plain)
        columns = self._kept[1]
        total = max((len(values) for values in columns.values()), default=0)
        cells = zip(*(values[start : start + most] for values in columns.values()), strict=True)
        return position, total, [dict(zip(columns, row, strict=True)) for row in cells]


def _finite(cell: Any) -> Any:
    """The cell, or None for an infinite number, which JSON cannot hold."""
    return None if isinstance(cell, float) and math.isinf(cell) else cell
