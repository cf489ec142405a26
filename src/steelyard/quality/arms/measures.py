"""Statistics of one arm, computed for any subset of its raters.

Each measure receives a matrix of weights with one row per subset and one column per rater, and returns one value per
row. Values are on a scale on which differences are meaningful: the logarithm of a ratio scale, or Fisher's z of a
correlation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from steelyard.maths.arrays import Matrix, Vector
from steelyard.quality.arms.answers import ArmAnswers

Better = Literal["low", "high", ""]
TARGET = 0.9  # reliability for which the needed answers are computed
LEAST = 1e-9  # a variance that is estimated as 0 or less
MOST_CORRELATION = 0.999999


@dataclass(frozen=True, slots=True)
class Measure:
    """One statistic of an arm.

    Attributes
    ----------
    name
        Name in tables and files.
    title
        What it measures, for people.
    compute
        Returns the statistic for each row of rater weights, on its analysis scale.
    better
        Whether low or high values are better; "" if neither.
    is_ratio
        Whether the analysis scale is logarithmic, so that arms are compared by ratios; otherwise it is Fisher's z.
    """

    name: str
    title: str
    compute: Callable[[ArmAnswers, Matrix], Vector]
    better: Better
    is_ratio: bool = True

    def natural(self, value: float) -> float:
        """Return a value in natural units."""
        return float(np.exp(value)) if self.is_ratio else float(np.tanh(value))


def _variances(arm: ArmAnswers, weights: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """Return by subset and item: number of raters, mean, and variance over raters (NaN below two raters)."""
    count = weights @ arm.judged
    total = weights @ (arm.judged * arm.position)
    squares = weights @ (arm.judged * arm.position**2)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(count > 0, total / count, np.nan)
        variance = np.where(count > 1, (squares - total * mean) / (count - 1), np.nan)
    return count, mean, np.maximum(variance, 0.0)


def noise_of(arm: ArmAnswers, weights: Matrix) -> Vector:
    """Return the mean over items of the variance of positions over raters."""
    return _mean(_variances(arm, weights)[2])


def signal_of(arm: ArmAnswers, weights: Matrix) -> Vector:
    """Return the variance of items: that of their means, less the part that the noise explains."""
    count, mean, variance = _variances(arm, weights)
    answered = count > 0
    centred = np.where(answered, mean - _mean(mean)[:, None], 0.0)
    items = answered.sum(axis=1)
    between = (centred**2).sum(axis=1) / np.maximum(items - 1, 1)
    with np.errstate(divide="ignore"):
        inverse = np.where(answered, 1.0 / count, 0.0).sum(axis=1) / np.maximum(items, 1)
    return np.asarray(np.maximum(between - _mean(variance) * inverse, LEAST))


def _mean(values: Matrix) -> Vector:
    """Return the mean of each row without its missing values; NaN if there are none."""
    present = ~np.isnan(values)
    counts = present.sum(axis=1)
    totals = np.where(present, values, 0.0).sum(axis=1)
    return np.where(counts > 0, totals / np.maximum(counts, 1), np.nan)


def _disagreement(arm: ArmAnswers, weights: Matrix) -> Vector:
    return 0.5 * np.log(np.maximum(noise_of(arm, weights), LEAST))


def _needed(arm: ArmAnswers, weights: Matrix) -> Vector:
    """Return log k with reliability k s / (k s + n) = 0.9, for signal s and noise n (Spearman-Brown)."""
    ratio = np.maximum(noise_of(arm, weights), LEAST) / signal_of(arm, weights)
    return np.log(TARGET / (1.0 - TARGET) * ratio)


def _scale_use(arm: ArmAnswers, weights: Matrix) -> Vector:
    """Return the log of the mean over raters of the distance between their lowest and highest position."""
    lowest = np.where(arm.judged > 0, arm.position, np.inf).min(axis=1, initial=np.inf)
    highest = np.where(arm.judged > 0, arm.position, -np.inf).max(axis=1, initial=-np.inf)
    return np.log(np.maximum(_over_raters(weights, np.maximum(highest - lowest, 0.0)), LEAST))


def _inconsistency(arm: ArmAnswers, weights: Matrix) -> Vector:
    """Return the log standard deviation of a rater's repeated answers, sqrt(mean of d² / 2)."""
    sums = weights @ arm.repeats
    variance = np.where(sums[:, 1] > 0, sums[:, 0] / np.maximum(sums[:, 1], 1.0) / 2.0, np.nan)
    return 0.5 * np.log(np.maximum(variance, LEAST))


def _seconds(arm: ArmAnswers, weights: Matrix) -> Vector:
    return _over_raters(weights, np.log(np.maximum(arm.seconds, 1e-3)))


def _time(arm: ArmAnswers, weights: Matrix) -> Vector:
    return _needed(arm, weights) + _seconds(arm, weights)


def _cost(arm: ArmAnswers, weights: Matrix) -> Vector:
    paid = _over_raters(weights, arm.cost)
    return _needed(arm, weights) + np.log(np.where(paid > 0, paid, np.nan))


def _over_raters(weights: Matrix, values: Vector) -> Vector:
    present = ~np.isnan(values)
    total = weights[:, present].sum(axis=1)
    return np.where(total > 0, weights[:, present] @ values[present] / np.maximum(total, LEAST), np.nan)


def correlations(weights: Matrix, arm: ArmAnswers, values: Vector) -> Vector:
    """Return Fisher's z of the correlation between the means of items and values of the same items.

    Parameters
    ----------
    weights
        Weight of each rater (column) in each subset (row).
    arm
        Answers of the arm.
    values
        One value per item; NaN if unknown.

    Returns
    -------
    Vector
        One value per subset.
    """
    _, mean, _ = _variances(arm, weights)
    both = ~np.isnan(mean) & ~np.isnan(values)
    other = np.where(both, values, np.nan)
    first, second = (
        np.where(both, each - _mean(each)[:, None], 0.0) for each in (_masked(mean, both), other)
    )
    scale = np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
    with np.errstate(invalid="ignore"):
        correlation = np.where(
            scale > 0, (first * second).sum(axis=1) / np.where(scale > 0, scale, 1.0), np.nan
        )
    return np.asarray(np.arctanh(np.clip(correlation, -MOST_CORRELATION, MOST_CORRELATION)))


def _masked(values: Matrix, kept: np.typing.NDArray[np.bool_]) -> Matrix:
    return np.where(kept, values, np.nan)


DISAGREEMENT = Measure("disagreement", "Disagreement about an item", _disagreement, "low")
NEEDED = Measure("answers_needed", "Answers per item for reliability 0.9", _needed, "low")
MEASURES: tuple[Measure, ...] = (
    DISAGREEMENT,
    NEEDED,
    Measure("scale_use", "Part of the scale that a rater uses", _scale_use, ""),
    Measure("inconsistency", "Difference between repeated answers", _inconsistency, "low"),
    Measure("seconds", "Seconds per judgment", _seconds, "low"),
    Measure("time_needed", "Seconds per item for reliability 0.9", _time, "low"),
    Measure("cost_needed", "Pay per item for reliability 0.9", _cost, "low"),
)
