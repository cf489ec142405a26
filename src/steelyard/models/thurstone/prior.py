"""The prior of positions: its standard deviation estimated, or integrated out where few items leave it uncertain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from steelyard.maths.arrays import Matrix, Vector
from steelyard.models.thurstone import gaussians
from steelyard.models.thurstone.outcomes import Outcomes
from steelyard.models.thurstone.propagation import PRIOR_RANGE, Approximation, Scales, propagate

PRIOR_SCALE = (
    2.0  # of the half-Cauchy prior of the prior standard deviation, in units of the comparison noise
)
NEGLIGIBLE = 5.0  # drop in log posterior density beyond which a value is left out
LEAST_CURVATURE = (
    4.0  # of the log density of log prior_sd, so that few comparisons leave a standard deviation of 0.5
)
FIRST_TIE_WIDTH = 0.3  # where there are ties, in units of the comparison noise


@dataclass(frozen=True, eq=False)
class PositionPosterior:
    """Positions and their uncertainty, averaged over the prior standard deviation.

    Attributes
    ----------
    position, variance
        Mean and variance of each position.
    within
        Mean covariance given the prior standard deviation; None where there are too many items.
    between
        Covariance of the means that different prior standard deviations give; None with `within`.
    best
        The approximation of the largest weight.
    converged, steps
        Whether every approximation converged, and all their steps.
    """

    position: Vector
    variance: Vector
    within: Matrix | None
    between: Matrix | None
    best: Approximation
    converged: bool
    steps: int

    @property
    def covariance(self) -> Matrix | None:
        """Covariance of all positions; None where there are too many items."""
        return None if self.within is None or self.between is None else self.within + self.between


def posterior_of(outcomes: Outcomes, prior_sd: float | None) -> PositionPosterior:
    """Return the posterior of positions.

    Parameters
    ----------
    outcomes
        Comparisons by pair and outcome.
    prior_sd
        Standard deviation of the prior; None to learn it from the comparisons.

    Returns
    -------
    PositionPosterior
        Integrated over the prior standard deviation where that is learned and the covariance of all items is kept.
    """
    first = _first_scales(outcomes, prior_sd)
    if prior_sd is not None or outcomes.items > gaussians.FULL_ITEMS:
        return _averaged([propagate(outcomes, first, learn_prior=prior_sd is None)], np.ones(1))
    approximations = _around_the_mode(outcomes, first)
    weights = np.exp(_log_densities(approximations) - np.max(_log_densities(approximations)))
    return _averaged(approximations, weights / weights.sum())


def most_probable(outcomes: Outcomes, prior_sd: float | None) -> PositionPosterior:
    """Return the posterior at the most probable prior standard deviation, or at this one.

    Where the covariance of all items is kept, `between` is the variance of log prior_sd, from the curvature of its log
    density, times the outer product of the slope of the means. Given the prior standard deviation, many items leave
    little doubt about the width of the scale. Without this term comparisons between distant items would seem useless.

    Parameters
    ----------
    outcomes
        Comparisons by pair and outcome.
    prior_sd
        Standard deviation of the prior; None to learn it from the comparisons.

    Returns
    -------
    PositionPosterior
        Means at the mode, with a covariance to first order in log prior_sd.
    """
    first = _first_scales(outcomes, prior_sd)
    if prior_sd is not None or outcomes.items > gaussians.FULL_ITEMS:
        return _averaged([propagate(outcomes, first, learn_prior=prior_sd is None)], np.ones(1))
    approximations = _around_the_mode(outcomes, first, outwards=False)
    density = _log_densities(approximations)
    mode = int(np.argmax(density))
    posterior = _averaged([approximations[mode]], np.ones(1))
    if not 0 < mode < len(approximations) - 1:
        return posterior
    step = _step(outcomes)
    curvature = (2.0 * density[mode] - density[mode - 1] - density[mode + 1]) / step**2
    above, below = (approximations[at].gaussian.position for at in (mode + 1, mode - 1))
    slope = (above - below) / (2.0 * step)
    away = slope / np.sqrt(max(curvature, LEAST_CURVATURE))
    return replace(posterior, variance=posterior.variance + away**2, between=np.outer(away, away))


def _first_scales(outcomes: Outcomes, prior_sd: float | None) -> Scales:
    return Scales(1.0 if prior_sd is None else prior_sd, FIRST_TIE_WIDTH if outcomes.ties else 0.0)


def _around_the_mode(outcomes: Outcomes, first: Scales, outwards: bool = True) -> list[Approximation]:
    """Approximations on a grid of log prior_sd: up to the mode and, if `outwards`, until the density is negligible."""
    step = _step(outcomes)
    least, most = (int(np.floor(np.log(end) / step)) for end in PRIOR_RANGE)
    found: dict[int, Approximation] = {}

    def density(at: int) -> float:
        if at not in found:
            nearest = min(found, key=lambda other: abs(other - at), default=None)
            start = None if nearest is None else found[nearest]
            width = first.tie_width if start is None else start.scales.tie_width
            found[at] = propagate(outcomes, Scales(float(np.exp(at * step)), width), start)
        return float(_log_densities([found[at]])[0])

    mode = 0
    while (best := max((mode, mode - 1, mode + 1), key=density)) != mode and least < best < most:
        mode = best
    for direction in (-1, 1) if outwards else ():
        at = mode
        while least < at < most and density(at) > density(mode) - NEGLIGIBLE:
            at += direction
    return [found[at] for at in sorted(found)]


def _step(outcomes: Outcomes) -> float:
    """Distance of the grid in log prior_sd: its standard deviation if positions were known."""
    return float(1.0 / np.sqrt(2.0 * max(outcomes.items, 4)))


def _log_densities(approximations: Sequence[Approximation]) -> Vector:
    """Log posterior density of log prior_sd, up to a constant: half-Cauchy prior times evidence."""
    sd = np.array([each.scales.prior_sd for each in approximations])
    evidence = np.array([each.log_evidence for each in approximations])
    return np.asarray(evidence + np.log(sd) - np.log1p((sd / PRIOR_SCALE) ** 2))


def _averaged(approximations: Sequence[Approximation], weights: Vector) -> PositionPosterior:
    means = np.stack([each.gaussian.position for each in approximations])
    position = weights @ means
    away = (means - position) * np.sqrt(weights)[:, None]
    variance = weights @ np.stack([each.gaussian.variance for each in approximations])
    covariances = [each.gaussian.covariance for each in approximations]
    dense = [each for each in covariances if each is not None]
    within = np.asarray(np.tensordot(weights, np.stack(dense), 1)) if dense else None
    return PositionPosterior(
        np.asarray(position),
        np.asarray(variance + np.sum(away**2, axis=0)),
        within,
        None if within is None else np.asarray(away.T @ away),
        approximations[int(np.argmax(weights))],
        all(each.converged for each in approximations),
        sum(each.steps for each in approximations),
    )
