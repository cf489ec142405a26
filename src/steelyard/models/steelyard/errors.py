"""Errors of quantities that messages treat as known: mean bias, mean slope and feature effects.

The position is the expected answer of an average honest rater. A sample of raters determines that average only
approximately.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Vector
from steelyard.models.steelyard.features import Features, prior_error
from steelyard.models.steelyard.inference import Solution
from steelyard.models.steelyard.layout import Layout
from steelyard.models.steelyard.sums import sums_by


@dataclass(frozen=True, eq=False)
class CommonErrors:
    """Change of each item per standard deviation of the mean bias and of the mean slope, and prior error."""

    shift: Vector
    stretch: Vector
    prior: Vector  # variance

    @property
    def variance(self) -> Vector:
        """Total variance that these errors add to each item."""
        return self.shift**2 + self.stretch**2 + self.prior


def common_errors(solution: Solution, layout: Layout, features: Features) -> CommonErrors:
    """Return errors that items share, to first order.

    The mean bias of raters has variance 1 / sum_a 1 / (sb² + e_a), where e_a is the error variance of the bias of
    rater a. An item follows it by 1 - f_i (1 - l_i), where f_i is the share of its position determined by
    ratings, and l_i is how closely the biases of its raters follow the mean. The mean slope is treated in the
    same way and stretches positions around the centre.

    Parameters
    ----------
    solution
        Fitted variant.
    layout
        Ratings in lists.
    features
        Features of the items.

    Returns
    -------
    CommonErrors
        One entry per item.
    """
    return common_errors_from(solution, following(solution, layout), features)


def following(solution: Solution, layout: Layout) -> Vector:
    """Return, for each item, the sum of the precisions of its ratings times how closely their raters follow the mean.

    Parameters
    ----------
    solution
        Fitted variant.
    layout
        Ratings in lists: all, or some of which the results are added up.

    Returns
    -------
    Vector
        One sum per item.
    """
    shared = solution.learnt.bias_variance * solution.messages.rater_precision
    follows = shared / (1.0 + shared)
    weight = solution.messages.rating_precision
    return sums_by(layout.ratings.item, weight * follows[layout.rater], layout.items)


def common_errors_from(solution: Solution, followed: Vector, features: Features) -> CommonErrors:
    """Return the errors of `common_errors` from the sums of `following`.

    Parameters
    ----------
    solution
        Fitted variant.
    followed
        Sums of `following`.
    features
        Features of the items.

    Returns
    -------
    CommonErrors
        Errors that items have in common.
    """
    learnt, messages = solution.learnt, solution.messages
    rated = messages.item_precision / solution.precision
    precision = messages.rater_precision
    bias_information = float(np.sum(precision / (1.0 + learnt.bias_variance * precision)))
    followed = followed / np.maximum(messages.item_precision, 1e-300)
    shift = (1.0 - rated * (1.0 - followed)) / np.sqrt(max(bias_information, 1e-9))
    stretch = np.sqrt(_stretch_variance(solution)) * (solution.latent - learnt.centre)
    return CommonErrors(shift, stretch, prior_error(features, learnt.regression) * (1.0 - rated) ** 2)


def _stretch_variance(solution: Solution) -> float:
    """Return the variance of the mean slope that is due to differences between raters' slopes."""
    if not solution.parts.slope:
        return 0.0
    square, learnt = solution.sums.slope_square, solution.learnt
    honest = (1.0 - learnt.spam) * square
    information, exact = np.sum(honest / (1.0 + learnt.slope_variance * square)), np.sum(honest)
    return float(max(1.0 / max(information, 1e-9) - 1.0 / max(exact, 1e-9), 0.0)) if exact > 0.0 else 0.0


def estimated_weights(solution: Solution, layout: Layout) -> Vector:
    """Return the factor by which the variance of each item increases because noise variances are estimated.

    The factor is 1 + 2 sum_o s_o (1 - s_o) / d_o, where s_o is the share of answer o in the information about the
    item and d_o the degrees of freedom of its rater's noise (first order; Kackar & Harville 1984 for mixed
    models, Meier 1953 for means).
    """
    if not solution.parts.noise:
        return np.ones(layout.items)
    messages, item = solution.messages, layout.ratings.item
    freedom = solution.learnt.noise_freedom + solution.sums.noise_information
    share = messages.rating_precision / np.maximum(messages.item_precision, 1e-300)[item]
    lost = share * (1.0 - share) / freedom[layout.rater]
    return np.asarray(1.0 + 2.0 * sums_by(item, lost, layout.items))
