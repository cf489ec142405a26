"""Does a rater contradict themselves? Circular triads: a over b, b over c, and yet c over a."""

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

EXACT_ITEMS = 8  # up to here all tournaments are counted
SKEW_ITEMS = 100  # above, the third moment is not worth its price: the normal distribution is close
BATCH_CELLS = 2_000_000  # raters x items x items held at a time
UNCOUNTED = -1
UNDECIDED = 1e-9  # of a rater's answers to a pair, as many for one item as for the other


@dataclass(frozen=True, slots=True)
class Triads:
    """How often one rater's preferences go round in a circle.

    Several answers of a rater to one pair count as what most of them say. Pairs that were tied, or never asked,
    are `open`; only triads without an open pair are counted. `expected` is how many of them would be circular
    if every answer were drawn with a coin: a quarter. `zeta` is Kendall & Babington Smith's (1940) coefficient
    of consistence, 1 without circles and 0 with as many as can be; it is defined where no pair is open.
    `p` is the chance of as few circles from a coin: small where a rater is more consistent than that; `least_p` is
    what p would be without any circle, the least that these pairs allow.
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


def circular_triads(judgments: Judgments) -> tuple[Triads, ...]:
    """The circular triads of every rater with a name, in the order of `judgments.raters`.

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
    return tuple(
        _of_rater(str(rater), _RaterCounts(*counts))
        for rater, *counts in zip(judgments.raters, *(column.tolist() for column in columns), strict=True)
        if counts[0] and rater != UNKNOWN_RATER
    )


@dataclass(frozen=True, slots=True)
class _RaterCounts:
    """Of one rater; `fours` are sets of four items without an open pair, UNCOUNTED where that takes long."""

    items: int
    pairs: int
    triads: int
    circular: int
    fours: int

    @property
    def complete(self) -> bool:
        """Is every pair decided?"""
        return self.pairs == math.comb(self.items, 2)


@dataclass(frozen=True, eq=False)
class _Edges:
    """Decided pairs, sorted by rater: nodes (one for each rater and item) of the preferred and the other."""

    rater: Codes
    over: Codes
    under: Codes
    items: Codes  # by rater: how many items they compared


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
    """Triads without an open pair, and circular ones, by rater.

    Of a tournament, sum over items of C(wins, 2) triads are not circular; in general, paths a > b > c are
    counted by whether a > c (transitive) or c > a (circular, three paths each).
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
    """zeta = 1 - 24 d / (n^3 - n) for odd n, 1 - 24 d / (n^3 - 4 n) for even n [Kendall & Babington Smith 1940]."""
    return 1.0 - 24.0 * circular / (items**3 - items * (1 if items % 2 else 4))


def _p_value(counts: _RaterCounts) -> tuple[float | None, str]:
    """P(as few circular triads) from a coin, and how it was computed."""
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
    """How many of the 2^C(n, 2) tournaments have each number of circular triads.

    Items leave one by one after meeting all that are left; tournaments that differ in names alone are one state.

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
    """Sets of four items without an open pair, by rater."""
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
    """For each of these raters, which of their items have a decided pair: batch x items x items, 0 or 1."""
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
    """Sets of four linked items: for each item, the triangles among what it is linked to and comes later."""
    sixfold = np.zeros(len(linked))
    for item in range(linked.shape[1] - 3):
        near = linked[:, item, item + 1 :]
        among = linked[:, item + 1 :, item + 1 :] * near[:, :, None] * near[:, None, :]
        sixfold += np.sum((among @ among) * among, axis=(1, 2), dtype=np.float64)
    return np.rint(sixfold / 6.0).astype(np.int64)


def _gamma_tail(counts: _RaterCounts, skew: float) -> float:
    """P(D <= d + 1/2) by a chi-square with the first three moments of D.

    With T triads and Q sets of four that have no open pair, E D = T / 4, Var D = 3 T / 16 (two triads that share
    a pair are independent) and the third central moment is 3 (T - 4 Q) / 32 (three triads depend on each other
    only inside one set of four). Where no pair is open this is Kendall & Babington Smith's chi-square with
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
