"""Precision matrices: solution, draws and variances.

Dense matrices are factored. Sparse matrices are solved by conjugate gradients. Draws from them perturb the right-hand
side (Papandreou & Yuille 2010), and variances are Rao-Blackwellised over these draws (Siden et al. 2018).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.maths.arrays import Codes, Matrix, Vector, sum_by
from steelyard.maths.definite import TINIEST, conjugate_gradients, root_of

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SOLVED = 1e-10  # relative residual at which conjugate gradients stop
DRAWN = 1e-4  # the same for draws, which need less accuracy
VARIANCE_DRAWS = 200  # draws for the variances of a sparse precision
DRAWN_TOGETHER = 50  # right-hand sides that are solved together


@dataclass(frozen=True, eq=False)
class Links:
    """Precision added to the sum over each group of coordinates, which the matrix itself does not determine.

    Group c of size n_c adds amount_c / n_c^2 to each of its cells. Coordinates outside all groups have group -1.
    """

    group: Codes
    amount: Vector

    @cached_property
    def share(self) -> Vector:
        """Square root of the amount that each coordinate's group adds to a cell; 0 outside all groups."""
        inside = self.group >= 0
        size = np.bincount(self.group[inside], minlength=len(self.amount))
        root = np.sqrt(self.amount) / np.maximum(size, 1)
        return np.append(root, 0.0)[self.group]

    def times(self, vector: Matrix) -> Matrix:
        """Return the added matrix times a vector, or times each column of a matrix."""
        weighted = vector * (self.share if vector.ndim == 1 else self.share[:, None])
        at = np.where(self.group >= 0, self.group, 0)
        columns = weighted.reshape(len(at), -1)
        sums = np.column_stack([sum_by(at, column, len(self.amount)) for column in columns.T])
        return (sums[at] * self.share[:, None]).reshape(vector.shape)

    def perturbation(self, n: int, rng: np.random.Generator) -> Matrix:
        """Return `n` columns with the added matrix as their covariance."""
        noise = rng.standard_normal((len(self.amount), n))
        return self.share[:, None] * noise[np.where(self.group >= 0, self.group, 0)]

    def dense(self) -> Matrix:
        """Return the added matrix."""
        same = (self.group[:, None] == self.group[None, :]) & (self.group >= 0)[:, None]
        return np.where(same, np.outer(self.share, self.share), 0.0)


@dataclass(frozen=True, eq=False)
class DensePrecision:
    """A precision matrix that fits in memory."""

    matrix: Matrix
    links: Links

    @cached_property
    def root(self) -> Matrix:
        """Lower Cholesky factor of matrix and links."""
        return root_of(self.matrix + self.links.dense())

    def solve(self, right: Matrix, exactness: float = 0.0) -> Matrix:
        """Return precision^-1 right; the exactness has no effect."""
        from scipy.linalg import cho_solve  # SciPy is slow to import

        return np.asarray(cho_solve((self.root, True), right, check_finite=False))

    @cached_property
    def covariance(self) -> Matrix:
        """precision^-1."""
        return self.solve(np.eye(len(self.matrix)))

    def variances(self, centred: Codes, seed: int) -> Vector:
        """Return exact variances of the coordinates minus the mean of the `centred` ones; the seed has no effect."""
        middle = self.covariance[:, centred].mean(axis=1)
        variances = np.diag(self.covariance) - 2.0 * middle + float(middle[centred].mean())
        return np.asarray(np.maximum(variances, 0.0))

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Return `n` rows with mean 0 and this precision."""
        from scipy.linalg import solve_triangular  # SciPy is slow to import

        noise = rng.standard_normal((len(self.matrix), n))
        return np.asarray(solve_triangular(self.root, noise, lower=True, trans=1, check_finite=False)).T


@dataclass(frozen=True, eq=False)
class SparsePrecision:
    """A precision matrix with few cells per row: a graph Laplacian and possibly a few full rows."""

    matrix: csr_array[Any]
    links: Links

    @cached_property
    def diagonal(self) -> Vector:
        """Diagonal of matrix and links."""
        return np.asarray(self.matrix.diagonal() + self.links.share**2)

    def solve(self, right: Matrix, exactness: float = SOLVED) -> Matrix:
        """Return precision^-1 right, by conjugate gradients with the diagonal as preconditioner."""
        return conjugate_gradients(self._product, right, self.diagonal, exactness, 10 * len(right))

    def _product(self, direction: Matrix) -> Matrix:
        return np.asarray(self.matrix @ direction + self.links.times(direction))

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Return `n` rows with mean 0 and this precision: solutions for right-hand sides with this covariance.

        A cell h_ij < 0 is the precision -h_ij of a difference. The rest of the diagonal is the precision of the
        coordinate itself. A positive cell, which ties of three or more items can cause, is ignored.
        """
        parts = [min(DRAWN_TOGETHER, n - first) for first in range(0, n, DRAWN_TOGETHER)]
        return np.vstack([self.solve(self._perturbation(part, rng), DRAWN).T for part in parts])

    def _perturbation(self, n: int, rng: np.random.Generator) -> Matrix:
        left, right, root = self._edges
        noise = rng.standard_normal((len(root), n)) * root[:, None]
        rest = self._rest[:, None] * rng.standard_normal((self.matrix.shape[0], n))
        return np.asarray(rest + left @ noise - right @ noise + self.links.perturbation(n, rng))

    @cached_property
    def _edges(self) -> tuple[Any, Any, Vector]:
        """The coordinates joined by negative cells, as incidence matrices, and the roots of their precisions."""
        from scipy.sparse import csr_array, triu  # SciPy is slow to import

        upper = triu(self.matrix, k=1).tocoo()
        kept = upper.data < 0.0
        row, column, root = upper.row[kept], upper.col[kept], np.sqrt(-upper.data[kept])
        shape, ones, at = (self.matrix.shape[0], len(root)), np.ones(len(root)), np.arange(len(root))
        return csr_array((ones, (row, at)), shape=shape), csr_array((ones, (column, at)), shape=shape), root

    @cached_property
    def _rest(self) -> Vector:
        """Root of the part of the diagonal beyond the edges."""
        left, right, root = self._edges
        return np.asarray(np.sqrt(np.maximum(self.matrix.diagonal() - (left + right) @ root**2, 0.0)))

    def variances(self, centred: Codes, seed: int) -> Vector:
        """Return variances of the coordinates minus the mean of the `centred` ones, estimated by 200 draws.

        V_ii = 1 / h_ii + Var(sum_j h_ij x_j / h_ii). Only the second part, the error of the neighbours, is drawn.
        """
        drawn = self.draws(VARIANCE_DRAWS, np.random.default_rng(seed)).T
        own = np.maximum(self.diagonal, TINIEST)
        pull = self.matrix @ drawn + self.links.times(drawn) - own[:, None] * drawn
        plain = 1.0 / own + np.mean((pull / own[:, None]) ** 2, axis=1)
        centring = np.mean((drawn - drawn[centred].mean(axis=0)) ** 2 - drawn**2, axis=1)
        return np.asarray(np.maximum(plain + centring, 0.0))


Precision = DensePrecision | SparsePrecision
