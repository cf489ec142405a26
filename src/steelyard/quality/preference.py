"""Tests of a preference between two items from wins, ties and losses.

The tests differ in the treatment of ties. The sign test, Putter's z and the likelihood ratio exclude them. The even
split gives half of them to each item. The trinomial test includes them as a third outcome.
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
INDEPENDENT = "Answers are independent"
UNINFORMATIVE = "ties carry no information about the preference"
WINDOW_SDS = 40.0  # farther from the mean, probabilities are below the smallest float


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of the answers to one pair.

    Attributes
    ----------
    first
        First item.
    second
        Second item.
    wins
        Number of answers that prefer `first`.
    ties
        Number of ties.
    losses
        Number of answers that prefer `second`.
    """

    first: str
    second: str
    wins: float
    ties: float
    losses: float

    @property
    def decided(self) -> float:
        """Number of answers that prefer one of the two items."""
        return self.wins + self.losses

    @property
    def total(self) -> float:
        """Number of answers."""
        return self.wins + self.ties + self.losses

    @property
    def whole(self) -> bool:
        """Whether the counts are integers, which exact tests need."""
        return all(float(count).is_integer() for count in (self.wins, self.ties, self.losses))

    @property
    def swapped(self) -> Tally:
        """The same counts with the two items exchanged."""
        return Tally(self.second, self.first, self.losses, self.ties, self.wins)


@dataclass(frozen=True, slots=True)
class PreferenceTest:
    """Result of one test.

    Attributes
    ----------
    name
        Name of the test.
    statistic
        Test statistic.
    p
        P value.
    tally
        Counts that were tested.
    assumes
        Assumptions of the test.
    """

    name: str
    statistic: float
    p: float
    tally: Tally
    assumes: str


def tally(judgments: Judgments, first: str | None = None, second: str | None = None) -> Tally:
    """Count the comparisons of two items.

    Parameters
    ----------
    judgments
        Comparisons.
    first
        First item. Default: the first of the two items, if there are only two.
    second
        Second item. Default: the second of the two items.

    Returns
    -------
    Tally
        Wins of `first`, ties and losses.

    Raises
    ------
    NothingToTest
        If the two items were never compared, or if no items are named and there are not exactly two.

    Examples
    --------
    >>> from steelyard import Comparison
    >>> answers = [("tea", "milk", "left"), ("milk", "tea", "right"), ("milk", "tea", "tie")]
    >>> tally(Judgments.of(Comparison("ann", *answer) for answer in answers))
    Tally(first='tea', second='milk', wins=2.0, ties=1.0, losses=0.0)
    """
    items = [str(item) for item in judgments.items]
    if first is None or second is None:
        if len(items) != 2:
            raise NothingToTest(
                "Test of one pair",
                f"the judgments have {len(items)} items, not 2.",
                "Name the two items to compare.",
            )
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
            f"{first} and {second}",
            "there is no comparison of these items.",
            "Select two items that were compared.",
        )
    return Tally(first, second, wins, ties, losses)


def sign_test(counts: Tally, alternative: Alternative = "two_sided") -> PreferenceTest:
    """Return the sign test: an exact binomial test of wins among decided answers. Ties are excluded.

    Parameters
    ----------
    counts
        Integer counts of wins, ties and losses.
    alternative
        `"two_sided"` (default), `"greater"` (the first item is preferred) or `"less"`.

    Returns
    -------
    PreferenceTest
        The statistic is the number of wins.

    Examples
    --------
    >>> round(sign_test(Tally("new", "old", 61, 24, 35)).p, 10)
    0.0103459131
    """
    _check(counts, "Sign test", exact=True)
    upper = _binomial_tail(counts.wins, counts.decided)
    lower = _binomial_tail(counts.losses, counts.decided)
    assumes = f"{INDEPENDENT}; {UNINFORMATIVE}."
    return PreferenceTest("sign", counts.wins, _chosen(alternative, upper, lower), counts, assumes)


