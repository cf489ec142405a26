"""Expectation propagation for Thurstone's model (Minka 2001; Rasmussen & Williams 2006, section 3.6).

A comparison observes  d = x_i - x_j + noise,  noise ~ N(0, 1). A win shows d > e, a tie |d| <= e, with the tie width e.
Each comparison is replaced by a Gaussian factor of the difference with precision t and shift n. Let m and v be the
moments of the difference without one comparison (the cavity), c² = 1 + v, V and W the corrections of truncated
Gaussians at m / c, e / c (Herbrich et al. 2006), and  k = W / c².  Then

    t = k / (1 - v k)        n = (V / c + m k) / (1 - v k)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from steelyard.maths.arrays import Mask, Vector
from steelyard.maths.gaussian import outcome_probabilities, tie_correction, win_correction
from steelyard.models.thurstone.gaussians import DenseGaussian, Gaussian, gaussian_of
from steelyard.models.thurstone.outcomes import Outcomes

DAMPING = 0.7  # share of each step that is taken; whole steps can oscillate
TOLERANCE = 1e-5  # largest change of a factor at which the factors have converged
MOST_STEPS = 200
LEAST_CAVITY = 1e-9  # precision of a difference without one of its comparisons
LARGEST_CHANGE = 2.0  # factor by which the tie width or the prior variance may change in one step
OVER_RELAXATION = 1.5  # power of the change of the prior variance; plain EM steps are short
PRIOR_RANGE = (0.05, 50.0)  # standard deviations of positions that are considered, in units of the noise


@dataclass(frozen=True, slots=True)
class Scales:
    """Standard deviation of the prior of positions and the width of ties, both in units of the comparison noise."""

    prior_sd: float = 1.0
    tie_width: float = 0.0


@dataclass(frozen=True, eq=False)
class Approximation:
    """A Gaussian approximation of the posterior.

    Attributes
    ----------
    scales
        Prior standard deviation and tie width behind it.
    gaussian
        The joint distribution of positions.
    precision, shift
        Gaussian factor of one comparison, per row of the outcomes.
    log_evidence
        Log of the approximate marginal likelihood; NaN where the covariance is sparse.
    steps, converged
        Number of steps, and whether the factors converged.
    """

    scales: Scales
    gaussian: Gaussian
    precision: Vector
    shift: Vector
    log_evidence: float
    steps: int
    converged: bool


def propagate(
    outcomes: Outcomes, scales: Scales, start: Approximation | None = None, learn_prior: bool = False
) -> Approximation:
    """Approximate the posterior of positions.

    Parameters
    ----------
    outcomes
        Comparisons by pair and outcome.
    scales
        Prior standard deviation and a first tie width. Where there are ties, their width is estimated, so that the
        expected number of ties is the observed one.
    start
        An approximation with other scales, whose factors are taken as the first ones.
    learn_prior
        Estimate the prior standard deviation too, by EM.

    Returns
    -------
    Approximation
        The Gaussian with its evidence.
    """
    rows = len(outcomes.count)
    precision = np.full(rows, 0.2) if start is None else start.precision
    shift = np.where(outcomes.is_tie, 0.0, 0.2) if start is None else start.shift
    steps = 0
    while steps < MOST_STEPS:
        steps += 1
        gaussian = gaussian_of(outcomes, precision, shift, scales.prior_sd**2)
        cavity = _cavity(outcomes, gaussian, precision, shift)
        new_precision, new_shift = cavity.matched(outcomes.is_tie, scales.tie_width)
        learned = _learn(outcomes, gaussian, scales, learn_prior)
        change = max(
            np.max(np.abs(new_precision - precision), initial=0.0),
            np.max(np.abs(new_shift - shift), initial=0.0),
            abs(learned.prior_sd / scales.prior_sd - 1.0),
            abs(learned.tie_width - scales.tie_width),
        )
        if change < TOLERANCE:
            break
        precision = precision + DAMPING * (new_precision - precision)
        shift, scales = shift + DAMPING * (new_shift - shift), learned
    evidence = np.nan
    if isinstance(gaussian, DenseGaussian):
        heights = cavity.log_heights(outcomes.is_tie, scales.tie_width, precision, shift)
        evidence = float(outcomes.count @ heights) + gaussian.log_volume
    return Approximation(scales, gaussian, precision, shift, evidence, steps, bool(change < TOLERANCE))


@dataclass(frozen=True, eq=False)
class _Cavity:
    """Mean and variance of the difference of each row without one of its comparisons."""

    mean: Vector
    variance: Vector

    def matched(self, is_tie: Mask, tie_width: float) -> tuple[Vector, Vector]:
        """Precision and shift of the factor that matches the moments of one comparison."""
        scale = np.sqrt(1.0 + self.variance)
        v, w = corrections(self.mean / scale, tie_width / scale, is_tie)
        curvature = w / scale**2
        remaining = 1.0 - self.variance * curvature
        return curvature / remaining, (v / scale + self.mean * curvature) / remaining

    def log_heights(self, is_tie: Mask, tie_width: float, precision: Vector, shift: Vector) -> Vector:
        """Log height at 0 that gives each factor the probability of its comparison under the cavity."""
        scale = np.sqrt(1.0 + self.variance)
        gain = (self.mean / self.variance + shift) ** 2 / (1.0 / self.variance + precision)
        volume = 0.5 * (gain - self.mean**2 / self.variance) - 0.5 * np.log1p(self.variance * precision)
        return _log_probability(self.mean / scale, tie_width / scale, is_tie) - volume


def _cavity(outcomes: Outcomes, gaussian: Gaussian, precision: Vector, shift: Vector) -> _Cavity:
    variance = gaussian.gap_variance()
    gap = gaussian.position[outcomes.first] - gaussian.position[outcomes.second]
    left = 1.0 / np.maximum(1.0 / variance - precision, LEAST_CAVITY)
    return _Cavity(left * (gap / variance - shift), left)


def corrections(gap: Vector, margin: Vector, is_tie: Mask) -> tuple[Vector, Vector]:
    """Return the corrections V and W of a win, or of a tie where `is_tie`.

    Parameters
    ----------
    gap
        Mean of the observed difference, in its standard deviations.
    margin
        Tie width in the same unit.
    is_tie
        Whether a row is a tie.

    Returns
    -------
    tuple of two arrays
        Shift of the mean, and the share of the variance that the outcome removes.
    """
    v, w = win_correction(gap, margin)
    if not is_tie.any():
        return v, w
    tied_v, tied_w = tie_correction(gap[is_tie], np.broadcast_to(margin, gap.shape)[is_tie])
    v[is_tie], w[is_tie] = tied_v, tied_w
    return v, w


def _log_probability(gap: Vector, margin: Vector, is_tie: Mask) -> Vector:
    from scipy.special import log_ndtr  # SciPy is slow to import

    won = log_ndtr(gap - margin)
    if not is_tie.any():
        return np.asarray(won)
    tied = np.log(np.maximum(outcome_probabilities(gap, margin)[1], np.finfo(float).tiny))
    return np.where(is_tie, tied, won)


def _learn(outcomes: Outcomes, gaussian: Gaussian, scales: Scales, learn_prior: bool) -> Scales:
    """One step of the tie width towards the observed share of ties, and of the prior towards the positions."""
    if learn_prior:
        square = float(np.mean(gaussian.position**2 + gaussian.variance))
        factor = _bounded(square / scales.prior_sd**2) ** (OVER_RELAXATION / 2.0)
        scales = replace(scales, prior_sd=float(np.clip(scales.prior_sd * factor, *PRIOR_RANGE)))
    if outcomes.ties:
        scale = np.sqrt(1.0 + gaussian.gap_variance())
        gap = (gaussian.position[outcomes.first] - gaussian.position[outcomes.second]) / scale
        expected = float(outcomes.count @ outcome_probabilities(gap, scales.tie_width / scale)[1])
        scales = replace(scales, tie_width=scales.tie_width * _bounded(outcomes.ties / max(expected, 1e-9)))
    return scales


def _bounded(ratio: float) -> float:
    return float(np.clip(ratio, 1.0 / LARGEST_CHANGE, LARGEST_CHANGE))
