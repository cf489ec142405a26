"""How well a rater's answers are explained without looking at the items."""

from __future__ import annotations

import numpy as np

from steelyard.maths.arrays import Codes, Vector
from steelyard.models.steelyard.arrays import Ratings
from steelyard.models.steelyard.sums import sums_by

BORROWED = 2.0  # answers' worth of the mean and variance of all scores
LEAST_VARIANCE = 1e-4
IMPUTATIONS = 12  # steps of EM


def own_log_likelihood(ratings: Ratings, rater: Codes, raters: int) -> Vector:
    """Log-likelihood of each rater's answers under their own Gaussian, less the price of fitting it.

    Where ends are known, a spammer may as well answer anywhere on the scale. Elsewhere the model's own Gaussian
    reaches beyond the scale, and would lose against an even one through no fault of the rater.

    The price log(n + 2) + 1 is that of two fitted numbers; without it raters with few answers look like
    spammers. Where the model reads an answer at an end of the scale as a tail, so does the Gaussian.
    """
    from scipy.special import log_ndtr  # late: SciPy would double the time of `import steelyard`

    score, end = ratings.score, np.flatnonzero(ratings.ends)
    mean, variance = _own_gaussian(ratings, rater, raters)
    centre, deviation = mean[rater], np.sqrt(variance)[rater]
    inside = -0.5 * np.log(2.0 * np.pi) - np.log(deviation) - 0.5 * ((score - centre) / deviation) ** 2
    inside[end] = log_ndtr(_beyond(ratings, end, centre[end]) / deviation[end])
    own = np.asarray(
        sums_by(rater, inside, raters) - np.log(np.bincount(rater, minlength=raters) + 2.0) - 1.0
    )
    if not np.isfinite(ratings.low):
        return own
    return np.asarray(np.logaddexp(own, _anywhere(ratings, rater, raters)) - np.log(2.0))


def _own_gaussian(ratings: Ratings, rater: Codes, raters: int) -> tuple[Vector, Vector]:
    """Mean and variance of each rater's latent answers, those at an end of the scale imputed as tails (EM)."""
    score, end = ratings.score, np.flatnonzero(ratings.ends)
    count = np.bincount(rater, minlength=raters) + BORROWED
    usual_mean, usual_variance = float(score.mean()), float(score.var())
    latent, uncertain = score, np.zeros(len(score))
    for _ in range(1 + (IMPUTATIONS if len(end) else 0)):
        mean = (sums_by(rater, latent, raters) + BORROWED * usual_mean) / count
        squares = sums_by(rater, (latent - mean[rater]) ** 2 + uncertain, raters)
        variance = np.maximum((squares + BORROWED * usual_variance) / count, LEAST_VARIANCE)
        latent, uncertain = _imputed(ratings, end, mean[rater], variance[rater])
    return mean, variance


def _imputed(ratings: Ratings, end: Codes, mean: Vector, variance: Vector) -> tuple[Vector, Vector]:
    """Mean and variance of the latent answers: the scores, but tails of the Gaussian at the ends of the scale."""
    from scipy.special import log_ndtr  # late: SciPy would double the time of `import steelyard`

    latent, uncertain = ratings.score.copy(), np.zeros(len(ratings.score))
    deviation = np.sqrt(variance[end])
    z = _beyond(ratings, end, mean[end]) / deviation
    hazard = np.exp(-0.5 * z**2 - 0.5 * np.log(2.0 * np.pi) - log_ndtr(z))
    latent[end] = mean[end] + ratings.ends[end] * deviation * hazard
    uncertain[end] = variance[end] * (1.0 - hazard * (hazard + z))
    return latent, uncertain


def _beyond(ratings: Ratings, end: Codes, centre: Vector) -> Vector:
    """How far beyond its end of the scale the centre of each answer at an end is."""
    return np.where(ratings.ends[end] < 0, ratings.low - centre, centre - ratings.high)


def _anywhere(ratings: Ratings, rater: Codes, raters: int) -> Vector:
    """Log-likelihood of each rater's answers if every step of the scale were as likely."""
    step = 2.0 * ratings.low
    each = np.where(ratings.ends != 0, np.log(step), 0.0) - np.log(1.0 + step)
    return sums_by(rater, each, raters)