def putter_test(counts: Tally, alternative: Alternative = "two_sided") -> PreferenceTest:
    """Return the sign test in its normal approximation, z = (n+ - n-) / sqrt(n+ + n-) (Putter 1955).

    Parameters
    ----------
    counts
        Wins, ties and losses. Ties are excluded.
    alternative
        `"two_sided"` (default), `"greater"` or `"less"`.

    Returns
    -------
    PreferenceTest
        The statistic is z.
    """
    _check(counts, "Putter's z")
    z = (counts.wins - counts.losses) / math.sqrt(counts.decided)
    assumes = f"{INDEPENDENT}; {UNINFORMATIVE}; the number of decided answers is not small."
    return PreferenceTest("putter", z, _normal_p(alternative, z), counts, assumes)


def even_split_test(counts: Tally, alternative: Alternative = "two_sided") -> PreferenceTest:
    """Return the test with ties split evenly, z = (n+ - n-) / sqrt(N). Ties count against a preference.

    Parameters
    ----------
    counts
        Wins, ties and losses.
    alternative
        `"two_sided"` (default), `"greater"` or `"less"`.

    Returns
    -------
    PreferenceTest
        The statistic is z.
    """
    _check(counts, "Even split")
    z = (counts.wins - counts.losses) / math.sqrt(counts.total)
    assumes = f"{INDEPENDENT}; a tie is half an answer for each item; the number of answers is not small."
    return PreferenceTest("even_split", z, _normal_p(alternative, z), counts, assumes)


def even_split_exact_test(counts: Tally) -> PreferenceTest:
    """Return the two-sided exact binomial test with floor(n0 / 2) of the ties added to the larger side.

    With an odd number of ties, the remaining tie is added to the smaller side.

    Parameters
    ----------
    counts
        Integer counts of wins, ties and losses.

    Returns
    -------
    PreferenceTest
        The statistic is the larger side.
    """
    _check(counts, "Even split", exact=True)
    larger = max(counts.wins, counts.losses) + counts.ties // 2
    upper, lower = (_binomial_tail(side, counts.total) for side in (larger, counts.total - larger))
    assumes = f"{INDEPENDENT}; a tie is half an answer for each item."
    return PreferenceTest("even_split_exact", larger, _chosen("two_sided", upper, lower), counts, assumes)


def trinomial_test(counts: Tally, alternative: Alternative = "two_sided") -> PreferenceTest:
    """Return the trinomial test of D = N+ - N-, with a win and a loss of probability (1 - p0) / 2 each, p0 = n0 / N.

    The tail P(D >= d) = sum over k of Bin(k; N, 1 - p0) P(Bin(k, 1/2) >= (k + d) / 2) is exact for any number of
    answers; k is the number of decided answers. The two-sided p value is 2 P(D >= |d|), at most 1.

    Parameters
    ----------
    counts
        Integer counts of wins, ties and losses.
    alternative
        `"two_sided"` (default), `"greater"` or `"less"`.

    Returns
    -------
    PreferenceTest
        The statistic is D.

    Examples
    --------
    >>> round(trinomial_test(Tally("new", "old", 61, 24, 35)).p, 10)
    0.0090596344
    """
    _check(counts, "Trinomial test", exact=True)
    gap = counts.wins - counts.losses
    upper, lower = (_trinomial_tail(side, counts) for side in (gap, -gap))
    assumes = f"{INDEPENDENT}; without a preference, ties would have the observed frequency."
    return PreferenceTest("trinomial", gap, _chosen(alternative, upper, lower), counts, assumes)


def likelihood_ratio_test(counts: Tally) -> PreferenceTest:
    """Return the likelihood ratio test, G^2 = 2 (n+ log(2 n+ / n) + n- log(2 n- / n)), n = n+ + n-, on 1 df.

    Ties are excluded. The Bradley-Terry model of one pair has the same ratio, with or without ties. Its profile
    interval of the odds excludes 1 exactly if this test rejects.

    Parameters
    ----------
    counts
        Wins, ties and losses.

    Returns
    -------
    PreferenceTest
        The statistic is G^2.

    Examples
    --------
    >>> round(likelihood_ratio_test(Tally("new", "old", 9, 0, 0)).statistic, 4)  # 18 log 2
    12.4766
    """
    from scipy.special import chdtrc, xlogy  # SciPy is slow to import

    _check(counts, "Likelihood ratio")
    wins, losses, n = counts.wins, counts.losses, counts.decided
    statistic = max(2.0 * float(xlogy(wins, 2.0 * wins / n) + xlogy(losses, 2.0 * losses / n)), 0.0)
    assumes = f"{INDEPENDENT}; {UNINFORMATIVE}; the number of decided answers is not small."
    return PreferenceTest("likelihood_ratio", statistic, float(chdtrc(1.0, statistic)), counts, assumes)


