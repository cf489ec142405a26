"""The arrays that one sweep of message passing reads and writes.

Named tuples, not dataclasses, because the compiled kernel takes them as they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steelyard.maths.arrays import Codes, Vector
from steelyard.models.steelyard.sums import sums_by


class Ratings(NamedTuple):
    """Scores on the unit scale, sorted into lists: list t holds ratings start[t] to start[t + 1]."""

    score: Vector
    weight: Vector
    item: Codes
    ends: Codes  # -1 at the lower end of the scale, +1 at the upper end, 0 between or where ends are ignored
    start: Codes
    rater: Codes  # of each list
    low: float  # an answer at the lower end says: somewhere under `low`; infinite where ends are ignored
    high: float


class Terms(NamedTuple):
    """What is held fixed during a sweep: prior of items, variances, and the terms of each rater."""

    centre: float
    prior_mean: Vector  # of each item, relative to the centre
    item_variance: float
    bias_variance: float
    offset_variance: float
    slope: Vector
    slope_variance: Vector
    noise_variance: Vector
    honest_slope: Vector  # of each rater if honest, at which the likelihood of honest answers is computed
    keep: Vector  # probability that the rater is no spammer


class Messages(NamedTuple):
    """Gaussian messages as precision and precision x mean ("pull"), their sums, and the latent answers."""

    rating_precision: Vector
    rating_pull: Vector
    item_precision: Vector
    item_pull: Vector
    list_precision: Vector
    list_pull: Vector
    rater_precision: Vector
    rater_pull: Vector
    answer: Vector  # the score, or at the ends of the scale the mean of the latent answer's site
    blur: Vector  # variance of that site; 0 where the score is the answer


class Sums(NamedTuple):
    """What a sweep gathers per rater for the next terms, and of the offsets over all lists."""

    slope_cross: Vector
    slope_square: Vector
    noise_square: Vector
    noise_weight: Vector
    noise_information: Vector  # answers' worth of what is seen of the noise, the rest being imputed
    honest_log: Vector
    offset_excess: Vector  # two cells: weighted squares of offsets beyond their errors, and the weights


def resummed(ratings: Ratings, messages: Messages) -> Messages:
    """The same messages, with the sums over items computed anew: sums kept up to date gather rounding errors.

    Each stretch of the scale multiplies those errors, while messages are made afresh in every sweep.
    """
    size = len(messages.item_precision)
    return messages._replace(
        item_precision=sums_by(ratings.item, messages.rating_precision, size),
        item_pull=sums_by(ratings.item, messages.rating_pull, size),
    )


def silent(ratings: Ratings, items: int, raters: int) -> Messages:
    """Messages before the first sweep, which carry no information."""
    lists = len(ratings.rater)
    none = np.zeros(len(ratings.score))
    return Messages(
        none,
        none,
        np.zeros(items),
        np.zeros(items),
        np.zeros(lists),
        np.zeros(lists),
        np.zeros(raters),
        np.zeros(raters),
        ratings.score,
        none,
    )
