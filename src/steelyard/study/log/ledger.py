"""The ledger: the state of a study, computed by folding the log entry by entry.

The result does not depend on how the entries are split between calls of `fold`. An event of an unknown kind is an
error, because it may have removed answers; an older version therefore rejects the log of a newer one. Pointer
movements and screen sizes are read from the log on request, and a ledger may let go of tasks and answers in the same
way (`let_go`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

import numpy as np

from steelyard.errors import UnknownItem
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes
from steelyard.study.definition.groups import first_rounds, groups_of, others_of, wanted_of
from steelyard.study.log.answers import check_cells
from steelyard.study.log.arm_entries import concerns
from steelyard.study.log.entries import Answer, Entry, Task
from steelyard.study.log.event_folds import fold_event
from steelyard.study.log.interface import Log
from steelyard.study.log.judged import judged_cells, judgments_of
from steelyard.study.log.ledger_state import LedgerState
from steelyard.study.log.machine_answers import machine_judgments
from steelyard.study.log.stored_entries import StoredEntries


class Ledger(LedgerState):
    """The state of a study at one log position: counts, raters and open places. Only `fold` changes it."""

    @cached_property
    def groups(self) -> tuple[Codes, ...]:
        """Items of each group in which every pair is asked; groups may share items."""
        return groups_of(self.definition, self.items)

    @cached_property
    def others(self) -> Codes:
        """Number of other items that each item can be shown with."""
        return others_of(self.groups, self.items)

    @cached_property
    def _wanted_in_all(self) -> tuple[Codes, Codes]:
        """Judgments that each item should receive over all rounds, and the round in which it is asked first."""
        wanted = wanted_of(self.definition, self.others, self.items.asked)
        return wanted, first_rounds(self.definition, self.items)

    @property
    def wanted(self) -> Codes:
        """Judgments that each item should have by the end of this round."""
        in_all, first = self._wanted_in_all
        if (
            self.sequences and self.definition.asking.way.against
        ):  # sequences share items to link them, so an item may receive more than the redundancy
            in_all = np.maximum(in_all, self.answered + self.pending)
        if self.definition.grounding.rounds.number == 1 and not self.reopened:
            return in_all
        wanted = np.where(first <= self.round, in_all, 0)
        for at, target in self.reopened.items():
            wanted[at] = max(wanted[at], target)
        return wanted

    def current_sequences(self) -> list[int]:
        """Return the numbers of the sequences that were planned in this round."""
        return [at for at, tasks in self.sequences.items() if self.tasks[tasks[0]].round == self.round]

    def counted_answers(self, after: int = 0, until: int | None = None, probes: bool = False) -> list[Answer]:
        """Return the answers that count, oldest first.

        Answers that were taken back, answers of excluded raters, answers to checks and answers about hidden items do
        not count. Answers to probes measure only the consistency of a rater, and are left out by default.

        Parameters
        ----------
        after
            Log position after which answers are included.
        until
            Last log position included, or None for no limit.
        probes
            Whether to include answers to probes.

        Returns
        -------
        list of Answer
            Answers as they were given.
        """
        if self.stored is not None:
            self.stored.read(after)
        newest = itertools.takewhile(lambda position: position > after, reversed(self.answers))
        answers = [self.answers[position] for position in newest if until is None or position <= until]
        return [self.without_hidden(answer) for answer in reversed(answers) if self._counts(answer, probes)]

    def _counts(self, answer: Answer, probes: bool) -> bool:
        task = self.tasks[answer.task]
        return not self.raters[answer.rater].excluded and (task.counts or (probes and task.probe))

    def without_hidden(self, answer: Answer) -> Answer:
        """Return an answer without the cells about hidden items."""
        task = self.tasks[answer.task]
        if not task.hidden:
            return answer
        return replace(
            answer, cells=tuple(cell for cell in answer.cells if task.items[cell.item] not in task.hidden)
        )

    def judgments(
        self, question: int | None = None, after: int = 0, until: int | None = None, probes: bool = False
    ) -> Judgments:
        """Return the answers that count as judgments; an answer of "can't judge" is not a judgment.

        Parameters
        ----------
        question
            Index of a question, or None for all questions.
        after
            Log position after which answers are included.
        until
            Last log position included, or None for no limit.
        probes
            Whether to include answers to probes.

        Returns
        -------
        Judgments
            One row per judgment. Items are coded as in the study.
        """
        return self.judgments_in(self.counted_answers(after, until, probes), question)

    def judgments_in(self, answers: Iterable[Answer], question: int | None = None) -> Judgments:
        """Return these answers as judgments, with items coded as in the study and all machine answers beside them."""
        read = [self.as_read(answer) for answer in answers]
        cells = judged_cells(read, self.tasks, question)
        machine = machine_judgments(self.machine, self.definition, self.items, question)
        return replace(judgments_of(cells, self.definition, self.items, question), machine=machine)

    def as_read(self, answer: Answer) -> Answer:
        """Return an answer on the current scale: rescaled at the end of its round and of every later round."""
        if not self.ground.rescalings:
            return answer
        given_in = self.tasks[answer.task].round
        return replace(answer, cells=tuple(self.ground.moved(cell, given_in) for cell in answer.cells))

    def first_rewritten(self, after: int) -> int:
        """Return the log position of the first answer changed by events after a position; 0 if any answer may be."""
        newest = itertools.takewhile(lambda each: each[0] > after, reversed(self.rewrites))
        return min((first for _, first in newest), default=self.log_position + 1)

    def fold(self, entries: Iterable[Entry]) -> None:
        """Apply the entries that follow the ledger's position; raise UnknownEvent for an unknown kind of event."""
        for entry in entries:
            if isinstance(entry, Task):
                self._count_task(entry)
            if (self.condition, self.protocol) != (None, None) and not concerns(self, entry):
                pass
            elif isinstance(entry, Task):
                self._fold_task(entry)
            elif isinstance(entry, Answer):
                self._fold_answer(entry)
            else:
                fold_event(self, entry)
            self.log_position = entry.log_position

    def let_go(self, log: Log) -> None:
        """Drop tasks and answers from memory; they are read from the log when they are used.

        Tasks with open places and the newest answer of each rater stay, because the next pages need them.

        Parameters
        ----------
        log
            The log that this ledger follows, which has all of its entries.
        """
        held = {name: self.tasks[name] for name in self.open_places}
        stored = StoredEntries(log, self.log_position, self.condition, held, self.protocol)
        stored.answers.update(dict.fromkeys(self.answers))  # type: ignore[arg-type]  # None until it is read
        for rater, record in self.raters.items():
            if record.answers:
                newest = dict.get(
                    record.answers, record.newest
                )  # None if it was not read since it was let go
                record.answers = own = stored.answers_of(rater, record.answers)
                if newest is not None:
                    own.fill(stored.answers.fill(newest))
        self.stored, self.tasks, self.answers = stored, stored.tasks, stored.answers

    def _count_task(self, task: Task) -> None:
        """Count a task of any arm and protocol, because the ids of tasks and sequences are unique in the log."""
        self.tasks_logged += 1
        if self.stored is not None:
            self.stored.pass_by(task)
        if task.sequence is not None:
            self.sequences_logged.add(task.sequence)

    def _fold_task(self, task: Task) -> None:
        for item in task.items:
            if item not in self.items.index:  # the item was added after the items file was read
                raise UnknownItem(item)
        self.tasks[task.id] = task
        self.planned += 1
        if task.sequence is not None:
            self.sequences.setdefault(task.sequence, []).append(task.id)
        self.round = max(self.round, task.round)
        self.add_places(task, task.assignments)
        if self.compares_in(task) and task.counts:  # a planned comparison counts as a link
            self.link(self.judged_indices(task))

    def _fold_answer(self, answer: Answer) -> None:
        task = self.tasks.get(answer.task)
        if task is None:
            raise LookupError(f"it answers an unknown task, {answer.task!r}")
        check_cells(answer, task, len(self.definition.questions))
        record = self.rater(answer.rater)
        answer = answer.without_moves()
        self.answers[answer.log_position] = answer
        record.answers[answer.log_position] = answer
        record.last_at = max(record.last_at, answer.at)
        measured = 0.0 if answer.milliseconds is None else answer.milliseconds / 1000.0
        record.work(answer.at, measured, 60.0 * self.definition.pay.idle_minutes)
        if task.sequence is not None and task.round == self.round:
            record.sequence = task.sequence
        if not self.compares_in(task):  # a rater uses one scale, which links all items that they rate
            self.link([*itertools.islice(record.seen, 1), *self.judged_indices(task)])
        self.show(record, task, 1)
        if not record.excluded:
            self.add_answers(task, 1)
            self.count_time(answer, 1)
        self.add_places(task, -1)
