"""The session: `next_task` and `accept` are the only way in, for pages, simulation and files alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from threading import RLock
from typing import Any

from steelyard.study.collecting.answering import answer_to_undo, is_taken_back, store_answer
from steelyard.study.collecting.files.kept_places import (
    keep_for_file,
    release_files,
    take_from_file,
    task_of_file,
)
from steelyard.study.collecting.follower import Follower
from steelyard.study.collecting.planner import Supply
from steelyard.study.collecting.queue import NEWCOMER, Need, Queue
from steelyard.study.collecting.rater_state import Assignment, RaterState, is_finished, rater_state_of
from steelyard.study.collecting.raters import Raters, has_begun
from steelyard.study.definition.study import Study
from steelyard.study.grounding.cold_start import seed_from_file, waits_for_seeds
from steelyard.study.grounding.rounds import close, is_over
from steelyard.study.log.interface import Answer, EventKind, Log, Origin, Rater, Roster, Source, Task
from steelyard.study.log.ledger import Ledger
from steelyard.study.log.rater_record import RaterRecord
from steelyard.study.log.transaction import Transaction


class Session:
    """One worker's way into a study. Safe to share between threads; other workers have their own."""

    def __init__(
        self,
        study: Study,
        log: Log,
        roster: Roster,
        clock: Callable[[], float],
        background: Executor | None = None,
    ) -> None:
        self.log = log
        self.roster = roster
        self.clock = clock
        self.raters = Raters(roster, clock)
        self.follower = Follower(study, background)
        self._transaction: Transaction | None = None
        self._newest_time = math.inf  # what the clock said last; not known at first
        self._lock = RLock()

    @property
    def study(self) -> Study:
        """The study with its items as they were read last."""
        return self.follower.study

    @property
    def ledger(self) -> Ledger:
        """The ledger as far as it was folded; `fresh_ledger` is at the log's newest position."""
        return self.follower.ledger

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """One transaction for several calls: an answer and the next task reach the disk at once, or not at all.

        Within an open transaction this is the open one.
        """
        with self._lock:
            if self._transaction is not None:
                yield self._transaction
            else:
                with self._new_transaction() as transaction:
                    yield transaction

    @contextmanager
    def _new_transaction(self) -> Iterator[Transaction]:
        folded = None
        try:
            with self.log.writing() as writer:
                self.follower.catch_up(writer.since)
                folded = self.ledger.log_position
                self._transaction = Transaction(self.ledger, writer, self.clock())
                yield self._transaction
            folded = self.ledger.log_position
        finally:
            self._transaction = None
            if self.ledger.log_position != folded:  # what was rolled back is unlearnt by folding anew
                self.follower.restart()

    # Raters

    def join(self, name: str, source: Source, key: str = "") -> Rater:
        """A new rater with a link of their own; the same source and key give the same rater.

        Inside `transaction()` the rater joins with the rest of the transaction, or not at all.
        """
        return self.join_once(name, source, key)[0]

    def join_once(self, name: str, source: Source, key: str = "") -> tuple[Rater, bool]:
        """The rater of this source and key, and whether they are new; the name is stored as it can be seen."""
        with self._lock:
            return self.raters.join(name, source, key, self._transaction)

    def may_start(self, rater: str) -> bool:
        """Has this rater agreed to take part, answered the survey and done the training, if there are any?"""
        with self._lock:
            begun = has_begun(self.study.definition, self.ledger.rater(rater))
        return begun or has_begun(self.study.definition, self.record(rater))

    def record(self, rater: str) -> RaterRecord:
        """What a rater has done so far."""
        with self._lock:
            return self.fresh_ledger().rater(rater)

    # The only way in

    def next_task(self, rater: str) -> RaterState:
        """What this rater should do now: the task they hold, a ready one, or one chosen for them."""
        with self.transaction() as transaction:
            self._follow_clock(transaction)
            planner = self.follower.planner
            if transaction.ledger.paused:
                return rater_state_of(planner, rater, None, paused=True)
            if is_finished(transaction.ledger, rater):
                return rater_state_of(planner, rater, None, finished=True)
            seed_from_file(transaction, self.study.anchors)
            if waits_for_seeds(transaction.ledger):
                return rater_state_of(planner, rater, None)
            if is_over(transaction.ledger):
                close(transaction, None)
            assignment = Queue(planner, transaction, rater).next()
            return rater_state_of(planner, rater, assignment, finished=assignment is None)

    def accept(self, rater: str, answer: Answer, at: float | None = None) -> bool:
        """Store an answer; True when it is new, False when this rater has sent the same before.

        `at` is when it was given, where a file says so; None is now.
        Raises TaskClosed when the assignment is not this rater's, BadAnswer when the answer does not fit,
        EarlierAnswerKept and AnswerTakenBack when this rater answered otherwise, or took the answer back.
        """
        with self.transaction() as transaction:
            return store_answer(transaction, rater, answer, at)

    def undo(self, rater: str, assignment: str) -> RaterState:
        """Take this rater's last answer back and give them its task again.

        The answer is named by its assignment, so that asking twice takes back one; a repeat changes nothing.
        """
        with self.transaction() as transaction:
            if is_taken_back(transaction, rater, assignment):
                return self.next_task(rater)
            answer = answer_to_undo(transaction, rater, assignment)
            queue = Queue(self.follower.planner, transaction, rater)
            queue.give_back()
            transaction.note("superseded", rater, {"answer": answer.log_position})
            again = queue.give_again(transaction.ledger.tasks[answer.task])
            return rater_state_of(self.follower.planner, rater, again)

    def note(self, kind: EventKind, rater: str = "", facts: Mapping[str, Any] | None = None) -> None:
        """Log an event: consent, a survey, a pause, an exclusion."""
        with self.transaction() as transaction:
            ledger = transaction.ledger
            was_out = bool(rater) and ledger.rater(rater).excluded
            transaction.note(kind, rater, facts)
            if kind in ("excluded", "declined"):
                is_new = ledger.rater(rater).excluded and not was_out
                Queue(self.follower.planner, transaction, rater).leave(asked_again=is_new)

    def close_round(self, reannotate: Sequence[str] | None = None) -> None:
        """End the round: its answers make the next anchor set, and these items (None: as set) are asked again."""
        with self.transaction() as transaction:
            close(transaction, reannotate)

    # Files

    def batch(self, tasks: int | None = None, assignments: int = 1) -> list[Task]:
        """Choose tasks (a whole round if no number is given) for a file; pages do not offer them."""
        with self.transaction() as transaction:
            planned = self.follower.planner.plan_batch(transaction, tasks, assignments)
            keep_for_file(transaction, planned)
            return planned

    def take_task(
        self, rater: str, task: str, items: Sequence[str], assignment: str, origin: Origin | None = None
    ) -> Assignment | None:
        """The task that a batch file gave out, or one made of these items, in this rater's hands.

        None when this assignment was answered before. Takes a place kept for files first. `origin` is what a
        file says of a task that has to be made.
        """
        with self.transaction() as transaction:
            if transaction.writer.answered(assignment):
                return None
            asked = task_of_file(self.follower.planner, transaction, task, items, origin)
            return take_from_file(transaction, rater, asked, assignment)

    def release_batches(self) -> int:
        """Give up on tasks that were given out as files and not answered; how many places were freed."""
        with self.transaction() as transaction:
            return release_files(transaction)

    # Without giving anything out

    def fresh_ledger(self) -> Ledger:
        """The ledger at the log's newest position."""
        with self._lock:
            if self._transaction is None:
                self.follower.catch_up(self.log.since)
            return self.ledger

    def rater_state(self, rater: str) -> RaterState:
        """The state of this rater, without giving them anything new."""
        with self.transaction() as transaction:
            queue = Queue(self.follower.planner, transaction, rater)
            held = queue.held()
            left = held is not None or queue.has_any()
            paused = transaction.ledger.paused
            return rater_state_of(self.follower.planner, rater, held, paused=paused, finished=not left)

    def need(self, rater: str = NEWCOMER) -> Need:
        """Is there work for this rater, or for one who has not joined? "open" for whoever has answered before."""
        with self.transaction() as transaction:
            if transaction.ledger.rater(rater).answers:
                return "open"
            return Queue(self.follower.planner, transaction, rater).need()

    def supply(self) -> Supply:
        """What the study wants, has and awaits, and what stops it."""
        with self._lock:
            return self.follower.planner.supply()

    @property
    def problems(self) -> tuple[str, ...]:
        """What went wrong beside the requests and should be looked at by the owner."""
        return self.follower.problems

    def _follow_clock(self, transaction: Transaction) -> None:
        """After the clock went back no place is held longer than one that is given out now."""
        if transaction.now < self._newest_time:
            transaction.writer.shorten(transaction.held_until)
        self._newest_time = transaction.now
