"""The session: pages, simulations and files all use `next_task` and `accept` to collect answers."""

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
    """The interface of a worker process to a study. Threads may share a session; each process has its own.

    Parameters
    ----------
    study
        The study.
    log
        Log of the study.
    roster
        Raters of the study.
    clock
        Function that returns the current time, in seconds since 1970.
    background
        Executor for refits of the model; without one, refits run in the calling thread.
    """

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
        self._newest_time = math.inf  # last time of the clock; infinity before the first transaction
        self._lock = RLock()

    @property
    def study(self) -> Study:
        """The study, with its items as they were last read."""
        return self.follower.study

    @property
    def ledger(self) -> Ledger:
        """The ledger at the position it was last folded to; see `fresh_ledger` for the newest position."""
        return self.follower.ledger

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Open a transaction for several calls: either all of their changes are stored, or none of them.

        Inside an open transaction, this returns the open one.
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
            if self.ledger.log_position != folded:  # entries were rolled back, so fold the log again
                self.follower.restart()

    # Raters

    def join(self, name: str, source: Source, key: str = "") -> Rater:
        """Add a rater with a personal link, or return the existing rater with this source and key.

        Inside `transaction()`, the rater is stored with the rest of the transaction.

        Parameters
        ----------
        name
            Name of the rater.
        source
            How the rater joins.
        key
            Id of the rater on another site or in a file; empty if there is none.

        Returns
        -------
        Rater
            The new or existing rater.
        """
        return self.join_once(name, source, key)[0]

    def join_once(self, name: str, source: Source, key: str = "") -> tuple[Rater, bool]:
        """Add a rater as `join` does, and also return whether the rater is new.

        Parameters
        ----------
        name
            Name of the rater.
        source
            How the rater joins.
        key
            Id of the rater on another site or in a file; empty if there is none.

        Returns
        -------
        rater : Rater
            The new or existing rater.
        is_new : bool
            Whether the rater was added.
        """
        with self._lock:
            return self.raters.join(name, source, key, self._transaction)

    def may_start(self, rater: str) -> bool:
        """Whether the rater has given consent, answered the survey and finished the training, if there are any."""
        with self._lock:
            begun = has_begun(self.study.definition, self.ledger.rater(rater))
        return begun or has_begun(self.study.definition, self.record(rater))

    def record(self, rater: str) -> RaterRecord:
        """Return the record of a rater at the newest log position."""
        with self._lock:
            return self.fresh_ledger().rater(rater)

    # Tasks and answers

    def next_task(self, rater: str) -> RaterState:
        """Assign the next task to a rater, and return their state."""
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
        """Store an answer.

        Parameters
        ----------
        rater
            Id of the rater.
        answer
            The answer, with its assignment.
        at
            Time of the answer in seconds since 1970, or None for now.

        Returns
        -------
        bool
            True if the answer is new, False if the rater has sent the same answer before.

        Raises
        ------
        TaskClosed
            If the assignment does not belong to this rater.
        BadAnswer
            If the answer does not fit the task.
        EarlierAnswerKept
            If the rater has sent a different answer before.
        AnswerTakenBack
            If the rater has taken this answer back.
        """
        with self.transaction() as transaction:
            return store_answer(transaction, rater, answer, at)

    def undo(self, rater: str, assignment: str) -> RaterState:
        """Take back the last answer of a rater and assign its task again.

        The assignment identifies the answer, so that a repeated request takes back only one answer.
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
        """Log an event such as consent, a survey, a pause or an exclusion.

        Parameters
        ----------
        kind
            Kind of the event.
        rater
            Id of the rater concerned; empty for the owner or the whole study.
        facts
            Details of the event.
        """
        with self.transaction() as transaction:
            ledger = transaction.ledger
            was_out = bool(rater) and ledger.rater(rater).excluded
            transaction.note(kind, rater, facts)
            if kind in ("excluded", "declined"):
                is_new = ledger.rater(rater).excluded and not was_out
                Queue(self.follower.planner, transaction, rater).leave(asked_again=is_new)

    def close_round(self, reannotate: Sequence[str] | None = None) -> None:
        """End the round, whose answers determine the next anchors.

        `reannotate` has the ids of the items to ask again. None uses the setting in [rounds].
        """
        with self.transaction() as transaction:
            close(transaction, reannotate)

    # Files

    def batch(self, tasks: int | None = None, assignments: int = 1) -> list[Task]:
        """Choose tasks for a file, by default a whole round; these tasks are not offered on pages."""
        with self.transaction() as transaction:
            planned = self.follower.planner.plan_batch(transaction, tasks, assignments)
            keep_for_file(transaction, planned)
            return planned

    def take_task(
        self, rater: str, task: str, items: Sequence[str], assignment: str, origin: Origin | None = None
    ) -> Assignment | None:
        """Assign a task of a file to a rater: the task with this id, or a new task with these items.

        Parameters
        ----------
        rater
            Id of the rater.
        task
            Id of the task in the file; empty if the file does not name one.
        items
            Ids of the items in the file.
        assignment
            Id of the assignment.
        origin
            Round, condition and probe mark of a new task, or None.

        Returns
        -------
        Assignment or None
            The assignment; None if it was answered before.
        """
        with self.transaction() as transaction:
            if transaction.writer.answered(assignment):
                return None
            asked = task_of_file(self.follower.planner, transaction, task, items, origin)
            return take_from_file(transaction, rater, asked, assignment)

    def release_batches(self) -> int:
        """Withdraw places of tasks that were written to files and not answered; return how many."""
        with self.transaction() as transaction:
            return release_files(transaction)

    # State, without assigning tasks

    def fresh_ledger(self) -> Ledger:
        """Return the ledger at the newest log position."""
        with self._lock:
            if self._transaction is None:
                self.follower.catch_up(self.log.since)
            return self.ledger

    def rater_state(self, rater: str) -> RaterState:
        """Return the state of a rater, without assigning a new task."""
        with self.transaction() as transaction:
            queue = Queue(self.follower.planner, transaction, rater)
            held = queue.held()
            left = held is not None or queue.has_any()
            paused = transaction.ledger.paused
            return rater_state_of(self.follower.planner, rater, held, paused=paused, finished=not left)

    def need(self, rater: str = NEWCOMER) -> Need:
        """Return whether there is work for this rater or, by default, for someone who has not joined.

        The result is "open", "held" if other raters hold all remaining tasks, or "over". It is always "open" for a
        rater who has answered before.
        """
        with self.transaction() as transaction:
            if transaction.ledger.rater(rater).answers:
                return "open"
            return Queue(self.follower.planner, transaction, rater).need()

    def supply(self) -> Supply:
        """Return the numbers of answers wanted, received and expected, and why the study is stopped."""
        with self._lock:
            return self.follower.planner.supply()

    @property
    def problems(self) -> tuple[str, ...]:
        """Problems outside of requests that the owner should look at."""
        return self.follower.problems

    def _follow_clock(self, transaction: Transaction) -> None:
        """If the clock was set back, shorten places that would be held for longer than a new one."""
        if transaction.now < self._newest_time:
            transaction.writer.shorten(transaction.held_until)
        self._newest_time = transaction.now
