"""Covariances of estimates from the scores of clusters, adjusted for few clusters, with degrees of freedom.

Scores s_g, information I_g, the inverse information B ("bread") and the adjusted covariance V are those of
`adjusted_scores`. Without the adjustment the covariance is B (sum_g s_g s_g') B G / (G - 1) for G clusters.

Both need ten or more clusters. With fewer, the effects of clusters on items are modelled as independent draws with
one variance t^2: Var(s_g) = I_g + t^2 I_g O I_g, where O is the covariance of the items' parameters for t = 1. The
scores of all items together estimate t^2 by the method of moments, so it has many more degrees of freedom than V.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steelyard.maths.adjusted_scores import ALONE, MOST_NUMBERS, AdjustedScores, symmetric_root
from steelyard.maths.arrays import Matrix, Vector
from steelyard.maths.sandwich import LEAST_FREEDOM, cluster_freedom

MOST_ADJUSTED = (
    100  # clusters up to which each has its own adjustment; with more, the adjustment is negligible
)
MOST_PRODUCTS = 300_000_000  # of Satterthwaite's degrees of freedom for all differences
MOMENT_STEPS = 8  # of the variance between clusters and the weights of its moments


def keeps_information(clusters: int, parameters: int) -> bool:
    """Whether clusters and parameters are few enough to keep the information of each cluster."""
    return clusters <= MOST_ADJUSTED and clusters * parameters**2 <= MOST_NUMBERS


@dataclass(frozen=True, eq=False)
class ClusterScores:
    """The sum of squared scores of clusters ("meat"), and the scores and information of each cluster if they were kept.

    `weight` is the number of judgments in each cluster. `tastes` is O, or None if no parameter belongs to an item.
    `alone` is the number of further clusters that have one judgment each.
    """

    name: str
    weight: Vector
    meat: Matrix  # sum_g s_g s_g'
    bread: Matrix
    scores: Matrix | None = None  # clusters x parameters
    information: Matrix | None = None  # clusters x parameters x parameters
    tastes: Matrix | None = None
    alone: float = 0.0

    @property
    def count(self) -> int:
        """Number of clusters."""
        return len(self.weight) + int(self.alone)

    @cached_property
    def root(self) -> Matrix:
        """B^1/2."""
        return symmetric_root(self.bread)

    @cached_property
    def _adjusted_scores(self) -> AdjustedScores | None:
        """The adjusted scores, or None if scores and information were not kept."""
        if self.information is None or self.scores is None:
            return None
        return AdjustedScores(self.root, self.scores, self.information)

    @cached_property
    def plain(self) -> Matrix:
        """B (sum_g s_g s_g') B G / (G - 1), as in R's sandwich package."""
        return np.asarray(self.count / max(self.count - 1.0, 1.0) * self.bread @ self.meat @ self.bread)

    @cached_property
    def adjusted(self) -> Matrix:
        """V, or the plain covariance if the information of each cluster was not kept."""
        return self.plain if self._adjusted_scores is None else self._adjusted_scores.covariance

    @cached_property
    def pooled(self) -> PooledVariance | None:
        """The variance between clusters that all items share, or None if it cannot be estimated."""
        if self.scores is None or self.information is None or self.tastes is None or self.count < 2:
            return None
        return pooled_variance(self.scores, self.information, self.bread, self.tastes)

    def freedom(self, rows: Matrix) -> Matrix:
        """Return degrees of freedom of V for the rows' estimates (diagonal) and their differences.

        They are Satterthwaite's if these can be computed, otherwise those of the effective number of clusters.
        """
        size = len(rows)
        if self.information is None:
            return np.full((size, size), cluster_freedom([self.weight], self.alone))
        few = self.count**2 * len(self.bread) * size**2 / 2 <= MOST_PRODUCTS
        if self._adjusted_scores is not None and few:
            return self._adjusted_scores.satterthwaite(rows)
        turned = rows @ self.bread
        own = np.einsum("ip,gpq,jq->gij", turned, self.information, turned, optimize=True)
        diagonal = np.einsum("gii->gi", own)
        share = np.maximum(diagonal[:, :, None] + diagonal[:, None, :] - 2.0 * own, 0.0)
        share[:, np.arange(size), np.arange(size)] = diagonal
        effective = share.sum(axis=0) ** 2 / np.maximum(np.sum(share**2, axis=0), 1e-300)
        return np.asarray(np.maximum(effective - 1.0, LEAST_FREEDOM))


@dataclass(frozen=True, eq=False)
class PooledVariance:
    """t^2 and its variance; `between` is B (sum_g I_g O I_g) B, which t^2 multiplies."""

    amount: float
    variance: float
    bread: Matrix
    between: Matrix

    @property
    def covariance(self) -> Matrix:
        """B + t^2 B (sum_g I_g O I_g) B."""
        return np.asarray(self.bread + self.amount * self.between)

    def freedom(self, rows: Matrix) -> Matrix:
        """Return degrees of freedom 2 V^2 / Var(V) of the rows' estimates (diagonal) and their differences."""
        whole, part = (_variances(rows @ each @ rows.T) for each in (self.covariance, self.between))
        return np.maximum(2.0 * whole**2 / np.maximum(part**2 * self.variance, 1e-300), LEAST_FREEDOM)


def _variances(covariance: Matrix) -> Matrix:
    """Return variances of differences, and of the estimates on the diagonal."""
    own = np.diag(covariance)
    return np.maximum(own[:, None] + own - 2.0 * covariance + np.diag(own), 0.0)


def pooled_variance(
    scores: Matrix, information: Matrix, bread: Matrix, tastes: Matrix
) -> PooledVariance | None:
    """Estimate t^2 from the moments of the scores at the estimates, u_g = s_g - I_g B sum_h s_h.

    With D_g = I_g O I_g their covariance is F_I + t^2 F_D, where
    F_X = X_g - I_g B X_g - X_g B I_g + I_g B (sum_h X_h) B I_g.
    The weights D_g / (I_g + t^2 I_g O I_g)^2 make the moments those of maximum likelihood.

    Parameters
    ----------
    scores
        Scores s_g, clusters x parameters.
    information
        Information I_g, clusters x parameters x parameters.
    bread
        Inverse information B.
    tastes
        Covariance O of the items' parameters for t = 1.

    Returns
    -------
    PooledVariance or None
        t^2, at least 0, and its variance. None if clusters share no items.
    """
    shifted = information @ tastes @ information
    carried = information @ bread
    left = carried @ information
    own = (
        information
        - left
        - np.swapaxes(left, 1, 2)
        + carried @ information.sum(axis=0) @ np.swapaxes(carried, 1, 2)
    )
    crossed = carried @ shifted
    other = shifted - crossed - np.swapaxes(crossed, 1, 2)
    other = other + carried @ shifted.sum(axis=0) @ np.swapaxes(carried, 1, 2)
    residual = scores - carried @ scores.sum(axis=0)
    amount, variance = 0.0, np.inf
    for _ in range(MOMENT_STEPS):
        inverse = np.linalg.pinv(information + amount * shifted, rcond=1e-9, hermitian=True)
        weight = inverse @ shifted @ inverse
        slope = float(np.sum(weight * other))
        if slope <= ALONE * float(np.sum(weight * shifted)):  # no two clusters measure the same direction
            return None
        excess = float(np.einsum("gi,gij,gj->", residual, weight, residual)) - float(np.sum(weight * own))
        amount = max(excess / slope, 0.0)
        product = weight @ (own + amount * other)
        variance = 2.0 * float(np.sum(product * np.swapaxes(product, 1, 2))) / slope**2
    return PooledVariance(amount, variance, bread, np.asarray(bread @ shifted.sum(axis=0) @ bread))
