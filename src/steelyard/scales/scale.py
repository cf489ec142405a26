"""`Scale`: where each item stands, how sure that is, and its rank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.maths.arrays import Codes, Labels, Vector
from steelyard.maths.frames import Library, native_frame

COLUMNS = ("item", "position", "spread", "low", "high", "rank", "rank_low", "rank_high", "count")


@dataclass(frozen=True, eq=False)
class Scale:
    """Positions of items with spreads, 95% intervals, ranks (1 = most) and how many judgments each had.

    Rows are in the order of the judgments' items; `ordered()` puts the most first.
    """

    item: Labels
    position: Vector
    spread: Vector
    low: Vector
    high: Vector
    rank: Codes
    rank_low: Codes
    rank_high: Codes
    count: Vector

    def __len__(self) -> int:
        return len(self.item)

    def ordered(self) -> Scale:
        """The same scale, most first."""
        order = np.lexsort((self.item.astype(str), -self.position))
        return Scale(*(getattr(self, name)[order] for name in COLUMNS))

    def columns(self) -> dict[str, Any]:
        """Columns by name, as arrays; counts that are whole are written as whole numbers."""
        whole = bool(np.all(self.count == np.round(self.count)))
        columns = {name: getattr(self, name) for name in COLUMNS}
        return {**columns, "count": self.count.astype(np.int64) if whole else self.count}

    def rows(self) -> Iterator[dict[str, Any]]:
        """One plain dict per item."""
        columns = {name: values.tolist() for name, values in self.columns().items()}
        for at in range(len(self)):
            yield {name: values[at] for name, values in columns.items()}

    def to_pandas(self) -> Any:
        """The scale as a pandas data frame."""
        return _frame(self.columns(), "pandas")

    def to_polars(self) -> Any:
        """The scale as a Polars data frame."""
        return _frame(self.columns(), "polars")

    def to_arrow(self) -> Any:
        """The scale as a PyArrow table."""
        return _frame(self.columns(), "pyarrow")


def stacked(scales: Sequence[tuple[str, Scale]], by: str | None = None) -> dict[str, list[Any]]:
    """Several scales under each other, each most first; `by` names a leading column with their names."""
    leading = () if by is None else (by,)
    columns: dict[str, list[Any]] = {column: [] for column in (*leading, *COLUMNS)}
    for name, scale in scales:
        ordered = scale.ordered()
        for column in leading:
            columns[column] += [name] * len(ordered)
        for column, cells in ordered.columns().items():
            columns[column] += cells.tolist()
    return columns


def _frame(columns: dict[str, Any], library: Library) -> Any:
    """Columns as a native frame, with items as text."""
    return native_frame({**columns, "item": [str(value) for value in columns["item"]]}, library)
