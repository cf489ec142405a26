"""What the log amounts to: folded entry by entry, the same whoever folds it and however often it is cut."""

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
from steelyard.study.log.event_folds import fold_event
from steelyard.study.log.interface import Answer, Entry, Task
from steelyard.study.log.judged import judged_cells, judgments_of
from steelyard.study.log.ledger_state import LedgerState


class Ledger(LedgerState):
    """Counts, raters and open places as of a log position. Only `fold` changes it."""

    @cached_property
    def groups(self) -> tuple[Codes, ...]:
        """The items of each group all of whose pairs are asked; groups may share items."""
        return groups_of(self.definition, self.items)

    @cached_property
    def others(self) -> Codes:
        """With how many others each item may be shown."""
        return others_of(self.groups, self.items.segments)

    @cached_property
    def _wanted_in_all(self) -> tuple[Codes, Codes]:
        """Judgments that each item should get when all rounds are done, and the round it is first asked in."""
        return wanted_of(self.definition, self.others), first_rounds(self.definition, len(self.items))

    @property
    def wanted(self) -> Codes:
        """Judgments that each item should get by the end of this round."""
        in_all, first = self._wanted_in_all
        if (
            self.sequences and self.definition.asking.way.against
        ):  # tasks of sequences share items, to link them
            in_all = np.maximum(in_all, self.answered + self.pending)
        if self.definition.grounding.rounds.number == 1 and not self.reopened:
            return in_all
        wanted = np.where(first <= self.round, in_all, 0)
        for at, target in self.reopened.items():
            wanted[at] = max(wanted[at], target)
        return wanted

    def current_sequences(self) -> list[int]:
        """The sequences that were planned in this round."""
        return [at for at, tasks in self.sequences.items() if self.tasks[tasks[0]].round == self.round]

    def counted_answers(self, after: int = 0, until: int | None = None, probes: bool = False) -> list[Answer]:
        """Answers that count: not taken back, not of an excluded rater, between two positions, oldest first.

        Answers to probes measure self-consistency and count for nothing else; `probes` includes them.
        """
        newest = itertools.takewhile(lambda position: position > after, reversed(self.answers))
        answers = [self.answers[position] for position in newest if until is None or position <= until]
        return [answer for answer in reversed(answers) if self._counts(answer, probes)]

    def _counts(self, answer: Answer, probes: bool) -> bool:
        return not self.raters[answer.rater].excluded and (probes or not self.tasks[answer.task].probe)

    def judgments(
        self, question: int | None = None, after: int = 0, until: int | None = None, probes: bool = False
    ) -> Judgments:
        """The counted answers as judgments (of one question, if named); "can't judge" is none."""
        return self.judgments_in(self.counted_answers(after, until, probes), question)

    def judgments_in(self, answers: Iterable[Answer], question: int | None = None) -> Judgments:
        """These answers as judgments of the study's kind, items coded as in the study."""
        read = [self.as_read(answer) for answer in answers]
        return judgments_of(judged_cells(read, self.tasks, question), self.definition, self.items, question)

    def as_read(self, answer: Answer) -> Answer:
        """The answer on the scale as it is now, after the rescalings of its round and of those since."""
        if not self.ground.rescalings:
            return answer
        given_in = self.tasks[answer.task].round
        return replace(answer, cells=tuple(self.ground.moved(cell, given_in) for cell in answer.cells))

    def first_rewritten(self, after: int) -> int:
        """The first answer that events after a position changed; 0 where they are about any number of answers."""
        newest = itertools.takewhile(lambda each: each[0] > after, reversed(self.rewrites))
        return min((first for _, first in newest), default=self.log_position + 1)

    def fold(self, entries: Iterable[Entry]) -> None:
        """Take in entries that follow the ledger's position. UnknownEvent where a newer version wrote one."""
        for entry in entries:
            if isinstance(entry, Task):
                self._fold_task(entry)
            elif isinstance(entry, Answer):
                self._fold_answer(entry)
            else:
                fold_event(self, entry)
            self.log_position = entry.log_position

    def _fold_task(self, task: Task) -> None:
        for item in task.items:
            if item not in self.items.index:  # added to the study since its items were read
                raise UnknownItem(item)
        self.tasks[task.id] = task
        self.planned += 1
        if task.sequence is not None:
            self.sequences.setdefault(task.sequence, []).append(task.id)
        self.round = max(self.round, task.round)
        self.open_places[task.id] = 0
        self.add_places(task, task.assignments)
        if self.definition.compares:  # what is about to be compared need not be linked again
            self.link(self.indices(task))

    def _fold_answer(self, answer: Answer) -> None:
        task = self.tasks[answer.task]
        record = self.rater(answer.rater)
        if answer.interactions or answer.shown:  # as when read from the log: they are large, and stay there
            answer = replace(answer, interactions=(), shown={})
        self.answers[answer.log_position] = answer
        record.answers[answer.log_position] = answer
        record.last_at = max(record.last_at, answer.at)
        if task.sequence is not None and task.round == self.round:
            record.sequence = task.sequence
        if not self.definition.compares:  # ratings of one rater are on one scale
            self.link([*itertools.islice(record.seen, 1), *self.indices(task)])
        self.show(record, task, 1)
        if not record.excluded:
            self.add_answers(task, 1)
        self.add_places(task, -1)
