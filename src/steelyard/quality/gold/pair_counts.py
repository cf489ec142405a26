"""Counts of concordant, discordant and tied pairs of items, by merge sort."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Codes, Vector, sum_by


@dataclass(frozen=True, eq=False)
class OrderCounts:
    """Number of pairs of items of each type, one entry per group.

    Without groups, each array has one entry. A group with fewer than two items has no pairs.

    Parameters
    ----------
    concordant
        Pairs that scores and gold put in the same order.
    discordant
        Pairs that scores and gold put in opposite order.
    tied_gold
        Pairs that are tied in gold but not in the scores.
    tied_scores
        Pairs that are tied in the scores but not in gold.
    tied_both
        Pairs that are tied in both.
    """

    concordant: Vector
    discordant: Vector
    tied_gold: Vector
    tied_scores: Vector
    tied_both: Vector

    @property
    def pairs(self) -> Vector:
        """Number of all pairs."""
        decided = self.concordant + self.discordant
        return np.asarray(decided + self.tied_gold + self.tied_scores + self.tied_both)

    @property
    def kendall_tau_b(self) -> Vector:
        """Kendall's tau-b, (C - D) / sqrt((C + D + Tg)(C + D + Ts)). NaN if scores or gold are all equal."""
        decided = self.concordant + self.discordant
        spread = (decided + self.tied_gold) * (decided + self.tied_scores)
        return _ratio(self.concordant - self.discordant, np.sqrt(spread))

    @property
    def pairwise_accuracy(self) -> Vector:
        """Share of concordant pairs among pairs that are not tied in gold. A tie in the scores counts as wrong."""
        return _ratio(self.concordant, self.concordant + self.discordant + self.tied_scores)

    @property
    def acc_eq(self) -> Vector:
        """Share of pairs with the same relation in scores and gold: same order, or tied in both."""
        return _ratio(self.concordant + self.tied_both, self.pairs)


def pair_counts(scores: Vector, gold: Vector, groups: Codes | None = None) -> OrderCounts:
    """Count concordant, discordant and tied pairs in O(n log n) time.

    Values are compared exactly. Round means before, because equal means can differ in their last bit.

    Parameters
    ----------
    scores
        Score of each item.
    gold
        Gold value of each item.
    groups
        Code of the group of each item, from 0. Only pairs within a group count. Default: one group.

    Returns
    -------
    OrderCounts
        Counts for each group.

    References
    ----------
    - Knight, W. R. (1966). A computer method for calculating Kendall's tau with ungrouped data. Journal of the
      American Statistical Association, 61(314).

    Examples
    --------
    >>> counts = pair_counts(np.array([1.0, 2.0, 2.0, 4.0]), np.array([1.0, 2.0, 3.0, 3.0]))
    >>> counts.concordant, counts.tied_scores, counts.tied_gold
    (array([4.]), array([1.]), array([1.]))
    """
    group = np.zeros(len(scores), dtype=np.int64) if groups is None else groups
    size = int(group.max(initial=0)) + 1
    score, value = (_dense(each) for each in (scores, gold))
    pairs = _pairs_in(group, size)
    in_gold = _tied_pairs(group, size, value)
    in_scores = _tied_pairs(group, size, score)
    in_both = _tied_pairs(group, size, value, score)
    order = np.lexsort((score, value, group))
    discordant = _inversions(group[order], score[order], size)
    concordant = pairs - in_gold - in_scores + in_both - discordant
    return OrderCounts(concordant, discordant, in_gold - in_both, in_scores - in_both, in_both)


def _inversions(group: Codes, rank: Codes, size: int) -> Vector:
    """Number of pairs of each group in which the earlier rank is higher. Groups are sorted.

    Blocks are merged bottom-up. All pairs of neighbouring blocks are counted at once: an offset per pair of blocks
    makes their concatenation sorted.
    """
    # A group with a higher code has higher keys, so that pairs from two groups are never inverted.
    key = _dense(group * (int(rank.max(initial=0)) + 1) + rank)
    of_key = np.zeros(int(key.max(initial=0)) + 2, dtype=np.int64)
    of_key[key] = group
    length = 1 << max(len(key) - 1, 0).bit_length()
    padding = int(key.max(initial=0)) + 1
    blocks = np.concatenate([key, np.full(length - len(key), padding)])
    total, width = np.zeros(size), 1
    while width < length:
        left, right = blocks.reshape(-1, 2, width).transpose(1, 0, 2)
        at = np.arange(len(left))[:, None]
        offset = at * (padding + 1)
        not_above = np.searchsorted((left + offset).ravel(), (right + offset).ravel(), side="right")
        above = width - (not_above.reshape(right.shape) - at * width)
        total += np.bincount(of_key[right.ravel()], above.ravel(), minlength=size)[:size]
        blocks = np.sort(blocks.reshape(-1, 2 * width), axis=1).ravel()
        width *= 2
    return total


def _tied_pairs(group: Codes, size: int, *ranks: Codes) -> Vector:
    """Number of pairs of each group with equal ranks."""
    classes = group
    for rank in ranks:
        classes = _dense(classes * (int(rank.max(initial=0)) + 1) + rank)
    of_class = np.zeros(int(classes.max(initial=0)) + 1, dtype=np.int64)
    of_class[classes] = group
    count = np.bincount(classes).astype(float)
    return sum_by(of_class[: len(count)], count * (count - 1.0) / 2.0, size)


def _pairs_in(group: Codes, size: int) -> Vector:
    count = np.bincount(group, minlength=size).astype(float)
    return np.asarray(count * (count - 1.0) / 2.0)


def _dense(values: Vector | Codes) -> Codes:
    """Ranks from 0 without gaps; equal values share a rank."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64).reshape(-1)


def _ratio(part: Vector, whole: Vector) -> Vector:
    """The quotient, NaN where the divisor is 0."""
    return np.asarray(np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=whole > 0))
