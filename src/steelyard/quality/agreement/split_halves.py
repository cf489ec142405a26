"""Split-half reliability over raters or ratings, stepped up by the formula of Spearman and Brown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, islice
from math import comb
from typing import Literal

import numpy as np

from steelyard.errors import UnknownName
from steelyard.maths.arrays import Codes, Mask, Matrix, Vector, sum_by
from steelyard.maths.correlation import pearson_by, rounded, spearman_by
from steelyard.quality.agreement.ratings import Ratings, RatingTable, as_ratings

Halves = Literal["raters", "ratings"]
HALVES = ("raters", "ratings")
FEWEST_ITEMS = 3
BATCH_RATINGS = 2_000_000  # ratings of several splits in memory at a time
NAMES = ("pearson", "spearman", "pearson_stepped_up", "spearman_stepped_up")


@dataclass(frozen=True, slots=True)
class SplitHalf:
    """Correlation of two halves of the ratings, mean over splits.

    The plain correlation is the reliability of half of the raters. The stepped-up one, 2 r / (1 + r), is the
    reliability of the mean over all raters. It is computed for each split before the mean is taken.

    Attributes
    ----------
    pearson
        Mean Pearson correlation.
    spearman
        Mean Spearman correlation.
    pearson_stepped_up
        Mean of the stepped-up Pearson correlations.
    spearman_stepped_up
        Mean of the stepped-up Spearman correlations.
    sd_over_splits
        Standard deviation over splits, by the names above.
    splits
        Number of splits that count.
    undefined
        Number of splits that are left out, because a half is constant or shares fewer than 3 items with the other.
    exact
        Whether all possible splits were used.
    """

    pearson: float
    spearman: float
    pearson_stepped_up: float
    spearman_stepped_up: float
    sd_over_splits: Mapping[str, float]
    splits: int
    undefined: int
    exact: bool


def split_half(
    table: RatingTable, rng: np.random.Generator, halves: Halves = "raters", splits: int = 1000
) -> SplitHalf:
    """Return the split-half reliability of item means.

    Parameters
    ----------
    table
        Matrix with one row per item and one column per rater, NaN where a rating is missing, or `Ratings`.
    rng
        Source of randomness, not used if all splits are listed.
    halves
        "raters" (default) puts half of the raters in each half; an odd rater is in the second. Items without a rating
        in one half are left out of that split. "ratings" halves the ratings of each item, an odd one at random.
    splits
        Number of random splits. Default 1000. All splits of the raters are used if there are not more.

    Returns
    -------
    SplitHalf
        Means over splits.

    Examples
    --------
    >>> ratings = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    >>> half = split_half(ratings, np.random.default_rng(0))
    >>> round(half.pearson, 3), round(half.pearson_stepped_up, 3), half.splits
    (0.856, 0.922, 3)
    """
    if halves not in HALVES:
        raise UnknownName("halves", halves, HALVES)
    ratings = as_ratings(table)
    if halves == "ratings":
        return of_correlations(correlate_splits(ratings, rating_halves(ratings, splits, rng)))
    sides = rater_halves(ratings.raters, splits, rng)
    exact = ratings.raters > 1 and possible_splits(ratings.raters) <= splits
    return of_correlations(correlate_splits(ratings, (side[ratings.rater] for side in sides)), exact)


def rater_halves(raters: int, splits: int, rng: np.random.Generator) -> Mask:
    """Return which raters are in the first half: all splits if there are few, otherwise random ones.

    Parameters
    ----------
    raters
        Number of raters.
    splits
        Largest number of splits.
    rng
        Source of randomness.

    Returns
    -------
    Mask
        Splits x raters.
    """
    half = raters // 2
    if raters < 2:
        return np.zeros((0, raters), dtype=bool)
    if possible_splits(raters) > splits:
        return np.argsort(rng.random((splits, raters)), axis=1) < half
    # With an even number, the first rater is always in the first half, so that no split counts twice.
    chosen = combinations(range(raters), half)
    sides = np.zeros((possible_splits(raters), raters), dtype=bool)
    for row, members in enumerate(islice(chosen, len(sides))):
        sides[row, list(members)] = True
    return sides


def possible_splits(raters: int) -> int:
    """Return the number of different splits of the raters into two halves.

    >>> possible_splits(4), possible_splits(5)
    (3, 10)
    """
    ways = comb(raters, raters // 2)
    return ways // 2 if raters % 2 == 0 else ways


def rating_halves(ratings: Ratings, splits: int, rng: np.random.Generator) -> Iterator[Mask]:
    """Yield random halves of the ratings of each item; items with one rating are in neither.

    Parameters
    ----------
    ratings
        Ratings.
    splits
        Number of splits.
    rng
        Source of randomness.

    Yields
    ------
    Mask
        Which ratings are in the first half.
    """
    start = np.cumsum(ratings.per_item) - ratings.per_item
    for _ in range(splits):
        order = np.lexsort((rng.random(len(ratings)), ratings.item))
        place = np.empty(len(ratings), dtype=np.int64)
        place[order] = np.arange(len(ratings)) - start[ratings.item[order]]
        odd = rng.integers(0, 2, ratings.items) * (ratings.per_item % 2)
        yield place < (ratings.per_item // 2 + odd)[ratings.item]


def correlate_splits(ratings: Ratings, sides: Iterable[Mask]) -> Matrix:
    """Return the Pearson and the Spearman correlation of the item means of two halves, one row per split.

    A correlation is NaN if fewer than 3 items have ratings in both halves, or if the means of a half are all equal.
    """
    together = max(1, BATCH_RATINGS // max(len(ratings), 1))
    waiting = iter(sides)
    parts = []
    while batch := list(islice(waiting, together)):
        parts.append(_correlate_together(ratings, np.array(batch)))
    return np.concatenate(parts) if parts else np.empty((0, 2))


def _correlate_together(ratings: Ratings, is_first: Mask) -> Matrix:
    splits = len(is_first)
    place = np.arange(splits)[:, None] * ratings.items + ratings.item
    value = np.broadcast_to(ratings.value, is_first.shape)
    means = [_means(place[half], value[half], splits * ratings.items) for half in (is_first, ~is_first)]
    both = np.flatnonzero(np.isfinite(means[0]) & np.isfinite(means[1]))
    split = both // max(ratings.items, 1)
    enough = np.bincount(split, minlength=splits) >= FEWEST_ITEMS
    correlations = [
        method(split, means[0][both], means[1][both], splits) for method in (pearson_by, spearman_by)
    ]
    return np.where(enough[:, None], np.column_stack(correlations), np.nan)


def correlate(first: Vector, second: Vector) -> tuple[float, float]:
    """Return the Pearson and the Spearman correlation of two columns; NaN if undefined or of fewer than 3 rows."""
    if len(first) < FEWEST_ITEMS:
        return float("nan"), float("nan")
    one_group: Codes = np.zeros(len(first), dtype=np.int64)
    pearson, spearman = (
        float(method(one_group, first, second, 1)[0]) for method in (pearson_by, spearman_by)
    )
    return pearson, spearman


def of_correlations(correlations: Matrix | list[tuple[float, float]], exact: bool = False) -> SplitHalf:
    """Return the means over splits, with the stepped-up correlation of each split.

    Parameters
    ----------
    correlations
        Pearson and Spearman correlation of each split.
    exact
        Whether these are all possible splits.

    Returns
    -------
    SplitHalf
        Means, and standard deviations over splits. NaN if no split counts.
    """
    plain = np.array(correlations, dtype=np.float64).reshape(-1, 2)
    counts = np.all(np.isfinite(plain) & (plain > -1.0), axis=1)
    kept = plain[counts]
    columns = np.column_stack([kept, 2.0 * kept / (1.0 + kept)])
    empty = np.full(len(NAMES), np.nan)
    means, deviations = (columns.mean(axis=0), columns.std(axis=0)) if len(kept) else (empty, empty)
    pearson, spearman, pearson_stepped_up, spearman_stepped_up = means.tolist()
    return SplitHalf(
        pearson,
        spearman,
        pearson_stepped_up,
        spearman_stepped_up,
        dict(zip(NAMES, deviations.tolist(), strict=True)),
        len(kept),
        int(np.sum(~counts)),
        exact,
    )


def _means(place: Codes, value: Vector, size: int) -> Vector:
    """Return means by place, NaN for places without a value."""
    count = np.bincount(place, minlength=size)
    with np.errstate(invalid="ignore", divide="ignore"):
        return rounded(sum_by(place, value, size) / count)
