"""TrueSkill: a Gaussian belief per item, moved by wins and ties.

Herbrich, Minka & Graepel (2006), "TrueSkill: a Bayesian skill rating system", for pairs, as Sakaguchi & Van
Durme (2018) use it (Eqns 1-11). Each comparison moves its two items at once, so that the result depends on the
order of the judgments: `fit` takes them in the order of the file unless `shuffle` is set (docs/comparisons.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes, Labels, Vector
from steelyard.maths.gaussian import outcome_probabilities
from steelyard.models.model import Capabilities
from steelyard.models.online.learning import fit_in_order, update_in_order
from steelyard.models.online.posterior import GaussianPosterior
from steelyard.models.online.settings import check_above_zero, check_from_zero, check_place
from steelyard.models.online.steps import Course, Steps
from steelyard.scales.belief import GaussianBelief
from steelyard.scales.fit import Fit
from steelyard.scales.quantity import Quantity


@dataclass(frozen=True, slots=True)
class TrueSkill:
    """A win moves the winner up and the loser down, a tie the two together, by how surprising it is.

    A comparison is noisy with standard deviation `gamma` on either side; differences within `epsilon` are ties.
    A count of n is n updates, a fraction of one a fraction of the step. With `passes` each row counts 1/passes in
    each of them; `shuffle` takes the rows of each pass in a random order made from `seed`.

    >>> from steelyard import Comparison, Judgments
    >>> fit = TrueSkill().fit(Judgments.of([Comparison("ann", "tea", "milk", "left")]))
    >>> fit.scale.position.round(3).tolist()
    [0.683, 0.317]
    """

    name: ClassVar[str] = "trueskill"
    kinds: ClassVar[tuple[str, ...]] = ("comparison",)
    capabilities: ClassVar[Capabilities] = Capabilities(online=True, belief=frozenset({"skills"}))
    gamma: float = 0.1
    epsilon: float = 0.1
    prior_mean: float = 0.5
    prior_variance: float = 1.0 / 12.0
    passes: int = 1
    shuffle: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        check_above_zero(gamma=self.gamma)
        check_from_zero(epsilon=self.epsilon)
        check_place(prior_mean=self.prior_mean)
        check_above_zero(prior_variance=self.prior_variance)
        _ = self._course

    @property
    def quantity(self) -> Quantity:
        """The skill, on a scale that starts every item at the prior mean."""
        return Quantity(
            "skill",
            f"its estimated skill. Every {{unit}} starts at {self.prior_mean:g}, and wins raise it",
            "skill units",
            caveat="TrueSkill skills depend on the order of the comparisons.",
        )

    def start(self, items: Labels) -> GaussianBelief:
        """The prior for every item."""
        return GaussianBelief.fresh(items, self.prior_mean, self.prior_variance)

    def update(self, belief: GaussianBelief, judgments: Judgments) -> GaussianBelief:
        """The belief after these comparisons, one after the other [Eqns 3-10].

        With one pass and no shuffling, folding parts is fitting the whole, to the last digit.
        """
        return update_in_order(belief, judgments, self._course, self._fold)

    def fit(self, judgments: Judgments) -> Fit:
        """The belief after all comparisons, in the order of the file or shuffled, as a scale."""
        return fit_in_order(
            self, judgments, lambda belief: TrueSkillPosterior(belief, self.gamma, self.epsilon)
        )

    def _fold(self, belief: GaussianBelief, steps: Steps) -> GaussianBelief:
        from steelyard.models.online.trueskill_kernel import fold  # numba is slow to import

        position, variance = fold(belief.position, belief.variance, steps, self.gamma, self.epsilon)
        return replace(belief, position=position, variance=variance)

    @property
    def _course(self) -> Course:
        return Course(self.passes, self.shuffle, self.seed)


@dataclass(frozen=True, eq=False)
class TrueSkillPosterior(GaussianPosterior):
    """Gaussian skills, with what they make of the next comparison."""

    gamma: float
    epsilon: float

    def outcomes(self, left: Codes, right: Codes) -> tuple[Vector, Vector, Vector]:
        """Probabilities of left, tie and right in the next comparison of the items at these places of `Fit.item`.

        Unlike `Fit.predict`, which asks who stands higher, this counts the noise of a comparison and ties.
        """
        variance = self.belief.variance
        c = np.sqrt(2.0 * self.gamma**2 + variance[left] + variance[right])
        return outcome_probabilities((self.position[left] - self.position[right]) / c, self.epsilon / c)
