"""Positions without ratings: their unit is the noise of a difference, which the answers leave uncertain.

Positions have the prior N(0, 1), and a discrimination d carries the unit, so that  x = d theta  is a position in units
of the noise. Let  d exp(u)  be the discriminations of all kinds. The log density of u is a prior plus the log evidence
of expectation propagation. Its slope g(u) is that of the log probabilities of all answers at fixed cavities (Minka
2001). With the curvature from the slopes at -s and s,  v = 2 s / (g(-s) - g(s)),  the mean of a function of u is

    E[f(u)] = (1 - v / s²) f(0) + v / (2 s²) (exp(-k) f(-s) + exp(k) f(s)),   k = s (g(-s) + g(s)) / 4

up to the sum of the weights. For k = 0 the rule is exact for  u ~ N(0, v)  and polynomials up to degree 3. exp(k) is
the density at s relative to that of N(0, v), by the trapezoidal rule for its slope.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from steelyard.maths.arrays import Matrix, Vector
from steelyard.models.steelyard.mixed.joint import JointSolution, Sweeps, continued
from steelyard.models.steelyard.mixed.rater_terms import LINK_DEVIATION, log_slope
from steelyard.models.steelyard.mixed.term import Term

FIRST_STEP = 0.3  # s; a wider posterior of u needs a larger one
WIDEN = 1.7  # s over the standard deviation of u in that case, near the root of 3 of Gauss-Hermite quadrature
MOST_DEVIATION = 1.0  # of u
AT_UNIT = Sweeps(most=30, least=4, learn_discrimination=False)


@dataclass(frozen=True, eq=False)
class UnitPosterior:
    """Centred positions in units of the noise of a difference.

    Attributes
    ----------
    position, covariance
        Means and covariance, integrated over the unit.
    deviation
        Standard deviation of the log unit.
    """

    position: Vector
    covariance: Matrix
    deviation: float


def integrated_over_unit(solution: JointSolution) -> UnitPosterior:
    """Return the positions of a solution without ratings, integrated over its unit.

    Parameters
    ----------
    solution
        Positions in units of their prior standard deviation, at the most probable unit.

    Returns
    -------
    UnitPosterior
        Positions in units of the noise of a difference of the kind with the most answers.
    """
    step = FIRST_STEP
    around, slopes, variance = _around(solution, step)
    if variance > step**2:
        step = WIDEN * float(np.sqrt(variance))
        around, slopes, variance = _around(solution, step)
    share = min(variance / step**2, 1.0)
    skew = float(np.clip(step * sum(slopes) / 4.0, -1.0, 1.0))
    weights = np.array([share / 2.0 * np.exp(-skew), 1.0 - share, share / 2.0 * np.exp(skew)])
    return _mixture((around[0], solution, around[1]), weights / weights.sum(), float(np.sqrt(variance)))


def most_answered(solution: JointSolution) -> Term:
    """Return the kind with the most answers, whose noise is the unit."""
    return max(solution.terms, key=lambda term: float(term.opinions.orders.weight.sum()))


def _around(
    solution: JointSolution, step: float
) -> tuple[tuple[JointSolution, JointSolution], tuple[float, float], float]:
    """Return the solutions at -step and step, the slopes there, and the variance of u."""
    low, high = _at_unit(solution, -step), _at_unit(solution, step)
    slopes = (_slope(low), _slope(high))
    variance = 2.0 * step / max(slopes[0] - slopes[1], 1e-9)
    return (low, high), slopes, min(variance, MOST_DEVIATION**2)


def _at_unit(solution: JointSolution, shift: float) -> JointSolution:
    """Return the solution with all discriminations multiplied by exp(shift)."""
    factor = float(np.exp(shift))
    terms = tuple(
        replace(term, link=replace(term.link, discrimination=factor * term.link.discrimination))
        for term in solution.terms
    )
    return continued(replace(solution, terms=terms), solution.base, AT_UNIT)


def _slope(solution: JointSolution) -> float:
    """Return the slope of the log density of u."""
    slopes = (log_slope(term.evidence, solution.raters) for term in solution.terms)
    away = (term.prior_link - float(np.log(term.link.discrimination)) for term in solution.terms)
    return sum(slopes) + sum(away) / LINK_DEVIATION**2


def _mixture(solutions: tuple[JointSolution, ...], weights: Vector, deviation: float) -> UnitPosterior:
    size = len(solutions[0].mean)
    centred = np.eye(size) - 1.0 / size
    unit = [most_answered(each).link.discrimination for each in solutions]
    means = np.stack([d * (centred @ each.mean) for d, each in zip(unit, solutions, strict=True)])
    within = [d**2 * centred @ each.covariance @ centred for d, each in zip(unit, solutions, strict=True)]
    position = weights @ means
    away = (means - position) * np.sqrt(weights)[:, None]
    covariance = np.tensordot(weights, np.stack(within), 1) + away.T @ away
    return UnitPosterior(np.asarray(position), np.asarray(covariance), deviation)
