"""Assign tasks to raters: the task that a rater holds, a ready task, or a task planned for this rater."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Literal

from steelyard.maths.arrays import Mask
from steelyard.selection.pool import Pool
from steelyard.study.collecting.already_seen import may_see, suits
from steelyard.study.collecting.planner import Planner
from steelyard.study.collecting.rater_state import Assignment, is_finished, is_held, more_to_come
from steelyard.study.collecting.sequencing import next_place
from steelyard.study.grounding.cold_start import waits_for_seeds
from steelyard.study.grounding.rounds import withdraw_stale
from steelyard.study.log.interface import Lease, Task
from steelyard.study.log.transaction import Transaction

FREE_LOOKED_AT = 64  # free places that are checked before a task is planned for a rater
NEWCOMER = "newcomer"  # id for someone who has not joined yet; no rater has it
Need = Literal["open", "held", "over"]


class Queue:
    """The queue of tasks for one rater in one transaction.

    `next` returns the first of these that exists, and `has_any` returns whether one of the last three does:

    - the task that the rater holds,
    - a ready task that they may see,
    - a task planned for them,
    - a task planned to replace a ready one that contains something they have seen.
    """

    def __init__(self, planner: Planner, transaction: Transaction, rater: str) -> None:
        self.planner = planner
        self.transaction = transaction
        self.rater = rater
        self._ledger = transaction.ledger
        self._record = transaction.ledger.rater(rater)

    def next(self) -> Assignment | None:
        """Assign the next task to this rater and return it; None if there is no task for them."""
        held = self.held(longer=True)
        if held is not None:
            return held
        if self.planner.enough() or self._stop_early():
            return None
        free = self._refill()
        ready = self._ready(free)
        return self._give(ready) if ready is not None else self._choose(free)

    def has_any(self) -> bool:
        """Whether `next` would assign a new task to this rater."""
        if is_finished(self._ledger, self.rater) or self.planner.enough():
            return False
        free = self.transaction.free_places(FREE_LOOKED_AT)
        ready = self._ready(free)
        return ready is not None or any(self._replaceable(free)) or self._can_plan()

    def need(self) -> Need:
        """Return whether a rater who has answered nothing can work: "open", "held" by others, or "over"."""
        if is_finished(self._ledger, self.rater):
            return "over"
        if waits_for_seeds(self._ledger) or (self.rater != NEWCOMER and self._place() is not None):
            return "open"
        if self.has_any() or (not self.planner.enough() and more_to_come(self.planner, self.rater)):
            return "open"
        return "held" if is_held(self.planner, self.rater) else "over"

    def held(self, longer: bool = False) -> Assignment | None:
        """Return the task that this rater holds; `longer` renews its expiry, as when the page is loaded again."""
        place = self._place()
        if place is None:
            return None
        if longer:
            self.transaction.writer.take(place, self.rater, place.assignment, self.transaction.held_until)
        return Assignment(place.assignment, self.transaction.task_of(place))

    def give_back(self) -> None:
        """Release the place that this rater holds."""
        place = self._place()
        if place is not None:
            self.transaction.writer.take(place, "", "", None)

    def give_again(self, task: Task) -> Assignment:
        """Assign a task again to this rater, who took back their answer to it."""
        again = Assignment(_token(), task)
        self.transaction.writer.add_place(task, self.rater, again.id, self.transaction.held_until)
        return again

    def leave(self, asked_again: bool) -> None:
        """Release the place of a rater who leaves; `asked_again` asks the tasks of their sequence again."""
        self.give_back()
        for answer in self._record.answers.values() if asked_again else ():
            task = self._ledger.tasks[answer.task]
            if task.sequence is not None:
                self.transaction.writer.add_place(task, "", "", None)

    # Tasks that may be assigned

    @cached_property
    def _unseen(self) -> Mask:
        """Mask of the items that this rater may still be shown."""
        return may_see(self._ledger, self._record)

    def _place(self) -> Lease | None:
        return self.transaction.writer.lease_of(self.rater)

    @property
    def _in_sequences(self) -> bool:
        """Whether whole sequences are planned, so that no task is planned for a single rater."""
        return self._ledger.definition.choosing.traits.plans_sequences

    def _ready(self, free: Sequence[Lease]) -> Lease | None:
        """Return the first free place whose task this rater may see."""
        if self._ledger.current_sequences():
            return next_place(self.transaction, self._record)
        tasks = ((place, self.transaction.task_of(place)) for place in free)
        return next((place for place, task in tasks if suits(self._ledger, self._record, task)), None)

    def _replaceable(self, free: Sequence[Lease]) -> Iterator[Lease]:
        """Yield free places of tasks with at least one item that this rater may still see."""
        for place in () if self._in_sequences else free:
            if self._unseen[self._ledger.indices(self.transaction.task_of(place))].any():
                yield place

    def _can_plan(self) -> bool:
        """Whether a task can be planned for this rater, or sequences for everyone."""
        if self._in_sequences:
            return not self._ledger.current_sequences()
        return self.planner.can_plan(self._pool())

    def _pool(self) -> Pool:
        """Return the pool of items that this rater may see."""
        return self.planner.pool(self._unseen, self._record.met.keys())

    # Steps

    def _stop_early(self) -> bool:
        """Stop this rater and log it if their answers carry too little information; return whether they stop."""
        if not self.planner.should_stop_early(self.rater):
            return False
        self.transaction.note("stopped_early", self.rater)
        return True

    def _refill(self) -> Sequence[Lease]:
        """Withdraw abandoned tasks of earlier rounds, let the planner fill the queue, and return the free places."""
        free = self.transaction.free_places(FREE_LOOKED_AT)
        if withdraw_stale(self.transaction, free):
            free = self.transaction.free_places(FREE_LOOKED_AT)
        if self.planner.top_up(self.transaction, len(free)):
            free = self.transaction.free_places(FREE_LOOKED_AT)
        return free

    def _choose(self, free: Sequence[Lease]) -> Assignment | None:
        """Plan a task for a rater who may see no ready task; withdraw ready tasks if their items are needed."""
        at_once = self._ledger.definition.learning.update == "answer" and not self._in_sequences
        planned = self._plan() if at_once else None
        for place in self._replaceable(free) if planned is None else ():
            self.transaction.withdraw([place])
            planned = self._plan()
            if planned is not None:
                break
        return planned

    def _plan(self) -> Assignment | None:
        tasks = self.planner.plan(self.transaction, self._pool(), 1)
        place = self.transaction.writer.place_of(tasks[0].id, "") if tasks else None
        return None if place is None else self._give(place)

    def _give(self, place: Lease) -> Assignment:
        assignment = Assignment(_token(), self.transaction.task_of(place))
        self.transaction.writer.take(place, self.rater, assignment.id, self.transaction.held_until)
        return assignment


def _token() -> str:
    return secrets.token_urlsafe(12)
