"""Covariances of estimates from the scores of clusters: adjusted for few clusters, with degrees of freedom.

Scores s_g, information I_g, the inverse information B of all ("bread") and the adjusted covariance V are those of
`adjusted_scores`. Without the adjustment the covariance is B (sum_g s_g s_g') B G / (G - 1) for G clusters.

Ten or more clusters are needed for either. With fewer, the effects of clusters on items count as independent draws with
one variance t^2: Var(s_g) = I_g + t^2 I_g O I_g, where O is the covariance of the items' parameters for t = 1. All
items' scores together estimate t^2 by its moments, so that it has many more degrees of freedom than V has.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steelyard.maths.adjusted_scores import ALONE, MOST_NUMBERS, AdjustedScores, symmetric_root
from steelyard.maths.arrays import Matrix, Vector
from steelyard.maths.sandwich import LEAST_FREEDOM, cluster_freedom

MOST_ADJUSTED = 100  # clusters up to which each has its own adjustment; with more it makes no difference
MOST_PRODUCTS = 300_000_000  # of Satterthwaite's degrees of freedom for all differences
MOMENT_STEPS = 8  # of the variance between clusters and the weights of its moments


def keeps_information(clusters: int, parameters: int) -> bool:
    """Are clusters and parameters few enough to keep each cluster's information?"""
    return clusters <= MOST_ADJUSTED and clusters * parameters**2 <= MOST_NUMBERS


@dataclass(frozen=True, eq=False)
class ClusterScores:
    """The squared scores of clusters ("meat"), and scores and information of each where these were kept.

    `weight` says how many judgments each cluster has; `tastes` is O, None where no parameters belong to items.
    """

    name: str
    weight: Vector
    meat: Matrix  # sum_g s_g s_g'
    bread: Matrix
    scores: Matrix | None = None  # clusters x parameters
    information: Matrix | None = None  # clusters x parameters x parameters
    tastes: Matrix | None = None

    @property
    def count(self) -> int:
        """How many clusters there are."""
        return len(self.weight)

    @cached_property
    def root(self) -> Matrix:
        """B^1/2."""
        return symmetric_root(self.bread)

    @cached_property
    def _adjusted_scores(self) -> AdjustedScores | None:
        """None where scores and information of each cluster were not kept."""
        if self.information is None or self.scores is None:
            return None
        return AdjustedScores(self.root, self.scores, self.information)

    @cached_property
    def plain(self) -> Matrix:
        """B (sum_g s_g s_g') B G / (G - 1), as R's sandwich computes it."""
        return np.asarray(self.count / max(self.count - 1.0, 1.0) * self.bread @ self.meat @ self.bread)

    @cached_property
    def adjusted(self) -> Matrix:
        """V, or the plain covariance where each cluster's information was not kept."""
        return self.plain if self._adjusted_scores is None else self._adjusted_scores.covariance

    @cached_property
    def pooled(self) -> PooledVariance | None:
        """The variance between clusters that all items share; None where it cannot be estimated."""
        if self.scores is None or self.information is None or self.tastes is None or self.count < 2:
            return None
        return pooled_variance(self.scores, self.information, self.bread, self.tastes)

    def freedom(self, rows: Matrix) -> Matrix:
        """Degrees of freedom of V for the rows' estimates (diagonal) and their differences.

        Satterthwaite's where they can be computed, else those of the effective number of clusters.
        """
        size = len(rows)
        if self.information is None:
            return np.full((size, size), cluster_freedom([self.weight]))
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
    """t^2 with its variance; `between` is B (sum_g I_g O I_g) B, which t^2 multiplies."""

    amount: float
    variance: float
    bread: Matrix
    between: Matrix

    @property
    def covariance(self) -> Matrix:
        """B + t^2 B (sum_g I_g O I_g) B."""
        return np.asarray(self.bread + self.amount * self.between)

    def freedom(self, rows: Matrix) -> Matrix:
        """Degrees of freedom 2 V^2 / Var(V) of the rows' estimates (diagonal) and their differences."""
        whole, part = (_variances(rows @ each @ rows.T) for each in (self.covariance, self.between))
        return np.maximum(2.0 * whole**2 / np.maximum(part**2 * self.variance, 1e-300), LEAST_FREEDOM)


def _variances(covariance: Matrix) -> Matrix:
    """Variances of differences, and those of the estimates themselves on the diagonal."""
    own = np.diag(covariance)
    return np.maximum(own[:, None] + own - 2.0 * covariance + np.diag(own), 0.0)


def pooled_variance(
    scores: Matrix, information: Matrix, bread: Matrix, tastes: Matrix
) -> PooledVariance | None:
    """t^2 from the moments of the scores at the estimates, u_g = s_g - I_g B sum_h s_h.

    With D_g = I_g O I_g their covariance is F_I + t^2 F_D, F_X = X_g - I_g B X_g - X_g B I_g + I_g B (sum_h X_h) B I_g.
    The weights D_g / (I_g + t^2 I_g O I_g)^2 make the moments those of maximum likelihood; t^2 is at least 0.
    None where clusters share nothing that would show it.
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
