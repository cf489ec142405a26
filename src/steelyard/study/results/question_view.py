"""The results of one question for the owner: its scale, its raters and the newest judgments."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from steelyard.judgments.counting import judgments_by_kind
from steelyard.judgments.linked import parts_by_rater
from steelyard.judgments.table import Judgments
from steelyard.quality.raters import RaterHabits, describe_raters, spam_by_rater
from steelyard.scales.fit import Fit
from steelyard.study.collecting.fitting import fit_question
from steelyard.study.definition.labels import label_of, shortened
from steelyard.study.definition.sections.asking import Question
from steelyard.study.definition.sections.scale import ScaleSettings
from steelyard.study.log.check_results import CheckTally, check_results, tally
from steelyard.study.log.counting import judged
from steelyard.study.log.interface import Rater
from steelyard.study.log.ledger import Ledger
from steelyard.study.log.rater_record import RaterRecord

NEWEST = 12
LETTERS = 45  # of each label of a pair among the newest judgments


@dataclass(frozen=True, slots=True)
class RaterLine:
    """One rater in the list of the owner.

    Attributes
    ----------
    rater
        The rater.
    answers, tasks
        Number of judgments without probes, and of answered tasks.
    last_at
        Time of the newest answer in seconds since 1970, or None.
    habits
        How the rater answers compared with others, or None if there are too few judgments.
    excluded, reason
        Whether the rater is excluded, and why.
    stopped_early
        Whether the rater was stopped early.
    survey
        Answers to the survey.
    declined
        Whether the rater declined consent and has not given it since.
    checks
        Numbers of answered and failed checks.
    warnings, too_fast
        Number of warnings by [checks], and of those because of an answer below the minimum time.
    paused_until
        Time until which the rater is paused by [checks], in seconds since 1970; 0 if they are not.
    ended, screened_out
        Whether the session ended because of failed checks, and whether the survey screened the rater out.
    """

    rater: Rater
    answers: int
    tasks: int
    last_at: float | None
    habits: RaterHabits | None
    excluded: bool
    reason: str
    stopped_early: bool
    survey: Mapping[str, Any]
    declined: bool = False
    checks: CheckTally = field(default_factory=CheckTally)
    warnings: int = 0
    too_fast: int = 0
    paused_until: float = 0.0
    ended: bool = False
    screened_out: bool = False

    @property
    def flags(self) -> tuple[str, ...]:
        """Short descriptions of conspicuous habits."""
        return () if self.habits is None else self.habits.flags


@dataclass(frozen=True, slots=True)
class NewJudgment:
    """One cell of a new answer: the label of the item or pair, and the answer; None means "can't judge"."""

    at: float
    rater: str
    item: str
    answer: float | str | None


@dataclass(frozen=True, eq=False)
class QuestionView:
    """The results of one question; `fit` is None while there are too few judgments.

    `by_kind` has the number of judgments of each kind. `unlinked` is the number of parts of the items whose positions
    no judgment or no common rater links; 0 if all items are linked, or if the model does not need links.
    """

    question: Question
    settings: ScaleSettings
    fit: Fit | None
    judgments: Judgments
    raters: tuple[RaterLine, ...]
    newest: tuple[NewJudgment, ...]
    unlinked: int = 0
    by_kind: Mapping[str, float] = field(default_factory=dict)

    @property
    def span(self) -> tuple[float, float]:
        """Ends of the scale of the positions."""
        return (self.settings.low, self.settings.high) if self.fit is None else self.fit.span

    @property
    def width(self) -> float:
        """Width of the scale of the positions."""
        return self.span[1] - self.span[0]

    @property
    def rating_width(self) -> float:
        """Width of the scale of the answers, which is the unit of the bias of raters."""
        return self.settings.high - self.settings.low

    @property
    def flagged(self) -> int:
        """Number of raters with a flag who are not excluded."""
        return sum(bool(line.flags) and not line.excluded for line in self.raters)


def view_question(ledger: Ledger, roster: Sequence[Rater], at: int) -> QuestionView:
    """Compute the results of one question.

    Parameters
    ----------
    ledger
        State of the study.
    roster
        All raters.
    at
        Index of the question.

    Returns
    -------
    QuestionView
        Scale, raters and newest judgments.
    """
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
        0 if fit is None else len(fit.parts) or _rater_parts(ledger, judgments),
        judgments_by_kind(judgments),
    )


def _rater_parts(ledger: Ledger, judgments: Judgments) -> int:
    """Return the number of parts without a common rater, for models that estimate raters."""
    estimates_raters = "rater_worth" in ledger.definition.learning.capabilities.belief
    return len(parts_by_rater(judgments)) if estimates_raters else 0


def _newest(ledger: Ledger, question: int) -> Iterator[NewJudgment]:
    """Yield the cells of answers that were not taken back, newest first."""
    for position in reversed(ledger.answers):
        answer = ledger.answers[position]
        task = ledger.tasks[answer.task]
        kind = ledger.definition.in_way(task.protocol).kind
        labels = [label_of(ledger.items[at]) for at in ledger.indices(task)]
        if len(kind.table.items) > 1:  # so that the label of every item of a pair is visible
            labels = [shortened(label, LETTERS) for label in labels]
        for cell in answer.cells:
            if cell.question == question:
                yield NewJudgment(answer.at, answer.rater, *kind.describe(cell, labels))


def _of_raters(ledger: Ledger, raters: set[str], question: int) -> Judgments:
    """Return the judgments of excluded raters, so that the owner still sees their habits."""
    answers = [answer for rater in raters for answer in ledger.raters[rater].answers.values()]
    counted = [ledger.without_hidden(each) for each in answers if ledger.tasks[each.task].counts]
    return ledger.judgments_in(counted, question)


def _line(ledger: Ledger, rater: Rater, habits: RaterHabits | None) -> RaterLine:
    record = ledger.raters.get(rater.id, RaterRecord())
    answers = record.answers.values()
    return RaterLine(
        rater,
        answers=sum(
            judged(ledger.without_hidden(answer).cells)
            for answer in answers
            if ledger.tasks[answer.task].counts
        ),
        tasks=len(answers),
        last_at=max((answer.at for answer in answers), default=None),
        habits=habits,
        excluded=record.excluded,
        reason=record.reason if record.excluded else "",
        stopped_early=record.stopped_early,
        survey=record.survey if record.survey is not None else {},
        declined=record.declined,
        checks=tally(check_results(ledger, rater.id)) if rater.id in ledger.raters else CheckTally(),
        warnings=record.warnings,
        too_fast=record.too_fast,
        paused_until=record.paused_until,
        ended=record.ended,
        screened_out=record.screened_out,
    )
