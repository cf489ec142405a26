"""Newton's method with a line search, for likelihoods of items and of what goes with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from steelyard.maths.arrays import Vector

SUFFICIENT = 1e-4  # share of the promised decrease that a step must bring (Armijo)
SHORTEST = 2.0**-30
LOOSEST = 1e-3  # how exactly conjugate gradients solve for a first step; later ones as exactly as they must
SUMMED = 1e4  # sums over millions of rows round worse than single numbers
EPSILON = float(np.finfo(np.float64).eps)
ROUNDING = 64.0 * EPSILON  # of a gradient, per judgment that it is summed over


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
    function: Callable[[Vector], Point],
    start: Vector,
    tolerance: float = 1e-8,
    most: int = 100,
    *,
    longest: float = np.inf,
    unit: float = 1.0,
) -> Optimum:
    """The lowest place of a convex function: Newton steps, halved until each brings the function down.

    Converged when the gradient's norm is at most `tolerance`, or when rounding leaves nothing to gain. No step
    moves a coordinate by more than `longest`. `unit` is the size of one term of the function: a function and a
    tolerance that are multiplied by the same number have their lowest place found in the same steps.
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
    """The size of one term of a sum with these weights: the smallest above 0.

    >>> unit_of(np.array([0.0, 2e-5, 1e-5]))
    1e-05
    """
    return float(np.min(weights[weights > 0.0], initial=np.inf)) if np.any(weights > 0.0) else 1.0


def tolerance_for(judgments: float, finest: float, unit: float = 1.0) -> float:
    """The norm that a gradient summed over so many judgments can reach, each of which counts `unit` or more.

    It is `finest` for a unit of 1. Rounding sets a limit: of ten billion judgments 1e-8 cannot be distinguished from 0.
    """
    return max(finest * unit, ROUNDING * judgments)


def _cut(step: Vector, longest: float) -> Vector:
    """The step, or as much of it as is allowed."""
    reach = float(np.abs(step).max(initial=0.0))
    return step * (longest / reach) if reach > longest else step


def _search(
    function: Callable[[Vector], Point], place: Vector, point: Point, step: Vector, unit: float
) -> tuple[Vector, Point] | None:
    """The first of the steps 1, 1/2, 1/4, ... that brings the function down enough; None where none does.

    Where values differ by rounding only, a step that halves the gradient is good enough.
    """
    promised = float(point.gradient @ step)
    rounding = 8.0 * EPSILON * (unit + abs(point.value))
    half = 0.5 * float(np.linalg.norm(point.gradient))
    length = 1.0
    while length >= SHORTEST:
        there = place - length * step
        reached = function(there)
        if reached.value <= point.value - SUFFICIENT * length * promised + rounding:
            return there, reached
        close = reached.value <= point.value + SUMMED * rounding
        if close and float(np.linalg.norm(reached.gradient)) <= half:
            return there, reached
        length /= 2.0
    return None


def _flat(point: Point, step: Vector, unit: float) -> bool:
    """Is what a step promises within the rounding of the function's value?"""
    return float(point.gradient @ step) <= 1e3 * EPSILON * (unit + abs(point.value))
