"""TrueSkill: a normal distribution per item, updated by each comparison."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from steelyard.judgments.logs import OrderedComparisons
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes, Labels, Vector
from steelyard.maths.gaussian import outcome_probabilities
from steelyard.models.model import Capabilities
from steelyard.models.online.learning import Folding, fit_in_order, fit_log_in_order, update_in_order
from steelyard.models.online.posterior import GaussianPosterior
from steelyard.models.online.settings import check_above_zero, check_from_zero, check_place
from steelyard.models.online.steps import Course, Steps
from steelyard.scales.belief import GaussianBelief
from steelyard.scales.fit import Fit
from steelyard.scales.quantity import Quantity


@dataclass(frozen=True, slots=True)
class TrueSkill:
    r"""TrueSkill rating of items from comparisons with ties.

    Each item has a normal distribution of its skill. A win moves the winner up and the loser down, and a tie moves
    the two items towards each other. The step is larger for surprising outcomes. For a win of item i over item j,

    .. math::

        c^2 = 2 \gamma^2 + \sigma_i^2 + \sigma_j^2, \qquad
        t = (\mu_i - \mu_j) / c, \qquad e = \epsilon / c

        \mu_i \leftarrow \mu_i + \frac{\sigma_i^2}{c}\, v(t, e), \qquad
        \mu_j \leftarrow \mu_j - \frac{\sigma_j^2}{c}\, v(t, e)

        \sigma_k^2 \leftarrow \sigma_k^2 \left(1 - \frac{\sigma_k^2}{c^2}\, w(t, e)\right), \quad k = i, j

    where v = phi(t - e) / Phi(t - e) and w = v (v + t - e). A tie uses the corresponding moments of a normal
    distribution truncated to [-e, e].

    Assumptions: comparisons are independent, all raters have the same noise `gamma`, and `gamma` is known.
    Intervals are too narrow if raters are noisier than `gamma`. Results depend on the order of the rows; set
    `passes` to reduce this effect.

    A row with a count of n is n updates. A fractional count scales the step of the update.

    Parameters
    ----------
    gamma
        Standard deviation of the noise of each item in a comparison, in units of the scale. Above 0, default 0.1.
    epsilon
        Half-width of the tie region: differences within `epsilon` are judged as ties. At least 0, default 0.1.
    prior_mean
        Mean of the prior distribution of a skill. Default: 0.5.
    prior_variance
        Variance of the prior distribution of a skill. Above 0, default 1/12, as for a uniform variable on [0, 1].
    passes
        Number of passes through the comparisons. Default: 1. Each comparison has weight 1 / passes in each pass, so
        results depend less on the order of the rows.
    shuffle
        Whether each pass processes the comparisons in a random order. Default: False, the order of the rows.
    seed
        Seed of the random order. Default: 0.

    References
    ----------
    Herbrich, R., Minka, T., & Graepel, T. (2006). TrueSkill: A Bayesian skill rating system. NIPS 19.

    Sakaguchi, K., & Van Durme, B. (2018). Efficient online scalar annotation with bounded support. ACL,
    Eqns 1-11.

    Examples
    --------
    >>> from steelyard import Comparison, Judgments
    >>> fit = TrueSkill().fit(Judgments.of([Comparison("ann", "tea", "milk", "left")]))
    >>> fit.scale.position.round(3).tolist()
    [0.683, 0.317]
    """

    name: ClassVar[str] = "trueskill"
    kinds: ClassVar[tuple[str, ...]] = ("comparison",)
    capabilities: ClassVar[Capabilities] = Capabilities(
        online=True, counts=True, belief=frozenset({"skills"})
    )
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
        """Meaning of the positions: skills on a scale where every item starts at the prior mean."""
        return Quantity(
            "skill",
            f"its estimated skill. Every {{unit}} starts at {self.prior_mean:g}, and wins raise it",
            "skill units",
            caveat="TrueSkill skills depend on the order of the comparisons.",
        )

    def start(self, items: Labels) -> GaussianBelief:
        """Return the belief before any judgment: the same prior for every item.

        Parameters
        ----------
        items
            Item ids.

        Returns
        -------
        GaussianBelief
            The prior belief.
        """
        return GaussianBelief.fresh(items, self.prior_mean, self.prior_variance)

    def update(self, belief: GaussianBelief, judgments: Judgments) -> GaussianBelief:
        """Return the belief after more comparisons, processed in their order [Eqns 3-10].

        With one pass and no shuffling, updating in parts equals fitting all comparisons, to the last digit.

        Parameters
        ----------
        belief
            Belief returned by `start`, `update` or `load_belief`.
        judgments
            Comparisons of items that the belief contains.

        Returns
        -------
        GaussianBelief
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
            Skills with their uncertainty. `fit.posterior.outcomes` predicts the next comparison.

        Raises
        ------
        NothingToFit
            If there are no judgments of this kind.
        """
        if isinstance(judgments, OrderedComparisons):
            return fit_log_in_order(self, judgments, Folding(self._course, self._fold), self._posterior)
        return fit_in_order(self, judgments, self._posterior)

    def _posterior(self, belief: GaussianBelief) -> TrueSkillPosterior:
        return TrueSkillPosterior(belief, self.gamma, self.epsilon)

    def _fold(self, belief: GaussianBelief, steps: Steps) -> GaussianBelief:
        from steelyard.models.online.trueskill_kernel import fold  # numba is slow to import

        position, variance = fold(belief.position, belief.variance, steps, self.gamma, self.epsilon)
        return replace(belief, position=position, variance=variance)

    @property
    def _course(self) -> Course:
        return Course(self.passes, self.shuffle, self.seed)


@dataclass(frozen=True, eq=False)
class TrueSkillPosterior(GaussianPosterior):
    """Normal distributions of the skills, with predictions for the next comparison."""

    gamma: float
    epsilon: float

    def outcomes(self, left: Codes, right: Codes) -> tuple[Vector, Vector, Vector]:
        """Return the probabilities of left, tie and right in the next comparison.

        `left` and `right` are indices of items in `Fit.item`. Unlike `Fit.predict`, which is the probability of a
        higher position, these probabilities include ties and the noise of one comparison.
        """
        variance = self.belief.variance
        c = np.sqrt(2.0 * self.gamma**2 + variance[left] + variance[right])
        return outcome_probabilities((self.position[left] - self.position[right]) / c, self.epsilon / c)
