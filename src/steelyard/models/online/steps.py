"""Comparisons as steps for models that process one comparison at a time.

A count of n is n consecutive steps. A fractional count scales the step, so a third of a comparison moves its items a
third as far. With several passes, each row has weight 1/passes in each pass. Its total weight stays the same, and the
order of the rows matters less.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from steelyard.errors import BadSetting
from steelyard.judgments.comparison_arrays import LEFT, RIGHT, TIE, pairs_of
from steelyard.judgments.counts import PairCounts
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes, Labels, Mask, Vector, sum_by
from steelyard.models.model import places_of


class Steps(NamedTuple):
    """One entry per comparison: indices of its items in the belief, outcome (LEFT, TIE or RIGHT) and weight."""

    left: Codes
    right: Codes
    outcome: Codes
    weight: Vector

    def at(self, rows: Codes | Mask) -> Steps:
        """Return the steps of these rows."""
        return Steps(self.left[rows], self.right[rows], self.outcome[rows], self.weight[rows])


@dataclass(frozen=True, slots=True)
class Course:
    """Number of passes through the comparisons, and their order."""

    passes: int
    shuffle: bool
    seed: int

    def __post_init__(self) -> None:
        if self.passes < 1:
            raise BadSetting("passes", f"{self.passes} is not a whole number from 1 up.")

    def through(self, steps: Steps) -> Iterator[Steps]:
        """Yield the steps of each pass, in the order of the rows or shuffled."""
        shared = steps._replace(weight=steps.weight / self.passes)
        rng = np.random.default_rng(self.seed)
        for _ in range(self.passes):
            yield _reordered(shared, rng.permutation(len(shared.left))) if self.shuffle else shared


def _reordered(steps: Steps, order: Codes) -> Steps:
    left, right, outcome, weight = steps
    return Steps(left[order], right[order], outcome[order], weight[order])


def steps_of(judgments: Judgments, items: Labels) -> Steps:
    """Return the comparisons as steps on a belief about `items`, in the order of the rows."""
    pairs, at = pairs_of(judgments), places_of(judgments.items, items)
    return Steps(at[pairs.left], at[pairs.right], pairs.outcome, pairs.weight.astype(np.float64))


def steps_of_counts(counts: PairCounts) -> Steps:
    """Return counts as steps: all rows with the first item preferred, then their ties, then the second preferred."""
    rows = len(counts)
    left, right = (np.tile(side.astype(np.int64), 3) for side in (counts.left, counts.right))
    return Steps(left, right, np.repeat([LEFT, TIE, RIGHT], rows), counts.counts.ravel())


def times_judged(steps: Steps, count: Vector) -> Vector:
    """Return the counts of items including the steps, such that adding in parts is exact."""
    left, right, _, weight = steps
    size = len(count)
    if all(np.all(some == np.floor(some)) for some in (count, weight)):
        return count + sum_by(left, weight, size) + sum_by(right, weight, size)
    # Sums of fractions are reproducible to the last digit only if they are added in order.
    places = np.concatenate([np.arange(size), np.stack([left, right], axis=1).ravel()])
    return sum_by(places, np.concatenate([count, np.repeat(weight, 2)]), size)


def sorted_items(judgments: Judgments) -> tuple[Labels, Codes]:
    """Return item ids in sorted order, and the index in it of each item of the judgments."""
    vocabulary, places = judgments.vocabularies["item"].in_order()
    return vocabulary.labels, places


def parts_of(steps: Steps) -> Iterator[tuple[int, int, int, float]]:
    """Yield each step as (left, right, outcome, share). A count of 2.5 yields shares of 1, 1 and 0.5."""
    for i, j, outcome, weight in zip(*(column.tolist() for column in steps), strict=True):
        left = weight
        while left > 0.0:
            share = min(left, 1.0)
            left -= share
            yield i, j, outcome, share
