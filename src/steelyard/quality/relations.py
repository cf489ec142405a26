"""Which of two items has more, or are they indistinguishable? Told by ranges, by single values, by intervals.

Chen, Weld & Zhang (CSCW 2021), section 4.7: what people say of a pair when asked to compare it is a distribution
over <, indistinguishable and >; other answers are judged by how near they come to it.

- *Range*: each rater's own ranges; one item is above where its lower bound is above the other's upper bound.
  Bounds that touch overlap, and what overlaps is indistinguishable.
- *Direct*: each rater's single values; equal ones are indistinguishable.
- *Infer*: one interval per item, mean +- 1.96 standard errors over raters, compared as ranges are.

A rater's repeats of an item are averaged first. Questions are not distinguished: split them with `judgments.by`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.errors import NothingToTest
from steelyard.judgments.comparison_arrays import LEFT, RIGHT, TIE, Pairs, pairs_of
from steelyard.judgments.opinions import Opinions, moments_by_item, opinions_of
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes, Labels, Mask, Matrix, Vector, pairs_within, sum_by
from steelyard.maths.gaussian import NORMAL_95

LESS, ALIKE, MORE = 0, 1, 2  # of the first item of a pair against the second
OUTCOMES = ("<", "indistinguishable", ">")


@dataclass(frozen=True, eq=False)
class Relations:
    """Shares of <, indistinguishable and > by pair of items; the first item of a pair is the earlier name."""

    first: Labels
    second: Labels
    share: Matrix  # pairs x 3, rows sum to 1
    count: Vector  # answers behind each row

    def __len__(self) -> int:
        return len(self.first)

    @property
    def alike(self) -> Mask:
        """Where the modal outcome is "indistinguishable"; it is also where that ties with another for most."""
        return np.asarray(self.share[:, ALIKE] >= self.share.max(axis=1, initial=0.0))

    def keys(self) -> list[tuple[str, str]]:
        """The pairs, in order."""
        return [(str(a), str(b)) for a, b in zip(self.first, self.second, strict=True)]


@dataclass(frozen=True, eq=False)
class Distances:
    """Wasserstein distances between two relation distributions, by pair, and how many pairs only one of them has."""

    first: Labels
    second: Labels
    distance: Vector
    left_out: int

    @property
    def mean(self) -> float:
        """The mean over pairs: what the paper's Table 3 gives."""
        return float(self.distance.mean())


@dataclass(frozen=True, slots=True)
class Lost:
    """Pairs that people distinguish, and those among them that a method calls indistinguishable."""

    distinguished: int
    lost: int

    @property
    def share(self) -> float:
        """Lost over distinguished; 0 where people distinguish none."""
        return self.lost / self.distinguished if self.distinguished else 0.0


def collected_relations(judgments: Judgments) -> Relations:
    """The outcomes of comparisons: a tie is "indistinguishable".

    >>> from steelyard import Comparison
    >>> answers = [Comparison("ann", "tea", "egg", "left"), Comparison("bob", "egg", "tea", "tie")]
    >>> relations = collected_relations(Judgments.of(answers))
    >>> relations.keys(), relations.share.tolist()
    ([('egg', 'tea')], [[0.5, 0.5, 0.0]])
    """
    pairs = pairs_of(judgments)
    kept = pairs.weight > 0
    counted = Pairs(pairs.left[kept], pairs.right[kept], pairs.outcome[kept], pairs.weight[kept])
    return _relations(judgments.items, counted, "Collected")


def range_relations(judgments: Judgments) -> Relations:
    """Relations from the ranges of each rater who judged both items of a pair."""
    return _by_rater(judgments, opinions_of(judgments, "range"), "Range")


def direct_relations(judgments: Judgments) -> Relations:
    """Relations from the single values of each rater who judged both items of a pair."""
    return _by_rater(judgments, opinions_of(judgments, "rating"), "Direct")


def inferred_relations(judgments: Judgments) -> Relations:
    """Relations from one 95% interval per item over raters; items with one rater only have none and are left out."""
    low, high = inferred_intervals(judgments)
    estimated = np.flatnonzero(~np.isnan(low))
    one, other = (estimated[side] for side in np.triu_indices(len(estimated), 1))
    sign = _compared(low[one], high[one], low[other], high[other])
    return _relations(judgments.items, Pairs(one, other, sign, np.ones(len(one))), "Infer")


