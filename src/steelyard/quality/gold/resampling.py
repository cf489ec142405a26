"""Bootstrap of statistics against gold: units are resampled as weights, and pairs are counted by matrix products.

A unit is an item, or all items of a segment. A unit that is drawn twice has weight 2. A pair of items from two units
has the product of their weights. A pair within a unit has the weight of the unit, so that an item is never compared
with its own copy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Codes, Mask, Matrix, Vector
from steelyard.quality.gold.intervals import Statistic

FLAT = 1e-12  # variance relative to the mean square below which all values are equal
MOST_ITEMS = 1_500  # with more items, units are sampled, and the standard error is scaled to all units


@dataclass(frozen=True, eq=False)
class Points:
    """Scores and gold values of the same items.

    Parameters
    ----------
    score
        Score of each item.
    gold
        Gold value of each item.
    unit
        Code of the unit of each item, from 0 and without gaps.
    threshold
        Largest difference of scores that counts as a tie, for `acc_eq_calibrated`.
    inside
        Whether the interval of the item contains its gold value. None without intervals.
    """

    score: Vector
    gold: Vector
    unit: Codes
    threshold: float = 0.0
    inside: Mask | None = None

    def among(self, kept: Mask) -> Points:
        """Return some of the items, with units from 0."""
        unit = np.unique(self.unit[kept], return_inverse=True)[1].astype(np.int64)
        inside = None if self.inside is None else self.inside[kept]
        return Points(self.score[kept], self.gold[kept], unit, self.threshold, inside)


@dataclass(frozen=True, eq=False)
class Resamples:
    """Units that are resampled: which items they have, and their weights.

    Parameters
    ----------
    kept
        Whether each item belongs to a sampled unit.
    weight
        Weight of each sampled unit in each resample, resamples x units.
    units
        Number of all units.
    """

    kept: Mask
    weight: Matrix
    units: int

    @property
    def sampled(self) -> int:
        """Number of sampled units."""
        return int(self.weight.shape[1])

    @property
    def factor(self) -> float:
        """Factor from the standard deviation over resamples to the standard error with all units.

        The first part corrects that a bootstrap variance of a mean is too small by (n - 1) / n.
        """
        return float(
            np.sqrt(self.sampled / max(self.sampled - 1.0, 1.0)) * np.sqrt(self.sampled / self.units)
        )

    @property
    def is_sample(self) -> bool:
        """Whether only some units are resampled."""
        return self.sampled < self.units


def draw_resamples(
    unit: Codes, replicates: int, rng: np.random.Generator, most: int = MOST_ITEMS
) -> Resamples:
    """Draw the weights of a bootstrap over units.

    Parameters
    ----------
    unit
        Unit of each item.
    replicates
        Number of resamples.
    rng
        Random numbers.
    most
        Largest number of items that are used. With more items, units are sampled without replacement.

    Returns
    -------
    Resamples
        Weights of the units.
    """
    units = int(unit.max()) + 1
    order = rng.permutation(units)
    items = np.cumsum(np.bincount(unit, minlength=units)[order])
    sampled = (
        units if items[-1] <= most else max(int(np.searchsorted(items, most, side="right")), min(units, 2))
    )
    chosen = np.zeros(units, dtype=bool)
    chosen[order[:sampled]] = True
    weight = rng.multinomial(sampled, np.full(sampled, 1.0 / sampled), size=replicates)
    return Resamples(chosen[unit], weight.astype(float), units)


def replicate(points: Points, resamples: Resamples) -> dict[Statistic, Vector]:
    """Return each statistic in every resample.

    Parameters
    ----------
    points
        Scores and gold values of all items.
    resamples
        Weights of the units.

    Returns
    -------
    dict
        Values by statistic, NaN where a resample does not define it.
    """
    some = points.among(resamples.kept)
    weight = resamples.weight[:, some.unit]
    with np.errstate(invalid="ignore", divide="ignore"):  # resamples with a single value have no correlation
        found = {
            **_moment_statistics(some, weight),
            Statistic.SPEARMAN: _weighted_correlation(
                _ranks(some.score, weight), _ranks(some.gold, weight), weight
            ),
            **_pair_statistics(some, resamples.weight),
        }
    return {name: np.where(np.isfinite(values), values, np.nan) for name, values in found.items()}


def _moment_statistics(points: Points, weight: Matrix) -> dict[Statistic, Vector]:
    """Pearson's correlation, regression, root mean squared errors and coverage in every resample."""
    score, gold = points.score - points.score.mean(), points.gold - points.score.mean()
    terms = np.column_stack([np.ones_like(score), score, gold, score**2, gold**2, score * gold])
    total, *means = (weight @ terms).T
    x, y, xx, yy, xy = (each / total for each in means)
    # Of a resample with a single value, rounding leaves a tiny variance.
    variance, spread = (
        np.where(v > FLAT * square, v, np.nan) for v, square in ((xx - x**2, xx), (yy - y**2, yy))
    )
    covariance = xy - x * y
    slope = covariance / variance
    left_over = np.maximum(np.nan_to_num(spread) - slope * covariance, 0.0)
    found = {
        Statistic.PEARSON: covariance / np.sqrt(variance * spread),
        Statistic.SLOPE: slope,
        Statistic.INTERCEPT: y - slope * x + points.score.mean() * (1.0 - slope),
        Statistic.RMSE: np.sqrt(np.maximum(xx - 2.0 * xy + yy, 0.0)),
        Statistic.RESIDUAL_SD: np.sqrt(left_over),
    }
    if points.inside is None:
        return found
    return {**found, Statistic.COVERAGE: (weight @ points.inside.astype(float)) / total}


