"""Friedman's test of a common order of items, with raters as blocks and items as treatments."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Literal

import numpy as np

from steelyard.errors import NothingToTest, UnknownName
from steelyard.judgments.comparison_arrays import LEFT, RIGHT, TIE, pairs_of
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes, Labels, Matrix, Vector, sum_by

PairScore = Literal["wins", "half_ties"]
SCORES = ("wins", "half_ties")
EXACT_ITEMS = 6  # a rater then has 720 orders
EXACT_RATERS = 40  # with more, the chi-square approximation is good
EXACT_CELLS = 1_000_000  # largest number of rank sums in one step of the exact test
DRAWS = 9_999
DRAWN_RATERS = 30  # with more, the chi-square is used instead of random permutations
DRAWN_CELLS = 3_000_000  # ranks permuted at a time
TEST = "Friedman test"
ASSUMES = (
    "Raters are independent. Each rater compared every item, equally often and with the same opponents. "
    "Only the order of a rater's scores matters."
)


@dataclass(frozen=True, slots=True)
class FriedmanTest:
    """Friedman's test with Kendall's W, corrected for tied ranks.

    Attributes
    ----------
    statistic
        Friedman's chi-square.
    df
        Degrees of freedom, items - 1.
    p
        P value by `method`.
    method
        `exact` (all permutations of each rater's ranks), `permutation` (random permutations) or `chi2`.
    p_chi2
        Asymptotic p value.
    kendall_w
        Kendall's coefficient of concordance, from 0 to 1.
    f
        Statistic of Iman & Davenport (1980).
    p_f
        P value of `f`.
    rank_sums
        Sum of ranks of each item. Larger sums mean more preferred items.
    raters
        Number of raters in the test.
    left_out
        Raters who did not compare every item.
    balanced
        Whether every rater judged all pairs equally often.
    assumes
        Assumptions of the test.
    """

    statistic: float
    df: int
    p: float
    method: str
    p_chi2: float
    kendall_w: float
    f: float
    p_f: float
    rank_sums: Mapping[str, float]
    raters: int
    left_out: tuple[str, ...]
    balanced: bool
    assumes: str = ASSUMES


def friedman_test(
    judgments: Judgments, score: PairScore = "wins", rng: np.random.Generator | None = None
) -> FriedmanTest:
    """Test whether raters share an order of the items.

    Each rater's items are ranked by wins per comparison. If all items were compared equally often, this equals the
    ranking by number of wins.

    Parameters
    ----------
    judgments
        Comparisons with raters.
    score
        `"wins"` (default), or `"half_ties"` to count a tie as half a win.
    rng
        Random numbers of the permutation test, used for up to 30 raters if an exact test is too slow. Default: none,
        the p value is then asymptotic.

    Returns
    -------
    FriedmanTest
        Test of the raters who compared every item.

    Raises
    ------
    NothingToTest
        If fewer than two items were compared, or fewer than two raters compared all of them.
    """
    if score not in SCORES:
        raise UnknownName("score", score, SCORES)
    table = _share_table(judgments, score)
    items, raters = len(table.items), len(table.share)
    if items < 2:
        raise NothingToTest(TEST, f"items compared here: {items}.", "At least two items are needed.")
    if raters < 2:
        fact = f"{raters} of {raters + len(table.left_out)} raters compared all {items} items."
        raise NothingToTest(TEST, fact, "At least two are needed. Select items that more raters compared.")
    test = friedman_of_scores(np.round(table.share, 12), [str(item) for item in table.items], rng)
    left_out = tuple(str(rater) for rater in table.left_out)
    return replace(test, left_out=left_out, balanced=table.balanced)


def friedman_of_scores(
    scores: Matrix, names: list[str], rng: np.random.Generator | None = None
) -> FriedmanTest:
    """Return Friedman's test of a table of scores.

    Parameters
    ----------
    scores
        Raters x items. Larger scores are better.
    names
        Names of the items.
    rng
        Random numbers of the permutation test. Default: none.

    Returns
    -------
    FriedmanTest
        Test of equal ranks.

    Raises
    ------
    NothingToTest
        If every rater gives all items the same score.
    """
    ranks = average_ranks(scores)
    raters, items = ranks.shape
    sums = ranks.sum(axis=0)
    unequal = float(np.sum(ranks**2)) - raters * items * (items + 1) ** 2 / 4.0
    if unequal < 1e-9:
        raise NothingToTest(TEST, "every rater scores all items equally.", "Add answers that prefer an item.")
    gap = float(np.sum((sums - raters * (items + 1) / 2.0) ** 2))
    statistic = (items - 1) * gap / unequal
    p_chi2, f, p_f = _approximations(statistic, raters, items)
    method, p = _permutation_p(ranks, rng)
    return FriedmanTest(
        statistic=statistic,
        df=items - 1,
        p=p_chi2 if method == "chi2" else p,
        method=method,
        p_chi2=p_chi2,
        kendall_w=statistic / (raters * (items - 1)),
        f=f,
        p_f=p_f,
        rank_sums={name: float(total) for name, total in zip(names, sums, strict=True)},
        raters=raters,
        left_out=(),
        balanced=True,
    )


def average_ranks(scores: Matrix) -> Matrix:
    """Return the ranks within each row, 1 for the lowest score. Equal scores share the mean of their ranks.

    >>> average_ranks(np.array([[0.5, 0.1, 0.5]])).tolist()
    [[2.5, 1.0, 2.5]]
    """
    rows, size = scores.shape
    level = np.unique(scores, return_inverse=True)[1].reshape(scores.shape)
    key = np.arange(rows)[:, None] * (int(level.max(initial=0)) + 1) + level
    _, place, times = np.unique(key, return_inverse=True, return_counts=True)
    before = (np.cumsum(times) - times)[place].reshape(scores.shape)
    inside = before - np.arange(rows)[:, None] * size
    return np.asarray(inside + (times[place].reshape(scores.shape) + 1) / 2.0, dtype=np.float64)


def _approximations(statistic: float, raters: int, items: int) -> tuple[float, float, float]:
    """Return p of the chi-square, and F = (b - 1) T / (b (k - 1) - T) with its p (Iman & Davenport 1980)."""
    from scipy.special import chdtrc, fdtrc  # SciPy is slow to import

    left = raters * (items - 1) - statistic
    f = (raters - 1) * statistic / left if left > 1e-9 else math.inf
    p_f = float(fdtrc(items - 1, (items - 1) * (raters - 1), f)) if math.isfinite(f) else 0.0
    return float(chdtrc(items - 1, statistic)), f, p_f


def _permutation_p(ranks: Matrix, rng: np.random.Generator | None) -> tuple[str, float]:
    """Return the method and P(statistic >= observed) under equally likely permutations of each rater's ranks."""
    doubled = np.rint(2.0 * ranks).astype(np.int64)  # mean ranks are halves
    observed = int(np.sum(doubled.sum(axis=0) ** 2))
    if len(ranks) <= EXACT_RATERS and ranks.shape[1] <= EXACT_ITEMS:
        exact = _exact_tail(doubled, observed)
        if exact is not None:
            return "exact", exact
    if rng is not None and len(ranks) <= DRAWN_RATERS:
        return "permutation", _drawn_tail(doubled, observed, rng)
    return "chi2", math.nan


def _exact_tail(ranks: Codes, observed: int) -> float | None:
    """Return the exact tail probability of the sum of squared rank sums; None if it takes too much memory.

    Raters are added one by one. Rank sums that differ only in their order are one state, because all orders are equally
    likely.
    """
    sums, chance = np.zeros((1, ranks.shape[1]), dtype=np.int64), np.ones(1)
    for own in ranks:
        orders = np.array(list(permutations(own.tolist())), dtype=np.int64)
        orders, times = np.unique(orders, axis=0, return_counts=True)
        if len(sums) * len(orders) > EXACT_CELLS:
            return None
        grown = np.sort(sums[:, None, :] + orders[None, :, :], axis=2).reshape(-1, ranks.shape[1])
        weight = (chance[:, None] * times / times.sum()).ravel()
        sums, chance = _merged(grown, weight)
    return min(1.0, float(chance[np.sum(sums**2, axis=1) >= observed].sum()))


def _merged(states: Codes, weight: Vector) -> tuple[Codes, Vector]:
    """Return the distinct states with their total weights."""
    width = int(states.max()) + 1
    key = states @ width ** np.arange(states.shape[1])
    _, first, same = np.unique(key, return_index=True, return_inverse=True)
    return states[first], sum_by(same, weight)


def _drawn_tail(ranks: Codes, observed: int, rng: np.random.Generator) -> float:
    """Return (1 + draws as extreme) / (1 + draws), which is valid for any number of draws."""
    as_extreme, step = 0, max(1, DRAWN_CELLS // ranks.size)
    for start in range(0, DRAWS, step):
        size = min(step, DRAWS - start)
        drawn = rng.permuted(np.broadcast_to(ranks, (size, *ranks.shape)), axis=2).sum(axis=1)
        as_extreme += int(np.sum(np.sum(drawn**2, axis=1) >= observed))
    return (1 + as_extreme) / (1 + DRAWS)


@dataclass(frozen=True, eq=False)
class _Shares:
    """Wins per comparison: raters who compared all items x items."""

    items: Labels
    share: Matrix
    left_out: Labels
    balanced: bool


def _share_table(judgments: Judgments, score: PairScore) -> _Shares:
    present = judgments.compact()
    pairs, size = pairs_of(present), len(present.items)
    rater = present.table("comparison").codes.get("rater", np.full(len(pairs), -1))
    counted = (rater >= 0) & (pairs.weight > 0)
    rater, left, right = rater[counted], pairs.left[counted], pairs.right[counted]
    outcome, weight = pairs.outcome[counted], pairs.weight[counted]
    half = 0.5 * (outcome == TIE) if score == "half_ties" else np.zeros(len(outcome))
    gained = np.concatenate([weight * (half + (outcome == side)) for side in (LEFT, RIGHT)])
    cell, place = np.unique(np.concatenate([rater * size + left, rater * size + right]), return_inverse=True)
    distinct = np.bincount(cell // max(size, 1), minlength=len(present.raters))
    complete = distinct == size if size else np.zeros(len(distinct), dtype=bool)
    full = complete[cell // max(size, 1)]
    share = sum_by(place, gained)[full] / sum_by(place, np.concatenate([weight, weight]))[full]
    kept = complete[rater]
    low, high = np.minimum(left, right)[kept], np.maximum(left, right)[kept]
    balanced = _balanced((rater[kept] * size + low) * size + high, weight[kept], int(complete.sum()), size)
    return _Shares(present.items, share.reshape(-1, max(size, 1)), present.raters[~complete], balanced)


def _balanced(rated_pair: Codes, weight: Vector, raters: int, items: int) -> bool:
    """Whether each of these raters judged every pair of items, and all pairs equally often."""
    key, place = np.unique(rated_pair, return_inverse=True)
    if not len(key) or len(key) != raters * items * (items - 1) // 2:
        return False
    times = sum_by(place, weight).reshape(raters, -1)
    return bool(np.allclose(times, times[:, :1]))
