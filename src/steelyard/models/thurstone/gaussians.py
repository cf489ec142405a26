"""The Gaussian that approximates a posterior of positions: dense for some hundred items, sparse beyond.

Both have precision  I / prior variance + sum over comparisons of  t (e_i - e_j)(e_i - e_j)',  where t is the
precision that a comparison adds to the difference of its two items.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from steelyard.maths.arrays import Codes, Matrix, Vector, sum_by
from steelyard.maths.definite import conjugate_gradients
from steelyard.models.thurstone.outcomes import Outcomes

FULL_ITEMS = 300  # up to which the covariance of all items is kept
MESSAGES_SETTLED = 1e-7  # relative change of the messages at which they have converged
MOST_SWEEPS = 500
SOLVED = 1e-9  # relative residual of the positions


class Gaussian(Protocol):
    """A joint normal distribution of all positions."""

    @property
    def position(self) -> Vector:
        """Means."""

    @property
    def variance(self) -> Vector:
        """Variances."""

    @property
    def covariance(self) -> Matrix | None:
        """Covariance of all items; None where there are too many."""

    def gap_variance(self) -> Vector:
        """Variance of the difference of the two items, per row of the outcomes."""


def gaussian_of(outcomes: Outcomes, precision: Vector, shift: Vector, prior_variance: float) -> Gaussian:
    """Return the Gaussian with these contributions of single comparisons.

    Parameters
    ----------
    outcomes
        Comparisons by pair and outcome.
    precision
        Precision that one comparison of a row adds to the difference of its items.
    shift
        Precision times mean of the same contribution.
    prior_variance
        Variance of the prior of every position.

    Returns
    -------
    Gaussian
        Dense up to `FULL_ITEMS` items, sparse beyond.
    """
    weight, pull = outcomes.count * precision, outcomes.count * shift
    right = sum_by(outcomes.first, pull, outcomes.items) - sum_by(outcomes.second, pull, outcomes.items)
    kind = DenseGaussian if outcomes.items <= FULL_ITEMS else SparseGaussian
    return kind(outcomes, weight, right, prior_variance)


@dataclass(frozen=True, eq=False)
class DenseGaussian:
    """The Gaussian with its full covariance."""

    outcomes: Outcomes
    weight: Vector
    right: Vector
    prior_variance: float

    @cached_property
    def precision(self) -> Matrix:
        """Precision matrix of all positions."""
        items, first, second = self.outcomes.items, self.outcomes.first, self.outcomes.second
        cells = sum_by(first * items + second, self.weight, items * items).reshape(items, items)
        shared = cells + cells.T
        matrix: Matrix = np.diag(shared.sum(axis=1) + 1.0 / self.prior_variance) - shared
        return matrix

    @cached_property
    def covariance(self) -> Matrix:
        """Inverse of the precision matrix."""
        return np.asarray(np.linalg.inv(self.precision))

    @cached_property
    def position(self) -> Vector:
        """Means."""
        return np.asarray(self.covariance @ self.right)

    @property
    def variance(self) -> Vector:
        """Variances."""
        return np.diag(self.covariance)

    def gap_variance(self) -> Vector:
        """Variance of the difference of the two items, per row of the outcomes."""
        first, second = self.outcomes.first, self.outcomes.second
        return np.asarray(self.variance[first] + self.variance[second] - 2.0 * self.covariance[first, second])

    @property
    def log_volume(self) -> float:
        """Log of the integral of the prior times all contributions, each with height 1 at 0."""
        spread = np.linalg.slogdet(self.precision)[1] + self.outcomes.items * np.log(self.prior_variance)
        return float(0.5 * self.right @ self.position - 0.5 * spread)


@dataclass(frozen=True, eq=False)
class SparseGaussian:
    """The Gaussian for many items: exact means, and variances by belief propagation.

    The message from item i to item j has precision  w p / (w + p),  where w is the precision of their difference and p
    that of i without j. On sparse random graphs the variances are close to those about the mean of all items.
    """

    outcomes: Outcomes
    weight: Vector
    right: Vector
    prior_variance: float

    covariance: None = None

    @cached_property
    def _edges(self) -> tuple[Codes, Codes, Codes, Vector]:
        """Both items of each distinct pair, the pair of each row, and the total weight of each pair."""
        first, second = self.outcomes.first, self.outcomes.second
        low, high = np.minimum(first, second), np.maximum(first, second)
        keys, pair = np.unique(low * self.outcomes.items + high, return_inverse=True)
        weight = sum_by(pair, self.weight, len(keys))
        return keys // self.outcomes.items, keys % self.outcomes.items, pair, weight

    @cached_property
    def _without(self) -> tuple[Vector, Vector]:
        """Precision of the low and of the high item of each pair without the pair's own comparisons."""
        low, high, _, weight = self._edges
        to_low = to_high = np.zeros(len(weight))
        for _ in range(MOST_SWEEPS):
            total = self._total(to_low, to_high)
            from_low, from_high = total[low] - to_low, total[high] - to_high
            before = to_low
            to_low, to_high = (
                weight * from_high / (weight + from_high),
                weight * from_low / (weight + from_low),
            )
            if np.max(np.abs(to_low - before), initial=0.0) <= MESSAGES_SETTLED * np.max(to_low, initial=1.0):
                break
        total = self._total(to_low, to_high)
        return total[low] - to_low, total[high] - to_high

    def _total(self, to_low: Vector, to_high: Vector) -> Vector:
        low, high, _, _ = self._edges
        incoming = sum_by(low, to_low, self.outcomes.items) + sum_by(high, to_high, self.outcomes.items)
        return np.asarray(incoming + 1.0 / self.prior_variance)

    @cached_property
    def variance(self) -> Vector:
        """Variances."""
        weight = self._edges[3]
        without_low, without_high = self._without
        to_low = weight * without_high / (weight + without_high)
        to_high = weight * without_low / (weight + without_low)
        return np.asarray(1.0 / self._total(to_low, to_high))

    def gap_variance(self) -> Vector:
        """Variance of the difference of the two items, per row of the outcomes."""
        _, _, pair, weight = self._edges
        low, high = self._without
        return np.asarray(((low + high) / (low * high + weight * (low + high)))[pair])

    @cached_property
    def position(self) -> Vector:
        """Means, by conjugate gradients."""
        low, high, _, weight = self._edges
        items = self.outcomes.items
        own = sum_by(low, weight, items) + sum_by(high, weight, items) + 1.0 / self.prior_variance

        def times(vector: Vector) -> Vector:
            drawn = sum_by(low, weight * vector[high], items) + sum_by(high, weight * vector[low], items)
            return np.asarray(own * vector - drawn)

        return np.asarray(conjugate_gradients(times, self.right, own, SOLVED))