def win_share(counts: Tally, level: float = 0.95) -> tuple[float, float, float]:
    """Return the share of wins among decided answers, with the interval of Clopper & Pearson (1934).

    Parameters
    ----------
    counts
        Wins, ties and losses. Ties are excluded.
    level
        Least coverage of the interval, 0.95 by default.

    Returns
    -------
    tuple of float
        Share, lower and upper limit.
    """
    from scipy.special import betaincinv  # SciPy is slow to import

    _check(counts, "Share of wins")
    wins, losses, tail = counts.wins, counts.losses, (1.0 - level) / 2.0
    low = float(betaincinv(wins, losses + 1.0, tail)) if wins > 0 else 0.0
    high = float(betaincinv(wins + 1.0, losses, 1.0 - tail)) if losses > 0 else 1.0
    return wins / counts.decided, low, high


def _check(counts: Tally, test: str, exact: bool = False) -> None:
    """Raise `NothingToTest` for counts that cannot be tested."""
    if counts.decided == 0:
        fact = f"all {counts.total:g} answers about {counts.first} and {counts.second} are ties."
        raise NothingToTest(test, fact, "Add answers that prefer one of the items.")
    if exact and not counts.whole:
        fact = f"the counts {counts.wins:g}, {counts.ties:g}, {counts.losses:g} are not integers."
        raise NothingToTest(test, fact, "Use putter_test or even_split_test, which do not need integers.")


def _chosen(alternative: str, upper: float, lower: float) -> float:
    """Return the p value of one tail, or twice the smaller one."""
    if alternative not in ALTERNATIVES:
        raise UnknownName("alternative", alternative, ALTERNATIVES)
    tails = {"greater": upper, "less": lower, "two_sided": 2.0 * min(upper, lower)}
    return min(1.0, tails[alternative])


def _normal_p(alternative: str, z: float) -> float:
    upper, lower = (0.5 * math.erfc(side / math.sqrt(2.0)) for side in (z, -z))
    return _chosen(alternative, upper, lower)


def _binomial_tail(successes: float, trials: float) -> float:
    """Return P(X >= successes) for X ~ Bin(trials, 1/2)."""
    return float(fair_tail(np.array([successes]), np.array([trials]))[0])


def fair_tail(successes: Vector, trials: Vector) -> Vector:
    """Return P(X >= successes) for X ~ Bin(trials, 1/2), elementwise and with full relative precision."""
    from scipy.special import betainc  # SciPy is slow to import

    possible = (successes > 0) & (successes <= trials)
    at_least = np.where(possible, successes, 1.0)
    rest = np.where(possible, trials - successes + 1.0, 1.0)
    return np.where(possible, betainc(at_least, rest, 0.5), np.where(successes <= 0, 1.0, 0.0))


def _trinomial_tail(gap: float, counts: Tally) -> float:
    """Return P(D >= gap) with the observed share of ties as their probability."""
    if counts.ties == 0:
        return _binomial_tail(math.ceil((counts.total + gap) / 2.0), counts.total)
    decided, weight = _binomial_window(counts.total, counts.decided)
    return float(weight @ fair_tail(np.ceil((decided + gap) / 2.0), decided))


def _binomial_window(trials: float, mean: float) -> tuple[Vector, Vector]:
    """Return the values of Bin(trials, mean / trials) with probabilities that a float can represent.

    Probabilities are computed outwards from the mean by P(k + 1) / P(k) = (n - k) p / ((k + 1) (1 - p)).
    """
    reach = math.ceil(WINDOW_SDS * math.sqrt(mean * (1.0 - mean / trials)) + WINDOW_SDS)
    value = np.arange(max(mean - reach, 0.0), min(mean + reach, trials) + 1.0, dtype=np.float64)
    step = np.log((trials - value[:-1]) / (value[1:])) + math.log(mean / (trials - mean))
    middle = int(mean - value[0])
    above = np.cumsum(step[middle:])
    below = -np.cumsum(step[:middle][::-1])[::-1]
    weight = np.exp(np.concatenate([below, [0.0], above]))
    return value, weight / weight.sum()
