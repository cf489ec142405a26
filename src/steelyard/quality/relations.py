"""Relations of pairs of items (<, indistinguishable, >) from comparisons, ranges, single values and intervals.

Follows Chen, Weld & Zhang (CSCW 2021), section 4.7. The comparisons of a pair give a distribution over the three
relations. Other judgments are evaluated by their distance to it:

- *Range*: the ranges of each rater. One item is above the other if its lower bound is above the other's upper bound.
  Ranges that overlap or touch are indistinguishable.
- *Direct*: the single values of each rater. Equal values are indistinguishable.
- *Infer*: one interval per item, mean +- 1.96 standard errors over raters, compared like ranges.

Repeated answers of a rater to an item are averaged first. Questions are pooled; split them with `judgments.by`.
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

LESS, ALIKE, MORE = 0, 1, 2  # relation of the first item of a pair to the second
OUTCOMES = ("<", "indistinguishable", ">")


@dataclass(frozen=True, eq=False)
class Relations:
    """Shares of <, indistinguishable and > for each pair of items. Names of a pair are in sorted order.

    Attributes
    ----------
    first
        First item of each pair.
    second
        Second item of each pair.
    share
        Shares of the three relations: pairs x 3, rows sum to 1.
    count
        Number of answers for each pair.
    """

    first: Labels
    second: Labels
    share: Matrix
    count: Vector

    def __len__(self) -> int:
        return len(self.first)

    @property
    def alike(self) -> Mask:
        """Mask of pairs whose most frequent relation is "indistinguishable", also if another is equally frequent."""
        return np.asarray(self.share[:, ALIKE] >= self.share.max(axis=1, initial=0.0))

    def keys(self) -> list[tuple[str, str]]:
        """Return the pairs, in order."""
        return [(str(a), str(b)) for a, b in zip(self.first, self.second, strict=True)]


@dataclass(frozen=True, eq=False)
class Distances:
    """Wasserstein distances between two distributions of relations, by pair.

    Attributes
    ----------
    first
        First item of each pair.
    second
        Second item of each pair.
    distance
        Distance of each pair, from 0 to 2.
    left_out
        Number of pairs that only one of the two has.
    """

    first: Labels
    second: Labels
    distance: Vector
    left_out: int

    @property
    def mean(self) -> float:
        """Mean over pairs, as in Table 3 of the paper."""
        return float(self.distance.mean())


@dataclass(frozen=True, slots=True)
class Lost:
    """Pairs that a method fails to distinguish.

    Attributes
    ----------
    distinguished
        Number of pairs that raters distinguish.
    lost
        Number of these pairs that the method reports as indistinguishable.
    """

    distinguished: int
    lost: int

    @property
    def share(self) -> float:
        """Share of lost pairs among distinguished pairs; 0 if no pair is distinguished."""
        return self.lost / self.distinguished if self.distinguished else 0.0


def collected_relations(judgments: Judgments) -> Relations:
    """Return the relations from comparisons. A tie means "indistinguishable".

    Parameters
    ----------
    judgments
        Comparisons.

    Returns
    -------
    Relations
        Shares of the relations by pair.

    Examples
    --------
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
    """Return the relations from the ranges of each rater who judged both items of a pair."""
    return _by_rater(judgments, opinions_of(judgments, "range"), "Range")


def direct_relations(judgments: Judgments) -> Relations:
    """Return the relations from the single values of each rater who judged both items of a pair."""
    return _by_rater(judgments, opinions_of(judgments, "rating"), "Direct")


def inferred_relations(judgments: Judgments) -> Relations:
    """Return the relations from one 95% interval per item over raters. Items with a single rater are excluded."""
    low, high = inferred_intervals(judgments)
    estimated = np.flatnonzero(~np.isnan(low))
    one, other = (estimated[side] for side in np.triu_indices(len(estimated), 1))
    sign = _compared(low[one], high[one], low[other], high[other])
    return _relations(judgments.items, Pairs(one, other, sign, np.ones(len(one))), "Infer")


def inferred_intervals(judgments: Judgments) -> tuple[Vector, Vector]:
    """Return mean of ratings -+ 1.96 standard errors by item code; NaN for fewer than two raters."""
    opinions = opinions_of(judgments, "rating")
    moments = moments_by_item(opinions, opinions.position, len(judgments.items))
    return moments.mean - NORMAL_95 * moments.error, moments.mean + NORMAL_95 * moments.error


def wasserstein(one: Relations, other: Relations) -> Distances:
    """Return the Wasserstein distance W1 for each common pair, with neighbouring relations one unit apart.

    For ordered outcomes W1 is the sum of |F - G|, here |p(<) - q(<)| + |p(>) - q(>)|, from 0 to 2.

    Parameters
    ----------
    one
        First distributions.
    other
        Second distributions.

    Returns
    -------
    Distances
        One distance per common pair.
    """
    here, there = _common(one, other)
    gap = np.abs(one.share[here] - other.share[there])
    distance = gap[:, LESS] + gap[:, MORE]
    left_out = len(one) + len(other) - 2 * len(here)
    return Distances(one.first[here], one.second[here], distance, left_out)


def lost_pairs(collected: Relations, method: Relations) -> Lost:
    """Count the pairs that comparisons distinguish by their most frequent relation, and those a method loses.

    Parameters
    ----------
    collected
        Relations from comparisons.
    method
        Relations from a method.

    Returns
    -------
    Lost
        Number of distinguished and of lost pairs.
    """
    here, there = _common(collected, method)
    distinguished = ~collected.alike[here]
    return Lost(int(distinguished.sum()), int((distinguished & method.alike[there]).sum()))


def _by_rater(judgments: Judgments, opinions: Opinions, method: str) -> Relations:
    """Return relations with one answer per rater and pair of items that the rater judged."""
    named = np.flatnonzero(opinions.rater >= 0)
    order = named[np.argsort(opinions.rater[named], kind="stable")]
    rater, low, high = opinions.rater[order], opinions.values[order, 0], opinions.values[order, -1]
    places, none = pairs_within(rater), np.empty(0, dtype=np.int64)
    one, other = (np.concatenate([none, *(pair[side] for pair in places)]) for side in (0, 1))
    sign = _compared(low[one], high[one], low[other], high[other])
    item = opinions.item[order]
    return _relations(judgments.items, Pairs(item[one], item[other], sign, np.ones(len(one))), method)


def _compared(low: Vector, high: Vector, other_low: Vector, other_high: Vector) -> Codes:
    """Return LEFT or RIGHT for the interval that is entirely above the other, TIE if they overlap or touch."""
    return np.where(low > other_high, LEFT, np.where(high < other_low, RIGHT, TIE))


def _relations(items: Labels, pairs: Pairs, method: str) -> Relations:
    """Return the shares of the relations by pair, in the order of the names."""
    if not len(pairs):
        raise NothingToTest(
            f"{method} relations", "no two items can be compared.", "Add answers to at least two items."
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
    """Return the rows of the common pairs in both."""
    places = {key: at for at, key in enumerate(other.keys())}
    rows = [(at, places[key]) for at, key in enumerate(one.keys()) if key in places]
    if not rows:
        raise NothingToTest(
            "Comparing relations", "they have no pair in common.", "Use judgments of the same items."
        )
    here, there = np.array(rows, dtype=np.int64).T
    return here, there
