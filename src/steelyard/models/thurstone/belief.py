"""The belief of Thurstone's model, updated by one comparison at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from steelyard.maths.arrays import Labels, Matrix, Vector
from steelyard.models.online.steps import Steps, times_judged
from steelyard.models.thurstone.gaussians import FULL_ITEMS
from steelyard.models.thurstone.prior import FIRST_TIE_WIDTH, PositionPosterior
from steelyard.models.thurstone.propagation import corrections


def about_the_mean(covariance: Matrix) -> Vector:
    """Return the variances of positions less the mean of all positions."""
    shared = covariance.mean(axis=0)
    return np.asarray(np.maximum(np.diag(covariance) - 2.0 * shared + shared.mean(), 0.0))


@dataclass(frozen=True, eq=False)
class ThurstoneBelief:
    """Normal positions in units of the comparison noise.

    Attributes
    ----------
    item
        Item ids.
    position, variance
        Mean and variance of each position.
    count
        Comparisons of each item.
    covariance
        Covariance of all items; None where there are too many, and positions count as independent.
    tie_width
        Differences within this width count as ties; 0 before the first tie.
    """

    item: Labels
    position: Vector
    variance: Vector
    count: Vector
    covariance: Matrix | None
    tie_width: float = 0.0

    @staticmethod
    def of(item: Labels, count: Vector, posterior: PositionPosterior) -> ThurstoneBelief:
        """Return the belief with this distribution of positions.

        Parameters
        ----------
        item
            Item ids.
        count
            Comparisons of each item.
        posterior
            Joint distribution of positions, and the width of ties.

        Returns
        -------
        ThurstoneBelief
            Positions with variances about their mean, which no comparison shows.
        """
        covariance = posterior.covariance
        variance = posterior.variance if covariance is None else about_the_mean(covariance)
        tie_width = posterior.best.scales.tie_width
        return ThurstoneBelief(item, posterior.position, variance, count, covariance, tie_width)

    @staticmethod
    def fresh(item: Labels, prior_sd: float) -> ThurstoneBelief:
        """Return the belief before any comparison: independent positions around 0 with this standard deviation."""
        size = len(item)
        variance = np.full(size, prior_sd**2)
        covariance = np.diag(variance) if size <= FULL_ITEMS else None
        return ThurstoneBelief(item, np.zeros(size), variance, np.zeros(size), covariance)

    def after(self, steps: Steps) -> ThurstoneBelief:
        """Return the belief after these comparisons, each of which moves the mean and shrinks the covariance."""
        if not self.tie_width and np.any(steps.outcome == 0):
            return replace(self, tie_width=FIRST_TIE_WIDTH).after(steps)
        position, variance = self.position.copy(), self.variance.copy()
        covariance = None if self.covariance is None else self.covariance.copy()
        for left, right, outcome, weight in zip(*(column.tolist() for column in steps), strict=True):
            first, second = (left, right) if outcome >= 0 else (right, left)
            if covariance is None:
                reach = np.array([variance[first], -variance[second]])
                mean, shrink = self._moves(
                    position[first] - position[second], reach[0] - reach[1], outcome == 0
                )
                position[[first, second]] += weight * mean * reach
                variance[[first, second]] *= np.maximum(1.0 - weight * shrink * np.abs(reach), 0.05)
                continue
            along = covariance[:, first] - covariance[:, second]
            gap_variance = along[first] - along[second]
            mean, shrink = self._moves(position[first] - position[second], gap_variance, outcome == 0)
            added = weight * shrink / (1.0 - shrink * gap_variance)  # precision that the comparisons add
            position += weight * mean * along
            covariance -= added / (1.0 + added * gap_variance) * np.outer(along, along)
        if self.covariance is not None and covariance is not None:
            variance = variance - about_the_mean(self.covariance) + about_the_mean(covariance)
        count = times_judged(steps, self.count)
        return replace(self, position=position, variance=variance, covariance=covariance, count=count)

    def _moves(self, gap: float, variance: float, is_tie: bool) -> tuple[float, float]:
        """V / c and W / c² of one outcome, c² = 1 + variance of the difference."""
        scale = float(np.sqrt(1.0 + variance))
        margin = np.array([self.tie_width / scale])
        v, w = corrections(np.array([gap / scale]), margin, np.array([is_tie]))
        return float(v[0]) / scale, float(w[0]) / scale**2
