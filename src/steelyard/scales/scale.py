"""`Scale`: position, uncertainty and rank of each item."""

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
    """Positions of items with their uncertainty and ranks.

    Rows are in the order in which items first appear in the judgments. Use :meth:`ordered` to sort them by
    position. Every field is an array with one entry per item.

    Parameters
    ----------
    item
        Item ids.
    position
        Estimated positions. Their meaning depends on the model, see its `quantity`.
    spread
        Standard deviation of each position.
    low
        Lower end of the 95% interval of the position.
    high
        Upper end of the 95% interval of the position.
    rank
        Rank of the position. The highest item has rank 1, and equal positions share the better rank.
    rank_low
        Best rank that the 95% intervals of the differences allow.
    rank_high
        Worst rank that the 95% intervals of the differences allow.
    count
        Number of judgments of the item.

    Examples
    --------
    >>> from steelyard import DirectAssessment, Judgments, Rating
    >>> ratings = [Rating("ann", "tea", 20), Rating("bob", "tea", 40), Rating("ann", "soup", 70)]
    >>> scale = DirectAssessment().fit(Judgments.of(ratings, range=(0, 100))).scale
    >>> [(row["item"], row["position"], row["rank"]) for row in scale.ordered().rows()]
    [('soup', 70.0, 1), ('tea', 30.0, 2)]
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
        """Return the same scale sorted by position, highest first.

        Returns
        -------
        Scale
            Items with equal positions are sorted by id.
        """
        order = np.lexsort((self.item.astype(str), -self.position))
        return Scale(*(getattr(self, name)[order] for name in COLUMNS))

    def columns(self) -> dict[str, Any]:
        """Return the fields as a dictionary of arrays.

        Returns
        -------
        dict
            Array of each column by name. Counts are integers if all of them are whole numbers.
        """
        whole = bool(np.all(self.count == np.round(self.count)))
        columns = {name: getattr(self, name) for name in COLUMNS}
        return {**columns, "count": self.count.astype(np.int64) if whole else self.count}

    def rows(self) -> Iterator[dict[str, Any]]:
        """Iterate over the items as plain dictionaries.

        Yields
        ------
        dict
            Value of each column by name.
        """
        columns = {name: values.tolist() for name, values in self.columns().items()}
        for at in range(len(self)):
            yield {name: values[at] for name, values in columns.items()}

    def to_pandas(self) -> Any:
        """Return the scale as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            One row per item. Needs pandas.
        """
        return _frame(self.columns(), "pandas")

    def to_polars(self) -> Any:
        """Return the scale as a Polars data frame.

        Returns
        -------
        polars.DataFrame
            One row per item. Needs Polars.
        """
        return _frame(self.columns(), "polars")

    def to_arrow(self) -> Any:
        """Return the scale as a PyArrow table.

        Returns
        -------
        pyarrow.Table
            One row per item. Needs PyArrow.
        """
        return _frame(self.columns(), "pyarrow")


def stacked(scales: Sequence[tuple[str, Scale]], by: str | None = None) -> dict[str, list[Any]]:
    """Return several scales as one table, each sorted by position. `by` names a first column for their names."""
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
    """Return the columns as a data frame of the library, with items as text."""
    return native_frame({**columns, "item": [str(value) for value in columns["item"]]}, library)
