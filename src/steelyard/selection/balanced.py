"""Balanced selection: always the items with the fewest answers, with random ties."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from steelyard.maths.arrays import Codes, Mask
from steelyard.scales.belief import Belief
from steelyard.selection.pairing import has_partner, joined, pairs_among, unmet_in_full
from steelyard.selection.pool import Choice, Pool, Traits, distinct_systems, least, shuffled
from steelyard.selection.units import linked_systems

HEADS = 16  # items with which a full task is tried before items with all their answers complete it


@dataclass(frozen=True, slots=True)
class Balanced:
    """Lists of the items with the fewest answers, given and pending, up to the number that the study wants.

    For systems this samples outputs without replacement, those of the least judged systems first. Among items with
    equally few answers, items that are not yet linked to the first item of the list come first. A rater never sees a
    pair twice.

    Parameters
    ----------
    size
        Number of items in a task. Default 1.
    least
        Smallest number of items in a task. If it is above 1, tasks of fewer than `size` items are completed with items
        that already have all their answers. Default 1.
    """

    name: ClassVar[str] = "balanced"
    traits: ClassVar[Traits] = Traits(
        method="Tasks were chosen so that all items received equally many answers."
    )
    size: int = 1
    least: int = 1

    def round_size(self, pool: Pool) -> int:
        """Return the number of tasks that show every item once."""
        return -(-len(pool) // self.size)

    def choose(self, pool: Pool, belief: Belief | None, tasks: int, rng: np.random.Generator) -> list[Choice]:
        """Choose tasks in turn; each one counts the tasks before it as pending answers."""
        state = _BalancedState.of(pool, self.least)
        choices: list[Choice] = []
        while len(choices) < tasks:
            open_items = np.flatnonzero(state.open)
            if not len(open_items):
                break
            items = self._next(state, open_items, rng)
            if len(items) >= self.least:
                choices.append(Choice(shuffled(items, rng)))
                state = state.asked(items)
            else:
                state = state.without(int(items[0]))
        return choices

    def _next(self, state: _BalancedState, open_items: Codes, rng: np.random.Generator) -> Codes:
        """Return the item with the fewest answers, and the items of its segment with the next fewest."""
        head = least(state.keys, open_items, 1, rng)
        if self.size == 1:
            return head
        items = self._among(head, open_items, state, rng)
        if len(items) == self.size or self.least == 1:
            return items
        for other in least(state.keys, open_items, HEADS, rng):  # the first item may have met too many others
            full = self._among(np.array([other]), open_items, state, rng)
            if len(full) == self.size:
                return full
        # Items that are compared need others beside them, so items with all their answers complete the task.
        completed = self._among(head, np.flatnonzero(state.pool.allowed), state, rng)
        return completed if len(completed) > len(items) else items

    def _among(self, head: Codes, items: Codes, state: _BalancedState, rng: np.random.Generator) -> Codes:
        """Return the list that starts with this item, with others of its segment among these items."""
        return self._list(head, items[state.near(int(head[0]))[items]], state, rng)

    def _list(self, head: Codes, others: Codes, state: _BalancedState, rng: np.random.Generator) -> Codes:
        pool, keys = state.pool, 2 * state.keys
        if state.part is not None:
            keys = keys + (state.part == state.part[head[0]])
        if not pool.by_system and not pool.met:
            return np.concatenate([head, least(keys, others, self.size - 1, rng)])
        order = np.concatenate([head, least(keys, others, len(others), rng)])
        order = distinct_systems(order, pool.system) if pool.by_system else order
        return unmet_in_full(order, self.size, pool.met)


@dataclass(frozen=True, eq=False)
class _BalancedState:
    """The pool, and the expected counts if the tasks chosen so far are pending answers."""

    pool: Pool
    expected: Codes
    barred: Mask  # items without any other item to be shown with
    part: Codes | None

    @staticmethod
    def of(pool: Pool, fewest: int) -> _BalancedState:
        has_other = has_partner(pool.allowed, pool.segment, pool.met) if fewest > 1 else pool.allowed
        part = pool.linked
        if part is not None and pool.by_system:  # all outputs of a system are in the same part
            part = linked_systems(pool, part)[pool.system]
        return _BalancedState(pool, pool.expected, ~has_other, part)

    @property
    def open(self) -> Mask:
        """Items that still need answers and may be shown."""
        pool = self.pool
        return np.asarray(pool.allowed & (self.expected < pool.wanted) & ~self.barred)

    @property
    def keys(self) -> Codes:
        """Order of items: fewest answers first; for systems, equal outputs by the least judged system."""
        system = self.pool.system
        if not self.pool.by_system:
            return self.expected
        per_system = np.bincount(system, self.expected).astype(np.int64)
        return self.expected * (int(per_system.max()) + 1) + per_system[system]

    def near(self, head: int) -> Mask:
        """Return the other items of the segment of the first item."""
        near = self.pool.segment == self.pool.segment[head]
        near[head] = False
        return np.asarray(near)

    def asked(self, items: Codes) -> _BalancedState:
        expected = self.expected.copy()
        expected[items] += 1
        part = self.part
        if part is not None and len(items) > 1:
            part = joined(part, np.array(pairs_among(items.tolist())))
        return replace(self, expected=expected, part=part)

    def without(self, item: int) -> _BalancedState:
        """Return the state without an item that cannot be shown to this rater with enough others."""
        barred = self.barred.copy()
        barred[item] = True
        return replace(self, barred=barred)
