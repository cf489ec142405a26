"""What the log amounts to: folded entry by entry, the same whoever folds it and however often it is cut."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from steelyard.judgments.coding import Vocabulary, code
from steelyard.judgments.kinds import KINDS
from steelyard.judgments.table import Judgments, Table
from steelyard.maths.arrays import Codes
from steelyard.study.definition import StudyDefinition
from steelyard.study.items import Items
from steelyard.study.log import Answer, Entry, Event, Task


@dataclass
class RaterRecord:
    """What one rater has done so far."""

    answers: dict[int, Answer] = field(default_factory=dict)  # by log position, superseded ones left out
    seen: dict[int, int] = field(default_factory=dict)  # index of an item -> times judged
    consented: bool = False
    survey: dict[str, Any] | None = None
    excluded: bool = False
    reason: str = ""  # why they were excluded
    sequence: int | None = None
    last_at: float = 0.0
    taken_back: set[str] = field(default_factory=set)  # assignments of answers that were undone


class Ledger:
    """Counts, raters and open places as of a log position. Only `fold` changes it."""

    def __init__(self, definition: StudyDefinition, items: Items) -> None:
        self.definition = definition
        self.items = items
        self.position = 0
        self.rewritten = 0  # position of the last event that took judgments back or away
        self.round = 1
        self.paused = False
        self.tasks: dict[str, Task] = {}
        self.open_places: dict[str, int] = {}
        self.answered = np.zeros(len(items), dtype=np.int64)
        self.pending = np.zeros(len(items), dtype=np.int64)
        self.raters: dict[str, RaterRecord] = {}
        self.answers: dict[int, Answer] = {}
        self.sequences: dict[int, list[str]] = {}  # tasks of each sequence, in order
        self._linked = np.arange(len(items))  # each item points towards the first of those linked to it
        self.planned = 0

    def fold(self, entries: Iterable[Entry]) -> None:
        """Take in entries that follow the ledger's position."""
        for entry in entries:
            if isinstance(entry, Task):
                self._fold_task(entry)
            elif isinstance(entry, Answer):
                self._fold_answer(entry)
            else:
                self._fold_event(entry)
            self.position = entry.position

    def rater(self, rater: str) -> RaterRecord:
        """The record of a rater, empty at first."""
        return self.raters.setdefault(rater, RaterRecord())

    def indices(self, task: Task) -> list[int]:
        """Indices of a task's items."""
        return [self.items.index[item] for item in task.items]

    def _fold_task(self, task: Task) -> None:
        self.tasks[task.id] = task
        self.planned += 1
        if task.sequence is not None:
            self.sequences.setdefault(task.sequence, []).append(task.id)
        self.round = max(self.round, task.round)
        self.open_places[task.id] = task.assignments
        self.pending[self.indices(task)] += task.assignments

    def _fold_answer(self, answer: Answer) -> None:
        task = self.tasks[answer.task]
        record = self.rater(answer.rater)
        self.answers[answer.position] = answer
        record.answers[answer.position] = answer
        record.last_at = max(record.last_at, answer.at)
        record.sequence = task.sequence if task.sequence is not None else record.sequence
        self._link([*itertools.islice(record.seen, 1), *self.indices(task)])
        for at in self.indices(task):
            record.seen[at] = record.seen.get(at, 0) + 1
        self._occupy(task, -1)
        if not record.excluded:
            self.answered[self.indices(task)] += 1

    def linked(self) -> Codes:
        """A number per item, the same for items that raters have linked; one taken back keeps its links."""
        while True:
            further = self._linked[self._linked]
            if (further == self._linked).all():
                return further
            self._linked = further

    def _link(self, items: list[int]) -> None:
        roots = [self._root(at) for at in items]
        self._linked[roots] = min(roots)

    def _root(self, at: int) -> int:
        while self._linked[at] != at:
            at = int(self._linked[at])
        return at

    def _occupy(self, task: Task, places: int) -> None:
        """Open (+) or close (-) places of a task; an answer nobody waited for closes none."""
        places = max(places, -self.open_places[task.id])
        self.open_places[task.id] += places
        self.pending[self.indices(task)] += places

    def _fold_event(self, event: Event) -> None:
        record = self.rater(event.rater) if event.rater else RaterRecord()
        if event.kind == "superseded":
            self._take_back(record, int(event.facts["answer"]))
        elif event.kind == "withdrawn":
            task = self.tasks[event.facts["task"]]
            self._occupy(task, -int(event.facts.get("places", 1)))
        elif event.kind in ("excluded", "included"):
            record.reason = str(event.facts.get("reason", ""))
            self._exclude(record, event.kind == "excluded")
        elif event.kind in ("paused", "resumed"):
            self.paused = event.kind == "paused"
        elif event.kind == "round_closed":
            self.round = int(event.facts["round"]) + 1
        elif event.kind == "surveyed":
            record.survey = dict(event.facts)
        elif event.kind in ("consented", "declined"):
            record.consented = event.kind == "consented"
        if event.kind in ("superseded", "excluded", "included"):
            self.rewritten = event.position

    def _take_back(self, record: RaterRecord, position: int) -> None:
        answer = self.answers.pop(position)
        task = self.tasks[answer.task]
        del record.answers[position]
        record.taken_back.add(answer.assignment)
        for at in self.indices(task):
            record.seen[at] -= 1
            if not record.seen[at]:
                del record.seen[at]
        self._occupy(task, 1)
        if not record.excluded:
            self.answered[self.indices(task)] -= 1

    def _exclude(self, record: RaterRecord, excluded: bool) -> None:
        if record.excluded == excluded:
            return
        record.excluded = excluded
        for answer in record.answers.values():
            task = self.tasks[answer.task]
            self.answered[self.indices(task)] += -1 if excluded else 1
            if task.sequence is not None:  # nobody replans a sequence, so its place opens again
                self._occupy(task, 1 if excluded else -1)

    def standing_answers(self, after: int = 0, until: int | None = None) -> list[Answer]:
        """Answers that count: not taken back, not of an excluded rater, between two positions, oldest first."""
        newest = itertools.takewhile(lambda position: position > after, reversed(self.answers))
        answers = [self.answers[position] for position in newest if until is None or position <= until]
        return [answer for answer in reversed(answers) if not self.raters[answer.rater].excluded]

    def judgments(self, question: int | None = None, after: int = 0, until: int | None = None) -> Judgments:
        """The standing answers as ratings (of one question, if named); "can't judge" is not a rating."""
        cells = [
            (answer, self.tasks[answer.task], score)
            for answer in self.standing_answers(after, until)
            for score in answer.scores
            if score.score is not None and (question is None or score.question == question)
        ]
        return _ratings(cells, self.definition, self.items, question)


