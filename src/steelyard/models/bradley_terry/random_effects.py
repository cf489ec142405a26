"""Random position effects: a normal random order effect b of each rater, with mean 0.

The effects are integrated out for each rater, by Laplace's approximation (one point) or by adaptive Gauss-Hermite
quadrature around the rater's mode.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steelyard.maths.arrays import Codes, Matrix, Vector, sum_by
from steelyard.models.bradley_terry.design import Design
from steelyard.models.bradley_terry.likelihoods import STEP, Likelihood, Slopes

LEAST_SD = 1e-4  # lower bound of the standard deviation; at it the effect counts as absent
FIRST_SD = 0.3  # starting value of the standard deviation
POLISH = 8  # largest number of Newton steps after L-BFGS
POLISHED = 1e-7  # norm of the gradient at which they stop
SETTLED = 1e-4  # norm of the gradient up to which the optimisation counts as converged


@dataclass(frozen=True, eq=False)
class Marginal:
    """Marginal log-likelihood with its gradient by the parameters and the standard deviation."""

    value: float
    gradient: Vector
    mode: Vector
    mode_sd: Vector


@dataclass(frozen=True, eq=False)
class OrderEffects:
    """Estimates of the parameters and of the standard deviation, their covariance, and the effect of each rater."""

    theta: Vector
    sd: float
    log_likelihood: float
    covariance: Matrix
    sd_error: float
    effect: Vector
    effect_sd: Vector
    steps: int
    converged: bool


@dataclass(frozen=True, eq=False)
class OrderEffectModel:
    """Marginal likelihood of a design split by rater."""

    design: Design
    likelihood: Likelihood
    rater: Codes
    raters: int
    points: int

    def marginal(self, theta: Vector, sd: float) -> Marginal:
        """Return the sum over raters of log integral L(b) phi(b / sd) / sd db, and its derivatives."""
        ability, tie = self.design.predictors(theta)
        mode = self._mode(ability, tie, sd)
        at_mode = self._rows(ability, tie, mode)
        curve = self._sum(at_mode.ability_ability) + sd**-2
        width = curve**-0.5
        nodes, weights = np.polynomial.hermite.hermgauss(self.points)
        shifts = np.sqrt(2.0) * np.outer(nodes, width)
        heights = np.stack([self._height(ability, tie, mode + each, sd) for each in shifts])
        logs = heights + (np.log(weights) + nodes**2)[:, None]
        top = logs.max(axis=0)
        shares = np.exp(logs - top)
        total = shares.sum(axis=0)
        value = float(np.sum(np.log(np.sqrt(2.0) * width) + top + np.log(total)))
        value -= self.raters * (np.log(sd) + 0.5 * np.log(2.0 * np.pi))
        gradient = self._gradient(
            ability, tie, sd, _Integral(mode, at_mode, curve, width, nodes, shares / total)
        )
        return Marginal(value, gradient, mode, width)

    def _gradient(self, ability: Vector, tie: Vector, sd: float, integral: _Integral) -> Vector:
        """Return the derivatives through the integrand and through the nodes, which move with mode and width."""
        pull, stretch, by_ability, by_tie, by_sd = self._over_nodes(ability, tie, sd, integral)
        bend_ability, bend_tie = self._bends(ability, tie, integral.mode)
        turn = self._sum(bend_ability)
        # A rater's mode moves by -information / curve, the width by -change of curve / (2 curve^1.5).
        squeeze = -0.5 * (stretch + 1.0 / integral.width) * integral.curve**-1.5
        per_row = ((pull + squeeze * turn) / integral.curve)[self.rater]
        cross = integral.at_mode.ability_tie
        by_ability = (
            by_ability - per_row * integral.at_mode.ability_ability + squeeze[self.rater] * bend_ability
        )
        if cross is not None:
            by_tie = by_tie - per_row * cross + squeeze[self.rater] * bend_tie
        moved = 2.0 * integral.mode / sd**3 / integral.curve
        by_sd = by_sd + (pull + squeeze * turn) * moved - squeeze * 2.0 / sd**3
        rows = self.design.gradient(by_ability, by_tie if self.design.ties.shape[1] else None)
        return np.append(np.where(self.design.free, rows, 0.0), by_sd.sum() - self.raters / sd)

    def _over_nodes(
        self, ability: Vector, tie: Vector, sd: float, integral: _Integral
    ) -> tuple[Vector, Vector, Vector, Vector, Vector]:
        """Return averages over the nodes: derivative by b, the same times node, by predictors, and by the sd."""
        pull, stretch, by_sd = (np.zeros(self.raters) for _ in range(3))
        by_ability, by_tie = np.zeros_like(ability), np.zeros_like(ability)
        for node, share in zip(integral.nodes, integral.shares, strict=True):
            effect = integral.mode + np.sqrt(2.0) * node * integral.width
            slopes = self._rows(ability, tie, effect)
            slope = self._sum(slopes.ability) - effect / sd**2
            pull = pull + share * slope
            stretch = stretch + share * slope * np.sqrt(2.0) * node
            by_sd = by_sd + share * effect**2 / sd**3
            by_ability = by_ability + share[self.rater] * slopes.ability
            if slopes.tie is not None:
                by_tie = by_tie + share[self.rater] * slopes.tie
        return pull, stretch, by_ability, by_tie, by_sd

    def _bends(self, ability: Vector, tie: Vector, mode: Vector) -> tuple[Vector, Vector]:
        """Return the derivatives of each row's ability information by both predictors."""
        up, down = (self._rows(ability + step, tie, mode) for step in (STEP, -STEP))
        by_ability = (up.ability_ability - down.ability_ability) / (2.0 * STEP)
        up, down = (self._rows(ability, tie + step, mode) for step in (STEP, -STEP))
        return by_ability, (up.ability_ability - down.ability_ability) / (2.0 * STEP)

    def _mode(self, ability: Vector, tie: Vector, sd: float) -> Vector:
        """Return the posterior mode of each rater's effect, from Newton steps of length at most 1."""
        mode = np.zeros(self.raters)
        for _ in range(100):
            slopes = self._rows(ability, tie, mode)
            slope = self._sum(slopes.ability) - mode / sd**2
            step = slope / (self._sum(slopes.ability_ability) + sd**-2)
            mode = mode + np.clip(step, -1.0, 1.0)
            if np.abs(step).max(initial=0.0) < 1e-12:
                break
        return mode

    def _height(self, ability: Vector, tie: Vector, effect: Vector, sd: float) -> Vector:
        logs = self.likelihood.log_probabilities(ability + effect[self.rater], tie)
        rows = np.sum(self.design.outcomes * logs, axis=0)
        return self._sum(rows) - 0.5 * (effect / sd) ** 2

    def _rows(self, ability: Vector, tie: Vector, effect: Vector) -> Slopes:
        return self.likelihood.evaluate(ability + effect[self.rater], tie, self.design.outcomes)[1]

    def _sum(self, rows: Vector) -> Vector:
        return sum_by(self.rater, rows, self.raters)


