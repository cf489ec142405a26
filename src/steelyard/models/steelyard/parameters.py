"""Estimated parameters other than the positions: variances and rater effects, and their starting values."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from steelyard.maths.arrays import Vector
from steelyard.models.steelyard.arrays import Ratings, Terms
from steelyard.models.steelyard.features import Features, Regression, explain
from steelyard.models.steelyard.weak_priors import SCATTER_PRIOR, SLOPE_PRIOR, blended

SMALLEST = 1e-9  # variance of a term that is switched off


@dataclass(frozen=True, slots=True)
class Parts:
    """Effects that the variant includes. Variances are always estimated."""

    slope: bool
    noise: bool
    spam: bool
    offset: bool
    bias: bool = True


@dataclass(frozen=True, eq=False)
class Learnt:
    """Estimated parameters other than the positions. Positions are relative to the fixed centre."""

    centre: float
    scatter: float  # variance of all scores, the unit of the weak priors
    regression: Regression
    item_variance: float
    bias_variance: float
    offset_variance: float
    slope_variance: float
    noise_variance: float
    noise_freedom: float
    spam_share: float
    slope: Vector
    slope_error: Vector  # variance of each rater's slope
    honest_slope: Vector  # as `slope`, but with the prior of `HONEST_SLOPE_VARIANCE`
    noise: Vector
    spam: Vector
    unsure: Vector  # uncertainty of machine judges about each item, with mean 1
    unsure_share: float = 0.0  # share of the prior variance of items that is proportional to it
    is_damped: bool = False  # whether slopes, and biases beside scores, move by half steps

    @property
    def relative_variance(self) -> Vector:
        """Prior variance of each item, relative to `item_variance`."""
        return 1.0 + self.unsure_share * (self.unsure - 1.0)

    @property
    def prior_variance(self) -> Vector:
        """Prior variance of each item."""
        return self.item_variance * self.relative_variance

    def terms(self) -> Terms:
        """Return the values that a sweep holds fixed."""
        return Terms(
            centre=self.centre,
            prior_mean=self.regression.mean,
            prior_variance=self.prior_variance,
            bias_variance=self.bias_variance,
            offset_variance=self.offset_variance,
            slope=self.slope,
            slope_variance=self.slope_error,
            noise_variance=self.noise,
            honest_slope=self.honest_slope,
            keep=np.maximum(1.0 - self.spam, 1e-3),
        )


def cold_start(ratings: Ratings, features: Features, raters: int, parts: Parts) -> Learnt:
    """Return starting values: of the variance left by features, 50% noise, 40% items and 10% raters.

    With one answer per item, items cannot be distinguished from noise, so the start determines how much features
    count.

    Parameters
    ----------
    ratings
        Ratings in lists.
    features
        Features of the items.
    raters
        Number of raters.
    parts
        Effects that the variant includes.

    Returns
    -------
    Learnt
        Starting values.
    """
    score = ratings.score
    scatter = blended(float(score.var()), len(score), SCATTER_PRIOR)
    regression = explain(score - score.mean(), ratings.item, features, scatter)
    unexplained = float(np.var(score - regression.mean[ratings.item]))
    scores = Scores(len(score), float(score.mean()), float(score.var()), unexplained)
    return replace(starting_values(scores, regression, raters, parts), unsure=features.unsure)


@dataclass(frozen=True, slots=True)
class Scores:
    """Number, mean and variance of all scores, and the variance that features leave."""

    size: int
    mean: float
    variance: float
    unexplained: float


def starting_values(scores: Scores, regression: Regression, raters: int, parts: Parts) -> Learnt:
    """Return the values of `cold_start` from sums of the scores.

    Parameters
    ----------
    scores
        Sums of the scores.
    regression
        Regression of the scores on the features.
    raters
        Number of raters.
    parts
        Effects that the variant includes.

    Returns
    -------
    Learnt
        Starting values.
    """
    rest = blended(scores.unexplained, scores.size, SCATTER_PRIOR)
    noise = 0.5 * rest
    return Learnt(
        centre=scores.mean,
        scatter=blended(scores.variance, scores.size, SCATTER_PRIOR),
        regression=regression,
        item_variance=0.4 * rest,
        bias_variance=0.1 * rest if parts.bias else SMALLEST,
        offset_variance=0.1 * rest if parts.offset else SMALLEST,
        slope_variance=SLOPE_PRIOR[1],
        noise_variance=noise,
        noise_freedom=16.0,
        spam_share=0.05,
        slope=np.ones(raters),
        slope_error=np.zeros(raters),
        honest_slope=np.ones(raters),
        noise=np.full(raters, noise),
        spam=np.zeros(raters),
        unsure=np.ones(len(regression.mean)),
    )
