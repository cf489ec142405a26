"""Curves of a target against answers per item, from repeated simulations, and the answers at which they reach it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steelyard.maths.arrays import Matrix, Vector
from steelyard.selection.growth import MOST_BEYOND, crossing

BAND = (0.1, 0.9)  # an 80% prediction interval
NEVER = 7.0  # log factor of answers beyond a curve, from which a single study does not reach the target


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

    def needed(self, wanted: float, most_beyond: float = MOST_BEYOND) -> float:
        """Return the answers per item at which the mean curve reaches a level; infinity if it does not."""
        return crossing(self.answers, self.middle, wanted, most_beyond)

    def needed_band(self, wanted: float) -> tuple[float, float]:
        """Return the 80% prediction interval of the answers per item that a single study needs.

        With mean m and standard deviation s of the logarithms over n studies, it is m ± t(n - 1) s sqrt(1 + 1/n).
        Quantiles of a few studies would be too close together.
        """
        from scipy.special import stdtrit  # SciPy is slow to import

        each = np.log([crossing(self.answers, monotone(row), wanted, math.inf) for row in self.levels])
        size = len(each)
        reach = stdtrit(size - 1, BAND[1]) * float(np.std(each, ddof=1)) * math.sqrt(1.0 + 1.0 / size)
        low, high = max(float(each.mean()) - reach, 0.0), float(each.mean()) + reach
        never = high > math.log(self.answers[-1]) + NEVER
        return math.exp(low), math.inf if never else math.exp(high)

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
