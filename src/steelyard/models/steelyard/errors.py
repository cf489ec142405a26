"""Errors of what the messages take as exact: the common shift, the common stretch, the features' effects.

Position is the expected answer of an average honest rater; a sample of raters fixes that average only so far.
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
    """How far each item moves per standard deviation of the shift and of the stretch; prior error apart."""

    shift: Vector
    stretch: Vector
    prior: Vector  # variance

    @property
    def variance(self) -> Vector:
        """Variance that all of them add to each item."""
        return self.shift**2 + self.stretch**2 + self.prior


def common_errors(solution: Solution, layout: Layout, features: Features) -> CommonErrors:
    """Errors that items share, to first order.

    The mean bias of raters is known with variance 1 / sum_a 1 / (sb² + e_a), e_a the error of rater a's bias.
    An item follows it by 1 - f_i (1 - l_i): f_i the share of its position that ratings fix, l_i how closely
    its raters' biases follow. The mean slope likewise, stretching positions about the centre.
    """
    learnt, messages = solution.learnt, solution.messages
    rated = messages.item_precision / solution.precision
    precision = messages.rater_precision
    follows = learnt.bias_variance * precision / (1.0 + learnt.bias_variance * precision)
    bias_information = float(np.sum(precision / (1.0 + learnt.bias_variance * precision)))
    weight = messages.rating_precision
    followed = sums_by(layout.ratings.item, weight * follows[layout.rater], layout.items)
    followed = followed / np.maximum(messages.item_precision, 1e-300)
    shift = (1.0 - rated * (1.0 - followed)) / np.sqrt(max(bias_information, 1e-9))
    stretch = np.sqrt(_stretch_variance(solution)) * (solution.latent - learnt.centre)
    return CommonErrors(shift, stretch, prior_error(features, learnt.regression) * (1.0 - rated) ** 2)


def _stretch_variance(solution: Solution) -> float:
    """Variance of the mean slope that comes from raters' slopes differing."""
    if not solution.parts.slope:
        return 0.0
    square, learnt = solution.sums.slope_square, solution.learnt
    honest = (1.0 - learnt.spam) * square
    information, exact = np.sum(honest / (1.0 + learnt.slope_variance * square)), np.sum(honest)
    return float(max(1.0 / max(information, 1e-9) - 1.0 / max(exact, 1e-9), 0.0)) if exact > 0.0 else 0.0


def estimated_weights(solution: Solution, layout: Layout) -> Vector:
    """How many times larger each item's variance is because answers are weighed by estimated noise.

    1 + 2 sum_o s_o (1 - s_o) / d_o: s_o the share of answer o in what answers say of the item, d_o the degrees of
    freedom of its rater's noise (first order; Kackar & Harville 1984 for mixed models, Meier 1953 for means).
    """
    if not solution.parts.noise:
        return np.ones(layout.items)
    messages, item = solution.messages, layout.ratings.item
    freedom = solution.learnt.noise_freedom + solution.sums.noise_information
    share = messages.rating_precision / np.maximum(messages.item_precision, 1e-300)[item]
    lost = share * (1.0 - share) / freedom[layout.rater]
    return np.asarray(1.0 + 2.0 * sums_by(item, lost, layout.items))
