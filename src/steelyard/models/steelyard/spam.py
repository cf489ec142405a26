"""How well a rater's answers are explained without looking at the items."""

from __future__ import annotations

import numpy as np

from steelyard.maths.arrays import Codes, Vector
from steelyard.models.steelyard.arrays import Ratings
from steelyard.models.steelyard.sums import sums_by

BORROWED = 2.0  # answers' worth of the mean and variance of all scores
LEAST_VARIANCE = 1e-4


def own_log_likelihood(ratings: Ratings, rater: Codes, raters: int) -> Vector:
    """Log-likelihood of each rater's answers under their own Gaussian, less the price of fitting it.

    Where ends are known, a spammer may as well answer anywhere on the scale. Elsewhere the model's own Gaussian
    reaches beyond the scale, and would lose against an even one through no fault of the rater.

    The price log(n + 2) + 1 is that of two fitted numbers; without it raters with few answers look like
    spammers. An answer at an end of the scale is a tail where the model takes it as one.
    """
    from scipy.special import log_ndtr  # late: SciPy would double the time of `import steelyard`

    score = ratings.score
    count = np.bincount(rater, minlength=raters)
    mean = (sums_by(rater, score, raters) + BORROWED * score.mean()) / (count + BORROWED)
    squares = sums_by(rater, (score - mean[rater]) ** 2, raters)
    variance = np.maximum((squares + BORROWED * score.var()) / (count + BORROWED), LEAST_VARIANCE)
    centre, deviation = mean[rater], np.sqrt(variance)[rater]
    inside = -0.5 * np.log(2.0 * np.pi) - np.log(deviation) - 0.5 * ((score - centre) / deviation) ** 2
    end = np.flatnonzero(ratings.ends)
    edge = np.where(ratings.ends[end] < 0, ratings.low - centre[end], centre[end] - ratings.high)
    inside[end] = log_ndtr(edge / deviation[end])
    own = np.asarray(sums_by(rater, inside, raters) - np.log(count + 2.0) - 1.0)
    if not np.isfinite(ratings.low):
        return own
    return np.asarray(np.logaddexp(own, _anywhere(ratings, rater, raters)) - np.log(2.0))


def _anywhere(ratings: Ratings, rater: Codes, raters: int) -> Vector:
    """Log-likelihood of each rater's answers if every step of the scale were as likely."""
    step = 2.0 * ratings.low
    each = np.where(ratings.ends != 0, np.log(step), 0.0) - np.log(1.0 + step)
    return sums_by(rater, each, raters)
