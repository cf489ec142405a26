"""Scores of clusters adjusted for few clusters: the covariance CR2 and its degrees of freedom.

The score s_g of a cluster is the derivative of its log-likelihood, I_g its information, B the inverse information of
all clusters, and M_g = B^1/2 I_g B^1/2. With r_g = (1 - M_g)^-1/2 B^1/2 s_g the covariance

    V = B^1/2 (sum_g r_g r_g') B^1/2                                     [CR2: Bell & McCaffrey 2002]

is unbiased if answers are independent. The degrees of freedom of a t test of c' theta are Satterthwaite's. With
l_g = (1 - M_g)^-1/2 B^1/2 c and G_gh = l_g' (1[g=h] M_g - M_g M_h) l_h they are (sum_g G_gg)^2 / sum_gh G_gh^2.
For equal clusters this is the number of clusters minus 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steelyard.maths.arrays import Matrix, Vector
from steelyard.maths.sandwich import LEAST_FREEDOM

ALONE = 1e-8  # 1 minus an eigenvalue of M_g, below which only this cluster measures a direction
MOST_NUMBERS = 4_000_000  # clusters x parameters^2 up to which the information of each cluster is kept
NEGLIGIBLE = 1e-12  # ratio to the largest eigenvalue below which an eigenvalue counts as 0


def symmetric_root(matrix: Matrix) -> Matrix:
    """Return the symmetric root of a positive semidefinite matrix."""
    values, vectors = _eigen(matrix)
    return np.asarray((vectors * np.sqrt(values)) @ vectors.T)


def inverse_root(matrix: Matrix) -> Matrix:
    """Return the symmetric root of the inverse, 0 in the directions in which the matrix is 0."""
    values, vectors = _eigen(matrix)
    return np.asarray((vectors / np.sqrt(values)) @ vectors.T)


def _eigen(matrix: Matrix) -> tuple[Vector, Matrix]:
    """Return the positive eigenvalues and their vectors."""
    values, vectors = np.linalg.eigh(matrix)
    kept = values > NEGLIGIBLE * values.max(initial=1e-300)
    return values[kept], vectors[:, kept]


@dataclass(frozen=True, eq=False)
class AdjustedScores:
    """Scores (clusters x parameters) and information (clusters x parameters x parameters) of every cluster."""

    root: Matrix  # B^1/2
    scores: Matrix
    information: Matrix

    @cached_property
    def shares(self) -> Matrix:
        """M_g: each cluster's share of the information."""
        return np.asarray(self.root @ self.information @ self.root)

    @cached_property
    def adjustments(self) -> Matrix:
        """(1 - M_g)^-1/2, without directions that only one cluster measures."""
        values, vectors = np.linalg.eigh(np.eye(self.shares.shape[1]) - self.shares)
        scale = np.where(values > ALONE, np.maximum(values, ALONE) ** -0.5, 0.0)
        return np.asarray((vectors * scale[:, None, :]) @ np.swapaxes(vectors, 1, 2))

    @cached_property
    def covariance(self) -> Matrix:
        """The adjusted covariance V."""
        half = np.einsum("gij,gj->gi", self.adjustments, self.scores @ self.root) @ self.root
        return np.asarray(half.T @ half)

    def ends(self, rows: Matrix) -> tuple[Matrix, Matrix]:
        """Return l_g and M_g l_g for each row c: clusters x parameters x rows."""
        ends = np.einsum("gij,jk->gik", self.adjustments, self.root @ rows.T)
        return ends, np.einsum("gij,gjk->gik", self.shares, ends)

    def degrees(self, ends: Matrix, moved: Matrix) -> tuple[Vector, Vector]:
        """Return, for each row, the expected clustered variance under independence and the degrees of freedom."""
        own = np.einsum("gpk,gpk->gk", ends, moved)
        joint = -np.einsum("gpk,hpk->ghk", moved, moved, optimize=True)
        at = np.arange(len(self.scores))
        joint[at, at] += own
        trace = np.einsum("ggk->k", joint)
        freedom = trace**2 / np.maximum(np.sum(joint**2, axis=(0, 1)), 1e-300)
        most = max(len(self.scores) - 1.0, LEAST_FREEDOM)
        return trace, np.asarray(np.clip(freedom, LEAST_FREEDOM, most))

    def satterthwaite(self, rows: Matrix) -> Matrix:
        """Return the degrees of freedom of the rows' estimates (diagonal) and of their differences."""
        ends, moved = self.ends(rows)
        degrees = np.empty((len(rows), len(rows)))
        for one in range(len(rows)):
            away = np.arange(len(rows)) > one
            end = ends[:, :, one : one + 1] - np.where(away, ends, 0.0)[:, :, one:]
            move = moved[:, :, one : one + 1] - np.where(away, moved, 0.0)[:, :, one:]
            degrees[one, one:] = degrees[one:, one] = self.degrees(end, move)[1]
        return degrees
