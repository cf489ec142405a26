"""Newton's method with a line search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from steelyard.maths.arrays import Vector

SUFFICIENT = 1e-4  # share of the expected decrease that a step must reach (Armijo)
SHORTEST = 2.0**-30
LOOSEST = 1e-3  # tolerance of conjugate gradients for a first step; later steps need more
SUMMED = 1e4  # sums over millions of rows have larger rounding errors than single numbers
EPSILON = float(np.finfo(np.float64).eps)
ROUNDING = 64.0 * EPSILON  # rounding error of a gradient per judgment


class Point(Protocol):
    """A function at one place: its value, its gradient and its curvature."""

    @property
    def value(self) -> float:
        """Value of the function."""

    @property
    def gradient(self) -> Vector:
        """First derivatives."""

    def solve(self, target: Vector, tolerance: float) -> Vector:
        """Return the direction whose product with the curvature is the target, to a relative tolerance."""


@dataclass(frozen=True, eq=False)
class Optimum:
    """The end of a search."""

    place: Vector
    point: Point
    norm: float
    steps: int
    converged: bool


def minimise(
    function: Callable[[Vector], Point],
    start: Vector,
    tolerance: float = 1e-8,
    most: int = 100,
    *,
    longest: float = np.inf,
    unit: float = 1.0,
) -> Optimum:
    """Minimise a convex function by Newton steps, halved until each step decreases the function.

    Parameters
    ----------
    function
        Function that returns value, gradient and curvature at a place.
    start
        First place.
    tolerance
        Norm of the gradient at which the search has converged. It also converges when only rounding errors are left.
    most
        Largest number of steps.
    longest
        Largest change of a coordinate in one step.
    unit
        Size of one term of the function. A function and a tolerance multiplied by the same number take the same steps.

    Returns
    -------
    Optimum
        The place, and whether the search converged.
    """
    place, point = start, function(start)
    norm = first = float(np.linalg.norm(point.gradient))
    stalled = 0
    for done in range(most):
        if norm <= tolerance or stalled > 2:
            return Optimum(place, point, norm, done, norm <= tolerance or stalled > 2)
        exactness = min(LOOSEST, max(norm / first, 0.1 * tolerance / norm))
        step = _cut(point.solve(point.gradient, exactness), longest)
        lower = _search(function, place, point, step, unit)
        if lower is None:
            return Optimum(place, point, norm, done, _flat(point, step, unit))
        gained = point.value - lower[1].value
        rounding = 4.0 * EPSILON * abs(point.value)
        place, point = lower
        shorter = float(np.linalg.norm(point.gradient))
        stalled = stalled + 1 if shorter > 0.5 * norm and gained <= rounding else 0
        norm = shorter
    return Optimum(place, point, norm, most, norm <= tolerance)


def unit_of(weights: Vector) -> float:
    """Return the size of one term of a sum with these weights: the smallest positive weight.

    >>> unit_of(np.array([0.0, 2e-5, 1e-5]))
    1e-05
    """
    return float(np.min(weights[weights > 0.0], initial=np.inf)) if np.any(weights > 0.0) else 1.0


def tolerance_for(judgments: float, finest: float, unit: float = 1.0) -> float:
    """Return the norm that a gradient summed over this number of judgments can reach.

    Rounding sets a limit: for ten billion judgments, 1e-8 cannot be distinguished from 0.

    Parameters
    ----------
    judgments
        Number of judgments.
    finest
        Tolerance for a unit of 1.
    unit
        Smallest weight of a judgment.

    Returns
    -------
    float
        Tolerance for `minimise`.
    """
    return max(finest * unit, ROUNDING * judgments)


def _cut(step: Vector, longest: float) -> Vector:
    """Return the step, shortened if it is longer than allowed."""
    reach = float(np.abs(step).max(initial=0.0))
    return step * (longest / reach) if reach > longest else step


def _search(
    function: Callable[[Vector], Point], place: Vector, point: Point, step: Vector, unit: float
) -> tuple[Vector, Point] | None:
    """Return the first of the steps 1, 1/2, 1/4, ... that decreases the function enough, or None.

    If values differ only by rounding, a step that halves the gradient is sufficient.
    """
    expected = float(point.gradient @ step)
    rounding = 8.0 * EPSILON * (unit + abs(point.value))
    half = 0.5 * float(np.linalg.norm(point.gradient))
    length = 1.0
    while length >= SHORTEST:
        there = place - length * step
        reached = function(there)
        if reached.value <= point.value - SUFFICIENT * length * expected + rounding:
            return there, reached
        close = reached.value <= point.value + SUMMED * rounding
        if close and float(np.linalg.norm(reached.gradient)) <= half:
            return there, reached
        length /= 2.0
    return None


def _flat(point: Point, step: Vector, unit: float) -> bool:
    """Whether the expected decrease is within the rounding error of the function's value."""
    return float(point.gradient @ step) <= 1e3 * EPSILON * (unit + abs(point.value))
