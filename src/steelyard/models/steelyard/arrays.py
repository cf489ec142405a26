"""The arrays that one sweep of message passing reads and writes.

They are named tuples, not dataclasses, because the compiled kernel accepts named tuples.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steelyard.maths.arrays import Codes, Vector
from steelyard.models.steelyard.sums import sums_by


class Ratings(NamedTuple):
    """Scores on the unit scale, sorted into lists. List t contains ratings start[t] to start[t + 1]."""

    score: Vector
    weight: Vector
    item: Codes
    ends: Codes  # -1 at the lower end of the scale, +1 at the upper end, 0 between or if ends are ignored
    start: Codes
    rater: Codes  # of each list
    low: float  # an answer at the lower end means a latent answer below `low`; infinite if ends are ignored
    high: float


class Terms(NamedTuple):
    """Values that are fixed during a sweep: prior of items, variances, and the effects of each rater."""

    centre: float
    prior_mean: Vector  # of each item, relative to the centre
    prior_variance: Vector  # of each item
    bias_variance: float
    offset_variance: float
    slope: Vector
    slope_variance: Vector
    noise_variance: Vector
    honest_slope: Vector  # of each rater if honest; the likelihood of honest answers uses it
    keep: Vector  # probability that the rater is not a spammer


class Messages(NamedTuple):
    """Gaussian messages as precision and precision x mean (pull), their sums, and the latent answers."""

    rating_precision: Vector
    rating_pull: Vector
    item_precision: Vector
    item_pull: Vector
    list_precision: Vector
    list_pull: Vector
    rater_precision: Vector
    rater_pull: Vector
    answer: Vector  # the score, or at the ends of the scale the mean of the latent answer
    blur: Vector  # variance of the latent answer; 0 between the ends


class Sums(NamedTuple):
    """Statistics that a sweep collects for the next update of rater effects and variances."""

    slope_cross: Vector
    slope_square: Vector
    noise_square: Vector
    noise_weight: Vector
    noise_information: Vector  # information about the noise, as an equivalent number of answers
    honest_log: Vector
    offset_excess: (
        Vector  # weighted squares of offsets minus their errors, the sum of weights, and the number of lists
    )


def resummed(ratings: Ratings, messages: Messages) -> Messages:
    """Return the same messages, with the sums over items recomputed to remove rounding errors.

    Messages are new in every sweep, but incremental sums accumulate rounding errors, and each rescaling multiplies
    them.
    """
    size = len(messages.item_precision)
    return messages._replace(
        item_precision=sums_by(ratings.item, messages.rating_precision, size),
        item_pull=sums_by(ratings.item, messages.rating_pull, size),
    )


def silent(ratings: Ratings, items: int, raters: int) -> Messages:
    """Return the messages before the first sweep, which carry no information.

    Parameters
    ----------
    ratings
        Ratings in lists.
    items
        Number of items.
    raters
        Number of raters.

    Returns
    -------
    Messages
        Messages with precision 0.
    """
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
