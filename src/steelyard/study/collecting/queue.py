"""Assign tasks to raters: the task that a rater holds, a ready task, or a task planned for this rater."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Literal

from steelyard.maths.arrays import Mask
from steelyard.selection.pool import Pool
from steelyard.study.collecting.already_seen import may_see, suits
from steelyard.study.collecting.check_tasks import write_check
from steelyard.study.collecting.checking import choose_check
from steelyard.study.collecting.planner import Planner
from steelyard.study.collecting.rater_state import Assignment, is_finished, is_held, more_to_come
from steelyard.study.collecting.raters import has_room
from steelyard.study.collecting.sequencing import next_place
from steelyard.study.grounding.cold_start import waits_for_seeds
from steelyard.study.grounding.rounds import withdraw_stale
from steelyard.study.log.entries import Task
from steelyard.study.log.interface import Lease
from steelyard.study.log.rater_record import RaterRecord
from steelyard.study.log.transaction import Transaction

FREE_LOOKED_AT = 64  # free places that are checked before a task is planned for a rater
BETWEEN_PLACES = 1.0  # seconds between the expiry of a rater's current task and that of the next one
PAIR = 2  # items of a comparison, which is always full
NEWCOMER = "newcomer"  # id for someone who has not joined yet; no rater has it
Need = Literal["open", "held", "over"]


class Queue:
    """The queue of tasks for one rater in one transaction.

    `next` returns the first of these that exists, and `has_any` returns whether one of the last three does:

    - the task that the rater holds,
    - a check, if one is due and other tasks follow,
    - a ready task that they may see,
    - a task planned for them,
    - a task planned to replace a ready one that contains something they have seen.
    """

    def __init__(
        self, planner: Planner, transaction: Transaction, rater: str, record: RaterRecord | None = None
    ) -> None:
        self.planner = planner
        self.transaction = transaction
        self.rater = rater
        self._ledger = transaction.ledger
        self._record = transaction.ledger.rater(rater) if record is None else record

    def next(self) -> Assignment | None:
        """Assign the next task to this rater and return it; None if there is no task for them."""
        held = self.held(longer=True)
        if held is not None:
            return held
        if self.planner.enough() or self._stop_early():
            return None
        return self.new_task()

    def new_task(self) -> Assignment | None:
        """Assign a check, a ready task or a planned task to this rater, who holds none and may receive one."""
        check = self._check()
        if check is not None:
            return check
        free = self._refill()
        ready = self._ready(free)
        return self._give(ready) if ready is not None else self._choose(free)

    def ahead(self) -> Assignment | None:
        """Assign the task after the one that this rater holds and return it; None if there is none.

        It is a ready task that the rater may see after the held one. The last ready task is not assigned in advance,
        because another rater may be waiting for it.
        """
        places = self._places()
        if len(places) > 1:
            return self._assigned(places[1])
        if not places or self.planner.enough() or self.planner.should_stop_early(self.rater):
            return None
        ready = self.ready_after(self.transaction.task_of(places[0]))
        return None if ready is None else self._give(ready, later=1)

    def ready(self) -> list[Task]:
        """Return the ready tasks of the queue, which is filled first."""
        return [self.transaction.task_of(place) for place in self._refill()]

    def ready_after(self, held: Task) -> Lease | None:
        """Return a ready task that this rater may see after the one that they hold, unless it is the last one."""
        after = Queue(self.planner, self.transaction, self.rater, self._after(held))
        free = [place for place in after._refill() if place.task != held.id]
        return after._ready(free) if len(free) > 1 else None

    def _after(self, held: Task) -> RaterRecord:
        """Return the record of this rater as it will be after the task that they hold."""
        if held.id not in self._ledger.tasks:  # it has another protocol
            return self._record
        sequence = self._record.sequence if held.sequence is None else held.sequence
        seen, met = Counter(self._record.seen), Counter(self._record.met)
        record = replace(self._record, seen=seen, met=met, sequence=sequence)
        self._ledger.show(record, held, 1)
        return record

    def has_any(self) -> bool:
        """Whether `next` would assign a new task to this rater."""
        if is_finished(self._ledger, self.rater) or self.planner.enough():
            return False
        free = self.transaction.free_places(FREE_LOOKED_AT)
        ready = self._ready(free)
        return ready is not None or any(self._replaceable(free)) or self._can_plan()

    def need(self) -> Need:
        """Return whether a rater who has answered nothing can work: "open", "held" by others, or "over"."""
        if is_finished(self._ledger, self.rater) or not has_room(
            self._ledger, self.rater, self.transaction.now
        ):
            return "over"
        if waits_for_seeds(self._ledger) or (self.rater != NEWCOMER and self._places()):
            return "open"
        if self.has_any() or (not self.planner.enough() and more_to_come(self.planner, self.rater)):
            return "open"
        return "held" if is_held(self.planner, self.rater) else "over"

    def held(self, longer: bool = False) -> Assignment | None:
        """Return the task that this rater holds; `longer` renews its expiry, as when the page is loaded again."""
        places = self._places()
        for later, place in enumerate(places if longer else ()):
            self.transaction.writer.take(place, self.rater, place.assignment, self._until(later))
        return self._assigned(places[0]) if places else None

    def give_back(self) -> None:
        """Release the places that this rater holds."""
        for place in self._places():
            self.transaction.writer.take(place, "", "", None)

    def give_again(self, task: Task) -> Assignment:
        """Assign a task again to this rater, who took back their answer to it."""
        again = Assignment(_token(), task)
        self.transaction.writer.add_place(task, self.rater, again.id, self.transaction.held_until)
        return again

    def leave(self, asked_again: bool) -> None:
        """Release the places of a rater who leaves; `asked_again` asks the tasks of their sequence again."""
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

    def _places(self) -> Sequence[Lease]:
        """The places that this rater holds: the current task, then the one that was assigned in advance."""
        return self.transaction.writer.leases_of(self.rater)

    def _assigned(self, place: Lease) -> Assignment:
        return Assignment(place.assignment, self.transaction.task_of(place))

    def _until(self, later: int) -> float:
        """Time at which a place expires. A rater answers places in the order of this time."""
        return self.transaction.held_until + later * BETWEEN_PLACES

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
            if self._unseen[self._ledger.judged_indices(self.transaction.task_of(place))].any():
                yield place

    def _can_plan(self) -> bool:
        """Whether a task can be planned for this rater, or sequences for everyone."""
        if self._in_sequences:
            return not self._ledger.current_sequences()
        return self.planner.can_plan(self.pool())

    def pool(self) -> Pool:
        """Return the pool of items that this rater may see."""
        return self.planner.pool(self._unseen, self._record.met.keys())

    # Steps

    def _stop_early(self) -> bool:
        """Stop this rater and log it if their answers carry too little information; return whether they stop."""
        if not self.planner.should_stop_early(self.rater):
            return False
        self.transaction.note("stopped_early", self.rater)
        return True

    def _check(self) -> Assignment | None:
        """Assign the check that is due, if the rater can also receive another task."""
        choice = choose_check(self._ledger, self.rater)
        if choice is None or not self.has_any():
            return None
        task = write_check(self.planner, self.transaction, choice)
        place = self.transaction.writer.place_of(task.id, "")
        return None if place is None else self._give(place)

    def _refill(self) -> Sequence[Lease]:
        """Withdraw abandoned checks and tasks of earlier rounds, fill the queue, and return the free places."""
        free = self.transaction.free_places(FREE_LOOKED_AT)
        checks = [place for place in free if self.transaction.task_of(place).check]
        others = [place for place in free if place not in checks] if checks else free
        if checks:
            self.transaction.withdraw(checks)
        if withdraw_stale(self.transaction, others) or checks:
            free = self.transaction.free_places(FREE_LOOKED_AT)
        if self.planner.top_up(self.transaction, len(free)):
            free = self.transaction.free_places(FREE_LOOKED_AT)
        return free

    def _choose(self, free: Sequence[Lease]) -> Assignment | None:
        """Plan a task for a rater who may see no ready task; withdraw ready tasks if their items are needed."""
        at_once = self._ledger.definition.learning.update == "answer" and not self._in_sequences
        if at_once and self._needs_full_tasks:
            self._make_room(free)
            free = self.transaction.free_places(FREE_LOOKED_AT)
        planned = self.plan() if at_once else None
        for place in self._replaceable(free) if planned is None else ():
            self.transaction.withdraw([place])
            planned = self.plan()
            if planned is not None:
                break
        return planned

    @property
    def _needs_full_tasks(self) -> bool:
        """Whether tasks compare several items that are chosen without estimates."""
        definition = self._ledger.definition
        traits = definition.choosing.traits
        several = definition.asking.way.against and definition.asking.task_size > PAIR
        return several and not traits.learns and not traits.asks_every_pair

    def _make_room(self, free: Sequence[Lease]) -> None:
        """Withdraw as many ready tasks as a full task for this rater needs; none if all of them do not suffice.

        Without this, the last tasks of a rater who has seen many pairs would be short, or would repeat items that
        have all their answers, while the items that need answers wait in ready tasks.
        """
        pool, places = self.pool(), list(self._replaceable(free))
        for number in range(len(places) + 1):
            if number:
                task = self.transaction.task_of(places[number - 1])
                pool = pool.withdrawn(self._ledger.judged_indices(task))
            if self.planner.finds_full(pool):
                self.transaction.withdraw(places[:number])
                return

    def plan(self) -> Assignment | None:
        """Plan a task for this rater and assign it; None if no task can be planned."""
        tasks = self.planner.plan(self.transaction, self.pool(), 1)
        place = self.transaction.writer.place_of(tasks[0].id, "") if tasks else None
        return None if place is None else self._give(place)

    def _give(self, place: Lease, later: int = 0) -> Assignment:
        assignment = Assignment(_token(), self.transaction.task_of(place))
        self.transaction.writer.take(place, self.rater, assignment.id, self._until(later))
        return assignment


def _token() -> str:
    return secrets.token_urlsafe(12)
