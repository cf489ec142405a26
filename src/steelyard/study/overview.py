"""What the owner sees of a running study: numbers of a ledger, and a watch that keeps them fresh."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np

from steelyard.errors import UnknownName
from steelyard.judgments.table import Judgments
from steelyard.quality.raters import RaterHabits, describe_raters, spam_by_rater
from steelyard.scales.fit import Fit
from steelyard.scales.quantity import Quantity
from steelyard.selection.stopping import predicted_reliability
from steelyard.study.audit import Audit, Auditor
from steelyard.study.cells import Bounds, Cell, Verdict
from steelyard.study.definition import Question, ScaleSettings, StudyDefinition
from steelyard.study.items import FILES, Item, Items
from steelyard.study.learning import fit_question
from steelyard.study.ledger import Ledger, RaterRecord
from steelyard.study.log import Log, Rater, Roster
from steelyard.study.rounds import Drift, drift_of
from steelyard.study.standing import waits_for_seeds
from steelyard.study.study import Study

ACTIVE_SECONDS = 600.0
NEWEST = 12
RESTS = 10  # an overview may be as old as ten times what making it took, so that raters keep the processor


@dataclass(frozen=True, slots=True)
class RaterLine:
    """One rater as the owner sees them: who, how many answers, which habits, left out or asked no more, and why."""

    rater: Rater
    answers: int
    tasks: int
    last_at: float | None
    habits: RaterHabits | None
    excluded: bool
    reason: str
    rested: bool
    survey: Mapping[str, Any]

    @property
    def flags(self) -> tuple[str, ...]:
        """What is worth a look, in words."""
        return () if self.habits is None else self.habits.flags


@dataclass(frozen=True, slots=True)
class NewJudgment:
    """One cell of a new answer: of which item, or of which two, and what was said; None means "can't judge"."""

    at: float
    rater: str
    item: str
    said: float | str | None


@dataclass(frozen=True, eq=False)
class QuestionView:
    """One question: its scale so far (None before the first rating), what it is made of, and the raters."""

    question: Question
    settings: ScaleSettings
    fit: Fit | None
    judgments: Judgments
    raters: tuple[RaterLine, ...]
    newest: tuple[NewJudgment, ...]

    @property
    def span(self) -> tuple[float, float]:
        """The ends of the scale that positions stand on."""
        return (self.settings.low, self.settings.high) if self.fit is None else self.fit.span

    @property
    def width(self) -> float:
        """From one end of the scale to the other."""
        return self.span[1] - self.span[0]

    @property
    def rating_width(self) -> float:
        """From one end of the answers' scale to the other: the unit of a rater's bias."""
        return self.settings.high - self.settings.low

    @property
    def flagged(self) -> int:
        """Raters with a flag who are not excluded."""
        return sum(bool(line.flags) and not line.excluded for line in self.raters)


@dataclass(frozen=True, eq=False)
class Overview:
    """A study at one position of its log."""

    definition: StudyDefinition
    labels: Mapping[str, str]
    position: int
    judgments: int
    wanted: int
    cannot_judge: int
    items: int
    items_short: int
    fewest: int  # answers that any item has
    complete: bool  # as many answers as the study wants in all
    tasks_open: int
    milliseconds: float | None
    round: int
    paused: bool
    since: float | None
    newest_at: float | None
    views: tuple[QuestionView, ...]
    audit: Audit | None = None
    drift: tuple[Drift, ...] = ()
    waits_for_seeds: bool = False
    can_close: bool = False  # somebody has answered in this round

    @property
    def raters(self) -> tuple[RaterLine, ...]:
        """Every rater, as the first question shows them."""
        return self.views[0].raters

    @property
    def quantity(self) -> Quantity:
        """What the positions are, in the words of the study's model."""
        return self.definition.make_model().quantity

    @property
    def reliability(self) -> float | None:
        """Predicted correlation of the first question's positions with the truth, where the model predicts it."""
        view = self.views[0]
        if view.fit is None or self.definition.model != "steelyard":
            return None
        scale = view.fit.scale
        return predicted_reliability(scale.position / view.width, (scale.spread / view.width) ** 2)

    @property
    def rested(self) -> int:
        """Raters who are asked no more."""
        return sum(line.rested and not line.excluded for line in self.raters)

    @property
    def left_to_ask(self) -> int:
        """Raters who have answered and may still be asked."""
        return sum(bool(line.tasks) and not line.rested and not line.excluded for line in self.raters)

    def active(self, now: float) -> int:
        """Raters who answered in the last ten minutes."""
        return sum(line.last_at is not None and now - line.last_at <= ACTIVE_SECONDS for line in self.raters)

    def view(self, question: str | None) -> QuestionView:
        """The question of this id, or the first."""
        if question is None:
            return self.views[0]
        for view in self.views:
            if view.question.id == question:
                return view
        raise UnknownName("question", question, [view.question.id for view in self.views])


def make_overview(ledger: Ledger, roster: Sequence[Rater], audit: Audit | None = None) -> Overview:
    """The overview that a ledger amounts to."""
    definition = ledger.definition
    standing = ledger.standing_answers()
    scored = sum(cell.value is not None for answer in standing for cell in answer.cells)
    every = sum(len(answer.cells) for answer in standing)
    times = [answer.milliseconds for answer in standing if answer.milliseconds is not None]
    asked = range(len(definition.questions))
    return Overview(
        definition=definition,
        labels=labels_of(ledger.items, definition),
        position=ledger.position,
        judgments=scored,
        wanted=_wanted(ledger),
        cannot_judge=every - scored,
        items=len(ledger.items),
        items_short=int(np.sum(ledger.answered < ledger.wanted)),
        fewest=int(ledger.answered.min()) if len(ledger.items) else 0,
        complete=int(ledger.answered.sum()) >= int(ledger.wanted.sum()),
        tasks_open=sum(ledger.open_places.values()),
        milliseconds=float(np.median(times)) if times else None,
        round=ledger.round,
        paused=ledger.paused,
        since=next((task.at for task in ledger.tasks.values()), None),
        newest_at=max((answer.at for answer in ledger.answers.values()), default=None),
        views=tuple(_view(ledger, roster, question) for question in asked),
        audit=audit,
        drift=drift_of(ledger),
        waits_for_seeds=waits_for_seeds(ledger),
        can_close=any(ledger.tasks[answer.task].round == ledger.round for answer in standing),
    )


