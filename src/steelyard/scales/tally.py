"""`TallyBelief`: wins, ties and losses of each pair, and the win rate of each item."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from steelyard.maths.arrays import Codes, Labels, Vector, sum_by

PRIOR_COMPARISONS = 1.0  # weight of the prior of a win rate; Jeffreys' prior for wins and losses
SMOOTHING = 2.0  # weight, in comparisons, of the rate against all opponents in the rate against one


@dataclass(frozen=True, eq=False)
class TallyBelief:
    """Wins, ties and losses of every pair of items that was compared.

    Attributes
    ----------
    item
        Item ids.
    first, second
        Indices of the two items of each pair. Pairs are sorted, with `first` below `second`.
    won
        Wins of the first item of each pair.
    tied
        Ties of each pair.
    lost
        Wins of the second item of each pair.
    count
        Number of comparisons of each item.
    ties
        `"half"` counts a tie as half a win, `"ignore"` does not count it.
    average
        `"pooled"` pools all comparisons of an item. `"opponents"` averages its win rates against each opponent
        (expected wins).
    """

    item: Labels
    first: Codes
    second: Codes
    won: Vector
    tied: Vector
    lost: Vector
    count: Vector
    ties: Literal["ignore", "half"] = "ignore"
    average: Literal["pooled", "opponents"] = "pooled"

    @staticmethod
    def fresh(
        item: Labels, ties: Literal["ignore", "half"], average: Literal["pooled", "opponents"]
    ) -> TallyBelief:
        """Return the belief before any comparison.

        Parameters
        ----------
        item
            Item ids.
        ties
            `"half"` counts a tie as half a win, `"ignore"` does not count it.
        average
            `"pooled"` or `"opponents"`, see the class.

        Returns
        -------
        TallyBelief
            A belief without comparisons.
        """
        no_pairs, no_counts = np.empty(0, np.int64), np.empty(0)
        return TallyBelief(
            item, no_pairs, no_pairs, no_counts, no_counts, no_counts, np.zeros(len(item)), ties, average
        )

    def added(self, left: Codes, right: Codes, outcome: Codes, weight: Vector) -> TallyBelief:
        """Return the belief with more comparisons, added in their order.

        Parameters
        ----------
        left
            Index of the left item of each comparison.
        right
            Index of the right item.
        outcome
            1 if the left item won, -1 if the right item won, 0 for a tie.
        weight
            Number of times that each comparison was made.

        Returns
        -------
        TallyBelief
            The new belief.
        """
        size = len(self.item)
        old_pair = self.first * size + self.second
        pair = np.minimum(left, right) * size + np.maximum(left, right)
        pairs, at = np.unique(np.concatenate([old_pair, pair]), return_inverse=True)
        sign = np.where(left < right, outcome, -outcome)
        sums = (
            _sum_after(old, at, weight * (sign == which))
            for old, which in ((self.won, 1), (self.tied, 0), (self.lost, -1))
        )
        won, tied, lost = sums
        places = np.concatenate([np.arange(size), np.stack([left, right], axis=1).ravel()])
        count = _sum_after(self.count, places, np.repeat(weight, 2))
        return replace(
            self, first=pairs // size, second=pairs % size, won=won, tied=tied, lost=lost, count=count
        )

    @cached_property
    def rates(self) -> Rates:
        """Win rate of each item and its uncertainty."""
        return _rates(self)

    @property
    def position(self) -> Vector:
        """Win rate of each item; 0.5 if it has no comparisons that count."""
        return self.rates.rate

    @property
    def variance(self) -> Vector:
        """Variance of each win rate."""
        return self.rates.variance


def _sum_after(old: Vector, at: Codes, values: Vector) -> Vector:
    """Add values to old sums in their order, so that adding in parts is exact to the last digit."""
    return sum_by(at, np.concatenate([old, values]), int(at.max(initial=-1)) + 1)


@dataclass(frozen=True, eq=False)
class Rates:
    """Win rate of each item, and the Beta distribution that describes its uncertainty."""

    rate: Vector
    alpha: Vector
    beta: Vector

    @property
    def variance(self) -> Vector:
        """Variance of the Beta distribution."""
        total = self.alpha + self.beta
        return self.alpha * self.beta / (total * total * (total + 1.0))


@dataclass(frozen=True, eq=False)
class _Sides:
    """Each pair twice, once from the side of each item: the item and how often it won, tied and lost."""

    item: Codes
    won: Vector
    tied: Vector
    lost: Vector

    @property
    def total(self) -> Vector:
        return self.won + self.tied + self.lost


def _rates(tally: TallyBelief) -> Rates:
    """Return the win rates with Beta distributions that match their mean and standard error.

    The mean includes one prior comparison. With one opponent the distribution is Jeffreys' posterior,
    Beta(wins + 1/2, losses + 1/2).
    """
    size, sides = len(tally.item), _sides(tally)
    total = sum_by(sides.item, sides.total, size)
    met = total > 0.0
    share = _shares(sides, total, size, tally.average)
    score = (sides.won + 0.5 * sides.tied) / sides.total
    rate = np.where(met, sum_by(sides.item, share * score, size), 0.5)
    middle = (total * rate + 0.5 * PRIOR_COMPARISONS) / (total + PRIOR_COMPARISONS)
    error = np.where(met, _error(sides, share, size), np.inf)
    weight = middle * (1.0 - middle) / error + PRIOR_COMPARISONS
    return Rates(np.clip(rate, 0.0, 1.0), middle * weight, (1.0 - middle) * weight)


def _sides(tally: TallyBelief) -> _Sides:
    tied = tally.tied if tally.ties == "half" else np.zeros(len(tally.tied))
    counted = tally.won + tied + tally.lost > 0.0
    first, second = tally.first[counted], tally.second[counted]
    won, tied, lost = tally.won[counted], tied[counted], tally.lost[counted]
    return _Sides(
        np.concatenate([first, second]),
        np.concatenate([won, lost]),
        np.concatenate([tied, tied]),
        np.concatenate([lost, won]),
    )


def _shares(sides: _Sides, total: Vector, size: int, average: str) -> Vector:
    """Return the weight of each opponent in the win rate of an item."""
    if average == "pooled":
        return sides.total / total[sides.item]
    return 1.0 / np.bincount(sides.item, minlength=size)[sides.item]


def _error(sides: _Sides, share: Vector, size: int) -> Vector:
    """Return the variance of each win rate: the sum over opponents of share^2 / n times the variance of one score.

    The variance of one score is that of the item's scores against all opponents, reduced by the part due to
    differences between opponents. To estimate that part, the shares of wins and ties against one opponent are
    smoothed towards those against all opponents.
    """
    at, outcomes = sides.item, 3.0 if sides.tied.any() else 2.0
    total = sum_by(at, sides.total, size) + PRIOR_COMPARISONS
    won = (sum_by(at, sides.won, size) + PRIOR_COMPARISONS / outcomes) / total
    tied = (sum_by(at, sides.tied, size) + PRIOR_COMPARISONS * (outcomes - 2.0) / outcomes) / total
    smoothed_total = sides.total + SMOOTHING
    win = (sides.won + SMOOTHING * won[at]) / smoothed_total
    tie = (sides.tied + SMOOTHING * tied[at]) / smoothed_total
    risk = share**2 / sides.total
    total_risk = np.maximum(sum_by(at, risk, size), 1e-300)
    mixed = _score_variance(
        sum_by(at, risk * win, size) / total_risk, sum_by(at, risk * tie, size) / total_risk
    )
    within = sum_by(at, risk * _score_variance(win, tie), size)
    return within / np.where(mixed > 0.0, mixed, 1.0) * _score_variance(won, tied)


def _score_variance(win: Vector, tie: Vector) -> Vector:
    """Return the variance of a score that is 1, 1/2 or 0."""
    return win + 0.25 * tie - (win + 0.5 * tie) ** 2
