"""`Belief`: the current estimate of each item, updated by new judgments and used to select tasks.

`saved.py` writes beliefs to files and reads them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Protocol

import numpy as np

from steelyard.maths import beta as beta_distribution
from steelyard.maths.arrays import Labels, Vector

# Optional features of a belief. A model declares the features of its beliefs, and a selection or stopping rule
# declares the features that it needs.
#   beta             a Beta distribution per item (`BetaBelief`)
#   skills           skills on the unit scale, for which match quality is defined
#   answer_variance  variance of one answer around the position (`selection.information.AnswerBelief`)
#   rater_worth      information in a rater's answers (`selection.early_stop.WorthBelief`)
#   comparisons      positions in units of the comparison noise (`selection.pair_information.ComparisonBelief`)
#   kinds            answers of several kinds (`selection.across_kinds.BeliefOfKinds`)
#   intervals        variances that stopping rules can use
BeliefFeature = Literal[
    "beta", "skills", "answer_variance", "rater_worth", "comparisons", "kinds", "intervals"
]


class Belief(Protocol):
    """Estimated position and variance of each item.

    Positions are on the unit scale [0, 1], except for models that use another scale (Elo).
    """

    @property
    def item(self) -> Labels:
        """Return the item ids, in the order of the other arrays."""

    @property
    def count(self) -> Vector:
        """Return the number of judgments of each item."""

    @property
    def position(self) -> Vector:
        """Return the position of each item."""

    @property
    def variance(self) -> Vector:
        """Return the variance of each position."""


@dataclass(frozen=True, eq=False)
class BetaBelief:
    """Beta(alpha, beta) distribution per item, used by EASL and by Beta ranking.

    Attributes
    ----------
    item
        Item ids.
    alpha, beta
        Parameters of the Beta distribution of each item.
    count
        Number of judgments of each item.
    score
        Which value of the distribution is the position: the `"mode"` or the `"mean"` [EASL, note 9].
    """

    item: Labels
    alpha: Vector
    beta: Vector
    count: Vector
    score: Literal["mode", "mean"] = "mode"

    @staticmethod
    def fresh(item: Labels, score: Literal["mode", "mean"] = "mode") -> BetaBelief:
        """Return the belief before any judgment: Beta(1, 1), position 0.5, variance 1/12."""
        ones = np.ones(len(item))
        return BetaBelief(item, ones, ones, np.zeros(len(item)), score)

    @property
    def position(self) -> Vector:
        """Mode [EASL, Eqn 12] or mean of each Beta distribution."""
        if self.score == "mean":
            return self.alpha / (self.alpha + self.beta)
        return np.minimum(beta_distribution.mode(self.alpha, self.beta), 1.0)  # rounding may exceed the end

    @property
    def variance(self) -> Vector:
        """Variance of each Beta distribution [EASL, Eqn 13]."""
        return beta_distribution.variance(self.alpha, self.beta)

    def added(self, alpha: Vector, beta: Vector, count: Vector) -> BetaBelief:
        """Return the belief with amounts added to its parameters.

        Parameters
        ----------
        alpha
            Amount to add to alpha of each item.
        beta
            Amount to add to beta of each item.
        count
            Number of new judgments of each item.

        Returns
        -------
        BetaBelief
            The new belief.
        """
        return replace(self, alpha=self.alpha + alpha, beta=self.beta + beta, count=self.count + count)


@dataclass(frozen=True, eq=False)
class GaussianBelief:
    """Normal distribution per item, used by TrueSkill (on [0, 1] by default) and Elo (on its own scale).

    Attributes
    ----------
    item
        Item ids.
    position
        Mean of the distribution of each item.
    variance
        Variance of the distribution of each item.
    count
        Number of judgments of each item.
    """

    item: Labels
    position: Vector
    variance: Vector
    count: Vector

    @staticmethod
    def fresh(item: Labels, mean: float, variance: float) -> GaussianBelief:
        """Return the belief before any judgment: the same prior for every item.

        Parameters
        ----------
        item
            Item ids.
        mean
            Prior mean.
        variance
            Prior variance.

        Returns
        -------
        GaussianBelief
            The prior belief.
        """
        size = len(item)
        return GaussianBelief(item, np.full(size, mean), np.full(size, variance), np.zeros(size))
