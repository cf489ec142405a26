"""Judgments that items have and await, by item and by pair, and which items are linked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import TypeVar

import numpy as np

from steelyard.maths.arrays import Codes
from steelyard.selection.pairing import pair_array, parts_of
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.items import Items
from steelyard.study.log.interface import Task

Pair = tuple[int, int]  # indices of two items, the smaller first
Counted = TypeVar("Counted", bound=Hashable)


class Tally:
    """Counts of judgments as of a log position. Only the ledger that owns it changes it."""

    def __init__(self, definition: StudyDefinition, items: Items) -> None:
        self._asks = definition.asking.way
        self._items = items
        self.answered = np.zeros(len(items), dtype=np.int64)
        self.pending = np.zeros(len(items), dtype=np.int64)
        self.paired: Counter[Pair] = Counter()  # answers had and to come, by pair of items asked about
        self.open_places: dict[str, int] = {}  # by task
        self._linked = np.arange(len(items))  # each item points towards the first of those linked to it
        self._links_lost = False  # a pair that was asked about is so no longer

    def indices(self, task: Task) -> list[int]:
        """Indices of a task's items."""
        return [self._items.index[item] for item in task.items]

    def pairs(self, task: Task) -> list[Pair]:
        """The pairs that a task asks about; none where each item is judged by itself."""
        return self._asks.pairs(self.indices(task))

    def add_answers(self, task: Task, times: int) -> None:
        """Add (+) or take away (-) so many answers to a task."""
        self._count(self.answered, task, times)

    def open(self, task: Task, places: int) -> None:
        """Open (+) or close (-) places of a task; an answer nobody waited for closes none."""
        places = max(places, -self.open_places[task.id])
        self.open_places[task.id] += places
        self._count(self.pending, task, places)

    def _count(self, counts: Codes, task: Task, times: int) -> None:
        """Add a task's judgments to the counts of its items; probes are on top of what is wanted."""
        if task.probe:
            return
        counts[self.indices(task)] += times * np.array(self._asks.loads(len(task.items)))
        pairs = self.pairs(task)
        count_each(self.paired, pairs, times)
        if any(pair not in self.paired for pair in pairs):
            self._links_lost = True

    def linked(self) -> Codes:
        """A number per item, the same for items that are linked: by raters, or by what is asked of them.

        Pairs that are no longer asked about link nothing. Elsewhere an answer taken back keeps its links, and so does a
        task withdrawn.
        """
        if self._links_lost:
            self._linked, self._links_lost = parts_of(pair_array(self.paired), len(self._items)), False
        while True:
            further = self._linked[self._linked]
            if (further == self._linked).all():
                return further
            self._linked = further

    def link(self, items: list[int]) -> None:
        """Link these items with each other."""
        roots = [self._root(at) for at in items]
        self._linked[roots] = min(roots)

    def _root(self, at: int) -> int:
        while self._linked[at] != at:
            at = int(self._linked[at])
        return at


def count_each(counts: Counter[Counted], named: Iterable[Counted], times: int) -> None:
    """Count each of these so many times more; what comes to nothing is no longer there."""
    for each in named:
        counts[each] += times
        if counts[each] <= 0:  # an item judged again is new, and its first answer may still be undone
            del counts[each]
