"""Variances of mixed models by restricted maximum likelihood (REML), and degrees of freedom by Satterthwaite.

The search is Newton's method over the variances relative to the noise, with the average of the observed and expected
information as second derivatives (Gilmour, Thompson & Cullis 1995, "Average Information REML"). Variances cannot
become negative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steelyard.maths.arrays import Codes, Mask, Matrix, Vector
from steelyard.maths.mixed import MixedDesign, Solved, solve
from steelyard.maths.threads import threads_for

START = 1.0  # standard deviation of a random effect, in units of the noise
STEP = 1e-3  # in the logarithm of a variance, for derivatives
ZERO = 1e-4  # relative standard deviation below which a variance counts as zero
SMALLEST = 1e-12  # relative variance at which the criterion is computed for zero
LARGEST = 1e10  # relative variance at which the noise counts as zero
LEVEL_SLOPE = 1e-3  # of minus twice the log-likelihood by a log variance, at an optimum
TOLERANCE = 1e-12  # predicted decrease of the criterion at which the search ends
SINGULAR = 1e-8  # information in the direction of a combination of variances, relative to the largest
ROUNDING = 1e-13  # relative rounding error of the criterion
MOST_STEPS = 200
MOST_HALVINGS = 30


@dataclass(frozen=True, eq=False)
class Reml:
    """The solution at the REML estimate, and whether the search converged."""

    solved: Solved
    converged: bool
    steps: int

    @property
    def on_the_boundary(self) -> bool:
        """Whether a variance is estimated as zero."""
        return bool(np.any(self.solved.deviations < ZERO))


@dataclass(frozen=True, eq=False)
class _Point:
    """A point of the search: relative variances with the solved equations."""

    variances: Vector
    solved: Solved

    @staticmethod
    def at(design: MixedDesign, variances: Vector) -> _Point:
        return _Point(variances, solve(design, np.sqrt(np.maximum(variances, SMALLEST))))

    @cached_property
    def slope(self) -> Vector:
        """Derivative of the criterion by each relative variance."""
        solved = self.solved
        return np.asarray(solved.log_slopes(solved.noise_variance) / solved.deviations**2)

    @cached_property
    def information(self) -> Matrix:
        """Average information about the relative variances, with the noise profiled out.

        y'P V_k P V_l P y / sigma² - (y'P V_k P y) (y'P V_l P y) / (sigma⁴ freedom), where P y are the weighted
        residuals and V_k is the derivative of the covariance by variance k.
        """
        solved, noise = self.solved, self.solved.noise_variance
        along = np.column_stack(
            [effect.columns @ (effect.columns.T @ solved.residual) for effect in solved.design.random]
        )
        with_noise = along.T @ solved.residual / noise
        shared = np.outer(with_noise, with_noise) / solved.design.freedom
        return np.asarray(along.T @ solved.residuals(along) / noise - shared)

    @property
    def free(self) -> Mask:
        """Whether each variance may move: it is above zero, or the criterion decreases away from zero."""
        return np.asarray((self.variances > SMALLEST) | (self.slope < 0.0))

    def directions(self) -> Iterator[Vector]:
        """Yield Newton's direction, then that of each variance alone, which always decreases the criterion.

        Neither moves along combinations of variances about which the scores carry no information.
        """
        free, design = self.free, self.solved.design
        unit = (self.variances + design.natural_variances)[free]
        information = unit[:, None] * self.information[np.ix_(free, free)] * unit
        downhill = -unit * self.slope[free]
        least = SINGULAR * np.max(np.diag(information), initial=1.0)
        newton = np.linalg.pinv(information, rcond=SINGULAR, hermitian=True) @ downhill
        for step in (newton, downhill / np.maximum(np.diag(information), least)):
            direction = np.zeros(len(free))
            direction[free] = unit * step
            yield direction

    def moved(self) -> _Point | None:
        """Return the next point, None if the criterion decreases no further."""
        allowed = self.solved.criterion + ROUNDING * abs(self.solved.criterion)
        for direction in self.directions():
            for halvings in range(MOST_HALVINGS):
                variances = np.clip(self.variances + 0.5**halvings * direction, 0.0, LARGEST)
                if float(self.slope @ (self.variances - variances)) < TOLERANCE:
                    break
                ahead = _Point.at(self.solved.design, variances)
                if ahead.solved.criterion < allowed:
                    return ahead
        return None


def fit_reml(design: MixedDesign, start: Vector | None = None) -> Reml:
    """Find the relative standard deviations with the highest restricted likelihood.

    Parameters
    ----------
    design
        Scores and effects.
    start
        Relative standard deviations at which the search starts. Default: 1.

    Returns
    -------
    Reml
        The solution, and whether the search converged.
    """
    first = np.full(len(design.random), START) if start is None else start
    with threads_for(design.starts[-1]):
        point, steps = _Point.at(design, first**2), 0
        while steps < MOST_STEPS and (ahead := point.moved()) is not None:
            point, steps = ahead, steps + 1
        solved = solve(design, np.sqrt(np.where(point.variances < ZERO**2, 0.0, point.variances)))
        inside = (solved.deviations > 0.0) & (point.variances < LARGEST)
        slopes = solved.log_slopes(solved.noise_variance)[inside]
    return Reml(solved, bool(np.all(np.abs(slopes) < LEVEL_SLOPE)), steps)


def satterthwaite(reml: Reml, variances_of: Callable[[Solved, float], Vector]) -> Vector:
    """Return degrees of freedom of estimated variances: 2 V² / (V' H V'), H the covariance of the log variances.

    `variances_of(solved, noise_variance)` returns the variances of interest. Derivatives by the log variances are
    finite differences. A variance estimated as zero is treated as known [Satterthwaite 1946].
    """
    solved = reml.solved
    design, noise = solved.design, solved.noise_variance
    moved = np.flatnonzero(solved.deviations >= ZERO)
    rows: list[tuple[Vector, Vector]] = []
    with threads_for(design.starts[-1]):
        value, slope = variances_of(solved, noise), _full_slopes(solved, noise, moved)
        for near, near_noise in _neighbours(solved, moved):
            slopes, variances = _full_slopes(near, near_noise, moved), variances_of(near, near_noise)
            rows.append(((slopes - slope) / STEP, (variances - value) / STEP))
    hessian, gradient = (np.array(each) for each in zip(*rows, strict=True))
    errors = 2.0 * np.linalg.pinv((hessian + hessian.T) / 2.0, hermitian=True)
    spread = np.einsum("ij,ik,kj->j", gradient, errors, gradient)
    return np.where(spread > 0.0, 2.0 * value**2 / np.where(spread > 0.0, spread, 1.0), np.inf)


def _neighbours(solved: Solved, moved: Codes) -> Iterator[tuple[Solved, float]]:
    """Yield the solution with each log variance increased by a step, the noise last, and its noise variance."""
    for at in moved:
        deviations = solved.deviations.copy()
        deviations[at] *= np.exp(STEP / 2.0)
        yield solve(solved.design, deviations), solved.noise_variance
    yield solved, solved.noise_variance * np.exp(STEP)


def _full_slopes(solved: Solved, noise_variance: float, moved: Codes) -> Vector:
    """Return derivatives of the criterion by the log relative variances that moved, and by the log noise variance."""
    noise = solved.design.freedom - solved.rest_square / noise_variance
    return np.append(solved.log_slopes(noise_variance)[moved], noise)
