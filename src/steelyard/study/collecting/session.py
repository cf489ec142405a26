"""The session: pages, simulations and files all use `next_task` and `accept` to collect answers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.study.collecting.answering import answer_to_undo, is_taken_back, store_answer
from steelyard.study.collecting.assignment import Arrival, assign, need_of_newcomers
from steelyard.study.collecting.check_rules import apply_rules
from steelyard.study.collecting.check_tasks import mixed_with_checks
from steelyard.study.collecting.files.kept_places import (
    keep_for_file,
    release_files,
    take_from_file,
    task_of_file,
)
from steelyard.study.collecting.follower import Arm
from steelyard.study.collecting.joining import Joining
from steelyard.study.collecting.planner import Planner
from steelyard.study.collecting.queue import NEWCOMER, Need, Queue
from steelyard.study.collecting.rater_state import (
    Assignment,
    RaterState,
    is_finished,
    may_fetch_ahead,
    rater_state_of,
    state_ahead,
    state_without_tasks,
)
from steelyard.study.collecting.several_ways import queue_of
from steelyard.study.collecting.supply import Supply
from steelyard.study.collecting.ways import plan_by_shares
from steelyard.study.grounding.cold_start import seed_from_file, waits_for_seeds
from steelyard.study.grounding.rounds import close, is_over
from steelyard.study.log.entries import Answer, EventKind, Origin, Task
from steelyard.study.log.transaction import Transaction


class Session(Joining):
    """The interface of a worker process to a study. Threads may share a session; each process has its own.

    Its parameters are those of `Joining`.
    """

    _newest_time = math.inf  # last time of the clock; infinity before the first transaction

    def _queue(self, transaction: Transaction, rater: str) -> Queue:
        """Return the queue of a rater in their arm."""
        arm = self.follower.arm_of(rater)
        return queue_of(self.follower.planner if arm is None else arm.planner, transaction, rater)

    # Tasks and answers

    def next_task(self, rater: str) -> RaterState:
        """Assign the next task to a rater, and return their state."""
        with self.transaction() as whole:
            self._follow_clock(whole)
            arm = self.follower.arm_of(rater) or assign(whole, self.follower, Arrival(rater))
            if arm is None:
                return self._without_arm(whole)
            planner, transaction = arm.planner, whole.in_arm(arm.ledger)
            if transaction.ledger.paused or transaction.ledger.rater(rater).paused_until > transaction.now:
                return rater_state_of(planner, rater, None, paused=True)
            if is_finished(transaction.ledger, rater):
                return self._finish(arm, transaction, rater)
            seed_from_file(transaction, arm.study.anchors)
            if waits_for_seeds(transaction.ledger):
                return rater_state_of(planner, rater, None)
            if is_over(transaction.ledger):
                close(transaction, None)
            assignment = queue_of(planner, transaction, rater).next()
            if assignment is None:
                return self._finish(arm, transaction, rater)
            return rater_state_of(planner, rater, assignment)

    def _finish(self, arm: Arm, transaction: Transaction, rater: str) -> RaterState:
        """Return the state of a rater without a task, and log that they have finished if they have answered."""
        state = rater_state_of(arm.planner, rater, None, finished=True)
        record = transaction.ledger.rater(rater)
        if state.finished and state.done and not record.is_out and not record.finished:
            transaction.note("finished", rater)
        return state

    def task_ahead(self, rater: str, current: RaterState) -> RaterState | None:
        """Assign the task after the current one, so that a page can show it without waiting.

        Parameters
        ----------
        rater
            Id of the rater.
        current
            State of the rater, from `next_task` or `undo` in the same transaction.

        Returns
        -------
        RaterState or None
            The state after the answer to the current task, or None if no task is assigned in advance.
        """
        with self.transaction_of(rater) as transaction:
            ledger = transaction.ledger
            if current.assignment is None or not may_fetch_ahead(ledger, rater):
                return None
            ahead = self._queue(transaction, rater).ahead()
            return None if ahead is None else state_ahead(current, ledger, rater, ahead)

    def _without_arm(self, transaction: Transaction) -> RaterState:
        """Return the state of a rater who has no arm, because all arms are full or need no answers."""
        held = need_of_newcomers(transaction, self.follower) == "held"
        return state_without_tasks(transaction.ledger.paused, held)

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
        with self.transaction_of(rater) as transaction:
            is_new = store_answer(transaction, rater, answer, at)
            if is_new and apply_rules(transaction, rater):
                self._queue(transaction, rater).leave(asked_again=True)
            return is_new

    def undo(self, rater: str, assignment: str) -> RaterState:
        """Take back the last answer of a rater and assign its task again.

        The assignment identifies the answer, so that a repeated request takes back only one answer.
        """
        with self.transaction_of(rater) as transaction:
            if is_taken_back(transaction, rater, assignment):
                return self.next_task(rater)
            answer = answer_to_undo(transaction, rater, assignment)
            queue = self._queue(transaction, rater)
            queue.give_back()
            transaction.note("superseded", rater, {"answer": answer.log_position})
            again = queue.give_again(transaction.ledger.tasks[answer.task])
            return rater_state_of(queue.planner, rater, again)

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
        with self.transaction_of(rater) as transaction:
            ledger = transaction.ledger
            was_out = bool(rater) and ledger.rater(rater).excluded
            transaction.note(kind, rater, facts)
            if kind in ("excluded", "declined"):
                is_new = ledger.rater(rater).excluded and not was_out
                self._queue(transaction, rater).leave(asked_again=is_new)

    def close_round(self, reannotate: Sequence[str] | None = None, condition: str = "") -> None:
        """End the round of an arm, whose answers determine the next anchors.

        `reannotate` has the ids of the items to ask again. None uses the setting in [rounds].
        """
        with self.transaction() as transaction:
            close(transaction.in_arm(self.arm(condition).ledger), reannotate)

    # Files

    def batch(
        self, tasks: int | None = None, assignments: int = 1, condition: str = "", protocol: str = ""
    ) -> list[Task]:
        """Choose tasks for a file, with checks mixed in. Pages do not offer these tasks.

        Parameters
        ----------
        tasks
            Largest number of tasks; None for a whole round.
        assignments
            Number of raters who answer each task.
        condition
            Name of the arm. Default: the first one.
        protocol
            Protocol of the tasks, in a study with several. Default: all, in their shares.

        Returns
        -------
        list of Task
            The new tasks.
        """
        with self.transaction() as whole:
            arm = self.arm(condition)
            transaction, planner = whole.in_arm(arm.ledger), arm.planner.in_way(protocol)
            plan = plan_by_shares if planner.ways else Planner.plan_batch
            planned = plan(planner, transaction, tasks, assignments)
            planned = mixed_with_checks(planner, transaction, planned, assignments)
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
            Round, condition, probe mark and protocol of a new task, or None.

        Returns
        -------
        Assignment or None
            The assignment; None if it was answered before.
        """
        with self.transaction_of(rater) as transaction:
            if transaction.writer.answered(assignment):
                return None
            planner = self._queue(transaction, rater).planner
            asked = task_of_file(planner, transaction, task, items, origin)
            return take_from_file(transaction, rater, asked, assignment)

    def release_batches(self) -> int:
        """Withdraw places of tasks that were written to files and not answered; return how many."""
        with self.transaction() as transaction:
            return release_files(transaction)

    # State, without assigning tasks

    def rater_state(self, rater: str) -> RaterState:
        """Return the state of a rater, without assigning a new task."""
        with self.transaction_of(rater) as transaction:
            if self.follower.arm_of(rater) is None:
                return self._without_arm(transaction)
            queue = self._queue(transaction, rater)
            held = queue.held()
            left = held is not None or queue.has_any()
            record = transaction.ledger.rater(rater)
            paused = transaction.ledger.paused or record.paused_until > transaction.now
            return rater_state_of(queue.planner, rater, held, paused=paused, finished=not left)

    def need(self, rater: str = NEWCOMER) -> Need:
        """Return whether there is work for this rater or, by default, for someone who has not joined.

        The result is "open", "held" if other raters hold all remaining tasks, or "over". It is always "open" for a
        rater who has answered before.
        """
        with self.transaction_of(rater) as transaction:
            if self.follower.arm_of(rater) is None:
                return need_of_newcomers(transaction, self.follower)
            if transaction.ledger.rater(rater).answers:
                return "open"
            return self._queue(transaction, rater).need()

    def supply(self, condition: str = "") -> Supply:
        """Return the numbers of answers wanted, received and expected in an arm, and why it is stopped."""
        with self._lock:
            return self.arm(condition).planner.supply()

    @property
    def problems(self) -> tuple[str, ...]:
        """Problems outside of requests that the owner should look at."""
        return tuple(each for each in (self.log.problem, *self.follower.problems) if each)

    def _follow_clock(self, transaction: Transaction) -> None:
        """If the clock was set back, shorten places that would be held for longer than a new one."""
        if transaction.now < self._newest_time:
            transaction.writer.shorten(transaction.held_until)
        self._newest_time = transaction.now
