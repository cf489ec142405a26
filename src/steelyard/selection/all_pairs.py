"""All pairs: one reference item at a time against the others of its group, until every pair is judged.

The interface is Goldilocks' (Chen et al. 2021): fewer pages than pairs, since a page of one reference and n
others gives n comparisons.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

import numpy as np

from steelyard.maths.arrays import Codes, Matrix
from steelyard.scales.belief import Belief
from steelyard.selection.company import Pair
from steelyard.selection.pool import Choice, Pool


@dataclass(frozen=True, slots=True)
class AllPairs:
    """A reference, first in the task, and all others of its group that this rater has not met with it.

    The groups are the pool's segments. What an item wants is shared out among its pairs: in a group of g items each
    pair comes wanted / (g - 1) times, all of them once before any comes again. Groups under way come before
    fresh ones.
    """

    name: ClassVar[str] = "all_pairs"
    learns: ClassVar[bool] = False

    def round_size(self, pool: Pool) -> int:
        """Tasks that show every pair once: a group of g items takes g - 1."""
        return int(np.maximum(np.bincount(pool.segment) - 1, 0).sum())

    def choose(self, pool: Pool, belief: Belief | None, tasks: int, rng: np.random.Generator) -> list[Choice]:
        """Tasks one after the other, each counting those before it as judged."""
        choices: list[Choice] = []
        counts = _Counts.of(pool)
        for group in counts.order(rng):
            for choice in counts.tasks(group, rng):
                if len(choices) == tasks:
                    return choices
                choices.append(choice)
        return choices


def groups_of(segment: Codes, group_size: int, seed: int) -> Codes:
    """Group of each item: its segment; items without segments are cut at random into groups of about one size.

    The cut depends on nothing but the number of items, the size and the seed.

    >>> sorted(np.bincount(groups_of(np.zeros(25, dtype=np.int64), 10, seed=1)).tolist())
    [8, 8, 9]
    """
    if len(segment) and (segment != segment[0]).any():
        return segment
    groups = -(-len(segment) // group_size)
    dealt = np.arange(len(segment)) % max(groups, 1)
    return np.random.default_rng(seed).permutation(dealt)


@dataclass(frozen=True, eq=False)
class _Counts:
    """How often each pair of a group was judged or is to be, and which pairs this rater has met."""

    pool: Pool
    sizes: Codes  # of the groups
    judged: dict[int, list[tuple[Pair, int]]]
    met: dict[int, list[Pair]]

    @staticmethod
    def of(pool: Pool) -> _Counts:
        judged, met = defaultdict(list), defaultdict(list)
        for pair, count in pool.paired.items():
            judged[int(pool.segment[pair[0]])].append((pair, count))
        for pair in pool.met:
            met[int(pool.segment[pair[0]])].append(pair)
        return _Counts(pool, np.bincount(pool.segment), judged, met)

    def order(self, rng: np.random.Generator) -> list[int]:
        """Groups by how often all their pairs were judged, those under way first, else at random."""
        sizes = self.sizes
        level, begun = np.zeros(len(sizes), dtype=np.int64), np.zeros(len(sizes), dtype=bool)
        for group, known in self.judged.items():
            counts = [count for _, count in known]
            whole = len(known) == sizes[group] * (sizes[group] - 1) // 2
            level[group] = min(counts) if whole else 0
            begun[group] = max(counts) > level[group]
        return [int(each) for each in np.lexsort((rng.random(len(sizes)), ~begun, level))]

    def tasks(self, group: int, rng: np.random.Generator) -> Iterator[Choice]:
        """Tasks of one group, until every pair has all its judgments or was met by the rater."""
        members, wanted = self._members(group)
        counts = self._judged_among(members, group, wanted)
        while np.isfinite(counts).any():
            fewest = counts == counts.min()
            lacking = fewest.sum(axis=1)
            reference = int(np.argmax(lacking + rng.random(len(members))))
            others = np.flatnonzero(fewest[reference])
            counts[reference, others] = counts[others, reference] = counts.min() + 1
            counts[counts >= wanted] = np.inf
            shown = [reference, *rng.permutation(others)]
            yield Choice(tuple(int(item) for item in members[shown]))

    def _members(self, group: int) -> tuple[Codes, int]:
        """Items of the group that may be shown, and how often each two are to be judged."""
        members = np.flatnonzero(self.pool.segment == group)
        wanted = int(np.broadcast_to(self.pool.wanted, len(self.pool))[members].max(initial=0))
        return members[self.pool.allowed[members]], -(-wanted // max(int(self.sizes[group]) - 1, 1))

    def _judged_among(self, members: Codes, group: int, wanted: int) -> Matrix:
        """How often each two were judged; infinity for those that are not to be asked."""
        place = {int(item): at for at, item in enumerate(members)}
        counts = np.zeros((len(members), len(members)))
        np.fill_diagonal(counts, np.inf)
        met = ((pair, np.inf) for pair in self.met.get(group, []))
        for (a, b), count in chain(self.judged.get(group, []), met):
            if a in place and b in place:
                counts[place[a], place[b]] = counts[place[b], place[a]] = count
        return np.where(counts < wanted, counts, np.inf)
