"""Bounded Beta ranking: a Beta distribution per item, updated by each comparison."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from steelyard.errors import BadSetting
from steelyard.judgments.logs import OrderedComparisons
from steelyard.judgments.table import Judgments
from steelyard.maths import beta as beta_distribution
from steelyard.maths.arrays import Codes, Labels, Matrix, Vector
from steelyard.maths.rao_kupper import outcome_probabilities
from steelyard.models.model import Capabilities
from steelyard.models.online.learning import Folding, fit_in_order, fit_log_in_order, update_in_order
from steelyard.models.online.posterior import BeliefPosterior
from steelyard.models.online.settings import check_above_zero, check_from_zero
from steelyard.models.online.steps import Course, Steps
from steelyard.scales.belief import BetaBelief
from steelyard.scales.fit import Fit
from steelyard.scales.quantity import Quantity

WIDEST_TIE = (
    100.0  # positions differ by at most 1, so outcomes other than ties become impossible far below this
)


@dataclass(frozen=True, slots=True)
class BetaRanking:
    r"""Beta ranking of items from comparisons with ties, the bounded variant of TrueSkill in the EASL paper.

    Each item has a Beta(alpha, beta) distribution on [0, 1]. A win adds to alpha of the winner and to beta of the
    loser, in proportion to how surprising it is. For a win of item i over item j with variances V,

    .. math::

        c^2 = 2 \gamma^2 + V_i + V_j

        \alpha_i \leftarrow \alpha_i + \frac{V_i}{c} (1 - p), \qquad
        \beta_j \leftarrow \beta_j + \frac{V_j}{c} (1 - p)

        p = \frac{1}{1 + \exp(\epsilon - (M_i - M_j))}

    where M is the position and p the probability of the outcome under the tie model of Rao and Kupper (1967).

    Assumptions: comparisons are independent and all raters have the same noise. Positions stay near the middle of
    [0, 1], because comparisons carry no information about the distance from the ends. Intervals are wide. Results
    depend on the order of the rows; set `passes` to reduce this effect.

    A row with a count of n is n updates. A fractional count scales the step of the update.

    Parameters
    ----------
    gamma
        Noise of a comparison, in units of the scale. Above 0, default 0.1.
    epsilon
        Threshold of ties in the Rao-Kupper model. From 0 to 100, default 0.1.
    score
        Point of the Beta distribution that is reported as the position: `"mode"` (default) or `"mean"`.
    surprisal
        Size of the step as a function of p: `"one_minus_p"` (default) or `"minus_log_p"` [note 10].
    passes
        Number of passes through the comparisons. Default: 1. Each comparison has weight 1 / passes in each pass, so
        results depend less on the order of the rows.
    shuffle
        Whether each pass processes the comparisons in a random order. Default: False, the order of the rows.
    seed
        Seed of the random order. Default: 0.

    References
    ----------
    Sakaguchi, K., & Van Durme, B. (2018). Efficient online scalar annotation with bounded support. ACL,
    Eqns 12-23 and notes 9 and 10.

    Rao, P. V., & Kupper, L. L. (1967). Ties in paired-comparison experiments: A generalization of the
    Bradley-Terry model. Journal of the American Statistical Association, 62, 194-204.

    Examples
    --------
    >>> from steelyard import Comparison, Judgments
    >>> fit = BetaRanking(score="mean").fit(Judgments.of([Comparison("ann", "tea", "milk", "left")]))
    >>> fit.scale.position.round(3).tolist()
    [0.524, 0.476]
    """

    name: ClassVar[str] = "beta_ranking"
    kinds: ClassVar[tuple[str, ...]] = ("comparison",)
    capabilities: ClassVar[Capabilities] = Capabilities(
        online=True, counts=True, belief=frozenset({"beta", "skills"})
    )
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
            raise BadSetting("epsilon", "0 makes -log p of a tie infinite. Set epsilon above 0.")
        _ = self._course

    @property
    def quantity(self) -> Quantity:
        """Meaning of the positions: mode or mean of the Beta distribution of an item's strength."""
        return Quantity(
            "strength",
            f"the {self.score} of a Beta distribution of its strength, which is 0.5 for the average {{unit}}",
            "",
            (0.0, 1.0),
            "Beta ranking strengths depend on the order of the comparisons.",
        )

    def start(self, items: Labels) -> BetaBelief:
        """Return the belief before any judgment: Beta(1, 1), position 0.5 and variance 1/12.

        Parameters
        ----------
        items
            Item ids.

        Returns
        -------
        BetaBelief
            The prior belief.
        """
        return BetaBelief.fresh(items, self.score)

    def update(self, belief: BetaBelief, judgments: Judgments) -> BetaBelief:
        """Return the belief after more comparisons, processed in their order [Eqns 14-22].

        With one pass and no shuffling, updating in parts equals fitting all comparisons, to the last digit.

        Parameters
        ----------
        belief
            Belief returned by `start`, `update` or `load_belief`.
        judgments
            Comparisons of items that the belief contains.

        Returns
        -------
        BetaBelief
            The new belief. The argument is not changed.
        """
        return update_in_order(belief, judgments, self._course, self._fold)

    def fit(self, judgments: Judgments | OrderedComparisons) -> Fit:
        """Fit the model to comparisons, in the order of the rows or shuffled.

        Parameters
        ----------
        judgments
            Comparisons, with or without ties, or a log from `steelyard.connect` with a column of times.

        Returns
        -------
        Fit
            Positions from 0 to 1. `fit.posterior.outcomes` predicts the next comparison.

        Raises
        ------
        NothingToFit
            If there are no judgments of this kind.
        """
        if isinstance(judgments, OrderedComparisons):
            return fit_log_in_order(self, judgments, Folding(self._course, self._fold), self._posterior)
        return fit_in_order(self, judgments, self._posterior)

    def _posterior(self, belief: BetaBelief) -> RankingPosterior:
        return RankingPosterior(belief, self.epsilon)

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
    """Beta distribution per item, with predictions for the next comparison."""

    epsilon: float

    def interval(self, level: float) -> tuple[Vector, Vector]:
        """Return intervals of the Beta distributions.

        They are wide, and their positions are shrunk to the middle (docs/explanation/models/beta_ranking.md).
        """
        low, high = beta_distribution.interval(self.belief.alpha, self.belief.beta, level)
        return np.minimum(low, self.position), np.clip(high, self.position, 1.0)

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Return independent Beta draws."""
        return rng.beta(self.belief.alpha, self.belief.beta, size=(n, len(self.belief.item)))

    def outcomes(self, left: Codes, right: Codes) -> tuple[Vector, Vector, Vector]:
        """Return the probabilities of left, tie and right in the next comparison [Eqns 20-22].

        `left` and `right` are indices of items in `Fit.item`. Positions differ by at most 1, so the odds of a win
        are at most exp(1 - epsilon) to 1.
        """
        return outcome_probabilities(self.position[left] - self.position[right], self.epsilon)
