"""Rankings as arrays: each distinct ranking once with its weight, in an order independent of the file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steelyard.judgments.comparison_arrays import pairs_of
from steelyard.judgments.keys import WIDEST_KEY
from steelyard.judgments.table import MISSING, Judgments
from steelyard.judgments.tasks import answers_of, by_size
from steelyard.maths.arrays import Codes, Mask, Vector, sum_by
from steelyard.models.clusters import rater_codes, segment_codes
from steelyard.models.linking import Preferences


@dataclass(frozen=True, eq=False)
class Rankings:
    """Distinct rankings with their weights.

    Ranking r consists of the entries start[r] to start[r + 1]: item codes from the best down, with their stage. The
    first choice is stage 0. Items of one stage are tied. `weight` is the number of times a ranking was given.
    """

    items: int
    start: Codes
    item: Codes
    stage: Codes
    weight: Vector

    def __len__(self) -> int:
        return len(self.weight)

    @cached_property
    def size(self) -> Codes:
        """Number of items of each ranking."""
        return np.diff(self.start)

    @cached_property
    def ranking(self) -> Codes:
        """Ranking of each entry."""
        return np.repeat(np.arange(len(self)), self.size)

    @cached_property
    def opens(self) -> Mask:
        """Entries that are the first of their stage."""
        new = np.ones(len(self.item), dtype=bool)
        new[1:] = (self.stage[1:] != self.stage[:-1]) | (self.ranking[1:] != self.ranking[:-1])
        return new

    @cached_property
    def choices(self) -> tuple[Codes, Codes, Vector]:
        """Number of remaining items, number of chosen items, and weight of each choice.

        A single remaining item is not a choice.
        """
        first = np.flatnonzero(self.opens)
        ranking = self.ranking[first]
        left = self.start[ranking + 1] - first
        chosen = np.diff(np.r_[first, len(self.item)])
        real = left > 1
        return left[real], chosen[real], self.weight[ranking[real]]

    @cached_property
    def orders(self) -> Codes:
        """Sizes of ties that occur, preceded by 1 for no tie."""
        return np.unique(np.r_[1, self.choices[1]]).astype(np.int64)

    def count(self) -> Vector:
        """Return the number of rankings of two or more items that contain each item."""
        useful = np.where(self.size > 1, self.weight, 0.0)
        return sum_by(self.item, useful[self.ranking], self.items)

    def preferences(self) -> Preferences:
        """Return the graph with edges from each entry to the next one of its ranking, and back if they are tied."""
        same = self.ranking[1:] == self.ranking[:-1]
        tied = same & ~self.opens[1:]
        above, below = self.item[:-1], self.item[1:]
        return Preferences(self.items, np.r_[above[same], below[tied]], np.r_[below[same], above[tied]])

    def with_ghost(self, pseudo: float) -> Rankings:
        """Return these rankings with pseudo-rankings: every item above and below a ghost item, `pseudo` times each.

        The ghost is a hypothetical item, added as the last one (Turner et al. 2020, section 3.2). If a tie parameter
        would be infinite, copies of the ghost are also ranked without ties, `pseudo` times.
        """
        every, ghost = np.arange(self.items), np.full(self.items, self.items)
        above, below = np.column_stack([every, ghost]), np.column_stack([ghost, every])
        extended = self._and(np.vstack([above, below]), pseudo)
        largest = extended.largest_boundless()
        return extended if largest < 2 else extended._and(np.full((1, largest), self.items), pseudo)

    def _and(self, ordered: Codes, weight: float) -> Rankings:
        """Return these rankings and further ones without ties, one per row of `ordered`."""
        more, wide = ordered.shape
        return Rankings(
            max(self.items, int(ordered.max()) + 1),
            np.r_[self.start, self.start[-1] + wide * np.arange(1, more + 1)],
            np.r_[self.item, ordered.ravel()],
            np.r_[self.stage, np.tile(np.arange(wide), more)],
            np.r_[self.weight, np.full(more, weight)],
        )

    def largest_boundless(self) -> int:
        """Return the largest size of tie whose parameter is unbounded; 0 if all are bounded.

        A choice of t items from n bounds the parameters of all sizes up to n by that of t. The parameter of 1 is fixed.
        """
        left, chosen, _ = self.choices
        bounded = 1
        while True:
            reach = int(left[chosen <= bounded].max(initial=1))
            if reach <= bounded:
                return int(self.orders[-1]) if self.orders[-1] > bounded else 0
            bounded = reach

    @property
    def tied(self) -> Mask:
        """Mask of the rankings with ties."""
        return sum_by(self.ranking, (~self.opens).astype(float), len(self)) > 0

    def without_ties(self) -> Rankings:
        """Return the rankings without ties."""
        plain = np.flatnonzero(~self.tied)
        return self.chosen(plain, self.weight[plain])

    def chosen(self, rankings: Codes, weight: Vector) -> Rankings:
        """Return some of the rankings, in order, with other weights."""
        inside = np.zeros(len(self), dtype=bool)
        inside[rankings] = True
        kept = inside[self.ranking]
        start = np.r_[0, np.cumsum(self.size[inside])]
        return Rankings(self.items, start, self.item[kept], self.stage[kept], weight)


def rankings_of(judgments: Judgments, places: Codes) -> Rankings:
    """Return rankings and comparisons as distinct rankings, with items recoded by `places`.

    The result does not depend on the order of the rows.
    """
    return answered_rankings(judgments, places)[0]


@dataclass(frozen=True, eq=False)
class RankingAnswers:
    """Distinct ranking of each answer (MISSING for weight 0), with its weight, rater and segment."""

    ranking: Codes
    weight: Vector
    rater: Codes
    segment: Codes


def answered_rankings(judgments: Judgments, places: Codes) -> tuple[Rankings, RankingAnswers]:
    """Return the distinct rankings as `rankings_of` does, and the answers that they were counted from."""
    blocks = [*_ranked(judgments, places), *_compared(judgments, places)]
    parts = [_alike(*block[:3]) for block in blocks]
    sizes = [np.full(len(part.item), part.item.shape[1]) for part in parts]
    begin = np.cumsum([0, *(len(part.item) for part in parts)])
    at = [np.where(part.at == MISSING, MISSING, part.at + n) for part, n in zip(parts, begin, strict=False)]
    answers = RankingAnswers(
        _joined(at),
        np.concatenate([np.empty(0), *(block[2] for block in blocks)]),
        _joined([block[3] for block in blocks]),
        _joined([block[4] for block in blocks]),
    )
    rankings = Rankings(
        len(places),
        np.r_[0, np.cumsum(_joined(sizes))].astype(np.int64),
        _joined([part.item.ravel() for part in parts]).astype(np.int64),
        _joined([part.stage.ravel() for part in parts]).astype(np.int64),
        np.concatenate([np.empty(0), *(part.weight for part in parts)]),
    )
    return rankings, answers


def _joined(parts: list[Codes]) -> Codes:
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)


# Items and ranks, one row per ranking of one size; then weight, rater and segment of each ranking.
RankedBlock = tuple[Codes, Vector, Vector, Codes, Codes]


def _ranked(judgments: Judgments, places: Codes) -> Iterable[RankedBlock]:
    table = judgments.table("ranking")
    if not len(table):
        return
    weights, rater, segment = table.weights, rater_codes(judgments, table), segment_codes(table)
    for rows in by_size(answers_of(judgments, "ranking")):
        first = rows[:, 0]
        items, ranks = places[table.codes["item"][rows]], table.numbers["rank"][rows]
        yield items, ranks, weights[rows].min(axis=1), rater[first], segment[first]


def _compared(judgments: Judgments, places: Codes) -> Iterable[RankedBlock]:
    pairs, table = pairs_of(judgments), judgments.table("comparison")
    if len(pairs):
        items = places[np.column_stack([pairs.left, pairs.right])]
        ranks = np.column_stack([-pairs.outcome, pairs.outcome]).astype(float)
        yield items, ranks, pairs.weight, rater_codes(judgments, table), segment_codes(table)


@dataclass(frozen=True, eq=False)
class _Alike:
    """Distinct rankings from the best item down, with summed weights, and the distinct ranking of each answer."""

    item: Codes
    stage: Codes
    weight: Vector
    at: Codes


def _alike(items: Codes, ranks: Vector, weight: Vector) -> _Alike:
    """Return the distinct rankings with a positive weight."""
    counted = np.flatnonzero(weight > 0.0)
    place = np.full(len(weight), MISSING)
    items, ranks, weight = items[counted], ranks[counted], weight[counted]
    order = np.lexsort((items, ranks), axis=1)
    items, ranks = np.take_along_axis(items, order, axis=1), np.take_along_axis(ranks, order, axis=1)
    stage = np.zeros_like(items)
    stage[:, 1:] = np.cumsum(ranks[:, 1:] != ranks[:, :-1], axis=1)
    by_weight = np.argsort(weight, kind="stable")  # makes sums exactly independent of the order of the file
    items, stage = items[by_weight], stage[by_weight]
    first, at = _different(np.hstack([items, stage]))
    place[counted[by_weight]] = at
    return _Alike(items[first], stage[first], sum_by(at, weight[by_weight], len(first)), place)


def _different(rows: Codes) -> tuple[Codes, Codes]:
    """Return the first row of each distinct row in sorted order, and the distinct row of each row.

    Rows are encoded as one integer each if they fit.
    """
    highest = rows.max(axis=0, initial=0)
    if np.prod(highest + 1.0) < WIDEST_KEY:
        key = np.zeros(len(rows), dtype=np.int64)
        for column, width in zip(rows.T, highest + 1, strict=True):
            key = key * width + column
        _, first, at = np.unique(key, return_index=True, return_inverse=True)
    else:
        _, first, at = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return first, np.asarray(at, dtype=np.int64).ravel()
