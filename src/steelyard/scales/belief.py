"""`Belief`: what is known of each item so far; what selection looks at, and what a new judgment updates.

A belief can be put away in a file and taken up again: `saved.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Protocol

import numpy as np

from steelyard.maths import beta as beta_distribution
from steelyard.maths.arrays import Labels, Vector

# What some beliefs state besides positions and variances. A model declares what its beliefs state, and a selection
# or a rule declares what it needs of them.
#   beta             a Beta distribution of each item (`BetaBelief`)
#   skills           skills on the unit scale, between which match quality is defined
#   answer_variance  how far one answer is from the position (`selection.information.AnswerBelief`)
#   rater_worth      the information in a rater's answers (`selection.early_stop.WorthBelief`)
#   comparisons      positions in units of the comparison noise (`selection.pair_information.ComparisonBelief`)
#   intervals        variances that stopping rules can go by
BeliefFeature = Literal["beta", "skills", "answer_variance", "rater_worth", "comparisons", "intervals"]


class Belief(Protocol):
    """Positions and variances by item, on the unit scale [0, 1] unless the model has another (Elo)."""

    @property
    def item(self) -> Labels:
        """Item ids, in the order of the other arrays."""

    @property
    def count(self) -> Vector:
        """Judgments seen of each item."""

    @property
    def position(self) -> Vector:
        """Position of each item."""

    @property
    def variance(self) -> Vector:
        """Variance of each position."""


@dataclass(frozen=True, eq=False)
class BetaBelief:
    """Beta(alpha, beta) per item: the belief of EASL and of bounded ranking aggregation.

    `score` says which point of a Beta is the item's position: its mode, or its mean [EASL, note 9].
    """

    item: Labels
    alpha: Vector
    beta: Vector
    count: Vector
    score: Literal["mode", "mean"] = "mode"

    @staticmethod
    def fresh(item: Labels, score: Literal["mode", "mean"] = "mode") -> BetaBelief:
        """Nothing judged yet: Beta(1, 1), position 0.5, variance 1/12."""
        ones = np.ones(len(item))
        return BetaBelief(item, ones, ones, np.zeros(len(item)), score)

    @property
    def position(self) -> Vector:
        """Mode [EASL, Eqn 12] or mean of each Beta."""
        if self.score == "mean":
            return self.alpha / (self.alpha + self.beta)
        return np.minimum(
            beta_distribution.mode(self.alpha, self.beta), 1.0
        )  # rounding may step over the end

    @property
    def variance(self) -> Vector:
        """Variance of each Beta [EASL, Eqn 13]."""
        return beta_distribution.variance(self.alpha, self.beta)

    def added(self, alpha: Vector, beta: Vector, count: Vector) -> BetaBelief:
        """The belief with these amounts added."""
        return replace(self, alpha=self.alpha + alpha, beta=self.beta + beta, count=self.count + count)


@dataclass(frozen=True, eq=False)
class GaussianBelief:
    """A Gaussian per item: the belief of TrueSkill (in [0, 1] by default) and of Elo (on its own scale)."""

    item: Labels
    position: Vector
    variance: Vector
    count: Vector

    @staticmethod
    def fresh(item: Labels, mean: float, variance: float) -> GaussianBelief:
        """Nothing judged yet: one prior for all."""
        size = len(item)
        return GaussianBelief(item, np.full(size, mean), np.full(size, variance), np.zeros(size))
