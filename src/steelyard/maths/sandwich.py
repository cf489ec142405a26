"""Covariances of estimates whose errors are correlated within clusters: raters, segments, or both.

The influence of a judgment is the derivative of the estimates by it. Influences summed by cluster and squared
estimate the covariance for any correlation inside a cluster [Liang & Zeger 1986]. Two ways of clustering are combined
as V(rater) + V(segment) - V(rater and segment) [Cameron, Gelbach & Miller 2011].
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Codes, Matrix, Vector

FEW = 10  # number of clusters below which the variance is at least that of the model
LEAST_FREEDOM = 1.0


def sums_by_cluster(influence: Matrix, codes: Codes) -> Matrix:
    """Return the sum of the influence rows (judgments x estimates) of each cluster."""
    from scipy.sparse import csr_array  # SciPy is slow to import

    clusters = int(codes.max(initial=-1)) + 1
    rows = np.arange(len(codes))
    gather = csr_array((np.ones(len(codes)), (codes, rows)), shape=(clusters, len(codes)))
    return np.asarray(gather @ influence)


def one_way(influence: Matrix, codes: Codes, adjust: bool = True) -> Matrix:
    """Return the covariance clustered one way.

    Parameters
    ----------
    influence
        Influence of each judgment on each estimate, judgments x estimates.
    codes
        Cluster of each judgment, as a code.
    adjust
        Whether to multiply by G / (G - 1) for G clusters.

    Returns
    -------
    Matrix
        Covariance of the estimates.

    Examples
    --------
    >>> one_way(np.array([[1.0], [1.0], [-2.0]]), np.array([0, 0, 1])).tolist()
    [[16.0]]
    """
    sums = sums_by_cluster(influence, codes)
    clusters = len(np.unique(codes))
    factor = clusters / (clusters - 1.0) if adjust and clusters > 1 else 1.0
    return np.asarray(factor * sums.T @ sums)


def clustered(influence: Matrix, clusters: Sequence[Codes], adjust: bool = True) -> Matrix:
    """Return the covariance clustered one way or two ways.

    Parameters
    ----------
    influence
        Influence of each judgment on each estimate, judgments x estimates.
    clusters
        Cluster of each judgment, for one or two ways of clustering.
    adjust
        Whether to multiply by G / (G - 1) for G clusters.

    Returns
    -------
    Matrix
        Covariance of the estimates. A two-way covariance may have negative variances.
    """
    if len(clusters) == 1:
        return one_way(influence, clusters[0], adjust)
    first, second = clusters
    both = np.unique(first * (int(second.max(initial=0)) + 1) + second, return_inverse=True)[1]
    return np.asarray(
        one_way(influence, first, adjust)
        + one_way(influence, second, adjust)
        - one_way(influence, np.asarray(both, dtype=np.int64), adjust)
    )


def cluster_freedom(shares: Sequence[Vector], alone: float = 0.0) -> float:
    """Return the degrees of freedom of a clustered variance: the smallest effective number of clusters minus 1.

    `shares` has, for each way of clustering, the share of each cluster in the information. G equal clusters have G - 1
    degrees of freedom. The effective number of unequal clusters is 1 / sum of squared shares [Carter, Schnepel &
    Steigerwald 2017]. `alone` is the number of further clusters with a share of 1 each, of every type.

    >>> round(cluster_freedom([np.full(5, 0.2)]), 6)
    4.0
    """
    effective = [
        float((np.sum(each) + alone) ** 2 / (np.sum(each**2) + alone))
        for each in shares
        if np.sum(each) + alone > 0.0
    ]
    return max(min(effective, default=np.inf) - 1.0, LEAST_FREEDOM)


def counted_clusters(count: int, name: str) -> str:
    """Return a number of clusters in words.

    >>> counted_clusters(1, "rater"), counted_clusters(3, "segment")
    ('1 rater', '3 segments')
    """
    return f"{count:,} {name}{'' if count == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class ErrorType:
    """How standard errors were computed, as text."""

    clusters: tuple[tuple[str, int], ...] = ()  # name and number of each way of clustering

    def __str__(self) -> str:
        if not self.clusters:
            return "independent judgments"
        return "clustered by " + " and ".join(f"{name} ({count:,})" for name, count in self.clusters)

    @staticmethod
    def of_text(text: str) -> ErrorType:
        """Return the error type that a signature states; without clusters for any other text.

        >>> ErrorType.of_text("clustered by rater (4) and segment (1,200)").clusters
        (('rater', 4), ('segment', 1200))
        """
        if not text.startswith("clustered by "):
            return ErrorType()
        named = re.findall(r"(\w+) \(([\d,]+)\)", text)
        return ErrorType(tuple((name, int(count.replace(",", ""))) for name, count in named))

    @property
    def is_few(self) -> bool:
        """Whether there are fewer than ten clusters of a kind."""
        return any(count < FEW for _, count in self.clusters)

    @property
    def warning(self) -> str | None:
        """Warning for readers if clusters are few."""
        return self._warning(
            "The larger of the clustered and the model variance is used, and intervals use a t distribution."
        )

    @property
    def plain_warning(self) -> str | None:
        """The same warning for errors without correction."""
        return self._warning("They are not corrected (few_clusters=plain), so they are unreliable.")

    def _warning(self, ending: str) -> str | None:
        few = [counted_clusters(count, name) for name, count in self.clusters if count < FEW]
        if not few:
            return None
        return f"Only {' and '.join(few)}: clustered standard errors are uncertain with so few clusters. {ending}"


def at_least(covariance: Matrix, least: Matrix, root: Matrix | None = None) -> Matrix:
    """Return the covariance with every variance and every variance of a difference at least as large as in `least`.

    The positive part of the smallest necessary change is added. A covariance that is already larger stays unchanged.

    Parameters
    ----------
    covariance
        Covariance to correct.
    least
        Lower bound.
    root
        Symmetric root of a covariance, in whose units changes are measured. The result then does not depend on the
        choice of a reference item. By default, changes are measured in the units of the matrices.

    Returns
    -------
    Matrix
        The corrected covariance.
    """
    gap = least - covariance
    if root is None:
        return np.asarray(covariance + positive_part(gap))
    back = np.linalg.pinv(root, rcond=1e-9, hermitian=True)
    return np.asarray(covariance + root @ positive_part(back @ gap @ back) @ root)


def positive_part(matrix: Matrix) -> Matrix:
    """Return the symmetric matrix without its negative eigenvalues."""
    values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)
