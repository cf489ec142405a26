"""Estimated shift (rater bias plus task offset) of each list after fitting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Codes, Vector
from steelyard.models.steelyard.clipping import expected_clip
from steelyard.models.steelyard.inference import Solution
from steelyard.models.steelyard.layout import Layout
from steelyard.models.steelyard.sums import sums_by


@dataclass(frozen=True, eq=False)
class Shifts:
    """Posterior of biases and shifts, and the change of each item per change of the shift."""

    bias: Vector  # by rater
    bias_variance: Vector
    follow: Vector  # by list: change of its shift per change of the rater's bias
    own_variance: Vector  # by list: variance of its shift given the bias
    mean: Vector  # by list
    pull: Vector  # by rating: change of the item's position per change of the shift
    at: Codes  # the list of each rating


def shifts_of(solution: Solution, layout: Layout) -> Shifts:
    """Return the shifts given the messages.

    Given its list's shift, a rating informs its item with precision k²/noise. Given all shifts, item i has precision
    1/tau² + sum k²/noise =: 1/C_i, and changes by -C_i k/noise per unit of the shift.
    """
    ratings, messages, learnt = solution.ratings, solution.messages, solution.learnt
    size = np.diff(ratings.start)
    at = np.repeat(np.arange(len(size)), size)
    slope = learnt.slope[layout.rater]
    cavity = 1.0 / np.maximum(solution.precision[ratings.item] - messages.rating_precision, 1e-12)
    noise = noise_of(solution, layout)
    certainty = 1.0 / (slope**2 * cavity + noise)
    list_precision = sums_by(at, certainty, len(size))
    position = solution.latent - learnt.centre
    gap = messages.answer - learnt.centre - slope * position[ratings.item]
    miss = sums_by(at, certainty * gap, len(size))
    bias_precision = 1.0 / learnt.bias_variance + messages.rater_precision
    bias = messages.rater_pull / bias_precision
    loose = 1.0 / learnt.offset_variance
    conditional = 1.0 / (1.0 / learnt.prior_variance + sums_by(ratings.item, slope**2 / noise, layout.items))
    return Shifts(
        bias=bias,
        bias_variance=1.0 / bias_precision,
        follow=loose / (loose + list_precision),
        own_variance=1.0 / (loose + list_precision),
        mean=(loose * bias[ratings.rater] + miss) / (loose + list_precision),
        pull=-conditional[ratings.item] * slope / noise,
        at=at,
    )


def noise_of(solution: Solution, layout: Layout) -> Vector:
    """Return the noise variance of each rating: rater noise, spam, error of the slope and censoring."""
    ratings, learnt, rater = solution.ratings, solution.learnt, layout.rater
    position = (solution.latent - learnt.centre)[ratings.item]
    own = learnt.noise[rater] / (np.maximum(1.0 - learnt.spam[rater], 1e-3) * ratings.weight)
    return own + learnt.slope_error[rater] * position**2 + solution.messages.blur


def residuals(solution: Solution, layout: Layout, shifts: Shifts) -> Vector:
    """Return each answer minus the answer expected of its rater, on the unit scale.

    Bias, slope and task offset are removed. If answers at the ends are censored, the expected answer is
    E clip(N(latent, noise), 0, 1). An item beyond an end on which all raters agree then has residuals of 0.

    Parameters
    ----------
    solution
        Fitted variant.
    layout
        Ratings in lists.
    shifts
        Estimated biases and task offsets.

    Returns
    -------
    Vector
        Residual of each rating.
    """
    learnt, rater = solution.learnt, layout.rater
    position = (solution.latent - learnt.centre)[solution.ratings.item]
    expected = learnt.centre + learnt.slope[rater] * position + shifts.mean[shifts.at]
    if solution.has_ends and solution.cuts is None:
        expected = expected_clip(expected, np.sqrt(learnt.noise[rater]))
    return np.asarray(solution.ratings.score - expected)
