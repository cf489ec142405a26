"""Krippendorff's alpha for nominal, ordinal, interval and ratio values, with missing values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from steelyard.errors import BadSetting, NothingToTest, UnknownName
from steelyard.maths.arrays import Matrix, Vector
from steelyard.quality.agreement.intervals import Interval, item_weights, percentiles
from steelyard.quality.agreement.ratings import Ratings, RatingTable, as_ratings
from steelyard.quality.agreement.value_counts import ValueCounts, count_values

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[str, ...] = get_args(Level)
MOST_RATIO_VALUES = 4_000  # distinct values, because ratio needs the distance of every two of them
WORK = 50_000_000  # cells times draws; larger tables are drawn less often
FEWEST_DRAWS = 200
ROUNDING = 1e-12  # relative size below which a difference of sums is a rounding error


@dataclass(frozen=True, eq=False)
class Disagreement:
    """Observed and expected disagreement, one entry per sample of items."""

    observed: Vector
    expected: Vector

    @property
    def alpha(self) -> Vector:
        """1 - observed / expected; NaN where nothing but agreement is possible."""
        possible = self.expected > 0.0
        ratio = self.observed / np.where(possible, self.expected, 1.0)
        return np.where(possible, 1.0 - ratio, np.nan)


def krippendorff_alpha(table: RatingTable, level: Level = "interval") -> float:
    """Return Krippendorff's alpha: 1 for perfect agreement, 0 for agreement as good as chance.

    Items with fewer than two ratings are left out. Each ordered pair of ratings of an item with m ratings adds
    1 / (m - 1) to the coincidence matrix o, with row sums n_c and total n.

        alpha = 1 - Do / De,  Do = sum o_ck d2(c, k) / n,  De = sum n_c n_k d2(c, k) / (n (n - 1))

    d2 is 1 for different nominal values, (c - k)^2 for interval values, ((c - k) / (c + k))^2 for ratio values, and the
    squared difference of mean ranks among all n ratings for ordinal values.

    Parameters
    ----------
    table
        Matrix with one row per item and one column per rater, None or NaN where a rating is missing; or `Ratings`.
    level
        "nominal", "ordinal", "interval" (default) or "ratio".

    Returns
    -------
    float
        Alpha. NaN if it is undefined, because no item has two ratings or all ratings are equal.

    References
    ----------
    - Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability.

    Examples
    --------
    >>> round(krippendorff_alpha([[1, 1, None], [2, 2, 3], [3, 3, 3], [1, None, 1]], level="ordinal"), 3)
    0.887
    """
    counts = count_values(checked(as_ratings(table), level))
    if not counts.items:
        return float("nan")
    return float(disagreement(counts, level, np.ones((1, counts.items))).alpha[0])


def alpha_over_items(
    table: RatingTable, level: Level, rng: np.random.Generator, draws: int = 1000
) -> Interval:
    """Return the 95% interval of alpha from a bootstrap over items.

    Items are drawn with replacement, with all of their ratings. Observed and expected disagreement are computed anew
    in each sample, and so are the ordinal distances. The interval is about new items and the same raters. With fewer
    than 30 items it is too narrow; `agreement_of` then uses a jackknife.

    Parameters
    ----------
    table
        Items, raters and ratings, as in `krippendorff_alpha`.
    level
        Level of measurement.
    rng
        Source of randomness.
    draws
        Number of samples. Default 1000. Tables with many ratings are drawn less often; the method states how often.

    Returns
    -------
    Interval
        2.5% and 97.5% points of the samples in which alpha is defined.
    """
    counts = count_values(checked(as_ratings(table), level))
    times = affordable_draws(counts, level, draws)
    parts = [disagreement(counts, level, weights).alpha for weights in item_weights(counts.items, times, rng)]
    method = f"bootstrap over items, {times:,} samples"
    return percentiles(np.concatenate(parts) if parts else np.empty(0), method)


def affordable_draws(counts: ValueCounts, level: str, draws: int) -> int:
    """Return the number of bootstrap samples, fewer than wanted for large tables.

    Parameters
    ----------
    counts
        Ratings by item and value.
    level
        Level of measurement.
    draws
        Number of samples that is wanted.

    Returns
    -------
    int
        Number of samples, at least 200 if as many are wanted.
    """
    cells = counts.items if level == "interval" else counts.table.nnz
    return min(draws, max(FEWEST_DRAWS, WORK // max(cells, 1)))


def checked(ratings: Ratings, level: str) -> Ratings:
    """Return the ratings, or raise an error if this level does not suit them."""
    if level not in LEVELS:
        raise UnknownName("level", level, LEVELS)
    if ratings.labels and level != "nominal":
        raise BadSetting("level", f"{level} needs numbers, but the values are texts. Use nominal.")
    if level == "ratio" and len(ratings) and ratings.value.min() < 0.0:
        raise BadSetting("level", "ratio needs values of 0 or more, but there are negative values.")
    return ratings


def disagreement(counts: ValueCounts, level: str, weights: Matrix) -> Disagreement:
    """Return observed and expected disagreement in samples of items.

    Parameters
    ----------
    counts
        Ratings by item and value.
    level
        Level of measurement.
    weights
        How often each sample has each item, samples x items.

    Returns
    -------
    Disagreement
        One entry per sample.
    """
    return _BY_LEVEL[level](counts, weights)


def ratio_distances(values: Vector) -> Matrix:
    """Return ((c - k) / (c + k))^2 for every two values, 0 for two zeros."""
    if len(values) > MOST_RATIO_VALUES:
        raise NothingToTest(
            "Krippendorff's alpha at level ratio",
            f"there are {len(values):,} distinct values, more than {MOST_RATIO_VALUES:,}.",
            "Round the values.",
        )
    total = values[:, None] + values
    gap = values[:, None] - values
    return np.asarray(np.where(total > 0.0, gap / np.where(total > 0.0, total, 1.0), 0.0) ** 2)


def mean_ranks_of(totals: Matrix) -> Matrix:
    """Return the mean rank of each value, as a share of all ratings, from its frequency; one row per sample."""
    ranks = np.cumsum(totals, axis=1) - totals / 2.0
    return np.asarray(ranks / np.maximum(totals.sum(axis=1, keepdims=True), 1.0))


def _nominal(counts: ValueCounts, weights: Matrix) -> Disagreement:
    sizes, table = counts.sizes, counts.table
    own = (sizes**2 - _row_sums(table * table)) / (sizes - 1.0)
    totals = _totals(table, weights)
    rest = totals.sum(axis=1) ** 2 - np.sum(totals**2, axis=1)
    return _of_sums(weights @ own, rest, weights @ sizes)


def centred_sums(counts: ValueCounts) -> Matrix:
    """Return what alpha at the level interval is computed from by item: observed sum, ratings, sum and sum of squares.

    Values are centred at their mean. The rows of any items can be added.
    """
    centred = counts.values - np.average(counts.values, weights=_row_sums(counts.table.T))
    sums, squares = counts.table @ centred, counts.table @ centred**2
    own = 2.0 * (counts.sizes * squares - sums**2) / (counts.sizes - 1.0)
    return np.column_stack([own, counts.sizes, sums, squares])


def of_centred_sums(sums: Matrix) -> Disagreement:
    """Return observed and expected disagreement at the level interval from totals of `centred_sums`, one row each."""
    own, total, plain, squares = sums.T
    return _of_sums(own, _spread(total, plain, squares), total)


def _interval(counts: ValueCounts, weights: Matrix) -> Disagreement:
    return of_centred_sums(weights @ centred_sums(counts))


def _ordinal(counts: ValueCounts, weights: Matrix) -> Disagreement:
    sizes, totals = counts.sizes[:, None], _totals(counts.table, weights)
    ranks = mean_ranks_of(totals) - 0.5
    sums, squares = counts.table @ ranks.T, counts.table @ (ranks**2).T
    own = 2.0 * (sizes * squares - sums**2) / (sizes - 1.0)
    total = totals.sum(axis=1)
    spread = _spread(total, np.sum(totals * ranks, axis=1), np.sum(totals * ranks**2, axis=1))
    return _of_sums(np.sum(weights * own.T, axis=1), spread, total)


def _ratio(counts: ValueCounts, weights: Matrix) -> Disagreement:
    distances = ratio_distances(counts.values)
    own = _row_sums(counts.table * (counts.table @ distances)) / (counts.sizes - 1.0)
    totals = _totals(counts.table, weights)
    expected = np.sum((totals @ distances) * totals, axis=1)
    return _of_sums(weights @ own, expected, weights @ counts.sizes)


def _of_sums(observed: Vector, expected: Vector, total: Vector) -> Disagreement:
    return Disagreement(observed / total, expected / (total * (total - 1.0)))


def _spread(total: Vector, sums: Vector, squares: Vector) -> Vector:
    """Return the sum of (c - k)^2 over all ordered pairs of values; exactly 0 if all values are equal."""
    whole = 2.0 * total * squares
    spread = whole - 2.0 * sums**2
    return np.where(spread > ROUNDING * whole, spread, 0.0)


def _totals(table: Any, weights: Matrix) -> Matrix:
    """Return how often each value occurs in every sample, samples x values."""
    return np.asarray((table.T @ weights.T).T)


def _row_sums(table: Any) -> Vector:
    return np.asarray(table.sum(axis=1), dtype=np.float64).ravel()


_BY_LEVEL: dict[str, Callable[[ValueCounts, Matrix], Disagreement]] = {
    "nominal": _nominal,
    "ordinal": _ordinal,
    "interval": _interval,
    "ratio": _ratio,
}
