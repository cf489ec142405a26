"""One fitted variant of the model, seen as a posterior of positions on the unit scale."""

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


@dataclass(frozen=True, eq=False)
class Reach:
    """Expected answers to each item: at its position, and at both ends of an interval."""

    middle: Vector
    low: Vector
    high: Vector


@dataclass(frozen=True, eq=False)
class Variant:
    """A solution with what its messages do not say: errors that items share."""

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
    def joint(self) -> PositionErrors:
        """Errors of positions given the variances and the means over raters."""
        return joint_of(self.solution, self.layout, self.shifts)

    @cached_property
    def errors(self) -> CommonErrors:
        """Errors through the means over raters and the features' effects."""
        return common_errors(self.solution, self.layout, self.features)

    @cached_property
    def inflation(self) -> Vector:
        """How many times larger variances are because raters' noise is an estimate."""
        return estimated_weights(self.solution, self.layout)

    def reach(self, deviations: float, prior_share: float) -> Reach:
        """Expected answers so many standard deviations down and up, the items' prior counted for a share."""
        one = self.solution
        prior = prior_share / one.learnt.item_variance
        precision = prior + one.messages.item_precision
        latent = one.learnt.centre + (one.learnt.regression.mean * prior + one.messages.item_pull) / precision
        wider = self.inflation * self.joint.variance * one.precision  # than the messages say
        far = deviations * np.sqrt(wider / precision + self.errors.variance)
        return Reach(answer_of(one, latent), answer_of(one, latent - far), answer_of(one, latent + far))

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Joint draws of all positions; not cut at the ends where the variant knows no ends."""
        one = self.solution
        shift, stretch = rng.standard_normal((n, 1)), rng.standard_normal((n, 1))
        latent = one.latent + shift * self.errors.shift + stretch * self.errors.stretch
        latent = latent + self._feature_draws(n, rng)
        latent = latent + self.joint.draws(n, rng) * np.sqrt(self.inflation)
        return answer_of(one, latent) if one.has_ends else latent

    def _feature_draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Errors of the features' effects, as far as an item's position rests on its prior."""
        one, regression = self.solution, self.solution.learnt.regression
        drawn = np.zeros((n, len(self.features)))
        if len(regression.weights):
            weights = rng.multivariate_normal(np.zeros(len(regression.weights)), regression.weight_errors, n)
            drawn = drawn + weights @ self.features.scores.T
        for codes, errors in zip(self.features.levels, regression.effect_errors, strict=True):
            drawn = drawn + (rng.standard_normal((n, len(errors))) * np.sqrt(errors))[:, codes]
        return np.asarray(drawn * (1.0 - one.messages.item_precision / one.precision))
