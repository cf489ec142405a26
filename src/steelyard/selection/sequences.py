"""Sequences: all items in random order, divided into disjoint sequences that each belong to one rater."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from steelyard.maths.arrays import Codes
from steelyard.scales.belief import Belief
from steelyard.selection.overlap import cuts_of, overlapping_groups
from steelyard.selection.pairing import joined, pairs_among
from steelyard.selection.pool import Choice, Pool, Traits


@dataclass(frozen=True, slots=True)
class Sequences:
    """Sequences of about `length` items, each divided into tasks of `size` items.

    Items of one segment stay together. Everything is planned at once, for any requested number of tasks.

    Parameters
    ----------
    size
        Number of items in a task. Default 1.
    length
        Number of items in a sequence. 0 (default) puts all items into one sequence.
    probe_every
        With k > 0, the k-th, 2k-th, ... task of a sequence repeats its first item. Default 0, no probes.
    least
        Smallest number of items in a task. Default 1.
    linking
        Whether tasks of one segment share items, so that comparisons within tasks link all items. Systems share items
        only if separate tasks would not link all systems. Default False.
    """

    name: ClassVar[str] = "sequences"
    traits: ClassVar[Traits] = Traits(
        plans_sequences=True,
        method="Items were divided into sequences in random order, and each rater answered one sequence.",
        takes_probes=True,
        stops_raters_early=False,  # a sequence belongs to one rater from start to end
    )
    size: int = 1
    length: int = 0
    probe_every: int = 0
    least: int = 1
    linking: bool = False

    def round_size(self, pool: Pool) -> int:
        """Return the number of items, an upper bound of the number of tasks."""
        return len(pool)

    def choose(self, pool: Pool, belief: Belief | None, tasks: int, rng: np.random.Generator) -> list[Choice]:
        """Return every task of every sequence; the planner calls this once."""
        length = self.length if self.length > 0 else max(len(pool), 1)
        choices: list[Choice] = []
        sequence, filled = 0, 0
        for items in self._tasks(pool, length, rng):
            if filled and filled + len(items) > length:
                sequence, filled = sequence + 1, 0
            choices.append(Choice(items, sequence))
            filled += len(items)
        return self._with_probes(choices) if self.probe_every and choices else choices

    def _with_probes(self, choices: list[Choice]) -> list[Choice]:
        """Return the same choices with repeats of each sequence's first item."""
        probed: list[Choice] = []
        first, done = choices[0], 0
        for choice in choices:
            if choice.sequence != first.sequence:
                first, done = choice, 0
            probed.append(choice)
            done += 1
            if (done + 1) % self.probe_every == 0:
                probed.append(Choice(first.items[:1], choice.sequence, probe=True))
                done += 1
        return probed

    def _tasks(self, pool: Pool, length: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
        """Return all items in random order, divided into tasks inside a segment and a sequence."""
        order = rng.permutation(len(pool))
        order = order[(pool.allowed & np.greater(pool.wanted, 0))[order]]
        segments = [
            order[pool.segment[order] == code] for code in dict.fromkeys(pool.segment[order].tolist())
        ]
        segments = [members for members in segments if len(members) >= self.least]
        if not self.linking or self.size == 1:
            size = max(min(self.size, length), self.least)
            return [task for members in segments for task in _cut(members, size, length)]
        size = max(min(self.size, length), self.least)
        if pool.by_system:
            tasks, linked = _cut_by_system(segments, pool.system, size, self.least)
            if linked:
                return tasks
        groups = [overlapping_groups(members, size, self.least) for members in segments]
        return [tuple(group.tolist()) for some in groups for group in some]


def _cut(members: Codes, size: int, length: int) -> list[tuple[int, ...]]:
    """Return disjoint tasks of one segment; a sequence ends with a complete task."""
    parts = [members[start : start + length].tolist() for start in range(0, len(members), length)]
    return [tuple(part[cut : cut + size]) for part in parts for cut in range(0, len(part), size)]


def _cut_by_system(
    segments: Sequence[Codes], system: Codes, size: int, least: int
) -> tuple[list[tuple[int, ...]], bool]:
    """Return disjoint tasks of each segment, unlinked systems first, and whether they link all systems."""
    part = np.arange(int(system.max(initial=-1)) + 1)
    tasks: list[tuple[int, ...]] = []
    for members in segments:
        left = members
        for places in np.array_split(members, cuts_of(len(members), size, least)):
            near = part[system[left]] == part[system[left[0]]]
            left = np.append(left[:1], left[1:][np.argsort(near[1:], kind="stable")])
            task, left = left[: len(places)], left[len(places) :]
            tasks.append(tuple(task.tolist()))
            part = joined(part, np.array(pairs_among(system[task].tolist())))
    shown = system[np.concatenate(segments)] if segments else part[:0]
    return tasks, len(np.unique(part[shown])) <= 1