def _ranks(values: Vector, weight: Matrix) -> Matrix:
    """Mean rank of each item in every resample."""
    below = (values[:, None] < values[None, :]) + 0.5 * (values[:, None] == values[None, :])
    return np.asarray(weight.astype(np.float32) @ below.astype(np.float32), dtype=float)


def _weighted_correlation(x: Matrix, y: Matrix, weight: Matrix) -> Vector:
    share = weight / weight.sum(axis=1, keepdims=True)
    dx, dy = (each - np.sum(share * each, axis=1, keepdims=True) for each in (x, y))
    variances = (np.sum(share * dx**2, axis=1), np.sum(share * dy**2, axis=1))
    size = np.sqrt(np.prod([np.where(each > FLAT, each, np.nan) for each in variances], axis=0))
    return np.asarray(np.sum(share * dx * dy, axis=1) / size)


def _pair_statistics(points: Points, weight: Matrix) -> dict[Statistic, Vector]:
    """Tau-b and accuracies in every resample."""
    gap, step = (each[:, None] - each[None, :] for each in (points.score, points.gold))
    order = np.sign(gap) * np.sign(step)
    tied = np.abs(gap) <= points.threshold
    counted = {
        "concordant": order > 0,
        "discordant": order < 0,
        "apart_in_gold": step != 0,
        "apart_in_scores": gap != 0,
        "equal": (gap == 0) & (step == 0) | (order > 0),
        "calibrated": np.where(tied, step == 0, order > 0),
        "pairs": np.ones(gap.shape, dtype=bool),
    }
    count = {name: _weighted_pairs(each, points.unit, weight) for name, each in counted.items()}
    return {
        Statistic.TAU_B: (count["concordant"] - count["discordant"])
        / np.sqrt(count["apart_in_gold"] * count["apart_in_scores"]),
        Statistic.PAIRWISE_ACCURACY: count["concordant"] / count["apart_in_gold"],
        Statistic.ACC_EQ: count["equal"] / count["pairs"],
        Statistic.ACC_EQ_CALIBRATED: count["calibrated"] / count["pairs"],
    }


def _weighted_pairs(pairs: Mask, unit: Codes, weight: Matrix) -> Vector:
    """Weighted number of ordered pairs in every resample, from a symmetric matrix of items."""
    items = np.where(np.eye(len(pairs), dtype=bool), False, pairs)
    order = np.argsort(unit, kind="stable")
    starts = np.searchsorted(unit[order], np.arange(weight.shape[1]))
    by_unit = np.add.reduceat(items[np.ix_(order, order)].astype(np.float32), starts, axis=0)
    by_unit = np.add.reduceat(by_unit, starts, axis=1)
    within = np.diag(by_unit).astype(float)
    between = by_unit - np.diag(np.diag(by_unit))
    return np.asarray(np.sum((weight.astype(np.float32) @ between) * weight, axis=1) + weight @ within)
