"""Rankings as plain arrays, alike ones counted once, in an order that no file decides."""

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
    """Ranking r holds entries start[r] to start[r + 1]: item codes from the top down, with their stage.

    The first choice is stage 0; items of one stage are tied. `weight` says how often a ranking happened.
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
        """How many items each ranking holds."""
        return np.diff(self.start)

    @cached_property
    def ranking(self) -> Codes:
        """The ranking of each entry."""
        return np.repeat(np.arange(len(self)), self.size)

    @cached_property
    def opens(self) -> Mask:
        """Entries that are the first of their stage."""
        new = np.ones(len(self.item), dtype=bool)
        new[1:] = (self.stage[1:] != self.stage[:-1]) | (self.ranking[1:] != self.ranking[:-1])
        return new

    @cached_property
    def choices(self) -> tuple[Codes, Codes, Vector]:
        """For each choice how many items it was made from, how many were chosen, and how often it happened.

        The last item of a ranking, alone, is no choice.
        """
        first = np.flatnonzero(self.opens)
        ranking = self.ranking[first]
        left = self.start[ranking + 1] - first
        chosen = np.diff(np.r_[first, len(self.item)])
        real = left > 1
        return left[real], chosen[real], self.weight[ranking[real]]

    @cached_property
    def orders(self) -> Codes:
        """The sizes of ties that were seen, after 1, the size of no tie."""
        return np.unique(np.r_[1, self.choices[1]]).astype(np.int64)

    def count(self) -> Vector:
        """In how many rankings with others each item stands."""
        useful = np.where(self.size > 1, self.weight, 0.0)
        return sum_by(self.item, useful[self.ranking], self.items)

    def preferences(self) -> Preferences:
        """Edges from each entry to the next of its ranking, and back where tied; the rest follows by chains."""
        same = self.ranking[1:] == self.ranking[:-1]
        tied = same & ~self.opens[1:]
        above, below = self.item[:-1], self.item[1:]
        return Preferences(self.items, np.r_[above[same], below[tied]], np.r_[below[same], above[tied]])

    def with_ghost(self, pseudo: float) -> Rankings:
        """These rankings, and every item once above and once below a ghost, `pseudo` times each.

        The ghost is one more item, the last. Turner et al. (2020), "Modelling rankings in R: the PlackettLuce
        package", section 3.2. Where whoever could have made a tie of some size made it, copies of the ghost are
        also ranked without ties, `pseudo` times: else that tie parameter would be infinite.
        """
        every, ghost = np.arange(self.items), np.full(self.items, self.items)
        above, below = np.column_stack([every, ghost]), np.column_stack([ghost, every])
        extended = self._and(np.vstack([above, below]), pseudo)
        largest = extended.largest_boundless()
        return extended if largest < 2 else extended._and(np.full((1, largest), self.items), pseudo)

    def _and(self, ordered: Codes, weight: float) -> Rankings:
        """These rankings and more, a line each, without ties."""
        more, wide = ordered.shape
        return Rankings(
            max(self.items, int(ordered.max()) + 1),
            np.r_[self.start, self.start[-1] + wide * np.arange(1, more + 1)],
            np.r_[self.item, ordered.ravel()],
            np.r_[self.stage, np.tile(np.arange(wide), more)],
            np.r_[self.weight, np.full(more, weight)],
        )

    def largest_boundless(self) -> int:
        """The largest size of tie whose parameter nothing bounds, 0 where all are bounded.

        A choice of t items from n bounds the parameters of all sizes up to n by that of t; that of 1 is fixed.
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
        """The rankings in which two items are tied."""
        return sum_by(self.ranking, (~self.opens).astype(float), len(self)) > 0

    def without_ties(self) -> Rankings:
        """The rankings in which no two items are tied."""
        plain = np.flatnonzero(~self.tied)
        return self.chosen(plain, self.weight[plain])

    def chosen(self, rankings: Codes, weight: Vector) -> Rankings:
        """Some of the rankings, in order, with other weights."""
        inside = np.zeros(len(self), dtype=bool)
        inside[rankings] = True
        kept = inside[self.ranking]
        start = np.r_[0, np.cumsum(self.size[inside])]
        return Rankings(self.items, start, self.item[kept], self.stage[kept], weight)


def rankings_of(judgments: Judgments, places: Codes) -> Rankings:
    """Rankings and comparisons (rankings of two) of the table, items recoded by `places`.

    Alike rankings are counted once. Nothing depends on the order of the rows.
    """
    return answered_rankings(judgments, places)[0]


@dataclass(frozen=True, eq=False)
class RankingAnswers:
    """Which of the different rankings each answer is (MISSING for one that never happened), and who gave it on what."""

    ranking: Codes
    weight: Vector
    rater: Codes
    segment: Codes


def answered_rankings(judgments: Judgments, places: Codes) -> tuple[Rankings, RankingAnswers]:
    """The rankings as `rankings_of` has them, and the answers that they were counted from."""
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


# Items and ranks, a line per ranking of one size; weight, rater and segment of each.
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
    """Each different ranking once, from the top down, with the sum of its weights; which one each answer is."""

    item: Codes
    stage: Codes
    weight: Vector
    at: Codes


def _alike(items: Codes, ranks: Vector, weight: Vector) -> _Alike:
    """Rankings of weight 0 are gone."""
    happened = np.flatnonzero(weight > 0.0)
    place = np.full(len(weight), MISSING)
    items, ranks, weight = items[happened], ranks[happened], weight[happened]
    order = np.lexsort((items, ranks), axis=1)
    items, ranks = np.take_along_axis(items, order, axis=1), np.take_along_axis(ranks, order, axis=1)
    stage = np.zeros_like(items)
    stage[:, 1:] = np.cumsum(ranks[:, 1:] != ranks[:, :-1], axis=1)
    by_weight = np.argsort(
        weight, kind="stable"
    )  # sums do not depend on the order of the file, to the last digit
    items, stage = items[by_weight], stage[by_weight]
    first, at = _different(np.hstack([items, stage]))
    place[happened[by_weight]] = at
    return _Alike(items[first], stage[first], sum_by(at, weight[by_weight], len(first)), place)


def _different(rows: Codes) -> tuple[Codes, Codes]:
    """A line of each kind, in sorted order, and the kind of each line; by one number per line where that is enough."""
    highest = rows.max(axis=0, initial=0)
    if np.prod(highest + 1.0) < WIDEST_KEY:
        key = np.zeros(len(rows), dtype=np.int64)
        for column, width in zip(rows.T, highest + 1, strict=True):
            key = key * width + column
        _, first, at = np.unique(key, return_index=True, return_inverse=True)
    else:
        _, first, at = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return first, np.asarray(at, dtype=np.int64).ravel()
