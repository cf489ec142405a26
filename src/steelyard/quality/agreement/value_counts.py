"""How many ratings of each value every item has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.maths.arrays import Vector, renumbered
from steelyard.quality.agreement.ratings import Ratings

FEWEST = 2  # ratings of an item, from which it says something about agreement


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """Ratings of the items that have at least two of them, counted by value.

    Attributes
    ----------
    values
        Distinct values, ascending.
    table
        Sparse matrix of items and values with the number of ratings.
    sizes
        Number of ratings of each item.
    """

    values: Vector
    table: Any
    sizes: Vector

    @property
    def items(self) -> int:
        """Number of items with at least two ratings."""
        return len(self.sizes)

    @property
    def ratings(self) -> int:
        """Number of ratings of these items."""
        return int(self.sizes.sum())


def count_values(ratings: Ratings) -> ValueCounts:
    """Return the ratings of each item by value, for items with at least two ratings."""
    from scipy.sparse import csr_array  # SciPy is slow to import

    paired = ratings.where(ratings.per_item[ratings.item] >= FEWEST)
    items, item = renumbered(paired.item)
    values, code = np.unique(paired.value, return_inverse=True)
    table = csr_array((np.ones(len(paired)), (item, code)), shape=(len(items), len(values)))
    table.sum_duplicates()
    return ValueCounts(values, table, np.bincount(item, minlength=len(items)).astype(np.float64))
