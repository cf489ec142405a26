"""All pairs: one reference item at a time against the others of its group, until every pair is judged.

The interface is that of Goldilocks (Chen, Weld & Zhang 2021). It needs fewer pages than pairs, because a page with one
reference and n other items gives n comparisons.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

import numpy as np

from steelyard.maths.arrays import Codes, Mask, Matrix
from steelyard.scales.belief import Belief
from steelyard.selection.overlap import overlapping_groups
from steelyard.selection.pairing import Pair
from steelyard.selection.pool import Choice, Pool, Traits


@dataclass(frozen=True, slots=True)
class AllPairs:
    """A reference item, first in the task, and all others of its group that this rater has not seen with it.

    The judgments of an item are divided among its pairs. In a group of g items, each pair is judged wanted / (g - 1)
    times. Every pair is judged once before any pair is judged again. Groups in progress come before new groups. A task
    leaves one of the others out if a later task would have a single pair otherwise.
    """

    name: ClassVar[str] = "all_pairs"
    traits: ClassVar[Traits] = Traits(
        asks_every_pair=True, method="Every pair of items of a group was compared equally often."
    )

    def round_size(self, pool: Pool) -> int:
        """Return the number of tasks that show every pair once; a group of g items takes g - 1 tasks."""
        return sum(max(len(group) - 1, 0) for group in _groups(pool))

    def choose(self, pool: Pool, belief: Belief | None, tasks: int, rng: np.random.Generator) -> list[Choice]:
        """Choose tasks in turn; each one counts the tasks before it as judged."""
        choices: list[Choice] = []
        counts = _GroupCounts.of(pool)
        for group in counts.order(rng):
            for choice in counts.tasks(group, rng):
                if len(choices) == tasks:
                    return choices
                choices.append(choice)
        return choices


def groups_of(segment: Codes, group_size: int, seed: int) -> tuple[Codes, ...]:
    """Return the items of each group: a segment, or random groups of about equal size if items have no segments.

    Random groups overlap, so that comparisons link all of them.

    Parameters
    ----------
    segment
        Segment of each item, as a code.
    group_size
        Largest number of items in a random group.
    seed
        Seed of the random groups. The groups depend only on the number of items, the size and the seed.

    Returns
    -------
    tuple of Codes
        Indices of the items of each group.

    Examples
    --------
    >>> [len(group) for group in groups_of(np.zeros(25, dtype=np.int64), 10, seed=1)]
    [9, 9, 9]
    """
    if len(segment) and (segment != segment[0]).any():
        return _by_segment(segment)
    order = np.random.default_rng(seed).permutation(len(segment))
    return tuple(overlapping_groups(order, group_size))


def others_in(groups: Sequence[Codes], items: int) -> Codes:
    """Return the number of items that each item is to be compared with."""
    others = np.zeros(items, dtype=np.int64)
    for group in groups:
        others[group] += len(group) - 1
    return others


def _by_segment(segment: Codes) -> tuple[Codes, ...]:
    order = np.argsort(segment, kind="stable")
    return tuple(np.split(order, np.flatnonzero(np.diff(segment[order])) + 1))


def _groups(pool: Pool) -> tuple[Codes, ...]:
    return pool.groups if pool.groups else _by_segment(pool.segment)


@dataclass(frozen=True, eq=False)
class _GroupCounts:
    """Number of judgments, given and pending, of each pair of a group, and the pairs that this rater has seen."""

    pool: Pool
    groups: tuple[Codes, ...]
    others: Codes  # number of items that each item is compared with
    judged: dict[int, list[tuple[Pair, int]]]
    met: dict[int, list[Pair]]

    @staticmethod
    def of(pool: Pool) -> _GroupCounts:
        groups = _groups(pool)
        judged, met = defaultdict(list), defaultdict(list)
        within: dict[int, set[int]] = defaultdict(set)
        for number, group in enumerate(groups):
            for item in group.tolist():
                within[item].add(number)
        for pair, count in pool.paired.items():
            for number in within[pair[0]] & within[pair[1]]:
                judged[number].append((pair, count))
        for pair in pool.met:
            for number in within[pair[0]] & within[pair[1]]:
                met[number].append(pair)
        return _GroupCounts(pool, groups, others_in(groups, len(pool)), judged, met)

    def order(self, rng: np.random.Generator) -> list[int]:
        """Return groups by the number of complete passes, groups in progress first, otherwise at random."""
        sizes = [len(group) for group in self.groups]
        level, begun = np.zeros(len(sizes), dtype=np.int64), np.zeros(len(sizes), dtype=bool)
        for group, pair_counts in self.judged.items():
            counts = [count for _, count in pair_counts]
            whole = len(pair_counts) == sizes[group] * (sizes[group] - 1) // 2
            level[group] = min(counts) if whole else 0
            begun[group] = max(counts) > level[group]
        return [int(each) for each in np.lexsort((rng.random(len(sizes)), ~begun, level))]

    def tasks(self, group: int, rng: np.random.Generator) -> Iterator[Choice]:
        """Yield tasks of one group until every pair is complete or was seen by the rater."""
        members, wanted = self._members(group)
        counts = self._judged_among(members, group, wanted)
        while np.isfinite(counts).any():
            fewest = counts == counts.min()
            lacking = fewest.sum(axis=1)
            reference = int(np.argmax(lacking + rng.random(len(members))))
            others = _others_to_show(fewest, reference)
            counts[reference, others] = counts[others, reference] = counts.min() + 1
            counts[counts >= wanted] = np.inf
            shown = [reference, *rng.permutation(others)]
            yield Choice(tuple(int(item) for item in members[shown]))

    def _members(self, group: int) -> tuple[Codes, int]:
        """Return the items of the group that may be shown, and the number of judgments per pair."""
        members = self.groups[group]
        wanted = np.broadcast_to(self.pool.wanted, len(self.pool))[members]
        times = -(-wanted // np.maximum(self.others[members], 1))
        return members[self.pool.allowed[members]], int(times.max(initial=0))

    def _judged_among(self, members: Codes, group: int, wanted: int) -> Matrix:
        """Return the number of judgments of each pair; infinity for pairs that must not be shown."""
        place = {int(item): at for at, item in enumerate(members)}
        counts = np.zeros((len(members), len(members)))
        np.fill_diagonal(counts, np.inf)
        met = ((pair, np.inf) for pair in self.met.get(group, []))
        for (a, b), count in chain(self.judged.get(group, []), met):
            if a in place and b in place:
                counts[place[a], place[b]] = counts[place[b], place[a]] = count
        return np.where(counts < wanted, counts, np.inf)


def _others_to_show(lacking: Mask, reference: int) -> Codes:
    """Return the items to compare with the reference: all that lack this pair, or all but one.

    One is left out if a page with a single pair would remain at the end, and leaving it out prevents that.

    Parameters
    ----------
    lacking
        Whether each pair is to be judged, as a symmetric matrix.
    reference
        Index of the reference item.

    Returns
    -------
    Codes
        Indices of the other items.
    """
    others: Codes = np.flatnonzero(lacking[reference])
    shorter = (others[others != each] for each in others) if len(others) > 2 else ()
    for shown in (others, *shorter):
        rest = lacking.copy()
        rest[reference, shown] = rest[shown, reference] = False
        if not any(_ends_in_one_pair(rest, part) for part in _linked_parts(rest)):
            return np.asarray(shown)
    return others


def _ends_in_one_pair(lacking: Mask, part: Codes) -> bool:
    """Whether linked items cannot be divided into pages of two pairs or more: a pair, or an odd path or circle."""
    degrees = lacking[np.ix_(part, part)].sum(axis=1)
    return bool(degrees.sum() // 2 % 2 and degrees.max() <= 2)


def _linked_parts(lacking: Mask) -> Iterator[Codes]:
    """Yield the sets of items that the pairs link with each other, without single items."""
    left: Mask = np.any(lacking, axis=1)
    while left.any():
        part: Mask = np.zeros(len(left), dtype=np.bool_)
        part[int(np.argmax(left))] = True
        while (grown := part | lacking[part].any(axis=0)).sum() > part.sum():
            part = grown
        yield np.flatnonzero(part)
        left &= ~part
