"""`Belief`: what is known of each item so far; what selection looks at, and what a new judgment updates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from steelyard.maths import beta as beta_distribution
from steelyard.maths.arrays import Labels, Vector


class Belief(Protocol):
    """Positions and variances on the unit scale [0, 1], by item."""

    @property
    def item(self) -> Labels:
        """Item ids, in the order of the other arrays."""

    @property
    def count(self) -> Vector:
        """Judgments seen of each item."""

    @property
    def position(self) -> Vector:
        """Position of each item in [0, 1]."""

    @property
    def variance(self) -> Vector:
        """Variance of each position."""


@dataclass(frozen=True, eq=False)
class BetaBelief:
    """Beta(alpha, beta) per item: the belief of EASL and of bounded ranking aggregation."""

    item: Labels
    alpha: Vector
    beta: Vector
    count: Vector

    @staticmethod
    def fresh(item: Labels) -> BetaBelief:
        """Nothing judged yet: Beta(1, 1), position 0.5, variance 1/12."""
        ones = np.ones(len(item))
        return BetaBelief(item, ones, ones, np.zeros(len(item)))

    @property
    def position(self) -> Vector:
        """Mode of each Beta [EASL, Eqn 12]."""
        return beta_distribution.mode(self.alpha, self.beta)

    @property
    def variance(self) -> Vector:
        """Variance of each Beta [EASL, Eqn 13]."""
        return beta_distribution.variance(self.alpha, self.beta)

    def added(self, alpha: Vector, beta: Vector, count: Vector) -> BetaBelief:
        """The belief with these amounts added."""
        return replace(self, alpha=self.alpha + alpha, beta=self.beta + beta, count=self.count + count)
