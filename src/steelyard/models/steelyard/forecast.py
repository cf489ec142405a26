"""Predictive distribution of one answer of a rater."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Codes, Matrix, Vector
from steelyard.models.steelyard.belief import SteelyardBelief

STEPS = 40  # of bisection, for an accuracy of 2^-40 of the interval
TOLERANCE = 1e-9  # of a probability


@dataclass(frozen=True, eq=False)
class Forecast:
    """Mixture of a normal distribution (honest answer) and a uniform one (spammer), on the unit scale."""

    mean: Vector
    deviation: Vector
    spam: float

    def cdf(self, score: Vector) -> Vector:
        """Return the probability of an answer up to this score, before it is limited to the scale."""
        from scipy.special import ndtr  # SciPy is slow to import

        honest = ndtr((score - self.mean) / self.deviation)
        return np.asarray((1.0 - self.spam) * honest + self.spam * np.clip(score, 0.0, 1.0))

    def interval(self, level: float) -> tuple[Vector, Vector]:
        """Return the ends of the central interval, limited to the scale."""
        tail = (1.0 - level) / 2.0
        ends = np.clip([self._quantile(tail), self._quantile(1.0 - tail)], 0.0, 1.0)
        return ends[0], ends[1]

    def holds(self, score: Vector, levels: Vector) -> Matrix:
        """Return 1 if the central interval of a level (rows) contains the score (columns, on the unit scale), else 0.

        A score is inside if its cumulative probability is. A score at an end of the scale is also inside an interval
        that was limited there.
        """
        tail = (1.0 - levels[:, None]) / 2.0
        below = self.cdf(score)[None, :]
        reaches_down = (below >= tail - TOLERANCE) | (score >= 1.0)
        reaches_up = (below <= 1.0 - tail + TOLERANCE) | (score <= 0.0)
        return (reaches_down & reaches_up).astype(float)

    def _quantile(self, share: float) -> Vector:
        low = np.minimum(self.mean - 10.0 * self.deviation, 0.0)
        high = np.maximum(self.mean + 10.0 * self.deviation, 1.0)
        for _ in range(STEPS):
            middle = (low + high) / 2.0
            below = self.cdf(middle) < share
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return (low + high) / 2.0


def forecast(belief: SteelyardBelief, rater: str, at: Codes) -> Forecast:
    """Return the predictive distribution of a rater's answers.

    y = centre + slope theta + bias + offset + noise, including the uncertainty of every effect.

    Parameters
    ----------
    belief
        Current belief.
    rater
        Rater id. A rater without answers gets average rater effects.
    at
        Indices of the items in the belief.

    Returns
    -------
    Forecast
        Distribution of one answer to each item.
    """
    habits = belief.habits
    terms = belief.raters.get(rater, habits.newcomer())
    variance = 1.0 / belief.precision[at]
    latent = belief.pull[at] * variance
    mean = habits.centre + terms.slope * latent + terms.pull / terms.precision
    total = (
        terms.slope**2 * variance
        + terms.slope_error * (latent**2 + variance)
        + 1.0 / terms.precision
        + habits.offset_variance
        + terms.noise_variance
    )
    return Forecast(mean, np.sqrt(total), terms.spam)
