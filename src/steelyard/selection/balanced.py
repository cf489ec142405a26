"""Balanced choice: always the items with the fewest answers, at random among equals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from steelyard.maths.arrays import Codes
from steelyard.scales.belief import Belief
from steelyard.selection.pool import Choice, Pool, distinct_systems, least, shuffled


@dataclass(frozen=True, slots=True)
class Balanced:
    """Lists of `size` items with the fewest answers had and to come; no item past what the study wants.

    At system level this samples outputs without replacement, the least judged systems first.
    """

    name: ClassVar[str] = "balanced"
    learns: ClassVar[bool] = False
    size: int = 1

    def round_size(self, pool: Pool) -> int:
        """Enough tasks to show every item once."""
        return -(-len(pool) // self.size)

    def choose(self, pool: Pool, belief: Belief | None, tasks: int, rng: np.random.Generator) -> list[Choice]:
        """Tasks one after the other, each counting those before it as answers to come."""
        expected = pool.expected.copy()
        choices: list[Choice] = []
        while len(choices) < tasks:
            items = self._next(pool, expected, rng)
            if not len(items):
                break
            expected[items] += 1
            choices.append(Choice(shuffled(items, rng)))
        return choices

    def _next(self, pool: Pool, expected: Codes, rng: np.random.Generator) -> Codes:
        open_items = np.flatnonzero(pool.allowed & (expected < pool.wanted))
        if not len(open_items):
            return open_items
        keys = _keys(pool, expected)
        head = least(keys, open_items, 1, rng)
        if self.size == 1:
            return head
        others = open_items[(pool.segment[open_items] == pool.segment[head[0]]) & (open_items != head[0])]
        if not pool.by_system:
            return np.concatenate([head, least(keys, others, self.size - 1, rng)])
        order = np.concatenate([head, least(keys, others, len(others), rng)])
        return distinct_systems(order, pool.system)[: self.size]


def _keys(pool: Pool, expected: Codes) -> Codes:
    """Fewest answers first; at system level, among equal outputs those of the least judged system."""
    if not pool.by_system:
        return expected
    per_system = np.bincount(pool.system, expected).astype(np.int64)
    return expected * (int(per_system.max()) + 1) + per_system[pool.system]
