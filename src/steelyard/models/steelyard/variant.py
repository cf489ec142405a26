"""One variant of the model with all of its errors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steelyard.maths.arrays import Matrix, Vector
from steelyard.models.steelyard.answers import answer_of
from steelyard.models.steelyard.errors import CommonErrors, common_errors, estimated_weights
from steelyard.models.steelyard.features import Features
from steelyard.models.steelyard.inference import Solution
from steelyard.models.steelyard.joint import PositionErrors, joint_of
from steelyard.models.steelyard.layout import Layout
from steelyard.models.steelyard.lists import Shifts, shifts_of
from steelyard.models.steelyard.sums import sums_by


@dataclass(frozen=True, eq=False)
class Reach:
    """Expected answers to each item: at its position, and at both ends of an interval."""

    middle: Vector
    low: Vector
    high: Vector


@dataclass(frozen=True, eq=False)
class Variant:
    """A solution together with errors that items share, which its messages do not contain."""

    weight: float
    solution: Solution
    layout: Layout
    features: Features

    @cached_property
    def position(self) -> Vector:
        """Expected answer of an average honest rater to each item."""
        return answer_of(self.solution, self.solution.latent)

    @cached_property
    def shifts(self) -> Shifts:
        """Biases and task offsets."""
        return shifts_of(self.solution, self.layout)

    @cached_property
    def bias(self) -> Vector:
        """Bias of each rater."""
        return np.asarray(self.solution.messages.rater_pull * self.bias_variance)

    @cached_property
    def bias_variance(self) -> Vector:
        """Posterior variance of each rater's bias."""
        return np.asarray(
            1.0 / (1.0 / self.solution.learnt.bias_variance + self.solution.messages.rater_precision)
        )

    @cached_property
    def answers(self) -> Vector:
        """Number of answers of each rater."""
        return sums_by(self.layout.rater, self.layout.ratings.weight, self.layout.raters)

    @cached_property
    def joint(self) -> PositionErrors:
        """Errors of positions given the variances and the means over raters."""
        return joint_of(self.solution, self.layout, self.shifts)

    @cached_property
    def errors(self) -> CommonErrors:
        """Errors due to the means over raters and the effects of features."""
        return common_errors(self.solution, self.layout, self.features)

    @cached_property
    def inflation(self) -> Vector:
        """Factor by which variances increase because raters' noise is estimated."""
        return estimated_weights(self.solution, self.layout)

    def reach(self, deviations: float, prior_share: float) -> Reach:
        """Return the expected answers at the position and some standard deviations below and above it.

        `prior_share` is the weight of the items' prior.
        """
        one = self.solution
        prior = prior_share / one.learnt.prior_variance
        precision = prior + one.messages.item_precision
        latent = one.learnt.centre + (one.learnt.regression.mean * prior + one.messages.item_pull) / precision
        wider = self.inflation * self.joint.variance * one.precision  # ratio to the variance of the messages
        far = deviations * np.sqrt(wider / precision + self.errors.variance)
        return Reach(answer_of(one, latent), answer_of(one, latent - far), answer_of(one, latent + far))

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Return joint draws of all positions, limited to the scale only if the variant is censored."""
        one = self.solution
        shift, stretch = rng.standard_normal((n, 1)), rng.standard_normal((n, 1))
        latent = one.latent + shift * self.errors.shift + stretch * self.errors.stretch
        latent = latent + self._feature_draws(n, rng)
        latent = latent + self.joint.draws(n, rng) * np.sqrt(self.inflation)
        return answer_of(one, latent) if one.has_ends else latent

    def _feature_draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Draw errors of the features' effects, scaled by the weight of the prior in each position."""
        one, regression = self.solution, self.solution.learnt.regression
        drawn = np.zeros((n, len(self.features)))
        if len(regression.weights):
            weights = rng.multivariate_normal(np.zeros(len(regression.weights)), regression.weight_errors, n)
            drawn = drawn + weights @ self.features.scores.T
        for codes, errors in zip(self.features.levels, regression.effect_errors, strict=True):
            drawn = drawn + (rng.standard_normal((n, len(errors))) * np.sqrt(errors))[:, codes]
        return np.asarray(drawn * (1.0 - one.messages.item_precision / one.precision))
