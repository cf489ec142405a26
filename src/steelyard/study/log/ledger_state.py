"""The state that a ledger keeps, and the steps by which entries of the log change it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import TypeVar

import numpy as np

from steelyard.maths.arrays import Codes
from steelyard.selection.pairing import Pair, pair_array, parts_of
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.items import Items
from steelyard.study.log.ground import Ground
from steelyard.study.log.interface import Answer, Event, Task
from steelyard.study.log.rater_record import RaterRecord

Counted = TypeVar("Counted", bound=Hashable)


class LedgerState:
    """Tasks, answers, raters, rounds and counts as of a log position."""

    def __init__(self, definition: StudyDefinition, items: Items) -> None:
        self.definition = definition
        self.items = items
        self.log_position = 0
        self.rewritten = 0  # position of the last event that took judgments back or away
        self.rewrites: list[tuple[int, int]] = []  # position of each such event, first answer it is about
        self.round = 1
        self.paused = False
        self.ground = Ground()
        self.reopened: dict[int, int] = {}  # answers that items to be judged again should get
        self.tasks: dict[str, Task] = {}
        self.planned = 0
        self.raters: dict[str, RaterRecord] = {}
        self.answers: dict[int, Answer] = {}
        self.sequences: dict[int, list[str]] = {}  # tasks of each sequence, in order
        self.answered = np.zeros(len(items), dtype=np.int64)  # judgments that each item has
        self.pending = np.zeros(len(items), dtype=np.int64)  # judgments that each item awaits in open places
        self.paired: Counter[Pair] = Counter()  # answers had and to come, by pair of items asked about
        self.open_places: dict[str, int] = {}  # by task
        self._linked = np.arange(len(items))  # each item points towards the first of those linked to it
        self._links_lost = False  # a pair that was asked about is so no longer

    def rater(self, rater: str) -> RaterRecord:
        """The record of a rater, empty at first."""
        return self.raters.setdefault(rater, RaterRecord())

    def indices(self, task: Task) -> list[int]:
        """Indices of a task's items."""
        return [self.items.index[item] for item in task.items]

    def pairs(self, task: Task) -> list[Pair]:
        """The pairs that a task asks about; none where each item is judged by itself."""
        return self.definition.asking.way.pairs(self.indices(task))

    def add_answers(self, task: Task, times: int) -> None:
        """Add (+) or take away (-) so many answers to a task."""
        self._count(self.answered, task, times)

    def add_places(self, task: Task, places: int) -> None:
        """Open (+) or close (-) so many places of a task; an answer nobody waited for closes none."""
        places = max(places, -self.open_places[task.id])
        self.open_places[task.id] += places
        self._count(self.pending, task, places)

    def _count(self, counts: Codes, task: Task, times: int) -> None:
        """Add a task's judgments to the counts of its items; probes are on top of what is wanted."""
        if task.probe:
            return
        counts[self.indices(task)] += times * np.array(self.definition.asking.way.loads(len(task.items)))
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
            self._linked, self._links_lost = parts_of(pair_array(self.paired), len(self.items)), False
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

    def show(self, record: RaterRecord, task: Task, times: int) -> None:
        """Remember (or forget) that a rater was shown this."""
        count_each(record.seen, self.indices(task), times)
        count_each(record.met, self.pairs(task), times)

    def exclude(self, record: RaterRecord, excluded: bool) -> None:
        """Leave a rater's answers out of the counts, or count them again."""
        if record.excluded == excluded:
            return
        record.excluded = excluded
        for answer in record.answers.values():
            task = self.tasks[answer.task]
            self.add_answers(task, -1 if excluded else 1)
            if task.sequence is not None:  # nobody replans a sequence, so its place opens again
                self.add_places(task, 1 if excluded else -1)

    def rewrite(self, event: Event, first: int) -> None:
        """Note that an event changed answers from this position on; 0 where it may be any."""
        self.rewritten = event.log_position
        self.rewrites.append((event.log_position, first))


def count_each(counts: Counter[Counted], named: Iterable[Counted], times: int) -> None:
    """Count each of these so many times more; what comes to nothing is no longer there."""
    for each in named:
        counts[each] += times
        if counts[each] <= 0:  # an item judged again is new, and its first answer may still be undone
            del counts[each]
