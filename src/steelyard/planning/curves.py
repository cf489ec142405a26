"""Curves of a target against answers per item, from repeated simulations, and the answers at which they reach it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steelyard.maths.arrays import Matrix, Vector

BAND = (0.1, 0.9)  # an 80% prediction interval
LEAST_SLOPE = 0.25  # of the level by log answers, where a curve is continued beyond its points
NEVER = 1e9  # answers, instead of infinity in quantiles
MOST_BEYOND = 0.7  # log factor of answers by which a curve is continued


@dataclass(frozen=True, eq=False)
class Curve:
    """Levels of a target, which grow about linearly with the logarithm of the number of answers.

    Attributes
    ----------
    answers
        Answers per item, rising.
    levels
        Level in each simulated study (rows) at each number of answers (columns).
    """

    answers: Vector
    levels: Matrix

    @cached_property
    def middle(self) -> Vector:
        """Mean level over the studies, made monotone."""
        return monotone(self.levels.mean(axis=0))

    def band(self) -> tuple[Vector, Vector]:
        """Return the ends of the 80% interval of the level in a single study, made monotone."""
        low, high = np.quantile(self.levels, BAND, axis=0)
        return monotone(low), monotone(high)

    def needed(self, wanted: float) -> float:
        """Return the answers per item at which the mean curve reaches a level; infinity if it does not."""
        return crossing(self.answers, self.middle, wanted)

    def needed_band(self, wanted: float) -> tuple[float, float]:
        """Return the 80% interval of the answers per item that a single study needs."""
        each = [crossing(self.answers, monotone(row), wanted) for row in self.levels]
        low, high = np.quantile(np.minimum(each, NEVER), BAND, method="median_unbiased")
        return float(low), float(high) if high < NEVER / 10.0 else float("inf")

    def level_at(self, answers: float) -> float:
        """Return the mean level at a number of answers, interpolated on the logarithm of answers."""
        return float(np.interp(np.log(answers), np.log(self.answers), self.middle))


def monotone(levels: Vector) -> Vector:
    """Return the rising sequence that is nearest to the levels in least squares.

    >>> monotone(np.array([1.0, 3.0, 2.0, 4.0])).tolist()
    [1.0, 2.5, 2.5, 4.0]
    """
    from scipy.optimize import isotonic_regression  # SciPy is slow to import

    return np.asarray(isotonic_regression(levels).x)


def crossing(answers: Vector, levels: Vector, wanted: float) -> float:
    """Return the number of answers at which a rising curve reaches a level.

    Between points, the level is linear in the logarithm of the answers. The curve is continued beyond its points by a
    factor of at most 2 with the slope of its nearest part, and never below one answer.

    Parameters
    ----------
    answers
        Answers per item, rising.
    levels
        Level at each of them, rising.
    wanted
        Wanted level.

    Returns
    -------
    float
        Answers per item; infinity if the level is too far above the curve.

    Examples
    --------
    >>> round(crossing(np.array([2.0, 8.0]), np.array([0.0, 1.0]), 0.5), 6)
    4.0
    """
    at = np.log(answers)
    if wanted <= levels[0]:
        slope = _slope(at[:2], levels[:2])
        return float(np.exp(max(at[0] + (wanted - levels[0]) / slope, 0.0)))
    if wanted > levels[-1]:
        beyond = (wanted - levels[-1]) / _slope(at[-2:], levels[-2:])
        return float(np.exp(at[-1] + beyond)) if beyond <= MOST_BEYOND else float("inf")
    after = int(np.argmax(levels >= wanted))
    part = (wanted - levels[after - 1]) / (levels[after] - levels[after - 1])
    return float(np.exp(at[after - 1] + part * (at[after] - at[after - 1])))


def _slope(at: Vector, levels: Vector) -> float:
    if len(at) < 2:
        return 1.0
    return max(float((levels[1] - levels[0]) / (at[1] - at[0])), LEAST_SLOPE)
