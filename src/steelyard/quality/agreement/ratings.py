"""`Ratings`: one value per item and rater, the input of the statistics of agreement."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import BadSetting
from steelyard.judgments.findings import counted
from steelyard.maths.arrays import Codes, Mask, Matrix, Vector, renumbered


@dataclass(frozen=True, eq=False)
class Ratings:
    """Values by item and rater, with missing cells left out.

    Attributes
    ----------
    item
        Code of the item of each value.
    rater
        Code of the rater of each value.
    value
        Values.
    items
        Number of items.
    raters
        Number of raters.
    named
        Whether raters are identified. If not, the code only distinguishes the ratings of one item.
    labels
        Texts of the values, if the values are codes of texts.
    """

    item: Codes
    rater: Codes
    value: Vector
    items: int
    raters: int
    named: bool = True
    labels: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.value)

    @cached_property
    def per_item(self) -> Codes:
        """Number of ratings of each item."""
        return np.bincount(self.item, minlength=self.items)

    @cached_property
    def per_rater(self) -> Codes:
        """Number of ratings of each rater."""
        return np.bincount(self.rater, minlength=self.raters)

    @property
    def complete(self) -> bool:
        """Whether every rater rated every item once."""
        return len(self) > 0 and len(self) == self.items * self.raters

    @property
    def words(self) -> str:
        """Counts of items, raters and ratings in words."""
        items, raters = int(np.sum(self.per_item > 0)), int(np.sum(self.per_rater > 0))
        by = [counted(raters, "rater")] if self.named else []
        return ", ".join([counted(items, "item"), *by, counted(len(self), "rating")])

    def where(self, keep: Mask) -> Ratings:
        """Return the selected ratings, with the same codes."""
        return replace(self, item=self.item[keep], rater=self.rater[keep], value=self.value[keep])

    def compact(self) -> Ratings:
        """Return the ratings with codes only for items and raters that occur."""
        items, item = renumbered(self.item)
        raters, rater = renumbered(self.rater)
        return replace(self, item=item, rater=rater, items=len(items), raters=len(raters))

    def matrix(self) -> Matrix:
        """Return a matrix of items and raters, NaN where a rating is missing."""
        table = np.full((self.items, self.raters), np.nan)
        table[self.item, self.rater] = self.value
        return table


RatingTable: TypeAlias = "Ratings | Matrix | Sequence[Sequence[Any]] | Any"


def as_ratings(table: RatingTable) -> Ratings:
    """Return a table of items (rows) and raters (columns) as ratings.

    None and NaN are missing. Text values are coded in alphabetical order.

    >>> as_ratings([[1, 2], [None, 3]]).words
    '2 items, 2 raters, 3 ratings'
    """
    if isinstance(table, Ratings):
        return table
    cells = np.asarray(table)
    if cells.ndim != 2:
        raise BadSetting(
            "table", f"it has {cells.ndim} dimensions. Give one row per item and one column per rater."
        )
    values, labels = _values(cells)
    item, rater = np.nonzero(~np.isnan(values))
    items, raters = values.shape
    return Ratings(item, rater, values[item, rater], items, raters, labels=labels)


def _values(cells: NDArray[Any]) -> tuple[Matrix, tuple[str, ...]]:
    """Return cells as numbers, or as codes of texts together with the texts."""
    if cells.dtype.kind in "biuf":
        return cells.astype(np.float64), ()
    missing = np.array(
        [
            [cell is None or (isinstance(cell, float) and math.isnan(cell)) for cell in row]
            for row in cells.tolist()
        ],
        dtype=bool,
    )
    filled = cells[~missing]
    values = np.full(cells.shape, np.nan)
    if not any(isinstance(cell, str) for cell in filled.tolist()):
        values[~missing] = filled.astype(np.float64)
        return values, ()
    labels, codes = np.unique(filled.astype(str), return_inverse=True)
    values[~missing] = codes
    return values, tuple(labels.tolist())
