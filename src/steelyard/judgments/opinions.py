"""One answer per rater and item, the basis of means over raters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.judgments.formats.layout import UNKNOWN_RATER
from steelyard.judgments.table import MISSING, Judgments, Table
from steelyard.judgments.table_kinds import KINDS
from steelyard.maths.arrays import Codes, Mask, Matrix, Vector, sum_by


@dataclass(frozen=True, eq=False)
class Opinions:
    """The average answer of each rater about each item, one row each.

    `values` has the columns of positions: score, or low and high. Each answer without a rater is a separate row,
    weighted by its count.
    """

    rater: Codes
    item: Codes
    weight: Vector
    values: Matrix

    def __len__(self) -> int:
        return len(self.item)

    @property
    def position(self) -> Vector:
        """The score, or the midpoint of the range."""
        return self.values[:, 0] + (self.values[:, -1] - self.values[:, 0]) / 2.0


@dataclass(frozen=True, eq=False)
class Moments:
    """Weight, mean and standard deviation (n - 1) by item; NaN if there are too few answers."""

    count: Vector
    mean: Vector
    sd: Vector

    @property
    def error(self) -> Vector:
        """Standard error of the mean, sd / sqrt(n)."""
        return self.sd / np.sqrt(np.where(self.count > 0, self.count, np.nan))


def named_raters(judgments: Judgments, table: Table) -> Mask:
    """Return which rows have a named rater."""
    if "rater" not in table.codes:
        return np.zeros(len(table), dtype=bool)
    # The code of an empty cell, -1, selects the last entry.
    named = np.append(judgments.raters != UNKNOWN_RATER, False)
    return np.asarray(named[table.codes["rater"]], dtype=bool)


def placed_kinds(judgments: Judgments) -> tuple[str, ...]:
    """Return the kinds of these judgments whose answers are positions on a scale, in the order of all kinds."""
    return tuple(name for name, kind in KINDS.items() if kind.placed and len(judgments.table(name)))


def opinions_of(judgments: Judgments, kind: str) -> Opinions:
    """Return the positions that raters gave, with repeated answers averaged, so that no rater counts twice.

    >>> from steelyard import Rating
    >>> scores = [Rating("ann", "tea", 20), Rating("ann", "tea", 40), Rating("bob", "tea", 50)]
    >>> opinions_of(Judgments.of(scores), "rating").position.tolist()
    [30.0, 50.0]
    """
    table = judgments.table(kind)
    table = table.where(table.weights > 0)
    named, item, weight = named_raters(judgments, table), table.codes["item"], table.weights
    rater = np.where(named, table.codes.get("rater", np.full(len(table), MISSING)), MISSING)
    apart = len(judgments.raters) * len(judgments.items) + np.arange(len(table))
    key = np.where(named, rater * len(judgments.items) + item, apart)
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    means = [
        _means(table.numbers[name], weight, group, table.numbers[name][first])
        for name in table.kind.positions
    ]
    counted = np.where(named[first], 1.0, sum_by(group, weight, len(first)))
    return Opinions(rater[first], item[first], counted, np.column_stack(means))


def moments_by_item(opinions: Opinions, values: Vector, size: int) -> Moments:
    """Return moments over raters, by item code.

    Parameters
    ----------
    opinions
        One answer per rater and item.
    values
        Value of each answer, such as its position or its width.
    size
        Number of items.

    Returns
    -------
    Moments
        One entry per item.
    """
    item, weight = opinions.item, opinions.weight
    start = np.full(size, np.nan)
    start[item[::-1]] = values[::-1]
    count = sum_by(item, weight, size)
    mean = _means(values, weight, item, start)
    squares = sum_by(item, weight * (values - mean[item]) ** 2, size)
    several = count > 1.0
    return Moments(
        count, mean, np.where(several, np.sqrt(squares / np.where(several, count - 1.0, 1.0)), np.nan)
    )


def _means(values: Vector, weight: Vector, group: Codes, start: Vector) -> Vector:
    """Return weighted means by group, computed from one value of each, so that equal values have exactly that mean."""
    total = sum_by(group, weight, len(start))
    gap = sum_by(group, weight * (values - start[group]), len(start))
    return start + gap / np.where(total > 0, total, 1.0)
