"""Positive definite matrices: solution, inverse and draws, by Cholesky or by conjugate gradients."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from steelyard.maths.arrays import Matrix, Vector

FINEST = 1e-13  # smallest tolerance of a residual, relative to its target
LITTLE = 1e-15  # share of the trace that is added first to the diagonal of an indefinite matrix
TINIEST = 1e-20  # the same for a matrix of zeros
TRIES = 16  # each attempt adds ten times as much as the previous one


def conjugate_gradients(
    product: Callable[[Matrix], Matrix], target: Matrix, diagonal: Vector, tolerance: float, most: int = 5000
) -> Matrix:
    """Solve `product(x) = target` by preconditioned conjugate gradients, for all columns at once.

    A singular matrix is allowed if the target is in its range.

    Parameters
    ----------
    product
        Function that multiplies the matrix with a vector or with columns.
    target
        Right-hand side, one vector or several columns.
    diagonal
        Diagonal of the matrix, used as preconditioner.
    tolerance
        Largest norm of a residual, relative to its target.
    most
        Largest number of steps.

    Returns
    -------
    Matrix
        Solution, in the shape of the target.
    """
    columns = target if target.ndim == 2 else target[:, None]
    scale = 1.0 / diagonal[:, None]
    solution = np.zeros_like(columns)
    residual = columns.copy()
    ahead = scale * residual
    direction = ahead
    strength = np.sum(residual * ahead, axis=0)
    goal = max(tolerance, FINEST) * np.linalg.norm(columns, axis=0)
    for _ in range(most):
        if np.all(np.linalg.norm(residual, axis=0) <= goal):
            break
        image = product(direction if target.ndim == 2 else direction[:, 0])
        image = image if image.ndim == 2 else image[:, None]
        pace = strength / _positive(np.sum(direction * image, axis=0))
        solution = solution + pace * direction
        residual = residual - pace * image
        ahead = scale * residual
        stronger = np.sum(residual * ahead, axis=0)
        direction = ahead + stronger / _positive(strength) * direction
        strength = stronger
    return solution if target.ndim == 2 else solution[:, 0]


def _positive(values: Vector) -> Vector:
    return np.where(values > 0.0, values, 1.0)


def cholesky(matrix: Matrix) -> Callable[[Matrix], Matrix]:
    """Return a solver for a positive definite matrix, or for the nearest one if rounding made it indefinite."""
    from scipy.linalg import cho_solve  # SciPy is slow to import

    factor = (root_of(matrix), True)
    return lambda target: np.asarray(cho_solve(factor, target, check_finite=False))


def inverse(matrix: Matrix) -> Matrix:
    """Return the inverse of a positive definite matrix.

    It is solved for the columns of the identity. LAPACK's inverse (dpotri) needs a third of the operations, but on a
    busy machine the threads of OpenBLAS wait for each other in it, a hundred times as long for 100 rows.
    """
    inverted = cholesky(matrix)(np.eye(len(matrix)))
    return np.asarray(0.5 * (inverted + inverted.T))


def root_of(matrix: Matrix) -> Matrix:
    """Return the lower Cholesky factor; a small amount is added to the diagonal if rounding made it negative."""
    from scipy.linalg import LinAlgError, cholesky  # SciPy is slow to import

    extra, least = 0.0, max(LITTLE * float(np.trace(matrix)), TINIEST)
    for _ in range(TRIES):
        try:
            ready = matrix + extra * np.eye(len(matrix)) if extra else matrix
            return np.asarray(cholesky(ready, lower=True, check_finite=False))
        except LinAlgError:
            extra = max(10.0 * extra, least)
    raise LinAlgError("the matrix is not positive definite, even after an addition to its diagonal")
