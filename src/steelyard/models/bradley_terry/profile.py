"""Profile likelihood intervals and tests, valid also for large or infinite estimates.

The interval of c'theta contains every value t with 2 (l_max - l(t)) below the quantile of a chi-square on 1 df, where
l(t) is the maximum of the log-likelihood under c'theta = t. It excludes a value exactly if the likelihood ratio test
rejects it. An item that wins every comparison has a finite lower and an infinite upper limit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from steelyard.errors import BadSetting
from steelyard.maths.arrays import Mask, Matrix, Vector
from steelyard.maths.newton import minimise
from steelyard.models.bradley_terry.design import Design
from steelyard.models.bradley_terry.likelihoods import Likelihood
from steelyard.models.bradley_terry.solve import DenseCurvature, ObjectivePoint, dense_information

if TYPE_CHECKING:
    from steelyard.models.bradley_terry.results import BradleyTerryFit

MOST_PARAMETERS = 200  # with more, profiles take too long
FAR = 40.0  # distance in log-odds from the estimate at which a limit counts as infinite
FAINT = 1e-10  # ridge weight that bounds infinite estimates and does not change finite ones
STEPS = 400
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class ProfileInterval:
    """Profile interval of a linear combination of parameters, and the likelihood ratio test that it is 0.

    Attributes
    ----------
    low
        Lower limit, which may be minus infinity.
    high
        Upper limit, which may be infinity.
    chi_square
        Likelihood ratio statistic.
    p
        P value on 1 degree of freedom.
    """

    low: float
    high: float
    chi_square: float
    p: float


@dataclass(frozen=True, eq=False)
class ProfileLikelihood:
    """Likelihood of the observed comparisons, without a penalty."""

    design: Design
    likelihood: Likelihood
    start: Vector

    @staticmethod
    def of(fit: BradleyTerryFit) -> ProfileLikelihood:
        """Return the profile likelihood of a fit; raise `BadSetting` for random effects, half wins and sandwiches."""
        settings, design = fit.settings, fit.design
        if settings.random_effects or settings.ties == "half" or settings.standard_errors != "information":
            raise BadSetting(
                "interval",
                "profile intervals are not available with random effects, ties='half', or standard_errors other than "
                "'information'. Use interval='wald'.",
            )
        if len(design.names) > MOST_PARAMETERS:
            raise BadSetting(
                "interval",
                f"profile intervals of {len(design.names):,} parameters take too long (at most {MOST_PARAMETERS}). "
                "Use interval='wald'.",
            )
        free = design.free.copy()
        free[len(design.items) : design.size] = False  # the ghost of pseudo-comparisons
        observed = replace(design, outcomes=design.outcomes * design.real, free=free)
        return ProfileLikelihood(observed, fit.likelihood, np.where(free, fit.theta, 0.0))

    @cached_property
    def best(self) -> tuple[Vector, float]:
        """Maximum likelihood estimates of the free parameters, and the maximum of the log-likelihood."""
        highest = self.highest(
            np.eye(int(self.free.sum())), np.zeros(int(self.free.sum())), self.start[self.free]
        )
        return highest

    @property
    def free(self) -> Mask:
        """Mask of the estimated parameters."""
        return self.design.free

    def highest(self, turn: Matrix, shift: Vector, start: Vector) -> tuple[Vector, float]:
        """Maximise the likelihood over free parameters of the form `turn @ x + shift`.

        Parameters
        ----------
        turn
            Free parameters x dimensions of x.
        shift
            Free parameters at x = 0.
        start
            Starting value of x.

        Returns
        -------
        tuple
            Free parameters at the maximum, and the log-likelihood.
        """

        def at(x: Vector) -> ObjectivePoint:
            value, gradient, information = self._at(turn @ x + shift)
            curve = turn.T @ information @ turn
            return ObjectivePoint(
                value, turn.T @ gradient, DenseCurvature(curve, np.ones(len(x), dtype=bool))
            )

        if not len(start):
            return shift, -self._at(shift)[0]
        optimum = minimise(at, start, TOLERANCE, STEPS, longest=4.0)
        return turn @ optimum.place + shift, -optimum.point.value

    def _at(self, inside: Vector) -> tuple[float, Vector, Matrix]:
        """Return the negative log-likelihood with its gradient and information by the free parameters."""
        theta = np.zeros(len(self.free))
        theta[self.free] = inside
        ability, tie = self.design.predictors(theta)
        value, slopes = self.likelihood.evaluate(ability, tie, self.design.outcomes)
        gradient = self.design.gradient(slopes.ability, slopes.tie if self.design.ties.shape[1] else None)
        information = dense_information(self.design, slopes, np.zeros(len(theta)))
        faint = FAINT * np.eye(len(inside))
        return (
            0.5 * FAINT * float(inside @ inside) - value,
            FAINT * inside - gradient[self.free],
            information[np.ix_(self.free, self.free)] + faint,
        )

    def interval(self, row: Vector, level: float) -> ProfileInterval:
        """Return the interval and test of `row @ theta`; limits are 0 if the row has no free parameter."""
        from scipy.special import chdtrc, chdtri  # SciPy is slow to import

        inside = row[self.free]
        if not np.any(np.abs(inside) > 1e-12):
            return ProfileInterval(0.0, 0.0, float("nan"), float("nan"))
        drop = self._drops(inside)
        limit = float(chdtri(1.0, 1.0 - level))
        middle = float(inside @ self.best[0])
        low, high = (_limit(drop, middle, sign, limit) for sign in (-1.0, 1.0))
        chi_square = drop(0.0)
        return ProfileInterval(low, high, chi_square, float(chdtrc(1.0, chi_square)))

    def _drops(self, row: Vector) -> Callable[[float], float]:
        """Return the function of t that is twice the loss of log-likelihood under `row @ parameters` = t."""
        pivot = int(np.argmax(np.abs(row)))
        others = np.delete(np.arange(len(row)), pivot)
        turn = np.zeros((len(row), len(others)))
        turn[others, np.arange(len(others))] = 1.0
        turn[pivot] = -row[others] / row[pivot]
        place, top = self.best
        last = place[others]

        def drop(value: float) -> float:
            shift = np.zeros(len(row))
            shift[pivot] = value / row[pivot]
            held = self.highest(turn, shift, last)
            return max(2.0 * (top - held[1]), 0.0)

        return drop


def _limit(drop: Callable[[float], float], middle: float, sign: float, limit: float) -> float:
    """Return the value at which the drop reaches the limit on one side of the estimate; infinity if it never does."""
    from scipy.optimize import brentq  # SciPy is slow to import

    near, reach = middle, 0.5
    while drop(middle + sign * reach) < limit:
        if reach >= FAR:
            return sign * float("inf")
        near, reach = middle + sign * reach, min(2.0 * reach, FAR)
    far = middle + sign * reach
    return float(brentq(lambda value: drop(value) - limit, near, far, xtol=1e-9, rtol=1e-12))
