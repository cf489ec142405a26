"""Who gets which task: the one that a rater holds, a ready one, or one chosen for them."""

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

FREE_LOOKED_AT = 64  # free places a rater is tried on before a task is chosen for them
NEWCOMER = "newcomer"  # stands for anyone who has not joined yet; no rater has this id
Need = Literal["open", "held", "over"]


class Queue:
    """The queue as one rater meets it in one transaction.

    A rater keeps the place that they hold. Else they get a ready place that suits them, a task planned for them, or a
    task planned instead of a ready one that holds something they have seen. `next` gives the first of these that there
    is, and `has_any` says whether there is one.
    """

    def __init__(self, planner: Planner, transaction: Transaction, rater: str) -> None:
        self.planner = planner
        self.transaction = transaction
        self.rater = rater
        self._ledger = transaction.ledger
        self._record = transaction.ledger.rater(rater)

    def next(self) -> Assignment | None:
        """The task that this rater is to do now, in their hands; None where there is none for them."""
        held = self.held(longer=True)
        if held is not None:
            return held
        if self.planner.enough() or self._stop_early():
            return None
        free = self._refill()
        ready = self._ready(free)
        return self._give(ready) if ready is not None else self._choose(free)

    def has_any(self) -> bool:
        """Would `next` give this rater a task that they do not hold, now or once the queue is filled?"""
        if is_finished(self._ledger, self.rater) or self.planner.enough():
            return False
        free = self.transaction.free_places(FREE_LOOKED_AT)
        ready = self._ready(free)
        return ready is not None or any(self._replaceable(free)) or self._can_plan()

    def need(self) -> Need:
        """Is there work for a rater who has answered nothing: yes, not while others hold it, or no more at all?"""
        if is_finished(self._ledger, self.rater):
            return "over"
        if waits_for_seeds(self._ledger) or (self.rater != NEWCOMER and self._place() is not None):
            return "open"
        if self.has_any() or (not self.planner.enough() and more_to_come(self.planner, self.rater)):
            return "open"
        return "held" if is_held(self.planner, self.rater) else "over"

    def held(self, longer: bool = False) -> Assignment | None:
        """The task that this rater holds; `longer`, for as long as one given out now: their page was loaded again."""
        place = self._place()
        if place is None:
            return None
        if longer:
            self.transaction.writer.take(place, self.rater, place.assignment, self.transaction.held_until)
        return Assignment(place.assignment, self.transaction.task_of(place))

    def give_back(self) -> None:
        """Free the place that this rater holds."""
        place = self._place()
        if place is not None:
            self.transaction.writer.take(place, "", "", None)

    def give_again(self, task: Task) -> Assignment:
        """One more place of a task for this rater, who took their answer to it back."""
        again = Assignment(_token(), task)
        self.transaction.writer.add_place(task, self.rater, again.id, self.transaction.held_until)
        return again

    def leave(self, asked_again: bool) -> None:
        """Free what a rater who is out holds; with `asked_again`, what they did of a sequence is asked again."""
        self.give_back()
        for answer in self._record.answers.values() if asked_again else ():
            task = self._ledger.tasks[answer.task]
            if task.sequence is not None:
                self.transaction.writer.add_place(task, "", "", None)

    # What may be given

    @cached_property
    def _unseen(self) -> Mask:
        """The items that this rater may still be shown."""
        return may_see(self._ledger, self._record)

    def _place(self) -> Lease | None:
        return self.transaction.writer.lease_of(self.rater)

    @property
    def _in_sequences(self) -> bool:
        """Are whole sequences planned, so that nothing is chosen for a single rater?"""
        return self._ledger.definition.choosing.traits.plans_sequences

    def _ready(self, free: Sequence[Lease]) -> Lease | None:
        """The first free place whose task this rater may be shown as it is."""
        if self._ledger.current_sequences():
            return next_place(self.transaction, self._record)
        tasks = ((place, self.transaction.task_of(place)) for place in free)
        return next((place for place, task in tasks if suits(self._ledger, self._record, task)), None)

    def _replaceable(self, free: Sequence[Lease]) -> Iterator[Lease]:
        """Free places of tasks that hold something this rater may still be shown."""
        for place in () if self._in_sequences else free:
            if self._unseen[self._ledger.indices(self.transaction.task_of(place))].any():
                yield place

    def _can_plan(self) -> bool:
        """Would a task be planned for this rater, or sequences for everyone?"""
        if self._in_sequences:
            return not self._ledger.current_sequences()
        return self.planner.can_plan(self._pool())

    def _pool(self) -> Pool:
        """What may be asked of this rater."""
        return self.planner.pool(self._unseen, self._record.met.keys())

    # Steps

    def _stop_early(self) -> bool:
        """Give this rater nothing more, and log it, if their answers carry too little information."""
        if not self.planner.should_rest(self.rater):
            return False
        self.transaction.note("stopped_early", self.rater)
        return True

    def _refill(self) -> Sequence[Lease]:
        """Withdraw what was abandoned in an earlier round and have the planner fill the queue; what is free then."""
        free = self.transaction.free_places(FREE_LOOKED_AT)
        if withdraw_stale(self.transaction, free):
            free = self.transaction.free_places(FREE_LOOKED_AT)
        if self.planner.top_up(self.transaction, len(free)):
            free = self.transaction.free_places(FREE_LOOKED_AT)
        return free

    def _choose(self, free: Sequence[Lease]) -> Assignment | None:
        """Plan a task for this rater, whom nothing ready suits; at the end, out of what others left ready."""
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