def inferred_intervals(judgments: Judgments) -> tuple[Vector, Vector]:
    """Mean of ratings -+ 1.96 standard errors by item code; NaN below two raters."""
    opinions = opinions_of(judgments, "rating")
    moments = moments_by_item(opinions, opinions.position, len(judgments.items))
    return moments.mean - NORMAL_95 * moments.error, moments.mean + NORMAL_95 * moments.error


def wasserstein(one: Relations, other: Relations) -> Distances:
    """W1 between the distributions of each pair that both have, <, indistinguishable and > one unit apart.

    On ordered outcomes it is the sum of |F - G| over the two steps between them, which here is
    |p(<) - q(<)| + |p(>) - q(>)|: from 0 to 2.
    """
    here, there = _common(one, other)
    gap = np.abs(one.share[here] - other.share[there])
    distance = gap[:, LESS] + gap[:, MORE]
    left_out = len(one) + len(other) - 2 * len(here)
    return Distances(one.first[here], one.second[here], distance, left_out)


def lost_pairs(collected: Relations, method: Relations) -> Lost:
    """How many pairs are distinguished by the modal collected outcome, and lost by the method's."""
    here, there = _common(collected, method)
    distinguished = ~collected.alike[here]
    return Lost(int(distinguished.sum()), int((distinguished & method.alike[there]).sum()))


def _by_rater(judgments: Judgments, opinions: Opinions, method: str) -> Relations:
    """One answer per rater and pair of items that the rater judged."""
    named = np.flatnonzero(opinions.rater >= 0)
    order = named[np.argsort(opinions.rater[named], kind="stable")]
    rater, low, high = opinions.rater[order], opinions.values[order, 0], opinions.values[order, -1]
    places, none = pairs_within(rater), np.empty(0, dtype=np.int64)
    one, other = (np.concatenate([none, *(pair[side] for pair in places)]) for side in (0, 1))
    sign = _compared(low[one], high[one], low[other], high[other])
    item = opinions.item[order]
    return _relations(judgments.items, Pairs(item[one], item[other], sign, np.ones(len(one))), method)


def _compared(low: Vector, high: Vector, other_low: Vector, other_high: Vector) -> Codes:
    """Which of two intervals lies wholly above the other: LEFT, RIGHT, or TIE where they overlap or touch."""
    return np.where(low > other_high, LEFT, np.where(high < other_low, RIGHT, TIE))


def _relations(items: Labels, pairs: Pairs, method: str) -> Relations:
    """Shares of the outcomes by pair, whatever the sides; pairs in the order of their names."""
    if not len(pairs):
        raise NothingToTest(
            f"{method} relations", "no two items can be compared.", "Give answers to two items."
        )
    names = items.astype(str)
    order = np.argsort(names, kind="stable")
    place = np.argsort(order)
    left, right = place[pairs.left], place[pairs.right]
    above = np.where(left < right, pairs.outcome, -pairs.outcome)
    low, high = np.minimum(left, right), np.maximum(left, right)
    key, row = np.unique(low * len(names) + high, return_inverse=True)
    cells = sum_by(row * len(OUTCOMES) + above - RIGHT, pairs.weight, len(OUTCOMES) * len(key))
    shares = cells.reshape(-1, len(OUTCOMES))
    count = shares.sum(axis=1)
    ordered = names[order].astype(object)
    first, second = ordered[key // len(names)], ordered[key % len(names)]
    return Relations(first, second, shares / count[:, None], count)


def _common(one: Relations, other: Relations) -> tuple[Codes, Codes]:
    """Rows of the pairs that both have."""
    places = {key: at for at, key in enumerate(other.keys())}
    rows = [(at, places[key]) for at, key in enumerate(one.keys()) if key in places]
    if not rows:
        raise NothingToTest("Comparing relations", "they have no pair in common.", "Judge the same items.")
    here, there = np.array(rows, dtype=np.int64).T
    return here, there
