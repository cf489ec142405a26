"""Log to belief to scale: what the study has learnt at a position of its log."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Executor, Future
from functools import partial
from typing import Any

from steelyard.errors import NothingToFit, NoTies, OnlyTies, Separated, TooFewItems, Unconnected
from steelyard.judgments.conversions import convert
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Labels
from steelyard.models.model import Model
from steelyard.scales.belief import Belief
from steelyard.scales.fit import Fit
from steelyard.study.ledger import Ledger
from steelyard.study.log import Answer

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
        self._refitted_at = 0  # judgments behind the last refit
        self._refit: tuple[int, Future[Belief]] | None = None

    def belief(self) -> Belief | None:
        """The belief at the ledger's position, or None where the model does not learn online."""
        if not is_online(self._model):
            return None
        if self._belief is None:
            self._restart()
        elif self._ledger.rewritten > self._position:
            self._unlearn(self._ledger.first_rewritten(self._position))
        self._take_refit()
        fresh = self._judgments(self._position)
        if len(fresh) and self._belief is not None:
            self._earlier.append((self._position, self._belief))
            self._belief = self._model.update(self._belief, fresh)
        self._position = self._ledger.position
        self._ask_for_refit()
        return self._belief

    def _restart(self) -> None:
        self._belief, self._position = self._model.start(unit_labels(self._ledger)), 0
        self._earlier.clear()
        self._refitted_at, self._refit = 0, None

    def _unlearn(self, first: int) -> None:
        """Go back to before this answer; learn all anew where no belief from before it is kept."""
        if first > self._position:  # taken back before it was learned
            return
        outdated = self._refit is not None and self._refit[0] >= first
        while self._earlier and self._earlier[-1][0] >= first:
            self._earlier.pop()
        can_go_back = bool(self._earlier)
        if can_go_back:
            self._position, self._belief = self._earlier.pop()
        elif self._background is None:
            self._restart()
        if outdated or not can_go_back:
            self._refit_in_background()

    def _judgments(self, after: int = 0) -> Judgments:
        return fitting(self._ledger, self._ledger.judgments(LEADING, after))

    def _ask_for_refit(self) -> None:
        """Refit when there is a fifth more to learn from; in the background where there is one."""
        if not hasattr(self._model, "believe") or self._refit is not None:
            return
        count = len(self._ledger.answers)
        if count < max(GROWTH * self._refitted_at, 1):
            return
        self._refitted_at = count
        if self._background is None:
            self._belief = self._model.believe(unit_labels(self._ledger), self._judgments())
            self._earlier.clear()
        else:
            self._refit_in_background()

    def _refit_in_background(self) -> None:
        """Learn from all answers that stand now, without keeping anyone waiting."""
        if self._background is None:
            return
        answers = self._ledger.standing_answers()
        job = self._background.submit(partial(_learn_all, self._ledger, self._model, answers))
        self._refit = (self._ledger.position, job)

    def _take_refit(self) -> None:
        """Start from a finished refit; answers since then are folded into it as usual."""
        if self._refit is not None and self._refit[1].done():
            self._position, job = self._refit
            self._belief, self._refit = job.result(), None
            self._earlier.clear()


def _learn_all(ledger: Ledger, model: Any, answers: list[Answer]) -> Belief:
    """The belief from these answers alone. Entries of the log never change, so this may run beside the ledger."""
    judgments, labels = fitting(ledger, ledger.judgments_in(answers, LEADING)), unit_labels(ledger)
    has_refit = hasattr(model, "believe")
    learned: Belief = (
        model.believe(labels, judgments) if has_refit else model.update(model.start(labels), judgments)
    )
    return learned


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
    if len(judgments) and definition.asks.kind not in definition.make_model().kinds:
        judgments = convert(judgments, to="comparison")
    return judgments.at_unit(definition.unit)


def fit_question(ledger: Ledger, question: int) -> Fit | None:
    """The scale of one question, or None while there are too few judgments for one."""
    judgments = fitting(ledger, ledger.judgments(question)).compact()
    if not len(judgments):
        return None
    try:
        return make_model(ledger).fit(judgments)
    except NOT_YET:
        return None
