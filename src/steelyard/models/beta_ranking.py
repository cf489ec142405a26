"""Bounded Beta ranking: a Beta belief per item, moved by wins and ties.

Sakaguchi & Van Durme (2018), Eqns 12-23 and notes 9 and 10: TrueSkill's form with a Beta for the Gaussian and the
tie model of Rao & Kupper (1967). The result depends on the order of the judgments: `fit` takes them in the order
of the file unless `shuffle` is set (docs/comparisons.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from steelyard.errors import BadSetting
from steelyard.judgments.table import Judgments
from steelyard.maths import beta as beta_distribution
from steelyard.maths.arrays import Codes, Labels, Matrix, Vector
from steelyard.maths.rao_kupper import outcome_probabilities
from steelyard.models.model import Capabilities
from steelyard.models.online.learning import fit_in_order, update_in_order
from steelyard.models.online.posterior import BeliefPosterior
from steelyard.models.online.settings import check_above_zero, check_from_zero
from steelyard.models.online.steps import Course, Steps
from steelyard.scales.belief import BetaBelief
from steelyard.scales.fit import Fit
from steelyard.scales.quantity import Quantity

WIDEST_TIE = 100.0  # positions differ by 1 at most: long before this all answers but ties are beyond belief


@dataclass(frozen=True, slots=True)
class BetaRanking:
    """A win adds to the winner's alpha and the loser's beta, in proportion to how surprising it is.

    `score` is the point of a Beta that counts as its position, `surprisal` what 1 - p or -log p is named after.
    Positions stay in [0, 1] and near the middle of it: a comparison knows no distance from the ends. A count of n is
    n updates, a fraction of one a fraction of the step. With `passes` each row counts 1/passes in each of them;
    `shuffle` takes the rows of each pass in a random order made from `seed`.

    >>> from steelyard import Comparison, Judgments
    >>> fit = BetaRanking(score="mean").fit(Judgments.of([Comparison("ann", "tea", "milk", "left")]))
    >>> fit.scale.position.round(3).tolist()
    [0.524, 0.476]
    """

    name: ClassVar[str] = "beta_ranking"
    kinds: ClassVar[tuple[str, ...]] = ("comparison",)
    capabilities: ClassVar[Capabilities] = Capabilities(online=True, belief=frozenset({"beta", "skills"}))
    gamma: float = 0.1
    epsilon: float = 0.1
    score: Literal["mode", "mean"] = "mode"
    surprisal: Literal["one_minus_p", "minus_log_p"] = "one_minus_p"
    passes: int = 1
    shuffle: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        check_above_zero(gamma=self.gamma)
        check_from_zero(WIDEST_TIE, epsilon=self.epsilon)
        if self.score not in ("mode", "mean"):
            raise BadSetting("score", f"{self.score!r} is neither 'mode' nor 'mean'.")
        if self.surprisal not in ("one_minus_p", "minus_log_p"):
            raise BadSetting("surprisal", f"{self.surprisal!r} is neither 'one_minus_p' nor 'minus_log_p'.")
        if self.surprisal == "minus_log_p" and self.epsilon == 0.0:
            raise BadSetting("epsilon", "0 makes a tie infinitely surprising to -log p. Set it above 0.")
        _ = self._course

    @property
    def quantity(self) -> Quantity:
        """The point of the Beta distribution that counts as position."""
        return Quantity(
            "strength",
            f"the {self.score} of a Beta distribution of its strength, which is 0.5 for the average {{unit}}",
            "",
            (0.0, 1.0),
            "Beta ranking strengths depend on the order of the comparisons.",
        )

    def start(self, items: Labels) -> BetaBelief:
        """Beta(1, 1) for every item: position 0.5, variance 1/12."""
        return BetaBelief.fresh(items, self.score)

    def update(self, belief: BetaBelief, judgments: Judgments) -> BetaBelief:
        """The belief after these comparisons, one after the other [Eqns 14-22].

        With one pass and no shuffling, folding parts is fitting the whole, to the last digit.
        """
        return update_in_order(belief, judgments, self._course, self._fold)

    def fit(self, judgments: Judgments) -> Fit:
        """The belief after all comparisons, in the order of the file or shuffled, as a scale from 0 to 1."""
        return fit_in_order(self, judgments, lambda belief: RankingPosterior(belief, self.epsilon))

    def _fold(self, belief: BetaBelief, steps: Steps) -> BetaBelief:
        from steelyard.models.online.beta_ranking_kernel import fold  # numba is slow to import

        by_mean, by_log = self.score == "mean", self.surprisal == "minus_log_p"
        alpha, beta = fold(belief.alpha, belief.beta, steps, self.gamma, self.epsilon, by_mean, by_log)
        return replace(belief, alpha=alpha, beta=beta)

    @property
    def _course(self) -> Course:
        return Course(self.passes, self.shuffle, self.seed)


@dataclass(frozen=True, eq=False)
class RankingPosterior(BeliefPosterior[BetaBelief]):
    """A Beta per item, with what it makes of the next comparison."""

    epsilon: float

    def interval(self, level: float) -> tuple[Vector, Vector]:
        """Intervals of the Betas: wide, and around positions that are drawn to the middle (docs/comparisons.md)."""
        low, high = beta_distribution.interval(self.belief.alpha, self.belief.beta, level)
        return np.minimum(low, self.position), np.clip(high, self.position, 1.0)

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Independent Beta draws."""
        return rng.beta(self.belief.alpha, self.belief.beta, size=(n, len(self.belief.item)))

    def outcomes(self, left: Codes, right: Codes) -> tuple[Vector, Vector, Vector]:
        """Probabilities of left, tie and right for the items at these places of `Fit.item` [Eqns 20-22].

        Positions lie within 1 of each other, so that no win is surer than exp(1 - epsilon) to 1.
        """
        return outcome_probabilities(self.position[left] - self.position[right], self.epsilon)
