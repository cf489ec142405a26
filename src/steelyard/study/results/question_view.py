"""One question as the owner sees it: its scale so far, its raters and the newest judgments."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.judgments.table import Judgments
from steelyard.quality.raters import RaterHabits, describe_raters, spam_by_rater
from steelyard.scales.fit import Fit
from steelyard.study.collecting.fitting import fit_question
from steelyard.study.definition.labels import label_of
from steelyard.study.definition.sections.asking import Question
from steelyard.study.definition.sections.scale import ScaleSettings
from steelyard.study.log.counting import judged
from steelyard.study.log.interface import Rater
from steelyard.study.log.ledger import Ledger
from steelyard.study.log.rater_record import RaterRecord

NEWEST = 12


@dataclass(frozen=True, slots=True)
class RaterLine:
    """One rater as the owner sees them: who, how many judgments, which habits, excluded or stopped early, and why."""

    rater: Rater
    answers: int
    tasks: int
    last_at: float | None
    habits: RaterHabits | None
    excluded: bool
    reason: str
    stopped_early: bool
    survey: Mapping[str, Any]
    declined: bool = False  # said no after they had answered

    @property
    def flags(self) -> tuple[str, ...]:
        """What is worth a look, in words."""
        return () if self.habits is None else self.habits.flags


@dataclass(frozen=True, slots=True)
class NewJudgment:
    """One cell of a new answer: of which item, or of which two, and what the answer is; None means "can't judge"."""

    at: float
    rater: str
    item: str
    answer: float | str | None


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


def view_question(ledger: Ledger, roster: Sequence[Rater], at: int) -> QuestionView:
    """The question of this number, as the ledger has it."""
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


def _newest(ledger: Ledger, question: int) -> Iterator[NewJudgment]:
    """Cells of answers that were not taken back, newest first."""
    kind = ledger.definition.kind
    for position in reversed(ledger.answers):
        answer = ledger.answers[position]
        labels = [label_of(ledger.items[at]) for at in ledger.indices(ledger.tasks[answer.task])]
        for cell in answer.cells:
            if cell.question == question:
                yield NewJudgment(answer.at, answer.rater, *kind.describe(cell, labels))


def _of_raters(ledger: Ledger, raters: set[str], question: int) -> Judgments:
    """Judgments of raters who do not count, so that their habits can still be seen."""
    answers = [answer for rater in raters for answer in ledger.raters[rater].answers.values()]
    return ledger.judgments_in([each for each in answers if not ledger.tasks[each.task].probe], question)


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
        stopped_early=record.stopped_early,
        survey=record.survey if record.survey is not None else {},
        declined=record.declined,
    )
