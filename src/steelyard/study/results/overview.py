"""What the owner sees of a running study: numbers of a ledger, and a watch that keeps them fresh."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from time import monotonic, process_time
from typing import Any, Literal

import numpy as np

from steelyard.errors import UnknownItem, UnknownName
from steelyard.judgments.table import Judgments
from steelyard.quality.raters import RaterHabits, describe_raters, spam_by_rater
from steelyard.scales.fit import Fit
from steelyard.scales.quantity import Quantity
from steelyard.selection.stopping import predicted_reliability
from steelyard.study.collecting.fitting import fit_question
from steelyard.study.collecting.learning import Learner
from steelyard.study.collecting.planner import Planner
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.items_file import ItemsFile
from steelyard.study.definition.labels import label_of, labels_of
from steelyard.study.definition.sections.asking import Question
from steelyard.study.definition.sections.scale import ScaleSettings
from steelyard.study.definition.study import Study
from steelyard.study.grounding.cold_start import waits_for_seeds
from steelyard.study.grounding.rounds import Drift, drift_of
from steelyard.study.log.cells import Bounds, Cell, Verdict
from steelyard.study.log.counting import declined, items_per_judgment, judged
from steelyard.study.log.interface import Log, Rater, Roster
from steelyard.study.log.ledger import Ledger
from steelyard.study.log.rater_record import RaterRecord
from steelyard.study.results.audit import Audit, Auditor

ACTIVE_SECONDS = 600.0
NEWEST = 12
LONG_SECONDS = 1.0  # of processor time: an overview that took longer to make is not made again at once
RESTS = 5  # the next one is then made after five times as long, so that raters keep the processor
Status = Literal[
    "not_started", "collecting", "paused", "waiting_for_seeds", "complete", "budget_spent", "stopped"
]


@dataclass(frozen=True, slots=True)
class RaterLine:
    """One rater as the owner sees them: who, how many judgments, which habits, left out or asked no more, and why."""

    rater: Rater
    answers: int
    tasks: int
    last_at: float | None
    habits: RaterHabits | None
    excluded: bool
    reason: str
    rested: bool
    survey: Mapping[str, Any]
    declined: bool = False  # said no after they had answered

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
    probes: int  # answers to probes, which count only for self-consistency
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
    status: Status = "collecting"
    notices: tuple[str, ...] = ()  # what the owner should know first, each a sentence

    def without_judgments(self) -> Overview:
        """The overview for pages, which show counts and scales, and no single judgments."""
        views = tuple(replace(view, judgments=Judgments.of(())) for view in self.views)
        return replace(self, views=views)

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
        if view.fit is None or self.definition.learning.model != "steelyard":
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


def make_overview(
    ledger: Ledger,
    roster: Sequence[Rater],
    audit: Audit | None = None,
    is_stopped: bool = False,
    is_asked_out: bool = False,
) -> Overview:
    """The overview that a ledger amounts to.

    `is_stopped` says that a stopping rule is met, `is_asked_out` that no further task can be made.
    """
    definition = ledger.definition
    standing = ledger.standing_answers()
    times = [answer.milliseconds for answer in standing if answer.milliseconds is not None]
    views = tuple(_view(ledger, roster, question) for question in range(len(definition.questions)))
    return Overview(
        definition=definition,
        labels=labels_of(ledger.items, definition),
        position=ledger.position,
        judgments=sum(judged(answer.cells) for answer in standing),
        wanted=_wanted(ledger),
        cannot_judge=sum(declined(answer.cells) for answer in standing),
        probes=len(ledger.standing_answers(probes=True)) - len(standing),
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
        views=views,
        audit=audit,
        drift=drift_of(ledger),
        waits_for_seeds=waits_for_seeds(ledger),
        can_close=any(ledger.tasks[answer.task].round == ledger.round for answer in standing),
        status=status_of(ledger, is_stopped, is_asked_out),
        notices=tuple(
            f"The fit of “{view.question.text}” did not converge. Read its positions as provisional."
            for view in views
            if view.fit is not None and not view.fit.converged
        ),
    )


def status_of(ledger: Ledger, is_stopped: bool, is_asked_out: bool = False) -> Status:
    """What the study does now; a pause comes first, since it is what raters are told."""
    budget = ledger.definition.choosing.stop.budget
    if ledger.paused:
        return "paused"
    if waits_for_seeds(ledger):
        return "waiting_for_seeds"
    if is_stopped:
        return "budget_spent" if budget and int(ledger.answered.sum()) >= budget else "stopped"
    if ledger.round >= ledger.definition.grounding.rounds.number and (is_asked_out or _has_all(ledger)):
        return "complete"
    return "collecting" if ledger.planned else "not_started"


def _has_all(ledger: Ledger) -> bool:
    """Are all answers in that are wanted: in all where the model decides which items get them, else of each item?"""
    if not ledger.answers:
        return False
    if ledger.definition.choosing.learns:
        return int(ledger.answered.sum()) >= int(ledger.wanted.sum())
    return bool((ledger.answered >= ledger.wanted).all())


def _is_asked_out(planner: Planner) -> bool:
    """Is everything answered that can be asked? Items may lack answers that no task can be made for."""
    ledger = planner.ledger
    planned_whole = ledger.definition.choosing.selection == "sequences"
    if not ledger.answers or planned_whole or any(ledger.open_places.values()):
        return False
    pool = planner.pool(None)
    return not (planner.is_short(pool) and planner.finds(pool))


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
    lines = tuple(_line(ledger, rater, habits.get(rater.id)) for rater in roster)
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
    answers = [answer for rater in raters for answer in ledger.raters[rater].answers.values()]
    return ledger.judgments_in([each for each in answers if not ledger.tasks[each.task].probe], question)


def _wanted(ledger: Ledger) -> int:
    """Judgments that the study wants, each of which may be about several items."""
    each = -(-int(ledger.wanted.sum()) // items_per_judgment(ledger.definition))
    return each * len(ledger.definition.questions)


def _line(ledger: Ledger, rater: Rater, habits: RaterHabits | None) -> RaterLine:
    record = ledger.raters.get(rater.id, RaterRecord())
    answers = record.answers.values()
    return RaterLine(
        rater,
        answers=sum(judged(answer.cells) for answer in answers if not ledger.tasks[answer.task].probe),
        tasks=len(answers),
        last_at=max((answer.at for answer in answers), default=None),
        habits=habits,
        excluded=record.excluded,
        reason=record.reason if record.excluded else "",
        rested=record.rested,
        survey=record.survey if record.survey is not None else {},
        declined=record.declined,
    )


class Watch:
    """Follows a study's log with a ledger of its own, so that raters never wait for the owner's page."""

    def __init__(
        self,
        study: Study,
        log: Log,
        roster: Roster,
        timer: Callable[[], float] = monotonic,
        spent: Callable[[], float] = process_time,
    ) -> None:
        self._log = log
        self._roster = roster
        self._timer = timer  # for durations: the time of day may be set back
        self._spent = spent  # processor time so far, which does not count what other processes take
        self._items_file = ItemsFile(study)
        self._lock = Lock()
        self._rest_until = -math.inf
        self._start(study)

    def _start(self, study: Study) -> None:
        self._ledger = Ledger(study.definition, study.items)
        self._auditor = Auditor(self._ledger)
        self._planner = Planner(self._ledger, Learner(self._ledger))
        self._made: tuple[int, int, Overview] | None = None

    def _catch_up(self) -> None:
        """Fold what is new in the log, with the items read again where some were added to the running study."""
        newer = self._items_file.newer()
        if newer is not None:
            self._start(newer)
        try:
            self._ledger.fold(self._log.since(self._ledger.position))
        except UnknownItem:
            newer = self._items_file.newer(at_once=True)
            if newer is None:
                raise
            self._start(newer)
            self._ledger.fold(self._log.since(0))

    def overview(self) -> Overview:
        """The overview at the log's newest position, or the last one for a while where making one takes long."""
        with self._lock:
            before = self._spent()
            if self._made is not None and self._timer() < self._rest_until:
                return self._made[2]
            self._catch_up()
            roster = self._roster.all()
            if self._made is None or self._made[:2] != (self._ledger.position, len(roster)):
                is_stopped, is_asked_out = self._planner.enough(), _is_asked_out(self._planner)
                made = make_overview(self._ledger, roster, self._auditor.audit(), is_stopped, is_asked_out)
                took = self._spent() - before
                # The first one also reads the whole log and loads the model.
                if self._made is not None and took > LONG_SECONDS:
                    self._rest_until = self._timer() + RESTS * took
                self._made = (self._ledger.position, len(roster), made)
            return self._made[2]

    def wake(self) -> None:
        """Look again at once: the owner has just done something."""
        with self._lock:
            self._rest_until = -math.inf

    def judgments(self) -> Judgments:
        """Every standing judgment, of all questions; probes too, marked in a column."""
        return self.ledger().judgments(probes=True)

    def ledger(self) -> Ledger:
        """The ledger at the log's newest position."""
        with self._lock:
            self._catch_up()
            return self._ledger
