"""The posterior of positions from ratings and judgments that order items, and from the latter alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steelyard.maths.arrays import Matrix, Vector
from steelyard.models.steelyard.answers import answer_of
from steelyard.models.steelyard.mixed.base import rated_base
from steelyard.models.steelyard.mixed.joint import JointSolution, Sweeps, continued
from steelyard.models.steelyard.posterior import SteelyardPosterior
from steelyard.models.steelyard.variant import Reach, Variant

# A variant of the rating model starts from the messages of the fullest one, which has the most detailed raters.
FOLLOWING = Sweeps(most=3, least=3, learn_links=False)


@dataclass(frozen=True, eq=False)
class MixedVariant(Variant):
    """A variant of the rating model, with the messages of the judgments that order items."""

    orders: JointSolution

    @cached_property
    def position(self) -> Vector:
        """Expected answer of an average honest rater to each item."""
        one = self.solution
        return answer_of(one, one.learnt.centre + self.orders.mean)

    @cached_property
    def widening(self) -> Vector:
        """Factor on variances because raters' noise is estimated, by the share of ratings in each position."""
        rated = np.diag(self.orders.covariance) / np.maximum(self.joint.variance, 1e-300)
        return np.asarray(1.0 + (self.inflation - 1.0) * np.minimum(rated, 1.0) ** 2)

    def reach(self, deviations: float, prior_share: float) -> Reach:
        """Return the expected answers at the position and some standard deviations below and above it."""
        one = self.solution
        mean, covariance = self.orders.mean, self.orders.covariance
        if prior_share < 1.0:
            mean, covariance = self.orders.at(rated_base(self, prior_share))
        latent = one.learnt.centre + mean
        far = deviations * np.sqrt(self.widening * np.diag(covariance) + self.errors.variance)
        return Reach(answer_of(one, latent), answer_of(one, latent - far), answer_of(one, latent + far))

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Return joint draws of all positions, limited to the scale only if the variant is censored."""
        one = self.solution
        shift, stretch = rng.standard_normal((n, 1)), rng.standard_normal((n, 1))
        latent = one.learnt.centre + self.orders.mean + shift * self.errors.shift
        latent = latent + stretch * self.errors.stretch + self._feature_draws(n, rng)
        root = np.linalg.cholesky(self.orders.covariance)
        latent = latent + (rng.standard_normal((n, len(root))) @ root.T) * np.sqrt(self.widening)
        return answer_of(one, latent) if one.has_ends else np.asarray(latent)


@dataclass(frozen=True, eq=False)
class MixedPosterior(SteelyardPosterior):
    """Weighted variants of the rating model, each with the messages of the judgments that order items."""

    orders: JointSolution

    @property
    def levels(self) -> None:
        """No errors of levels: the other judgments link items, and parts without links have no differences."""

    @cached_property
    def variants(self) -> tuple[MixedVariant, ...]:
        """The variants with a weight that is not negligible."""
        rated = SteelyardPosterior(self.average, self.layout, self.features, self.lowest, self.highest)
        return tuple(self._with_orders(variant) for variant in rated.variants)

    def _with_orders(self, variant: Variant) -> MixedVariant:
        is_first = variant.solution is self.average.fullest
        solved = self.orders if is_first else continued(self.orders, rated_base(variant), FOLLOWING)
        return MixedVariant(variant.weight, variant.solution, variant.layout, variant.features, solved)