def labels_of(items: Items, definition: StudyDefinition) -> dict[str, str]:
    """What to call each thing on the scale: an item's first line or file, or a system's own name."""
    if definition.unit == "system":
        return {str(system): str(system) for system in items.systems[1]}
    return {item.id: label_of(item) for item in items.all}


def label_of(item: Item) -> str:
    """An item in one line: its text, or its id where it is a file or its text starts empty."""
    if item.medium in FILES:
        return item.id
    line = item.content.strip().partition("\n")[0].strip()
    return (line.lstrip("#*> ") if item.medium == "markdown" else line) or item.id


def _newest(ledger: Ledger, question: int) -> Iterator[NewJudgment]:
    """Cells of answers that were not taken back, newest first."""
    for position in reversed(ledger.answers):
        answer = ledger.answers[position]
        labels = [label_of(ledger.items[at]) for at in ledger.indices(ledger.tasks[answer.task])]
        for cell in answer.cells:
            if cell.question == question:
                yield NewJudgment(answer.at, answer.rater, *_told(cell, labels))


def _told(cell: Cell, labels: Sequence[str]) -> tuple[str, float | str | None]:
    """What a cell is about and what it says: of a comparison both items, the one with more in words."""
    if isinstance(cell, Bounds):
        ends = cell.value
        return labels[cell.item], None if ends is None else f"{ends[0]:g} to {ends[1]:g}"
    if not isinstance(cell, Verdict):
        return labels[cell.item], cell.value
    return f"{labels[0]} | {labels[cell.item]}", cell.value


def _view(ledger: Ledger, roster: Sequence[Rater], at: int) -> QuestionView:
    question = ledger.definition.questions[at]
    judgments = ledger.judgments(at)
    excluded = {rater for rater, record in ledger.raters.items() if record.excluded}
    everyone = judgments + _of_raters(ledger, excluded, at) if excluded else judgments
    fit = fit_question(ledger, at)
    spam = {} if fit is None else spam_by_rater(fit.raters)
    habits = {each.rater: each for each in describe_raters(everyone, excluded, spam)}
    lines = tuple(
        _line(rater, ledger.raters.get(rater.id, RaterRecord()), habits.get(rater.id)) for rater in roster
    )
    return QuestionView(
        question,
        ledger.definition.scale_of(question),
        fit,
        judgments,
        lines,
        tuple(itertools.islice(_newest(ledger, at), NEWEST)),
    )


def _of_raters(ledger: Ledger, raters: set[str], question: int) -> Judgments:
    """Judgments of raters who do not count, so that their habits can still be seen."""
    answers = (answer for rater in raters for answer in ledger.raters[rater].answers.values())
    return ledger.judgments_in(answers, question)


def _wanted(ledger: Ledger) -> int:
    """Judgments that the study wants: a comparison is one judgment of two items."""
    per_judgment = 2 if ledger.definition.asks.kind == "comparison" else 1
    return int(ledger.wanted.sum()) // per_judgment * len(ledger.definition.questions)


def _line(rater: Rater, record: RaterRecord, habits: RaterHabits | None) -> RaterLine:
    answers = record.answers.values()
    return RaterLine(
        rater,
        answers=sum(len(answer.cells) for answer in answers),
        tasks=len(answers),
        last_at=max((answer.at for answer in answers), default=None),
        habits=habits,
        excluded=record.excluded,
        reason=record.reason if record.excluded else "",
        rested=record.rested,
        survey=record.survey if record.survey is not None else {},
    )


class Watch:
    """Follows a study's log with a ledger of its own, so that raters never wait for the owner's page."""

    def __init__(self, study: Study, log: Log, roster: Roster, clock: Callable[[], float]) -> None:
        self._log = log
        self._roster = roster
        self._clock = clock
        self._ledger = Ledger(study.definition, study.items)
        self._auditor = Auditor(self._ledger)
        self._lock = Lock()
        self._made: tuple[int, int, Overview] | None = None
        self._rest_until = 0.0

    def overview(self) -> Overview:
        """The overview at the log's newest position, or the last one while making one is dear."""
        with self._lock:
            now = self._clock()
            if self._made is not None and now < self._rest_until:
                return self._made[2]
            self._ledger.fold(self._log.since(self._ledger.position))
            roster = self._roster.all()
            if self._made is None or self._made[:2] != (self._ledger.position, len(roster)):
                made = make_overview(self._ledger, roster, self._auditor.audit())
                self._made = (self._ledger.position, len(roster), made)
                self._rest_until = now + RESTS * (self._clock() - now)
            return self._made[2]

    def wake(self) -> None:
        """Look again at once: the owner has just done something."""
        with self._lock:
            self._rest_until = 0.0

    def judgments(self) -> Judgments:
        """Every standing judgment, of all questions."""
        return self.ledger().judgments()

    def ledger(self) -> Ledger:
        """The ledger at the log's newest position."""
        with self._lock:
            self._ledger.fold(self._log.since(self._ledger.position))
            return self._ledger
