"""`TallyBelief`: how often each item of each pair won, and what share of its comparisons an item wins."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from steelyard.maths.arrays import Codes, Labels, Vector, sum_by

WHOLE = 1.0  # comparisons that the prior is worth: Jeffreys' for wins and losses
NEIGHBOURLY = 2.0  # comparisons that an item's rate against all others is worth in its rate against one


@dataclass(frozen=True, eq=False)
class TallyBelief:
    """Wins of the first, ties and wins of the second item of every pair that met, as a belief.

    Pairs are sorted, `first` below `second`. `ties` says whether a tie is half a win or not counted; `average`
    whether all comparisons of an item are pooled or its rates against each opponent averaged (expected wins).
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
        """Nothing compared yet."""
        nobody, never = np.empty(0, np.int64), np.empty(0)
        return TallyBelief(item, nobody, nobody, never, never, never, np.zeros(len(item)), ties, average)

    def added(self, left: Codes, right: Codes, outcome: Codes, weight: Vector) -> TallyBelief:
        """The tally with these comparisons, 1 = left won, -1 = right won, added one after the other."""
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
        """What each item wins, and how sure that is."""
        return _rates(self)

    @property
    def position(self) -> Vector:
        """Share of its comparisons that each item wins, 0.5 where it has none that count."""
        return self.rates.rate

    @property
    def variance(self) -> Vector:
        """Variance of each rate."""
        return self.rates.variance


def _sum_after(old: Vector, at: Codes, values: Vector) -> Vector:
    """Old sums with values added in their order, so that parts add up to the whole to the last digit."""
    return sum_by(at, np.concatenate([old, values]), int(at.max(initial=-1)) + 1)


@dataclass(frozen=True, eq=False)
class Rates:
    """Win rate of each item, and the Beta that says how sure it is."""

    rate: Vector
    alpha: Vector
    beta: Vector

    @property
    def variance(self) -> Vector:
        """Variance of the Beta."""
        total = self.alpha + self.beta
        return self.alpha * self.beta / (total * total * (total + 1.0))


@dataclass(frozen=True, eq=False)
class _Sides:
    """Each pair twice, once from either side: who is asked about, and how often they won, tied and lost."""

    item: Codes
    won: Vector
    tied: Vector
    lost: Vector

    @property
    def total(self) -> Vector:
        return self.won + self.tied + self.lost


def _rates(tally: TallyBelief) -> Rates:
    """The rate, with one comparison of the prior added, and its standard error become a Beta of that mean and variance.

    For one opponent that is Jeffreys' Beta(wins + 1/2, losses + 1/2).
    """
    size, sides = len(tally.item), _sides(tally)
    total = sum_by(sides.item, sides.total, size)
    met = total > 0.0
    share = _shares(sides, total, size, tally.average)
    score = (sides.won + 0.5 * sides.tied) / sides.total
    rate = np.where(met, sum_by(sides.item, share * score, size), 0.5)
    middle = (total * rate + 0.5 * WHOLE) / (total + WHOLE)
    error = np.where(met, _error(sides, share, size), np.inf)
    weight = middle * (1.0 - middle) / error + WHOLE
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
    """What share of an item's rate each of its opponents has."""
    if average == "pooled":
        return sides.total / total[sides.item]
    return 1.0 / np.bincount(sides.item, minlength=size)[sides.item]


def _error(sides: _Sides, share: Vector, size: int) -> Vector:
    """Variance of each rate: the sum over opponents of share^2 / n times the variance of one score.

    That variance is the one of the item's scores against all, less what is due to opponents that differ; the
    shares of wins and ties against one opponent are smoothed towards those against all to estimate that part.
    """
    at, outcomes = sides.item, 3.0 if sides.tied.any() else 2.0
    total = sum_by(at, sides.total, size) + WHOLE
    won = (sum_by(at, sides.won, size) + WHOLE / outcomes) / total
    tied = (sum_by(at, sides.tied, size) + WHOLE * (outcomes - 2.0) / outcomes) / total
    near = sides.total + NEIGHBOURLY
    win = (sides.won + NEIGHBOURLY * won[at]) / near
    tie = (sides.tied + NEIGHBOURLY * tied[at]) / near
    risk = share**2 / sides.total
    whole = np.maximum(sum_by(at, risk, size), 1e-300)
    mixed = _score_variance(sum_by(at, risk * win, size) / whole, sum_by(at, risk * tie, size) / whole)
    within = sum_by(at, risk * _score_variance(win, tie), size)
    return within / np.where(mixed > 0.0, mixed, 1.0) * _score_variance(won, tied)


def _score_variance(win: Vector, tie: Vector) -> Vector:
    """Variance of a score that is 1, 1/2 or 0."""
    return win + 0.25 * tie - (win + 0.5 * tie) ** 2
