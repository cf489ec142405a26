"""The state of a ledger, and the methods with which log entries change it."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Hashable, Iterable
from typing import TypeVar

import numpy as np

from steelyard.maths.arrays import Codes
from steelyard.selection.pairing import Pair, pair_array, parts_of
from steelyard.study.definition.checks import Checks
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.items import Items
from steelyard.study.log.entries import Answer, Event, Task
from steelyard.study.log.ground import Ground
from steelyard.study.log.machine_answers import MachineAnswers
from steelyard.study.log.rater_record import RaterRecord
from steelyard.study.log.stored_entries import StoredEntries

STEPS_PER_LOG = 20.0  # times of answers are counted in steps of 5%
Counted = TypeVar("Counted", bound=Hashable)


class LedgerState:
    """Tasks, answers, raters, rounds and counts at one log position.

    `condition` restricts the ledger to one arm of a study. None includes everything. NO_ARM includes only the raters
    and what concerns the whole study. `protocol` restricts it to the tasks of one protocol and their answers.
    """

    def __init__(
        self,
        definition: StudyDefinition,
        items: Items,
        checks: Checks | None = None,
        *,
        condition: str | None = None,
        protocol: str | None = None,
    ) -> None:
        self.definition = definition
        self.compares = definition.compares
        self.items = items
        self.checks = Checks() if checks is None else checks
        self.condition = condition
        self.protocol = protocol
        self.elsewhere: set[str] = set()  # raters of other arms
        self.tasks_logged = 0  # of all arms
        self.sequences_logged: set[int] = set()  # of all arms
        self.log_position = 0
        self.rewritten = 0  # log position of the last event that removed or changed judgments
        self.rewrites: list[
            tuple[int, int]
        ] = []  # position of each such event, and of the first answer it changed
        self.round = 1
        self.paused = False
        self.ground = Ground()
        self.reopened: dict[int, int] = {}  # answers wanted for each item that is asked again
        self.stored: StoredEntries | None = None  # earlier entries, if the ledger was filled from a snapshot
        self.tasks: dict[str, Task] = {}
        self.planned = 0
        self.raters: dict[str, RaterRecord] = {}
        self.answers: dict[int, Answer] = {}
        self.sequences: dict[int, list[str]] = {}  # ids of the tasks of each sequence, in order
        self.answered = np.zeros(len(items), dtype=np.int64)  # judgments of each item
        self.pending = np.zeros(
            len(items), dtype=np.int64
        )  # judgments of each item expected from open places
        self.paired: Counter[Pair] = Counter()  # answers received and expected, by pair of items
        self.times: Counter[int] = Counter()  # answers by time, as steps of a logarithmic scale
        self.machine: tuple[
            MachineAnswers, ...
        ] = ()  # answers of machine judges, which are not answers of raters
        self.open_places: Counter[str] = Counter()  # by task, without tasks that have none
        self.links = np.arange(
            len(items)
        )  # union-find: each item points to a linked item with a smaller index
        self.links_lost = False  # a pair is no longer asked, so links must be computed again

    def compares_in(self, task: Task) -> bool:
        """Whether positions are estimated from comparisons within tasks of this protocol."""
        ways = self.definition.ways
        return self.definition.in_way(task.protocol).compares if ways else self.compares

    def rater(self, rater: str) -> RaterRecord:
        """Return the record of a rater, which is created if it does not exist."""
        record = self.raters.get(rater)
        if record is None:
            record = self.raters[rater] = RaterRecord()
        return record

    def indices(self, task: Task) -> list[int]:
        """Return the indices of the items of a task."""
        return [self.items.index[item] for item in task.items]

    def judged_indices(self, task: Task) -> list[int]:
        """Return the indices of the items of a task without hidden ones, which are checks."""
        return [self.items.index[item] for item in task.items if item not in task.hidden]

    def pairs(self, task: Task) -> list[Pair]:
        """Return the pairs that a task compares; empty if items are judged separately."""
        return self.definition.in_way(task.protocol).asking.way.pairs(self.indices(task))

    def add_answers(self, task: Task, times: int) -> None:
        """Add this number of answers to the counts of a task; a negative number subtracts."""
        self._count(self.answered, task, times)

    def add_places(self, task: Task, places: int) -> None:
        """Open this number of places of a task; a negative number closes places, down to none."""
        places = max(places, -self.open_places[task.id])
        count_each(self.open_places, [task.id], places)
        self._count(self.pending, task, places)

    def _count(self, counts: Codes, task: Task, times: int) -> None:
        """Add the judgments of a task to the counts of its items; probes and checks are not counted."""
        if not task.counts:
            return
        indices, way = self.judged_indices(task), self.definition.in_way(task.protocol).asking.way
        # One by one, because an array operation costs more than the few items of a task.
        for at, load in zip(indices, way.loads(len(indices)), strict=True):
            counts[at] += times * load
        pairs = self.pairs(task)
        count_each(self.paired, pairs, times)
        if any(pair not in self.paired for pair in pairs):
            self.links_lost = True

    def linked(self) -> Codes:
        """Return a number per item that is equal for linked items.

        Items are linked by a comparison or, if items are judged separately, by a rater who judged both. Pairs that
        are no longer asked do not link items. Otherwise, answers taken back and withdrawn tasks keep their links.
        """
        if self.links_lost:
            self.links, self.links_lost = parts_of(pair_array(self.paired), len(self.items)), False
        while True:
            further = self.links[self.links]
            if (further == self.links).all():
                return further
            self.links = further

    def link(self, items: list[int]) -> None:
        """Link these items with each other."""
        roots = {self._root(at) for at in items}
        lowest = min(roots)
        for root in roots - {lowest}:
            self.links[root] = lowest

    def _root(self, at: int) -> int:
        while self.links[at] != at:
            at = int(self.links[at])
        return at

    def show(self, record: RaterRecord, task: Task, times: int) -> None:
        """Record that a rater was shown the items of a task.

        Parameters
        ----------
        record
            Record of the rater.
        task
            The task.
        times
            How many times; -1 reverts one display.
        """
        count_each(record.seen, self.judged_indices(task), times)
        count_each(record.met, self.pairs(task), times)

    def count_time(self, answer: Answer, times: int) -> None:
        """Add this number of answers to the times of answers; a negative number subtracts."""
        if answer.milliseconds and self.tasks[answer.task].counts:
            count_each(self.times, [round(STEPS_PER_LOG * math.log(answer.milliseconds))], times)

    def median_seconds(self, least: int) -> float | None:
        """Return the median time of an answer to 2.5%, or None with fewer than `least` answers with a time."""
        total = self.times.total()
        if total < max(least, 1):
            return None
        steps = sorted(self.times)
        below = itertools.accumulate(self.times[step] for step in steps)
        middle = next(step for step, count in zip(steps, below, strict=True) if 2 * count >= total)
        return math.exp(middle / STEPS_PER_LOG) / 1000.0

    def exclude(self, record: RaterRecord, excluded: bool) -> None:
        """Remove the answers of a rater from the counts, or add them again."""
        if record.excluded == excluded:
            return
        record.excluded = excluded
        for answer in record.answers.values():
            task = self.tasks[answer.task]
            self.add_answers(task, -1 if excluded else 1)
            self.count_time(answer, -1 if excluded else 1)
            if task.sequence is not None:  # a sequence is planned once, so the place is opened again
                self.add_places(task, 1 if excluded else -1)

    def rewrite(self, event: Event, first: int) -> None:
        """Record that an event changed answers from this log position on; 0 if any answer may have changed."""
        self.rewritten = event.log_position
        self.rewrites.append((event.log_position, first))


def count_each(counts: Counter[Counted], named: Iterable[Counted], times: int) -> None:
    """Add `times` to the count of each key, and delete counts that reach zero.

    Parameters
    ----------
    counts
        Counter to change.
    named
        Keys to count.
    times
        Number to add, which may be negative.
    """
    for each in named:
        counts[each] += times
        if (
            counts[each] <= 0
        ):  # below zero if an item is asked again and its earlier answer is then taken back
            del counts[each]
