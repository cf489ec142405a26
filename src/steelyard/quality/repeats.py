"""Does a rater answer alike when asked again, and is one side of the page preferred?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.judgments.comparison_arrays import LEFT, RIGHT, TIE, pairs_of
from steelyard.judgments.formats.layout import UNKNOWN_RATER
from steelyard.judgments.keys import row_key
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes, Labels, Mask
from steelyard.quality.preference import fair_tail

SAME = ("question", "segment", "condition")  # what two answers share when the same thing was asked again


@dataclass(frozen=True, slots=True)
class RaterRepeats:
    """How often one rater gave another answer than the time before, when asked the same again.

    `changed` counts every other answer, `reversed` only those that now prefer the other item. `swapped` repeats
    had the two items on exchanged sides; `swapped_changed` of them got another answer.
    """

    rater: str
    repeats: int
    changed: int
    reversed: int
    swapped: int
    swapped_changed: int


@dataclass(frozen=True, slots=True)
class SideCounts:
    """How often one rater preferred what stood on the left, among decided answers.

    Only pairs that the file shows in both orders are counted: in the others side and item cannot be distinguished.
    `p` is the exact two-sided binomial test against one half; it takes the sides as drawn at random.
    """

    rater: str
    left: int
    right: int
    p: float

    @property
    def share(self) -> float:
        """The share of left."""
        return self.left / (self.left + self.right)


def count_repeats(judgments: Judgments) -> tuple[RaterRepeats, ...]:
    """The repeats of every rater who has any, each answer held against the one before it in the file.

    The same is asked again when the pair, the question, the segment and the condition are the same. A table of
    counts does not say which of its answers are repeats, so it has none.

    >>> from steelyard import Comparison
    >>> twice = [Comparison("ann", "tea", "milk", "left"), Comparison("ann", "milk", "tea", "left")]
    >>> count_repeats(Judgments.of(twice))
    (RaterRepeats(rater='ann', repeats=1, changed=1, reversed=1, swapped=1, swapped_changed=1),)
    """
    table = judgments.table("comparison")
    if "count" in table.numbers or "rater" not in table.codes:
        return ()
    pairs = pairs_of(judgments)
    pair, low = _pair_key(pairs.left, pairs.right, len(judgments.items))
    key = row_key(table, ("rater", *SAME), pair)
    order = np.argsort(key, kind="stable")
    again = key[order][1:] == key[order][:-1]
    now, before = order[1:][again], order[:-1][again]
    forth = pairs.left == low
    answer = np.where(forth, pairs.outcome, -pairs.outcome)
    changed, swapped = answer[now] != answer[before], forth[now] != forth[before]
    reversed_ = changed & (answer[now] != TIE) & (answer[before] != TIE)
    marks = (np.ones(len(now), dtype=bool), changed, reversed_, swapped, swapped & changed)
    counts = _by_rater(table.codes["rater"][now], marks, len(judgments.raters))
    return tuple(RaterRepeats(name, *numbers) for name, numbers in _named(judgments.raters, counts))


def position_bias(judgments: Judgments) -> tuple[SideCounts, ...]:
    """The sides that every rater preferred, in the order of `judgments.raters`; fractional counts are rounded."""
    table = judgments.table("comparison")
    if "rater" not in table.codes or not len(table):
        return ()
    pairs = pairs_of(judgments)
    both = _shown_both_ways(pairs.left, pairs.right, len(judgments.items)) & (table.codes["rater"] >= 0)
    size = len(judgments.raters)
    sides = [
        np.bincount(table.codes["rater"][rows], pairs.weight[rows], minlength=size)
        for rows in (both & (pairs.outcome == side) for side in (LEFT, RIGHT))
    ]
    counts = np.rint(np.column_stack(sides)).astype(np.int64)
    total, most = counts.sum(axis=1).astype(float), counts.max(axis=1).astype(float)
    p = np.minimum(1.0, 2.0 * fair_tail(most, total))
    tested = dict(zip(judgments.raters, p.tolist(), strict=True))
    return tuple(
        SideCounts(name, left, right, tested[name])
        for name, (left, right) in _named(judgments.raters, counts)
    )


def _pair_key(left: Codes, right: Codes, items: int) -> tuple[Codes, Codes]:
    """One integer for each pair whatever its sides, and the smaller of its two codes."""
    low = np.minimum(left, right)
    return low * max(items, 1) + np.maximum(left, right), low


def _shown_both_ways(left: Codes, right: Codes, items: int) -> Mask:
    """Which rows are of a pair that stands in both orders somewhere in the file."""
    key, low = _pair_key(left, right, items)
    pair, place = np.unique(key, return_inverse=True)
    ways = [np.bincount(place[rows], minlength=len(pair)) > 0 for rows in (left == low, left != low)]
    return np.asarray((ways[0] & ways[1])[place])


def _by_rater(rater: Codes, marks: tuple[Mask, ...], size: int) -> Codes:
    """How many rows with each mark every rater has."""
    named = rater >= 0
    return np.column_stack([np.bincount(rater[named & mark], minlength=size) for mark in marks])


def _named(raters: Labels, counts: Codes) -> list[tuple[str, list[int]]]:
    """Raters with a name and anything to count."""
    seen = counts.sum(axis=1) > 0
    return [
        (str(name), numbers)
        for name, numbers, any_ in zip(raters, counts.tolist(), seen, strict=True)
        if any_ and name != UNKNOWN_RATER
    ]