def _ratings(
    cells: list[tuple[Answer, Task, Any]], definition: StudyDefinition, items: Items, question: int | None
) -> Judgments:
    """Rating rows of single cells, items coded as in the study."""
    codes: dict[str, Codes] = {}
    vocabularies: dict[str, Vocabulary] = {"item": Vocabulary(items.ids)}
    text: dict[str, list[str | None]] = {
        "rater": [answer.rater for answer, _, _ in cells],
        "question": [definition.questions[score.question].id for _, _, score in cells],
        "task": [answer.task for answer, _, _ in cells],
        "condition": [task.condition for _, task, _ in cells],
    }
    if definition.comment:
        text["comment"] = [answer.comment or None for answer, _, _ in cells]
    at = [items.index[task.items[score.item]] for _, task, score in cells]
    codes["item"] = np.array(at, dtype=np.int64)
    for name, values in text.items():
        codes[name], vocabularies[name] = code(values)
    for name in ("system", "segment"):
        if any(getattr(item, name) for item in items.all):
            codes[name], vocabularies[name] = code(getattr(items[each], name) or None for each in at)
    numbers = {
        "score": [score.score for _, _, score in cells],
        "round": [task.round for _, task, _ in cells],
        "at": [answer.at for answer, _, _ in cells],
        "milliseconds": [np.nan if a.milliseconds is None else a.milliseconds for a, _, _ in cells],
    }
    table = Table(
        KINDS["rating"], codes, {name: np.array(values, dtype=float) for name, values in numbers.items()}
    )
    return Judgments({"rating": table}, vocabularies, _range(definition, question))


def _range(definition: StudyDefinition, question: int | None) -> tuple[float, float] | None:
    """The range of one question; of all, only where they share one."""
    asked = definition.questions if question is None else (definition.questions[question],)
    ranges = {(definition.scale_of(each).low, definition.scale_of(each).high) for each in asked}
    return ranges.pop() if len(ranges) == 1 else None
