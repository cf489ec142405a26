"""Covariances of estimates whose errors are correlated within clusters: raters, segments, or both.

An estimate's influence rows say how far it moves per judgment. Summed by cluster and squared they estimate its
covariance whatever the correlation inside a cluster is [Liang & Zeger 1986]; two ways of clustering are combined as
V(rater) + V(segment) - V(rater and segment) [Cameron, Gelbach & Miller 2011].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Codes, Matrix, Vector

FEW = 10  # clusters below which the variance is at least the model's own
LEAST_FREEDOM = 1.0


def sums_by_cluster(influence: Matrix, codes: Codes) -> Matrix:
    """Sum of the influence rows (judgments x estimates) of each cluster."""
    from scipy.sparse import csr_array  # SciPy is slow to import

    clusters = int(codes.max(initial=-1)) + 1
    rows = np.arange(len(codes))
    gather = csr_array((np.ones(len(codes)), (codes, rows)), shape=(clusters, len(codes)))
    return np.asarray(gather @ influence)


def one_way(influence: Matrix, codes: Codes, adjust: bool = True) -> Matrix:
    """Covariance clustered one way, times G / (G - 1) for G clusters.

    >>> one_way(np.array([[1.0], [1.0], [-2.0]]), np.array([0, 0, 1])).tolist()
    [[16.0]]
    """
    sums = sums_by_cluster(influence, codes)
    clusters = len(np.unique(codes))
    factor = clusters / (clusters - 1.0) if adjust and clusters > 1 else 1.0
    return np.asarray(factor * sums.T @ sums)


def clustered(influence: Matrix, clusters: Sequence[Codes], adjust: bool = True) -> Matrix:
    """Covariance clustered one way or two ways; the two-way one may have negative variances."""
    if len(clusters) == 1:
        return one_way(influence, clusters[0], adjust)
    first, second = clusters
    both = np.unique(first * (int(second.max(initial=0)) + 1) + second, return_inverse=True)[1]
    return np.asarray(
        one_way(influence, first, adjust)
        + one_way(influence, second, adjust)
        - one_way(influence, np.asarray(both, dtype=np.int64), adjust)
    )


def cluster_freedom(shares: Sequence[Vector]) -> float:
    """Degrees of freedom of a clustered variance: effective clusters less one, the fewest over the ways.

    `shares` are, per way of clustering, the shares of the clusters in the information. G equal clusters have G - 1;
    unequal ones count as 1 / sum of squared shares [Carter, Schnepel & Steigerwald 2017].

    >>> round(cluster_freedom([np.full(5, 0.2)]), 6)
    4.0
    """
    effective = [float(np.sum(each) ** 2 / np.sum(each**2)) for each in shares if np.sum(each) > 0.0]
    return max(min(effective, default=np.inf) - 1.0, LEAST_FREEDOM)


@dataclass(frozen=True, slots=True)
class ErrorType:
    """How standard errors were computed, in words."""

    clusters: tuple[tuple[str, int], ...] = ()  # name and number of each way of clustering

    def __str__(self) -> str:
        if not self.clusters:
            return "independent judgments"
        return "clustered by " + " and ".join(f"{name} ({count:,})" for name, count in self.clusters)

    @property
    def is_few(self) -> bool:
        """Are there fewer than ten clusters of a kind?"""
        return any(count < FEW for _, count in self.clusters)

    @property
    def warning(self) -> str | None:
        """What a reader must know where clusters are few."""
        return self._warning("Variances are at least those of the model, and intervals use a t distribution.")

    @property
    def plain_warning(self) -> str | None:
        """The same for errors without any guard."""
        return self._warning("They are used as they are (few_clusters=plain): do not trust them.")

    def _warning(self, ending: str) -> str | None:
        few = [f"{count} {name}s" for name, count in self.clusters if count < FEW]
        if not few:
            return None
        return (
            f"Only {' and '.join(few)}: clustered standard errors of so few clusters are uncertain. {ending}"
        )


def at_least(covariance: Matrix, least: Matrix, root: Matrix | None = None) -> Matrix:
    """The covariance with every difference and every variance at least as large as in `least`.

    Adds the positive part of the smallest change that `least` asks for; a covariance that is larger already stays. What
    is smallest is measured in units of `root`, a symmetric root of a covariance, so that the choice of a reference item
    makes no difference; without it in those of the matrices.
    """
    gap = least - covariance
    if root is None:
        return np.asarray(covariance + positive_part(gap))
    back = np.linalg.pinv(root, rcond=1e-9, hermitian=True)
    return np.asarray(covariance + root @ positive_part(back @ gap @ back) @ root)


def positive_part(matrix: Matrix) -> Matrix:
    """The symmetric matrix without its negative eigenvalues."""
    values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)
