"""Sequences: one shuffle of all items, cut into disjoint sequences that each rater takes whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from steelyard.scales.belief import Belief
from steelyard.selection.pool import Choice, Pool


@dataclass(frozen=True, slots=True)
class Sequences:
    """Sequences of about `length` items (0: all of them in one), each cut into tasks of `size` items.

    Items of one segment stay together. Everything that may be asked is planned at once, whatever number of
    tasks is asked for. With `probe_every` = k, the k-th, 2k-th, ... task of a sequence repeats its first item.
    """

    name: ClassVar[str] = "sequences"
    learns: ClassVar[bool] = False
    size: int = 1
    length: int = 0
    probe_every: int = 0

    def round_size(self, pool: Pool) -> int:
        """All tasks of all sequences."""
        return len(pool)

    def choose(self, pool: Pool, belief: Belief | None, tasks: int, rng: np.random.Generator) -> list[Choice]:
        """Every task of every sequence; the planner asks once."""
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
        """The same choices with repeats of each sequence's first item between them."""
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
        """All items in shuffled order, cut into tasks that stay inside a segment and a sequence."""
        size = min(self.size, length)
        order = rng.permutation(len(pool))
        order = order[(pool.allowed & np.greater(pool.wanted, 0))[order]]
        groups = dict.fromkeys(pool.segment[order].tolist())
        tasks = []
        for segment in groups:
            members = order[pool.segment[order] == segment]
            for start in range(0, len(members), length):
                part = members[start : start + length]
                cuts = range(0, len(part), size)
                tasks += [tuple(int(item) for item in part[cut : cut + size]) for cut in cuts]
        return tasks
