"""`Scale`: position, uncertainty and rank of each item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from steelyard.maths.arrays import Codes, Labels, Vector
from steelyard.scales.tables import Tabular

COLUMNS = ("item", "position", "spread", "low", "high", "rank", "rank_low", "rank_high", "count")


@dataclass(frozen=True, eq=False, repr=False)
class Scale(Tabular):
    """Positions of items with their uncertainty and ranks.

    Rows are in the order in which items first appear in the judgments. Use :meth:`ordered` to sort them by
    position. Every field but the last is an array with one entry per item.

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
    described
        How standard errors were computed and, for systems, the target of the estimates, as text.

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
    described: str = ""

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
        return self.in_order(order)

    def in_order(self, order: Codes) -> Scale:
        """Return the same scale with its rows in another order.

        Parameters
        ----------
        order
            Index of the row that comes first, second and so on.

        Returns
        -------
        Scale
            The rows with these indices.
        """
        return replace(self, **{name: getattr(self, name)[order] for name in COLUMNS})

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
