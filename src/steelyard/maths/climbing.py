"""The top of a concave log-likelihood of logistic kind, by Newton steps of bounded length."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from steelyard.maths.arrays import Vector

SMALLEST_STEP = 1e-8  # in standard errors: a step shorter than this changes no digit that anyone reads
MOST_STEPS = 100
SUFFICIENT = 1e-4  # the share of the promised gain that a step must bring (Armijo)
HALVINGS = 40
ROUNDING = 1e-12  # relative error of a sum over many judgments
# Logistic curvature changes by at most exp(|step|) along a step (Bach 2010): a longer one could leap to where the
# function is flat and no next step is to be trusted.
LONGEST_STEP = 2.0


class Solver(Protocol):
    """Something that solves information @ step = gradient."""

    def solve(self, right: Vector) -> Vector:
        """The Newton step."""


@dataclass(frozen=True, eq=False)
class Height:
    """Value, gradient and information (minus the second derivatives) at one point."""

    value: float
    gradient: Vector
    information: Solver


@dataclass(frozen=True, eq=False)
class Summit:
    """Where the climb ended, how many steps it took, and whether it got there."""

    point: Vector
    steps: int
    converged: bool


def climb(height: Callable[[Vector], Height], start: Vector) -> Summit:
    """Newton steps from `start` until one is shorter than 1e-8 standard errors.

    The length in standard errors is sqrt(gradient' information^-1 gradient), whatever the units are.
    """
    point, here = start, height(start)
    for steps in range(MOST_STEPS):
        step = here.information.solve(here.gradient)
        gain = float(here.gradient @ step)
        if not np.isfinite(gain):
            return Summit(point, steps, converged=False)
        if gain <= SMALLEST_STEP**2:
            return Summit(point + step, steps + 1, converged=True)
        found = _along(height, point, here, step)
        if found is None:
            return Summit(point, steps + 1, converged=False)
        point, here = found
    return Summit(point, MOST_STEPS, converged=False)


def _along(
    height: Callable[[Vector], Height], point: Vector, here: Height, step: Vector
) -> tuple[Vector, Height] | None:
    """The first of 1, 1/2, 1/4, ... of the step, cut to length 2, that climbs as it promises; None where none does."""
    share = min(1.0, LONGEST_STEP / float(np.abs(step).max()))
    gain, slack = float(here.gradient @ step), ROUNDING * (1.0 + abs(here.value))
    for _ in range(HALVINGS):
        there = point + share * step
        reached = height(there)
        if np.isfinite(reached.value) and reached.value >= here.value + SUFFICIENT * share * gain - slack:
            return there, reached
        share /= 2.0
    return None
