"""Circular triads of a rater: a preferred to b, b to c, and c to a."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from steelyard.judgments.comparison_arrays import pairs_of
from steelyard.judgments.formats.layout import UNKNOWN_RATER
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes, sum_by
from steelyard.scales.tables import Records

EXACT_ITEMS = 8  # items up to which all tournaments are enumerated
SKEW_ITEMS = 100  # with more items and open pairs, the normal distribution replaces the slow third moment
BATCH_CELLS = 2_000_000  # raters x items x items in memory at a time
UNCOUNTED = -1
UNDECIDED = 1e-9  # net preference up to which a pair counts as evenly split


@dataclass(frozen=True, slots=True)
class Triads:
    """Circular triads of one rater.

    Several answers of a rater to one pair are replaced by their majority. Pairs that are tied, evenly split or never
    judged are open. Only triads without an open pair are counted.

    Attributes
    ----------
    rater
        Rater.
    items
        Number of items that the rater compared.
    pairs
        Number of decided pairs.
    open
        Number of open pairs.
    triads
        Number of triads without an open pair.
    circular
        Number of circular triads.
    expected
        Expected number of circular triads for random answers: a quarter of the triads.
    zeta
        Coefficient of consistence of Kendall & Babington Smith (1940): 1 without circular triads, 0 with the largest
        possible number. None if a pair is open.
    p
        Probability of at most this many circular triads for random answers. Small values mean a consistent rater.
    least_p
        The p value for no circular triads, which is the smallest possible one.
    method
        Distribution of `p`: `exact`, `chi2`, `normal` or `no triads`.
    """

    rater: str
    items: int
    pairs: int
    open: int
    triads: int
    circular: int
    expected: float
    zeta: float | None
    p: float | None
    least_p: float | None
    method: str


def circular_triads(judgments: Judgments) -> Records[Triads]:
    """Count the circular triads of every identified rater.

    Parameters
    ----------
    judgments
        Comparisons with raters.

    Returns
    -------
    Records of Triads
        One entry per rater, in the order of `judgments.raters`.

    References
    ----------
    - Kendall, M. G. & Babington Smith, B. (1940). On the method of paired comparisons. Biometrika 31.

    Examples
    --------
    >>> from steelyard import Comparison
    >>> circle = [("tea", "milk"), ("milk", "beer"), ("beer", "tea")]
    >>> found = circular_triads(Judgments.of(Comparison("ann", *pair, "left") for pair in circle))
    >>> found[0].circular, found[0].expected, found[0].zeta
    (1, 0.25, 0.0)
    """
    edges = _edges(judgments)
    triads, circular = _count(edges)
    decided = np.bincount(edges.rater, minlength=len(edges.items))
    fours = _count_fours(edges, decided)
    columns = (edges.items, decided, triads, circular, fours)
    return Records(
        _of_rater(str(rater), _RaterCounts(*counts))
        for rater, *counts in zip(judgments.raters, *(column.tolist() for column in columns), strict=True)
        if counts[0] and rater != UNKNOWN_RATER
    )


@dataclass(frozen=True, slots=True)
class _RaterCounts:
    """Counts of one rater. `fours` are sets of four items without an open pair, UNCOUNTED if that takes too long."""

    items: int
    pairs: int
    triads: int
    circular: int
    fours: int

    @property
    def complete(self) -> bool:
        """Whether every pair is decided."""
        return self.pairs == math.comb(self.items, 2)


@dataclass(frozen=True, eq=False)
class _Edges:
    """Decided pairs, sorted by rater. Nodes are combinations of rater and item: the preferred one and the other."""

    rater: Codes
    over: Codes
    under: Codes
    items: Codes  # number of items compared by each rater


def _edges(judgments: Judgments) -> _Edges:
    pairs, size = pairs_of(judgments), max(len(judgments.items), 1)
    rater = judgments.table("comparison").codes.get("rater", np.full(len(pairs), -1))
    counted = (rater >= 0) & (pairs.weight > 0)
    rater, left, right = rater[counted], pairs.left[counted], pairs.right[counted]
    low, high = np.minimum(left, right), np.maximum(left, right)
    net = np.where(left == low, 1.0, -1.0) * pairs.outcome[counted] * pairs.weight[counted]
    key, place = np.unique((rater * size + low) * size + high, return_inverse=True)
    total, who = sum_by(place, net), key // (size * size)
    first, second = who * size + key // size % size, who * size + key % size
    nodes, at = np.unique(np.concatenate([first, second]), return_inverse=True)
    one, other = at[: len(key)], at[len(key) :]
    decided = np.abs(total) > UNDECIDED
    over, under = np.where(total > 0, one, other), np.where(total > 0, other, one)
    items = np.bincount(nodes // size, minlength=len(judgments.raters))
    return _Edges(who[decided], over[decided], under[decided], items)


def _count(edges: _Edges) -> tuple[Codes, Codes]:
    """Return the number of triads without an open pair, and of circular triads, by rater.

    Paths a > b > c are counted by whether a > c (transitive) or c > a (circular, with three paths each).
    """
    from scipy.sparse import csr_array  # SciPy is slow to import

    size, raters = int(edges.items.sum()), len(edges.items)
    beats = csr_array((np.ones(len(edges.over), dtype=np.int64), (edges.over, edges.under)), (size, size))
    paths = beats @ beats
    rater_of = np.repeat(np.arange(raters), edges.items)
    transitive, threefold = (
        sum_by(rater_of, np.asarray((paths * closed).sum(axis=1), dtype=np.float64).ravel(), raters)
        for closed in (beats, beats.T.tocsr())
    )
    circular = np.rint(threefold / 3.0).astype(np.int64)
    return np.rint(transitive).astype(np.int64) + circular, circular


def _of_rater(rater: str, counts: _RaterCounts) -> Triads:
    open_pairs = math.comb(counts.items, 2) - counts.pairs
    p, method = _p_value(counts)
    least_p, _ = _p_value(replace(counts, circular=0))
    return Triads(
        rater=rater,
        items=counts.items,
        pairs=counts.pairs,
        open=open_pairs,
        triads=counts.triads,
        circular=counts.circular,
        expected=counts.triads / 4.0,
        zeta=consistence(counts.items, counts.circular) if counts.complete and counts.items > 2 else None,
        p=p,
        least_p=least_p,
        method=method,
    )


def consistence(items: int, circular: int) -> float:
    """Return zeta = 1 - 24 d / (n^3 - n) for odd n, 1 - 24 d / (n^3 - 4 n) for even n (Kendall & Babington Smith)."""
    return 1.0 - 24.0 * circular / (items**3 - items * (1 if items % 2 else 4))


def _p_value(counts: _RaterCounts) -> tuple[float | None, str]:
    """Return the probability of at most this many circular triads for random answers, and its method."""
    if not counts.triads:
        return None, "no triads"
    if counts.complete and counts.items <= EXACT_ITEMS:
        ways = tournaments(counts.items)
        few = sum(times for circles, times in ways.items() if circles <= counts.circular)
        return few / sum(ways.values()), "exact"
    if counts.fours == UNCOUNTED:
        return _gamma_tail(counts, 0.0), "normal"
    return _gamma_tail(counts, counts.triads - 4.0 * counts.fours), "chi2"


@cache
def tournaments(items: int) -> Counter[int]:
    """Return the number of the 2^C(n, 2) tournaments with each number of circular triads.

    Items are removed one by one after their comparisons with all remaining items. Tournaments that differ only in the
    names of items are one state.

    >>> sorted(tournaments(4).items())
    [(0, 24), (1, 16), (2, 24)]
    """
    states = Counter({((0,) * items, math.comb(items, 3)): 1})
    for left in range(items - 1, -1, -1):
        grown: Counter[tuple[tuple[int, ...], int]] = Counter()
        for (wins, circles), times in states.items():
            for won in product((0, 1), repeat=left):
                own = wins[0] + sum(won)
                others = tuple(sorted(had + 1 - beaten for had, beaten in zip(wins[1:], won, strict=True)))
                grown[others, circles - math.comb(own, 2)] += times
        states = grown
    return Counter({circles: times for (_, circles), times in states.items()})


def _count_fours(edges: _Edges, decided: Codes) -> Codes:
    """Return the number of sets of four items without an open pair, by rater."""
    fours = np.array([math.comb(items, 4) for items in edges.items.tolist()], dtype=np.int64)
    with_open = np.flatnonzero(decided < edges.items * (edges.items - 1) // 2)
    fours[with_open] = UNCOUNTED
    small = with_open[edges.items[with_open] <= SKEW_ITEMS]
    small = small[np.argsort(edges.items[small], kind="stable")]
    step = max(1, BATCH_CELLS // int(edges.items[small].max(initial=1)) ** 2)
    for start in range(0, len(small), step):
        batch = small[start : start + step]
        fours[batch] = _fours_of(_linked(edges, batch))
    return fours


def _linked(edges: _Edges, raters: Codes) -> NDArray[np.float32]:
    """Return 0 or 1 for each pair of items of these raters, 1 if it is decided: batch x items x items."""
    place = np.full(len(edges.items), -1)
    place[raters] = np.arange(len(raters))
    start = np.cumsum(edges.items) - edges.items
    own = place[edges.rater] >= 0
    at, first = place[edges.rater[own]], start[edges.rater[own]]
    one, other = edges.over[own] - first, edges.under[own] - first
    size = int(edges.items[raters].max())
    linked = np.zeros((len(raters), size, size), dtype=np.float32)
    linked[at, one, other] = linked[at, other, one] = 1.0
    return linked


def _fours_of(linked: NDArray[np.float32]) -> Codes:
    """Return the number of sets of four linked items, as triangles among the later neighbours of each item."""
    sixfold = np.zeros(len(linked))
    for item in range(linked.shape[1] - 3):
        near = linked[:, item, item + 1 :]
        among = linked[:, item + 1 :, item + 1 :] * near[:, :, None] * near[:, None, :]
        sixfold += np.sum((among @ among) * among, axis=(1, 2), dtype=np.float64)
    return np.rint(sixfold / 6.0).astype(np.int64)


def _gamma_tail(counts: _RaterCounts, skew: float) -> float:
    """Return P(D <= d + 1/2) from a chi-square with the first three moments of D.

    With T triads and Q sets of four items without an open pair, E D = T / 4 and Var D = 3 T / 16, because two triads
    that share a pair are independent. The third central moment is 3 (T - 4 Q) / 32, because three triads are dependent
    only within a set of four. Without open pairs this is the chi-square of Kendall & Babington Smith with
    6 T^3 / (T - 4 Q)^2 = n (n - 1) (n - 2) / (n - 4)^2 degrees of freedom. `skew` is T - 4 Q.
    """
    from scipy.special import chdtr, chdtrc, ndtr  # SciPy is slow to import

    triads = counts.triads
    deviate = (counts.circular + 0.5 - triads / 4.0) / math.sqrt(3.0 * triads / 16.0)
    if skew == 0.0:
        return float(ndtr(deviate))
    freedom = 6.0 * triads**3 / skew**2
    chi2 = freedom + math.copysign(math.sqrt(2.0 * freedom), skew) * deviate
    tail = chdtr if skew > 0.0 else chdtrc
    return float(tail(freedom, max(chi2, 0.0)))
