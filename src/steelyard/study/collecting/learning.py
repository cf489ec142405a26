"""Log to belief to scale: what the study has learnt at a position of its log."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from steelyard.errors import NothingToFit, NoTies, OnlyTies, Separated, TooFewItems, Unconnected
from steelyard.judgments.conversions import comparisons_in
from steelyard.judgments.counting import count_judgments
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Labels
from steelyard.models.model import Model, learn_all
from steelyard.models.units import fit_unit
from steelyard.scales.belief import Belief
from steelyard.scales.fit import Fit
from steelyard.study.log.interface import Answer
from steelyard.study.log.ledger import Ledger

LOG = logging.getLogger(__name__)
LEADING = 0  # selection learns from the first question
NOT_YET = (NothingToFit, TooFewItems, NoTies, OnlyTies, Unconnected, Separated)  # more answers will mend it
KEPT_BELIEFS = (
    64  # to go back to when an answer is taken back: as many as a crowd gives between two of one rater
)
GROWTH = 1.2  # a model that learns its variances is refitted when judgments have grown by this factor


class Learner:
    """Folds new answers into a belief, and answers taken back out of it.

    A belief is a cache: folding gives what a fresh fold over all judgments gives, exactly for conjugate
    models and within a stated tolerance for those that are refitted, here or in the background. An answer taken
    back soon is unlearned by going back to a belief from before it. What lies further back is learned anew: in the
    background where there is one, and until that is done the belief still counts what was taken away.
    """

    def __init__(self, ledger: Ledger, background: Executor | None = None) -> None:
        self._ledger = ledger
        self._model: Any = make_model(ledger)
        self._background = background
        self._belief: Belief | None = None
        self._position = 0
        self._earlier: deque[tuple[int, Belief]] = deque(maxlen=KEPT_BELIEFS)  # with their positions
        self._unlearned_at = 0  # the last event that took answers away and was seen to
        self._outdated = False  # the belief still counts answers that were taken away
        self._refitted_at = 0  # answers behind the last refit
        self._tried_at = 0  # answers behind the last attempt at a refit
        self._refused_at = -1  # position at which the model could not take the newest answers
        self._refit: _Refit | None = None
        self._problems: dict[str, str] = {}  # why an update or a refit failed, until one succeeds

    def belief(self) -> Belief | None:
        """The belief at the ledger's position, or None where the model does not learn online."""
        if not self._model.capabilities.online:
            return None
        if self._belief is None:
            self._restart()
        elif self._ledger.rewritten > (seen := max(self._position, self._unlearned_at)):
            self._unlearn(self._ledger.first_rewritten(seen))
        self._take_refit()
        self._take_answers()
        self._ask_for_refit()
        return self._belief

    def _restart(self) -> None:
        self._belief, self._position = self._model.start(unit_labels(self._ledger)), 0
        self._earlier.clear()
        self._outdated = False
        self._refitted_at, self._tried_at, self._refused_at, self._refit = 0, 0, -1, None

    def _take_answers(self) -> None:
        """Fold new answers in; those that the model fails on are tried again together with the next."""
        if self._belief is None or self._refused_at == self._ledger.position:
            return
        fresh = self._judgments(self._position)
        try:
            learned = self._model.update(self._belief, fresh) if len(fresh) else self._belief
        except Exception as reason:  # noqa: BLE001 - whatever it is, raters go on with the last estimate
            self._refused_at = self._ledger.position
            self._report("update", reason)
            return
        if len(fresh):
            self._earlier.append((self._position, self._belief))
        self._belief, self._position = learned, self._ledger.position
        self._problems.pop("update", None)

    @property
    def problem(self) -> str:
        """Why the model could not take the newest answers, for the owner; "" where it could."""
        refit = self._refit
        failure = refit.job.exception() if refit is not None and refit.job.done() else None
        return next(iter(self._problems.values()), "") if failure is None else _in_words(failure)

    def _report(self, step: str, reason: BaseException) -> None:
        self._problems[step] = _in_words(reason)
        LOG.error("%s", self._problems[step], exc_info=reason)

    def _unlearn(self, first: int) -> None:
        """Go back to before this answer; learn all anew where no belief from before it is kept."""
        self._unlearned_at = self._ledger.rewritten
        anew = self._refit is not None and self._refit.position >= first
        if first <= self._position:  # else it was taken back before it was learned
            while self._earlier and self._earlier[-1][0] >= first:
                self._earlier.pop()
            if self._earlier:
                self._position, self._belief = self._earlier.pop()
            elif self._background is None:
                self._restart()
            else:
                anew = self._outdated = True
        if anew:
            self._start_refit()

    def _judgments(self, after: int = 0) -> Judgments:
        return fitting(self._ledger, self._ledger.judgments(LEADING, after))

    def _ask_for_refit(self) -> None:
        """Refit when there is a fifth more to learn from, or where the belief counts answers that were taken away.

        A refit that failed is tried again when there are more answers.
        """
        count = len(self._ledger.answers)
        grown = self._model.capabilities.refits and count >= max(GROWTH * self._refitted_at, 1)
        if self._refit is None and (grown or self._outdated) and count != self._tried_at:
            self._start_refit()

    def _start_refit(self) -> None:
        """Learn from all answers that stand now; in the background where there is one, so that nobody waits."""
        self._tried_at = len(self._ledger.answers)
        learn = partial(_learn_all, self._ledger, self._model, self._ledger.standing_answers())
        job = _finished(learn) if self._background is None else self._background.submit(learn)
        self._refit = _Refit(self._ledger.position, self._tried_at, job)
        if self._background is None:
            self._take_refit()

    def _take_refit(self) -> None:
        """Start from a finished refit; answers since then are folded into it as usual."""
        if self._refit is None or not self._refit.job.done():
            return
        refit, self._refit = self._refit, None
        reason = refit.job.exception()
        if reason is not None:
            self._report("refit", reason)
            return
        self._position, self._belief, self._refitted_at = refit.position, refit.job.result(), refit.answers
        self._earlier.clear()
        self._refused_at, self._outdated = -1, False
        self._problems.pop("refit", None)


