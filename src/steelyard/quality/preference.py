"""Is one of two items preferred? Sign-type tests of wins, ties and losses.

They differ in what they do with ties: the sign test and Putter's z leave them out, the even split gives half of
them to each item, the trinomial test keeps them as a third outcome.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from steelyard.errors import NothingToTest, UnknownName
from steelyard.judgments.comparison_arrays import LEFT, TIE, pairs_of
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Vector

Alternative = Literal["two_sided", "greater", "less"]
ALTERNATIVES = ("two_sided", "greater", "less")
INDEPENDENT = "Answers are independent of each other"
WINDOW_SDS = 40.0  # what lies farther out weighs less than the smallest number a float can hold


@dataclass(frozen=True, slots=True)
class Tally:
    """How often `first` was preferred to `second`, the two were tied, and `second` was preferred."""

    first: str
    second: str
    wins: float
    ties: float
    losses: float

    @property
    def decided(self) -> float:
        """Answers that prefer one of the two."""
        return self.wins + self.losses

    @property
    def total(self) -> float:
        """All answers."""
        return self.wins + self.ties + self.losses

    @property
    def whole(self) -> bool:
        """Are the counts whole numbers, as exact tests need them?"""
        return all(float(count).is_integer() for count in (self.wins, self.ties, self.losses))

    @property
    def swapped(self) -> Tally:
        """The same answers, counted from the side of the other item."""
        return Tally(self.second, self.first, self.losses, self.ties, self.wins)


@dataclass(frozen=True, slots=True)
class PreferenceTest:
    """The outcome of one test: what was computed, from which counts, and what has to hold for p to mean something."""

    name: str
    statistic: float
    p: float
    tally: Tally
    assumes: str


def tally(judgments: Judgments, first: str | None = None, second: str | None = None) -> Tally:
    """The comparisons of two items, counted; both may be left out where the judgments have just two.

    >>> from steelyard import Comparison
    >>> answers = [("tea", "milk", "left"), ("milk", "tea", "right"), ("milk", "tea", "tie")]
    >>> tally(Judgments.of(Comparison("ann", *answer) for answer in answers))
    Tally(first='tea', second='milk', wins=2.0, ties=1.0, losses=0.0)
    """
    items = [str(item) for item in judgments.items]
    if first is None or second is None:
        if len(items) != 2:
            raise NothingToTest("Two items", f"{len(items)} are here.", "Name the two that you mean.")
        first, second = items
    for item in (first, second):
        if item not in items:
            raise UnknownName("item", item, items)
    one, other = items.index(first), items.index(second)
    pairs = pairs_of(judgments)
    forth, back = ((pairs.left == a) & (pairs.right == b) for a, b in ((one, other), (other, one)))
    sign = np.where(forth, pairs.outcome, -pairs.outcome)
    weight = np.where(forth | back, pairs.weight, 0.0)
    wins, ties, losses = (float(weight[sign == outcome].sum()) for outcome in (LEFT, TIE, -LEFT))
    if wins + ties + losses == 0.0:
        raise NothingToTest(
            f"{first} and {second}", "nobody compared them.", "Choose two items that were compared."
        )
    return Tally(first, second, wins, ties, losses)


def sign_test(counts: Tally, alternative: Alternative = "two_sided") -> PreferenceTest:
    """Exact binomial test of wins among the answers that prefer one; ties are left out.

    >>> round(sign_test(Tally("new", "old", 61, 24, 35)).p, 10)
    0.0103459131
    """
    _check(counts, "Sign test", exact=True)
    upper = _binomial_tail(counts.wins, counts.decided)
    lower = _binomial_tail(counts.losses, counts.decided)
    assumes = f"{INDEPENDENT}; a tie says nothing about which is preferred."
    return PreferenceTest("sign", counts.wins, _chosen(alternative, upper, lower), counts, assumes)


def putter_test(counts: Tally, alternative: Alternative = "two_sided") -> PreferenceTest:
    """z = (n+ - n-) / sqrt(n+ + n-) [Putter 1955]: the sign test by the normal distribution."""
    _check(counts, "Putter's z")
    z = (counts.wins - counts.losses) / math.sqrt(counts.decided)
    assumes = f"{INDEPENDENT}; a tie says nothing about which is preferred; decided answers are not few."
    return PreferenceTest("putter", z, _normal_p(alternative, z), counts, assumes)


def even_split_test(counts: Tally, alternative: Alternative = "two_sided") -> PreferenceTest:
    """z = (n+ - n-) / sqrt(N): half of the ties goes to each item, so that ties speak against a preference."""
    _check(counts, "Even split")
    z = (counts.wins - counts.losses) / math.sqrt(counts.total)
    assumes = f"{INDEPENDENT}; a tie is half an answer for each item; answers are not few."
    return PreferenceTest("even_split", z, _normal_p(alternative, z), counts, assumes)


def even_split_exact_test(counts: Tally) -> PreferenceTest:
    """Exact binomial test, two-sided, with floor(n0 / 2) of the ties added to the larger side.

    One splitting rule among several: of an odd number of ties the last goes to the smaller side.
    """
    _check(counts, "Even split", exact=True)
    larger = max(counts.wins, counts.losses) + counts.ties // 2
    upper, lower = (_binomial_tail(side, counts.total) for side in (larger, counts.total - larger))
    assumes = f"{INDEPENDENT}; a tie is half an answer for each item."
    return PreferenceTest("even_split_exact", larger, _chosen("two_sided", upper, lower), counts, assumes)


def trinomial_test(counts: Tally, alternative: Alternative = "two_sided") -> PreferenceTest:
    """D = N+ - N- against equal chances of a win and a loss, (1 - p0) / 2 each, with p0 = n0 / N plugged in.

    Exact at any size: P(D >= d) = sum over k of Bin(k; N, 1 - p0) P(Bin(k, 1/2) >= (k + d) / 2), where k
    answers are decided. Two-sided it is 2 P(D >= |d|), at most 1.

    >>> round(trinomial_test(Tally("new", "old", 61, 24, 35)).p, 10)
    0.0090596344
    """
    _check(counts, "Trinomial test", exact=True)
    gap = counts.wins - counts.losses
    upper, lower = (_trinomial_tail(side, counts) for side in (gap, -gap))
    assumes = f"{INDEPENDENT}; ties are as frequent without a preference as they were here."
    return PreferenceTest("trinomial", gap, _chosen(alternative, upper, lower), counts, assumes)


def likelihood_ratio_test(counts: Tally) -> PreferenceTest:
    """G^2 = 2 (n+ log(2 n+ / n) + n- log(2 n- / n)) with n = n+ + n-, a chi-square on 1 df; ties are left out.

    A Bradley-Terry model of one pair gives the same ratio with ties or without, and its profile interval of the odds
    leaves out 1 exactly when this test rejects.

    >>> round(likelihood_ratio_test(Tally("new", "old", 9, 0, 0)).statistic, 4)  # 18 log 2
    12.4766
    """
    from scipy.special import chdtrc, xlogy  # SciPy is slow to import

    _check(counts, "Likelihood ratio")
    wins, losses, n = counts.wins, counts.losses, counts.decided
    statistic = max(2.0 * float(xlogy(wins, 2.0 * wins / n) + xlogy(losses, 2.0 * losses / n)), 0.0)
    assumes = f"{INDEPENDENT}; a tie says nothing about which is preferred; decided answers are not few."
    return PreferenceTest("likelihood_ratio", statistic, float(chdtrc(1.0, statistic)), counts, assumes)


def win_share(counts: Tally, level: float = 0.95) -> tuple[float, float, float]:
    """Wins among decided answers with the interval of Clopper & Pearson (1934), which is never too narrow."""
    from scipy.special import betaincinv  # SciPy is slow to import

    _check(counts, "Share of wins")
    wins, losses, tail = counts.wins, counts.losses, (1.0 - level) / 2.0
    low = float(betaincinv(wins, losses + 1.0, tail)) if wins > 0 else 0.0
    high = float(betaincinv(wins + 1.0, losses, 1.0 - tail)) if losses > 0 else 1.0
    return wins / counts.decided, low, high


def _check(counts: Tally, test: str, exact: bool = False) -> None:
    """Refuse counts from which the test cannot be made."""
    if counts.decided == 0:
        between = f"the {counts.total:g} answers on {counts.first} and {counts.second} are ties"
        raise NothingToTest(test, f"all {between}.", "Without a preference in one of them nothing is tested.")
    if exact and not counts.whole:
        fact = f"the counts {counts.wins:g}, {counts.ties:g}, {counts.losses:g} are not whole."
        raise NothingToTest(test, fact, "Use putter_test or even_split_test, which need no whole counts.")


def _chosen(alternative: str, upper: float, lower: float) -> float:
    """The p value of one tail, or twice the smaller one."""
    if alternative not in ALTERNATIVES:
        raise UnknownName("alternative", alternative, ALTERNATIVES)
    tails = {"greater": upper, "less": lower, "two_sided": 2.0 * min(upper, lower)}
    return min(1.0, tails[alternative])


def _normal_p(alternative: str, z: float) -> float:
    upper, lower = (0.5 * math.erfc(side / math.sqrt(2.0)) for side in (z, -z))
    return _chosen(alternative, upper, lower)


def _binomial_tail(successes: float, trials: float) -> float:
    """P(X >= successes) for X ~ Bin(trials, 1/2)."""
    return float(fair_tail(np.array([successes]), np.array([trials]))[0])


def fair_tail(successes: Vector, trials: Vector) -> Vector:
    """P(X >= successes) for X ~ Bin(trials, 1/2), elementwise, to the last digits also far out."""
    from scipy.special import betainc  # SciPy is slow to import

    possible = (successes > 0) & (successes <= trials)
    at_least = np.where(possible, successes, 1.0)
    rest = np.where(possible, trials - successes + 1.0, 1.0)
    return np.where(possible, betainc(at_least, rest, 0.5), np.where(successes <= 0, 1.0, 0.0))


def _trinomial_tail(gap: float, counts: Tally) -> float:
    """P(D >= gap) with the chance of a tie plugged in."""
    if counts.ties == 0:
        return _binomial_tail(math.ceil((counts.total + gap) / 2.0), counts.total)
    decided, weight = _binomial_window(counts.total, counts.decided)
    return float(weight @ fair_tail(np.ceil((decided + gap) / 2.0), decided))


def _binomial_window(trials: float, mean: float) -> tuple[Vector, Vector]:
    """Values of Bin(trials, mean / trials) with their probabilities, as far out as a float can show.

    Probabilities are cumulated outwards from the mean by P(k + 1) / P(k) = (n - k) p / ((k + 1) (1 - p)).
    """
    reach = math.ceil(WINDOW_SDS * math.sqrt(mean * (1.0 - mean / trials)) + WINDOW_SDS)
    value = np.arange(max(mean - reach, 0.0), min(mean + reach, trials) + 1.0, dtype=np.float64)
    step = np.log((trials - value[:-1]) / (value[1:])) + math.log(mean / (trials - mean))
    middle = int(mean - value[0])
    above = np.cumsum(step[middle:])
    below = -np.cumsum(step[:middle][::-1])[::-1]
    weight = np.exp(np.concatenate([below, [0.0], above]))
    return value, weight / weight.sum()
