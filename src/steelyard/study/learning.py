"""Log to belief to scale: what the study has learnt at a position of its log."""

from __future__ import annotations

import logging
from concurrent.futures import Executor, Future
from dataclasses import dataclass, replace
from typing import Any

from steelyard.errors import NothingToFit, NoTies, OnlyTies, Separated, TooFewItems, Unconnected
from steelyard.judgments.conversions import comparisons_in
from steelyard.judgments.counting import count_judgments
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Labels
from steelyard.models.model import Model
from steelyard.scales.belief import Belief
from steelyard.scales.fit import Fit
from steelyard.study.ledger import Ledger

LOG = logging.getLogger(__name__)
LEADING = 0  # selection learns from the first question
NOT_YET = (NothingToFit, TooFewItems, NoTies, OnlyTies, Unconnected, Separated)  # more answers will mend it
GROWTH = 1.2  # a model that learns its variances is refitted when judgments have grown by this factor


class Learner:
    """Folds new answers into a belief; answers taken back or excluded make it start again.

    A belief is a cache: folding gives what a fresh fold over all judgments gives, exactly for conjugate
    models and within a stated tolerance for those that are refitted, here or in the background.
    """

    def __init__(self, ledger: Ledger, background: Executor | None = None) -> None:
        self._ledger = ledger
        self._model: Any = make_model(ledger)
        self._background = background
        self._belief: Belief | None = None
        self._position = 0
        self._refitted_at = 0  # answers behind the last refit
        self._tried_at = 0  # answers behind the last attempt at a refit
        self._refused_at = -1  # position at which the model could not take the newest answers
        self._refit: _Refit | None = None
        self._problems: dict[str, str] = {}  # why an update or a refit failed, until one succeeds

    def belief(self) -> Belief | None:
        """The belief at the ledger's position, or None where the model does not learn online."""
        if not is_online(self._model):
            return None
        if self._belief is None or self._ledger.rewritten > self._position:
            self._restart()
        self._take_refit()
        self._take_answers()
        self._ask_for_refit()
        return self._belief

    def _restart(self) -> None:
        self._belief, self._position = self._model.start(unit_labels(self._ledger)), 0
        self._refitted_at, self._tried_at, self._refused_at, self._refit = 0, 0, -1, None

    def _take_answers(self) -> None:
        """Fold new answers in; those that the model fails on are tried again together with the next."""
        if self._refused_at == self._ledger.position:
            return
        fresh = self._judgments(self._position)
        try:
            if len(fresh):
                self._belief = self._model.update(self._belief, fresh)
        except Exception as reason:  # noqa: BLE001 - whatever it is, raters go on with the last estimate
            self._refused_at = self._ledger.position
            self._report("update", reason)
            return
        self._position = self._ledger.position
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

    def _judgments(self, after: int = 0) -> Judgments:
        return fitting(self._ledger, self._ledger.judgments(LEADING, after))

    def _ask_for_refit(self) -> None:
        """Refit when there is a fifth more to learn from; in the background where there is one.

        A refit that failed is tried again when there are more answers.
        """
        if not hasattr(self._model, "believe") or self._refit is not None:
            return
        count = len(self._ledger.answers)
        if count < max(GROWTH * self._refitted_at, 1) or count == self._tried_at:
            return
        whole, labels, self._tried_at = self._judgments(), unit_labels(self._ledger), count
        if not len(whole):
            return
        job: Future[Belief] = Future()
        if self._background is None:
            _run(job, self._model, labels, whole)
        else:
            job = self._background.submit(self._model.believe, labels, whole)
        self._refit = _Refit(self._ledger.position, count, job)
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
        self._refused_at = -1
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


def _run(job: Future[Belief], model: Any, labels: Labels, whole: Judgments) -> None:
    """Refit here and now, with its outcome as a job in the background would have it."""
    try:
        job.set_result(model.believe(labels, whole))
    except Exception as reason:  # noqa: BLE001 - reported with those of the background
        job.set_exception(reason)


def make_model(ledger: Ledger) -> Model:
    """The study's model; features of items say nothing about systems."""
    features = ledger.items.features if ledger.definition.unit == "item" else None
    return ledger.definition.make_model(features)


def is_online(model: Any) -> bool:
    """Can the model start from nothing and be updated?"""
    return hasattr(model, "start") and hasattr(model, "update")


def unit_labels(ledger: Ledger) -> Labels:
    """What the scale is about: the items, or the systems that made them."""
    return ledger.items.ids if ledger.definition.unit == "item" else ledger.items.systems[1]


def fitting(ledger: Ledger, judgments: Judgments) -> Judgments:
    """The judgments as the study's model takes them: of its kind, and of items or of systems."""
    definition = ledger.definition
    if definition.asks.kind not in definition.make_model().kinds:
        judgments = comparisons_in(judgments)
    return judgments.at_unit(definition.unit) if len(judgments) else judgments


def fit_question(ledger: Ledger, question: int) -> Fit | None:
    """The scale of one question, or None while there are too few judgments for one."""
    answered = ledger.judgments(question)
    judgments = fitting(ledger, answered).compact()
    if not len(judgments):
        return None
    try:
        return _counting_answers(make_model(ledger).fit(judgments), answered, judgments)
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
