"""Newton's method with a line search; its steps by Cholesky where matrices are small, by conjugate gradients else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from steelyard.maths.arrays import Matrix, Vector

SUFFICIENT = 1e-4  # share of the promised decrease that a step must bring (Armijo)
SHORTEST = 2.0**-30
LOOSEST = 1e-3  # how exactly conjugate gradients solve for a first step; later ones as exactly as they must
SUMMED = 1e4  # sums over millions of rows round worse than single numbers
FINEST = 1e-13  # of a residual, relative to its target
EPSILON = float(np.finfo(np.float64).eps)


class Point(Protocol):
    """A function at one place: its value, its gradient and how it curves."""

    @property
    def value(self) -> float:
        """Of the function."""

    @property
    def gradient(self) -> Vector:
        """First derivatives."""

    def solve(self, target: Vector, tolerance: float) -> Vector:
        """The direction whose product with the curvature is the target, to a relative tolerance."""


@dataclass(frozen=True, eq=False)
class Optimum:
    """Where a search ended."""

    place: Vector
    point: Point
    norm: float
    steps: int
    converged: bool


def minimise(
    function: Callable[[Vector], Point], start: Vector, tolerance: float = 1e-8, most: int = 100
) -> Optimum:
    """The lowest place of a convex function: Newton steps, halved until each brings the function down.

    Converged when the gradient's norm is at most `tolerance`, or when rounding leaves nothing to gain.
    """
    place, point = start, function(start)
    norm = first = float(np.linalg.norm(point.gradient))
    stalled = 0
    for done in range(most):
        if norm <= tolerance or stalled > 2:
            return Optimum(place, point, norm, done, norm <= tolerance or stalled > 2)
        exactness = min(LOOSEST, max(norm / first, 0.1 * tolerance / norm))
        step = point.solve(point.gradient, exactness)
        found = _search(function, place, point, step)
        if found is None:
            return Optimum(place, point, norm, done, _flat(point, step))
        gained = point.value - found[1].value
        rounding = 4.0 * EPSILON * abs(point.value)
        place, point = found
        shorter = float(np.linalg.norm(point.gradient))
        stalled = stalled + 1 if shorter > 0.5 * norm and gained <= rounding else 0
        norm = shorter
    return Optimum(place, point, norm, most, norm <= tolerance)


def _search(
    function: Callable[[Vector], Point], place: Vector, point: Point, step: Vector
) -> tuple[Vector, Point] | None:
    """The first of the steps 1, 1/2, 1/4, ... that brings the function down enough; None where none does.

    Where values differ by rounding only, a step that halves the gradient is good enough.
    """
    promised = float(point.gradient @ step)
    rounding = 8.0 * EPSILON * (1.0 + abs(point.value))
    half = 0.5 * float(np.linalg.norm(point.gradient))
    length = 1.0
    while length >= SHORTEST:
        there = place - length * step
        found = function(there)
        if found.value <= point.value - SUFFICIENT * length * promised + rounding:
            return there, found
        close = found.value <= point.value + SUMMED * rounding
        if close and float(np.linalg.norm(found.gradient)) <= half:
            return there, found
        length /= 2.0
    return None


def _flat(point: Point, step: Vector) -> bool:
    """Is what a step promises within the rounding of the function's value?"""
    return float(point.gradient @ step) <= 1e3 * EPSILON * (1.0 + abs(point.value))


def conjugate_gradients(
    product: Callable[[Matrix], Matrix], target: Matrix, diagonal: Vector, tolerance: float, most: int = 5000
) -> Matrix:
    """Solutions of `product(x) = target`, column by column at once, preconditioned by the diagonal.

    Stops when every column's residual is at most `tolerance` times its target, or when rounding lets it shrink no
    more. A singular matrix is allowed where the target lies in its range.
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
    """A solver for a positive definite matrix; where rounding makes it none, for the nearest one that is."""
    from scipy.linalg import cho_solve  # late: SciPy slows `import steelyard`

    factor = (_factor(matrix), True)
    return lambda target: np.asarray(cho_solve(factor, target, check_finite=False))


def inverse(matrix: Matrix) -> Matrix:
    """The inverse of a positive definite matrix."""
    from scipy.linalg.lapack import dpotri  # late: SciPy slows `import steelyard`

    lower = np.tril(dpotri(_factor(matrix), lower=1)[0])
    return np.asarray(lower + np.tril(lower, -1).T)


def _factor(matrix: Matrix) -> Matrix:
    """The lower Cholesky factor; a little is added to the diagonal where rounding made it negative."""
    from scipy.linalg import LinAlgError, cho_factor  # late: SciPy slows `import steelyard`

    largest = float(np.max(np.diag(matrix), initial=1e-300))
    extra = 0.0
    while True:
        try:
            ready = matrix + extra * np.eye(len(matrix)) if extra else matrix
            return np.asarray(cho_factor(ready, lower=True, check_finite=False)[0])
        except LinAlgError:
            extra = max(10.0 * extra, 1e-14 * largest)
            if extra > largest:
                raise