def _in_words(reason: BaseException) -> str:
    return (
        "The newest answers could not be taken into the estimate that tasks are chosen by "
        f"({type(reason).__name__}: {reason}). Tasks are chosen by the last estimate until the next attempt."
    )


@dataclass(frozen=True, slots=True)
class _Refit:
    """A refit under way: from which position and how many answers it starts."""

    position: int
    answers: int
    job: Future[Belief]


def _finished(learn: Callable[[], Belief]) -> Future[Belief]:
    """Learn here and now, with the outcome as a job in the background would have it."""
    job: Future[Belief] = Future()
    try:
        job.set_result(learn())
    except Exception as reason:  # noqa: BLE001 - reported with those of the background
        job.set_exception(reason)
    return job


def _learn_all(ledger: Ledger, model: Any, answers: list[Answer]) -> Belief:
    """The belief from these answers alone. Entries of the log never change, so this may run beside the ledger."""
    judgments, labels = fitting(ledger, ledger.judgments_in(answers, LEADING)), unit_labels(ledger)
    return learn_all(model, labels, judgments)


def make_model(ledger: Ledger) -> Model:
    """The study's model; features of items say nothing about systems."""
    features = ledger.items.features if ledger.definition.learning.unit == "item" else None
    return ledger.definition.make_model(features)


def unit_labels(ledger: Ledger) -> Labels:
    """What the scale is about: the items, or the systems that made them."""
    return ledger.items.ids if ledger.definition.learning.unit == "item" else ledger.items.systems[1]


def fitting(ledger: Ledger, judgments: Judgments) -> Judgments:
    """The judgments that selection learns from: of the model's kind, and of items or of systems."""
    taken = _of_its_kind(ledger, judgments)
    return taken.at_unit(ledger.definition.learning.unit) if len(taken) else taken


def _of_its_kind(ledger: Ledger, judgments: Judgments) -> Judgments:
    """The judgments as the study's model takes them."""
    definition = ledger.definition
    if definition.asking.way.kind in definition.make_model().kinds:
        return judgments
    return comparisons_in(judgments)


def fit_question(ledger: Ledger, question: int) -> Fit | None:
    """The scale of one question, or None while there are too few judgments for one."""
    answered = ledger.judgments(question)
    judgments = _of_its_kind(ledger, answered).compact()
    if not len(judgments):
        return None
    try:
        fit = fit_unit(make_model(ledger), judgments, ledger.definition.learning.unit)
        return _counting_answers(fit, answered, judgments)
    except NOT_YET:
        return None


def _counting_answers(fit: Fit, answered: Judgments, fitted: Judgments) -> Fit:
    """The fit with judgments counted as they were given, where it was made of comparisons converted from them."""
    if fitted.kinds == answered.kinds:
        return fit
    given, made = count_judgments(answered), count_judgments(fitted)
    note = f"{given:,} {answered.kinds[0]} judgments were converted to {made:,} comparisons."
    provenance = replace(fit.provenance, judgments=given)
    return replace(fit, provenance=provenance, notes=(note, *fit.notes))
