"""Answers at the ends of the scale as censored latent answers."""

from __future__ import annotations

import numpy as np

from steelyard.maths.arrays import Vector
from steelyard.models.steelyard.arrays import Ratings

WIDEST_STEP = 0.5  # largest step, for scales with few distinct answers
FLAT = 1e-3  # smallest share of variance that truncation removes


def with_ends(ratings: Ratings) -> Ratings:
    """Return the ratings with answers at the ends treated as censored.

    The censoring points are half a step inside the scale. The step is the smallest difference between two answers.
    """
    values = np.unique(ratings.score)
    step = min(float(np.min(np.diff(values), initial=WIDEST_STEP)), WIDEST_STEP)
    ends = np.where(ratings.score <= 0.0, -1, np.where(ratings.score >= 1.0, 1, 0)).astype(np.int64)
    return ratings._replace(ends=ends, low=step / 2.0, high=1.0 - step / 2.0)


def expected_clip(latent: Vector, deviation: Vector) -> Vector:
    """Return E clip(N(x, s²), 0, 1) = Phi(-b) + x (Phi(b) - Phi(a)) + s (phi(a) - phi(b)), a = -x/s, b = a + 1/s."""
    from scipy.special import ndtr  # SciPy is slow to import

    a, b = -latent / deviation, (1.0 - latent) / deviation
    density = (np.exp(-0.5 * a * a) - np.exp(-0.5 * b * b)) / np.sqrt(2.0 * np.pi)
    return np.asarray(ndtr(-b) + latent * (ndtr(b) - ndtr(a)) + deviation * density)


def cut_site(
    score: Vector, expected: Vector, variance: Vector, ends: tuple[float, float]
) -> tuple[Vector, Vector]:
    """Return the mean and variance of the Gaussian message of each latent answer.

    Between the ends, the message is the score with variance 0. At an end, it gives the product with N(expected,
    s²) the moments of the truncated distribution: mean expected ± s h/d and variance s² (1 - d)/d, where h =
    phi(z)/Phi(z) and d = h (h + z).

    Parameters
    ----------
    score
        Score of each answer.
    expected
        Expected latent answer.
    variance
        Variance s² of the latent answer.
    ends
        Lower and upper censoring points.

    Returns
    -------
    tuple of Vector
        Mean and variance of each message.
    """
    from scipy.special import log_ndtr  # SciPy is slow to import

    low, high = ends
    side = np.where(score <= max(low, -1.0), -1.0, np.where(score >= min(high, 2.0), 1.0, 0.0))
    if not side.any():
        return score, np.zeros(len(score))
    deviation = np.sqrt(variance)
    z = side * (expected - np.where(side < 0.0, low, high)) / deviation
    z = np.where(side == 0.0, 0.0, z)
    hazard = np.exp(-0.5 * z * z - 0.5 * np.log(2.0 * np.pi) - log_ndtr(z))
    removed = np.clip(hazard * (hazard + z), FLAT, 0.999)
    answer = np.where(side == 0.0, score, expected + side * deviation * hazard / removed)
    return answer, np.where(side == 0.0, 0.0, variance * (1.0 - removed) / removed)


def expected_level(latent: Vector, deviation: Vector, cuts: Vector) -> Vector:
    """Return the expected level on the unit scale: the mean over cut-points of the probability to be above.

    Parameters
    ----------
    latent
        Latent positions.
    deviation
        Standard deviation of honest latent answers at these positions.
    cuts
        Cut-points.

    Returns
    -------
    Vector
        Expected level, from 0 to 1.
    """
    from scipy.special import ndtr  # SciPy is slow to import

    above = sum(ndtr((latent - cut) / deviation) for cut in cuts)
    return np.asarray(above / len(cuts))
