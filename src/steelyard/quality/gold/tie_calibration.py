"""Tie calibration: scores that differ by at most a threshold are called tied (Deutsch, Foster & Freitag 2023)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Codes, Mask, Vector, pairs_within

MOST_PAIRS = 8_000_000  # with more pairs, the threshold is chosen on a random sample of this size
ROUNDING = 8.0 * float(np.finfo(float).eps)  # relative to the largest score
EQUAL = 1e-12  # accuracies that differ by less are equal
SPLITS = 10  # random halves on which a threshold is chosen and evaluated


@dataclass(frozen=True, slots=True)
class TieCalibration:
    """The threshold with the highest accuracy, and the accuracy with it.

    Attributes
    ----------
    threshold
        Largest difference of scores that counts as a tie. 0 leaves scores as they are.
    accuracy
        Share of pairs with the same relation in scores and gold; with groups, the mean of the shares of the groups.
    pairs
        Number of pairs on which the threshold was chosen.
    is_sample
        Whether the pairs are a random sample of all pairs.
    """

    threshold: float
    accuracy: float
    pairs: int
    is_sample: bool = False


@dataclass(frozen=True, eq=False)
class ItemPairs:
    """Pairs of items with the difference of their scores.

    Parameters
    ----------
    one
        Index of the first item of each pair.
    other
        Index of the second item of each pair.
    gap
        Absolute difference of the scores.
    is_tie
        Whether the pair is tied in gold.
    is_concordant
        Whether scores and gold put the pair in the same order.
    weight
        Weight of the pair, such that each group has the same total weight. The sum is 1.
    is_sample
        Whether the pairs are a random sample of all pairs.
    """

    one: Codes
    other: Codes
    gap: Vector
    is_tie: Mask
    is_concordant: Mask
    weight: Vector
    is_sample: bool = False

    def among(self, kept: Mask) -> ItemPairs:
        """Return the pairs of these items only, with weights that sum to 1."""
        both = kept[self.one] & kept[self.other]
        weight = self.weight[both]
        return ItemPairs(
            self.one[both],
            self.other[both],
            self.gap[both],
            self.is_tie[both],
            self.is_concordant[both],
            weight / max(weight.sum(), 1e-300),
            self.is_sample,
        )

    def accuracy(self, threshold: float) -> float:
        """Return the share of pairs with the same relation in scores and gold, given a threshold."""
        tied = self.gap <= threshold
        return float(self.weight[np.where(tied, self.is_tie, self.is_concordant)].sum())


def item_pairs(
    scores: Vector,
    gold: Vector,
    groups: Codes | None = None,
    *,
    most: int = MOST_PAIRS,
    rng: np.random.Generator | None = None,
) -> ItemPairs:
    """Return all pairs of items within groups, or a random sample of them.

    Parameters
    ----------
    scores
        Score of each item.
    gold
        Gold value of each item.
    groups
        Code of the group of each item. Default: one group.
    most
        Largest number of pairs. Default: 8 million.
    rng
        Random numbers of the sample. Default: a generator with seed 0.

    Returns
    -------
    ItemPairs
        The pairs, weighted such that each group counts the same.
    """
    group = np.zeros(len(scores), dtype=np.int64) if groups is None else groups
    count = np.bincount(group).astype(float)
    pairs = count * (count - 1.0) / 2.0
    is_sample = bool(pairs.sum() > most)
    rng = np.random.default_rng(0) if rng is None else rng
    one, other = _drawn_pairs(group, pairs, most, rng) if is_sample else _all_pairs(group)
    gap, step = scores[one] - scores[other], gold[one] - gold[other]
    weight = 1.0 / pairs[group[one]]
    noise = ROUNDING * float(np.max(np.abs(scores), initial=0.0))
    apart = np.where(np.abs(gap) <= noise, 0.0, np.abs(gap))
    return ItemPairs(
        one, other, apart, step == 0.0, gap * step > 0.0, weight / max(weight.sum(), 1e-300), is_sample
    )


def calibrate_ties(pairs: ItemPairs) -> TieCalibration:
    """Return the threshold with the highest accuracy among 0 and all differences of scores.

    The smallest of several equally good thresholds is returned. The accuracy is optimistic, because it is computed
    on the pairs on which the threshold was chosen. See :func:`held_out_accuracy`.

    Parameters
    ----------
    pairs
        Pairs of items.

    Returns
    -------
    TieCalibration
        Threshold and accuracy; NaN without any pair.

    References
    ----------
    - Deutsch, D., Foster, G. & Freitag, M. (2023). Ties matter: Meta-evaluating modern metrics with pairwise accuracy
      and tie calibration. EMNLP.

    Examples
    --------
    >>> calibrate_ties(item_pairs(np.array([0.1, 0.2, 0.9]), np.array([1.0, 1.0, 2.0])))
    TieCalibration(threshold=0.1, accuracy=1.0, pairs=3, is_sample=False)
    """
    if not len(pairs.gap):
        return TieCalibration(np.nan, np.nan, 0)
    order = np.argsort(pairs.gap, kind="stable")
    gap = pairs.gap[order]
    gain = pairs.weight[order] * (pairs.is_tie[order].astype(float) - pairs.is_concordant[order])
    reached = pairs.accuracy(0.0) + np.concatenate([[0.0], np.cumsum(np.where(gap > 0.0, gain, 0.0))])
    # Differences that should be equal can differ in their last bits.
    last = np.append(np.diff(gap) > ROUNDING * max(float(gap[-1]), 1e-300), True) & (gap > 0.0)
    thresholds, accuracy = np.append(0.0, gap[last]), np.append(reached[0], reached[1:][last])
    best = int(np.flatnonzero(accuracy >= accuracy.max() - EQUAL)[0])
    reached_best = min(float(accuracy[best]), 1.0)  # a sum of weights can exceed 1 by rounding
    return TieCalibration(float(thresholds[best]), reached_best, len(gap), pairs.is_sample)


def held_out_accuracy(
    pairs: ItemPairs, units: Codes, rng: np.random.Generator, splits: int = SPLITS
) -> float:
    """Return the accuracy on one half of the units with the threshold of the other half.

    Parameters
    ----------
    pairs
        Pairs of items.
    units
        Unit of each item: its segment, or the item itself. A unit is in one half with all of its items.
    rng
        Random numbers that choose the halves.
    splits
        Number of random splits. Each is used in both directions. Default: 10.

    Returns
    -------
    float
        Mean accuracy; NaN if no half has a pair.
    """
    found: list[float] = []
    size = int(units.max(initial=0)) + 1
    for _ in range(splits):
        half = (rng.permutation(size) < size // 2)[units]
        for chosen, evaluated in ((half, ~half), (~half, half)):
            threshold = calibrate_ties(pairs.among(chosen)).threshold
            rest = pairs.among(evaluated)
            if len(rest.gap) and np.isfinite(threshold):
                found.append(rest.accuracy(_beyond_rounding(threshold, rest)))
    return float(np.mean(found)) if found else np.nan


def _beyond_rounding(threshold: float, pairs: ItemPairs) -> float:
    """The threshold, such that a difference that equals it except for rounding is tied."""
    return threshold + ROUNDING * float(pairs.gap.max()) if threshold else 0.0


def _all_pairs(group: Codes) -> tuple[Codes, Codes]:
    order = np.argsort(group, kind="stable")
    parts = pairs_within(group[order])
    if not parts:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    one, other = (np.concatenate(sides) for sides in zip(*parts, strict=True))
    return order[one], order[other]


def _drawn_pairs(group: Codes, pairs: Vector, count: int, rng: np.random.Generator) -> tuple[Codes, Codes]:
    """Pairs drawn with replacement, each pair of a group with the same probability."""
    order = np.argsort(group, kind="stable")
    size = np.bincount(group)
    start = np.cumsum(size) - size
    chosen = rng.choice(len(pairs), count, p=pairs / pairs.sum())
    one = rng.integers(0, size[chosen])
    other = (one + rng.integers(1, size[chosen])) % size[chosen]
    return order[start[chosen] + one], order[start[chosen] + other]