@dataclass(frozen=True, eq=False)
class _Integral:
    """Nodes and weights of the integral of each rater."""

    mode: Vector
    at_mode: Slopes
    curve: Vector
    width: Vector
    nodes: Vector
    shares: Matrix


@dataclass(frozen=True, eq=False)
class _Negative:
    """Negative marginal log-likelihood as a function of the free parameters and, last, the standard deviation."""

    model: OrderEffectModel
    start: Vector

    @cached_property
    def free(self) -> Codes:
        """Indices of the free parameters."""
        return np.flatnonzero(self.model.design.free)

    def full(self, place: Vector) -> Vector:
        """Return all parameters."""
        theta = self.start.copy()
        theta[self.free] = place[:-1]
        return theta

    def __call__(self, place: Vector) -> tuple[float, Vector]:
        """Return value and gradient."""
        marginal = self.model.marginal(self.full(place), float(place[-1]))
        return -marginal.value, -np.append(marginal.gradient[:-1][self.free], marginal.gradient[-1])


def maximise_order_effects(model: OrderEffectModel, start: Vector) -> OrderEffects:
    """Maximise the marginal likelihood over the parameters and the standard deviation."""
    negative = _Negative(model, start)
    place, steps = _searched(negative)
    bounded = bool(place[-1] <= 2.0 * LEAST_SD)
    place, polished = _polished(negative, place, bounded)
    value, slope = negative(place)
    ended = float(np.linalg.norm(slope[:-1] if bounded else slope))
    inverse = np.linalg.pinv(_hessian(negative, place, bounded))
    covariance = np.zeros((len(start), len(start)))
    covariance[np.ix_(negative.free, negative.free)] = inverse[:-1, :-1]
    theta, sd = negative.full(place), float(place[-1])
    effects = model.marginal(theta, sd)
    return OrderEffects(
        theta,
        0.0 if bounded else sd,
        -value,
        covariance,
        float("nan") if bounded else float(np.sqrt(max(inverse[-1, -1], 0.0))),
        effects.mode,
        effects.mode_sd,
        steps + polished,
        ended < SETTLED,
    )


def _searched(negative: _Negative) -> tuple[Vector, int]:
    """Return the maximum found by L-BFGS, and the number of steps."""
    from scipy.optimize import minimize  # SciPy is slow to import

    optimum = minimize(
        negative,
        np.append(negative.start[negative.free], FIRST_SD),
        jac=True,
        method="L-BFGS-B",
        bounds=[(None, None)] * len(negative.free) + [(LEAST_SD, None)],
        options={"maxiter": 1000, "gtol": 1e-7, "ftol": 1e-14},
    )
    return np.asarray(optimum.x), int(optimum.nit)


def _polished(negative: _Negative, place: Vector, bounded: bool) -> tuple[Vector, int]:
    """Return the maximum after a few Newton steps. A standard deviation at its bound is fixed."""
    for done in range(POLISH):
        slope = negative(place)[1]
        if bounded:
            slope[-1] = 0.0
        if np.linalg.norm(slope) < POLISHED:
            return place, done
        place = place - np.linalg.lstsq(_hessian(negative, place, bounded), slope, rcond=None)[0]
        place[-1] = max(place[-1], LEAST_SD)
    return place, POLISH


def _hessian(negative: Callable[[Vector], tuple[float, Vector]], place: Vector, bounded: bool) -> Matrix:
    """Return second derivatives from central differences; a standard deviation at its bound is fixed."""
    size = len(place)
    hessian = np.zeros((size, size))
    for at in range(size - 1 if bounded else size):
        step = np.zeros(size)
        step[at] = 1e-4
        up, down = negative(place + step)[1], negative(place - step)[1]
        hessian[at] = (up - down) / 2e-4
    if bounded:
        hessian[:, -1] = 0.0
    return 0.5 * (hessian + hessian.T)
