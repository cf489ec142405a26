"""Positions with their errors: the posterior's own, or clustered by rater or segment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes, Labels, Mask, Matrix, Vector
from steelyard.maths.sandwich import ErrorType
from steelyard.models.clusters import (
    Clustering,
    Scored,
    Way,
    rater_codes,
    segment_codes,
    too_many,
    ways_of,
)
from steelyard.models.online.posterior import GaussianPosterior
from steelyard.models.online.steps import Steps, steps_of
from steelyard.models.thurstone.prior import PositionPosterior
from steelyard.models.thurstone.propagation import corrections
from steelyard.scales.belief import GaussianBelief
from steelyard.scales.fit import Posterior
from steelyard.scales.joint import Joint, JointNormal

INDEPENDENT = (
    "Differences between items are computed as if their positions were independent, because the covariance of so many "
    "items is not kept."
)


class Errors(NamedTuple):
    """The posterior of a fit, its error type in words, and notes."""

    posterior: Posterior
    error_type: str
    notes: tuple[str, ...]


def errors_of(
    posterior: PositionPosterior, items: Labels, judgments: Judgments, cluster: str, few_clusters: str
) -> Errors:
    """Return the posterior of centred positions with the errors that the settings ask for.

    The clustered covariance is  S M S + S S / tau² + D.  M sums the squared scores of clusters. S is the covariance
    given the prior standard deviation tau, and D the covariance of the means over tau.

    Parameters
    ----------
    posterior
        Positions and covariance from expectation propagation.
    items
        Item ids, in the order of the positions.
    judgments
        The comparisons with their raters and segments.
    cluster
        How errors are clustered.
    few_clusters
        How few clusters are treated.

    Returns
    -------
    Errors
        Normal without clusters, t distributed with them.
    """
    steps, table = steps_of(judgments, items), judgments.table("comparison")
    used = steps.weight > 0.0
    ways = ways_of(cluster, rater_codes(judgments, table), segment_codes(table), steps.weight)
    position = posterior.position - posterior.position.mean()
    if posterior.within is None or posterior.covariance is None:
        belief = GaussianBelief(items, position, posterior.variance, np.zeros(len(items)))
        notes = (*(too_many(len(items), "rater") if ways else ()), INDEPENDENT)
        return Errors(GaussianPosterior(belief), str(ErrorType()), notes)
    centred = np.eye(len(items)) - 1.0 / len(items)
    if not ways:
        covariance = centred @ posterior.covariance @ centred
        return Errors(JointNormal(Joint(position, covariance)), str(ErrorType()), ())
    scored = ComparisonScores(_rows(steps, used), posterior)
    clustering = scored.clustering(tuple(way.at(used) for way in ways), few_clusters)
    covariance = centred @ (clustering.covariance + scored.from_prior) @ centred
    joint = Joint(position, covariance, clustering.freedom(centred))
    return Errors(JointNormal(joint), str(clustering.errors), clustering.notes)


def _rows(steps: Steps, used: Mask) -> Steps:
    return Steps(steps.left[used], steps.right[used], steps.outcome[used], steps.weight[used])


@dataclass(frozen=True, eq=False)
class ComparisonScores:
    """Derivatives of the log-likelihood of each comparison at the estimated positions."""

    steps: Steps
    posterior: PositionPosterior

    @property
    def bread(self) -> Matrix:
        """Covariance of positions given the prior."""
        assert self.posterior.within is not None  # clustered errors are for dense covariances
        return self.posterior.within

    @property
    def from_prior(self) -> Matrix:
        """Part of the covariance that the prior and its unknown spread contribute."""
        assert self.posterior.between is not None  # as above
        prior_precision = self.posterior.best.scales.prior_sd**-2
        return np.asarray(prior_precision * self.bread @ self.bread + self.posterior.between)

    def _derivatives(self) -> tuple[Vector, Vector]:
        """Slope and curvature of each comparison's log-likelihood in the difference of its left and right item."""
        left, right, outcome, _ = self.steps
        sign = np.where(outcome < 0, -1.0, 1.0)
        gap = sign * (self.posterior.position[left] - self.posterior.position[right])
        width = np.full(len(gap), self.posterior.best.scales.tie_width)
        v, w = corrections(gap, width, outcome == 0)
        return sign * v, w

    def scores(self, codes: Codes, count: int) -> Any:
        """Sum scores by cluster: clusters x items, sparse."""
        from scipy.sparse import csr_array  # SciPy is slow to import

        slope = self.steps.weight * self._derivatives()[0]
        ends = (np.r_[codes, codes], np.r_[self.steps.left, self.steps.right])
        return csr_array((np.r_[slope, -slope], ends), shape=(count, len(self.bread)))

    def information(self, codes: Codes, count: int) -> Matrix:
        """Sum information by cluster: clusters x items x items."""
        left, right, _, weight = self.steps
        curvature = weight * self._derivatives()[1]
        summed = np.zeros((count, len(self.bread), len(self.bread)))
        for one, other, sign in ((left, left, 1), (right, right, 1), (left, right, -1), (right, left, -1)):
            np.add.at(summed, (codes, one, other), sign * curvature)
        return summed

    def clustering(self, ways: tuple[Way, ...], few_clusters: str) -> Clustering:
        """Return the clustered covariance of positions without the prior's part."""
        bread = self.bread
        prior_precision = self.posterior.best.scales.prior_sd**-2
        model = bread - prior_precision * bread @ bread
        tastes = np.eye(len(bread))
        judged = Scored(self.scores, self.steps.weight, bread, self.information, tastes, model)
        return Clustering.of(judged, ways, few_clusters)
