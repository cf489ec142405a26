"""Repeated comparisons of a rater, and position bias."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.judgments.comparison_arrays import LEFT, RIGHT, TIE, pair_key, pairs_of, shown_both_ways
from steelyard.judgments.formats.layout import UNKNOWN_RATER
from steelyard.judgments.keys import row_key
from steelyard.judgments.table import Judgments, Table
from steelyard.maths.arrays import Codes, Labels, Mask
from steelyard.quality.preference import fair_tail
from steelyard.scales.tables import Records

SAME = ("question", "segment", "condition")  # columns that must agree for a repeat


@dataclass(frozen=True, slots=True)
class RaterRepeats:
    """Repeated comparisons of one rater.

    Attributes
    ----------
    rater
        Rater.
    repeats
        Number of repeats of a pair.
    changed
        Repeats with another answer than before.
    reversed
        Repeats in which the preference was reversed.
    swapped
        Repeats with exchanged sides.
    swapped_changed
        Repeats with exchanged sides and another answer.
    """

    rater: str
    repeats: int
    changed: int
    reversed: int
    swapped: int
    swapped_changed: int


@dataclass(frozen=True, slots=True)
class SideCounts:
    """Preferences of one rater for the left or right side, among decided answers.

    Only pairs that occur in both orders count, because side and item are otherwise confounded.

    Attributes
    ----------
    rater
        Rater.
    left
        Number of preferences for the left item.
    right
        Number of preferences for the right item.
    p
        Exact two-sided binomial test of equal probabilities. It assumes random sides.
    """

    rater: str
    left: int
    right: int
    p: float

    @property
    def share(self) -> float:
        """Share of preferences for the left item."""
        return self.left / (self.left + self.right)


def count_repeats(judgments: Judgments) -> Records[RaterRepeats]:
    """Count the repeated comparisons of every rater, each against the previous answer in the file.

    A repeat has the same pair, question, segment and condition. A table of counts above 1 has no repeats, because it
    does not record which answers belong to the same question.

    Parameters
    ----------
    judgments
        Comparisons with raters.

    Returns
    -------
    Records of RaterRepeats
        One entry per rater with repeats.

    Examples
    --------
    >>> from steelyard import Comparison
    >>> twice = [Comparison("ann", "tea", "milk", "left"), Comparison("ann", "milk", "tea", "left")]
    >>> count_repeats(Judgments.of(twice))
    Records: 1 row
    rater  repeats  changed  reversed  swapped  swapped_changed
    ann          1        1         1        1                1
    """
    table = judgments.table("comparison")
    if has_several_per_row(table) or "rater" not in table.codes:
        return Records()
    pairs = pairs_of(judgments)
    pair, low = pair_key(pairs.left, pairs.right, len(judgments.items))
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
    return Records(RaterRepeats(name, *numbers) for name, numbers in _named(judgments.raters, counts))


def has_several_per_row(table: Table) -> bool:
    """Return whether rows represent several answers; weights up to 1 belong to single answers."""
    return bool(np.any(table.weights > 1.0))


def position_bias(judgments: Judgments) -> Records[SideCounts]:
    """Count the preferences of every rater for the left and right side. Fractional counts are rounded.

    Parameters
    ----------
    judgments
        Comparisons with raters.

    Returns
    -------
    Records of SideCounts
        One entry per rater, in the order of `judgments.raters`.
    """
    table = judgments.table("comparison")
    if "rater" not in table.codes or not len(table):
        return Records()
    pairs = pairs_of(judgments)
    both = shown_both_ways(pairs.left, pairs.right, len(judgments.items)) & (table.codes["rater"] >= 0)
    size = len(judgments.raters)
    sides = [
        np.bincount(table.codes["rater"][rows], pairs.weight[rows], minlength=size)
        for rows in (both & (pairs.outcome == side) for side in (LEFT, RIGHT))
    ]
    counts = np.rint(np.column_stack(sides)).astype(np.int64)
    total, most = counts.sum(axis=1).astype(float), counts.max(axis=1).astype(float)
    p = np.minimum(1.0, 2.0 * fair_tail(most, total))
    tested = dict(zip(judgments.raters, p.tolist(), strict=True))
    return Records(
        SideCounts(name, left, right, tested[name])
        for name, (left, right) in _named(judgments.raters, counts)
    )


def _by_rater(rater: Codes, marks: tuple[Mask, ...], size: int) -> Codes:
    """Return the number of rows with each mark by rater."""
    named = rater >= 0
    return np.column_stack([np.bincount(rater[named & mark], minlength=size) for mark in marks])


def _named(raters: Labels, counts: Codes) -> list[tuple[str, list[int]]]:
    """Return the identified raters with a positive count."""
    seen = counts.sum(axis=1) > 0
    return [
        (str(name), numbers)
        for name, numbers, any_ in zip(raters, counts.tolist(), seen, strict=True)
        if any_ and name != UNKNOWN_RATER
    ]
