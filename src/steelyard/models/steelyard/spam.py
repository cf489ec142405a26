"""Likelihood of a rater's answers if they do not depend on the items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Codes, Vector
from steelyard.models.steelyard.arrays import Ratings
from steelyard.models.steelyard.sums import sums_by

PRIOR_ANSWERS = 2.0  # number of answers that the mean and variance of all scores count as
LEAST_VARIANCE = 1e-4
IMPUTATIONS = 12  # steps of EM


def own_log_likelihood(
    ratings: Ratings, rater: Codes, raters: int, overall: tuple[float, float] | None = None
) -> Vector:
    """Return the log-likelihood of each rater's answers under a Gaussian of their own, minus a penalty.

    The penalty log(n + 2) + 1 is for the two fitted parameters. Without it, raters with few answers would look
    like spammers. If the model treats answers at the ends as censored, so does the Gaussian. Uniform answers are
    then a second model of spammers. Without censoring they are not, because the model's own Gaussian extends
    beyond the scale and would be at a disadvantage.

    Parameters
    ----------
    ratings
        Ratings in lists.
    rater
        Rater of each rating.
    raters
        Number of raters.
    overall
        Mean and variance of all scores. None if `ratings` has all of them.

    Returns
    -------
    Vector
        One value per rater.
    """
    answers = _answers_of(ratings, rater, raters, overall)
    mean, variance = _own_gaussian(answers)
    inside = -0.5 * answers.inside * np.log(2.0 * np.pi * variance) - 0.5 * answers.squares(mean) / variance
    tails = sum(count * _tail(edge, mean, variance).log_mass for count, edge in answers.ends)
    own = np.asarray(inside + tails - np.log(answers.count + 2.0) - 1.0)
    if not np.isfinite(ratings.low):
        return own
    return np.asarray(np.logaddexp(own, _anywhere(ratings, rater, raters)) - np.log(2.0))


@dataclass(frozen=True, eq=False)
class _Answers:
    """Sufficient statistics of each rater: sums over the answers inside the scale, and counts at its ends."""

    inside: Vector  # answers inside
    centre: Vector  # their mean
    scatter: Vector  # their sum of squares about it
    ends: tuple[tuple[Vector, tuple[int, float]], ...]  # answers at each end, with its side and edge
    overall: tuple[float, float]  # mean and variance of all scores

    @property
    def count(self) -> Vector:
        return np.asarray(self.inside + sum(count for count, _ in self.ends))

    def squares(self, mean: Vector) -> Vector:
        """Return the sum of squares of the answers inside the scale around a mean."""
        return np.asarray(self.scatter + self.inside * (self.centre - mean) ** 2)


def _answers_of(ratings: Ratings, rater: Codes, raters: int, overall: tuple[float, float] | None) -> _Answers:
    score, within = ratings.score, ratings.ends == 0
    inside = sums_by(rater, within, raters)
    centre = sums_by(rater, within * score, raters) / np.maximum(inside, 1.0)
    scatter = sums_by(rater, within * (score - centre[rater]) ** 2, raters)
    sides = ((-1, ratings.low), (1, ratings.high)) if np.isfinite(ratings.low) else ()
    ends = tuple((sums_by(rater, ratings.ends == side, raters), (side, edge)) for side, edge in sides)
    whole = (float(score.mean()), float(score.var())) if overall is None else overall
    return _Answers(inside, centre, scatter, ends, whole)


def _own_gaussian(answers: _Answers) -> tuple[Vector, Vector]:
    """Return mean and variance of each rater's latent answers. EM imputes the answers at the ends as tails.

    The starting values treat answers at the ends as exact.
    """
    overall_mean, overall_variance = answers.overall
    tails = [_Tail(np.zeros(len(count)), _end_of(edge), np.zeros(len(count))) for count, edge in answers.ends]
    size = answers.count + PRIOR_ANSWERS
    for _ in range(1 + (IMPUTATIONS if answers.ends else 0)):
        counted = [(count, tail) for (count, _), tail in zip(answers.ends, tails, strict=True)]
        total = answers.inside * answers.centre + sum(count * tail.mean for count, tail in counted)
        mean = (total + PRIOR_ANSWERS * overall_mean) / size
        beyond = sum(count * ((tail.mean - mean) ** 2 + tail.variance) for count, tail in counted)
        squares = answers.squares(mean) + beyond + PRIOR_ANSWERS * overall_variance
        variance = np.maximum(squares / size, LEAST_VARIANCE)
        tails = [_tail(edge, mean, variance) for _, edge in answers.ends]
    return np.asarray(mean), np.asarray(variance)


@dataclass(frozen=True, eq=False)
class _Tail:
    """The part of each rater's Gaussian beyond an end of the scale: log of its mass, mean and variance."""

    log_mass: Vector
    mean: Vector | float
    variance: Vector


def _end_of(edge: tuple[int, float]) -> float:
    """Return the answer at an end of the unit scale."""
    return 0.0 if edge[0] < 0 else 1.0


def _tail(edge: tuple[int, float], mean: Vector, variance: Vector) -> _Tail:
    """Truncate N(mean, variance) at the edge: mean ± s h and variance s² (1 - h (h + z)), h = phi(z) / Phi(z)."""
    from scipy.special import log_ndtr  # SciPy is slow to import

    (side, at), deviation = edge, np.sqrt(variance)
    z = side * (mean - at) / deviation
    log_mass = log_ndtr(z)
    hazard = np.exp(-0.5 * z**2 - 0.5 * np.log(2.0 * np.pi) - log_mass)
    return _Tail(log_mass, mean + side * deviation * hazard, variance * (1.0 - hazard * (hazard + z)))


def _anywhere(ratings: Ratings, rater: Codes, raters: int) -> Vector:
    """Return the log-likelihood of each rater's answers if every step of the scale is equally likely."""
    step = 2.0 * ratings.low
    each = np.where(ratings.ends != 0, np.log(step), 0.0) - np.log(1.0 + step)
    return sums_by(rater, each, raters)
