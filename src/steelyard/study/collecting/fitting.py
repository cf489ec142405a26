"""Judgments of a study as its model takes them, the belief learnt from them, and the scale fitted to them."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from steelyard.errors import NothingToFit, NoTies, OnlyTies, Separated, TooFewItems, Unconnected
from steelyard.judgments.conversions import judgments_as
from steelyard.judgments.counting import count_judgments
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Labels
from steelyard.models.model import Model, learn_all
from steelyard.models.units import fit_unit
from steelyard.scales.belief import Belief
from steelyard.scales.fit import Fit
from steelyard.study.log.interface import Answer
from steelyard.study.log.ledger import Ledger

LEADING = 0  # selection learns from the first question
NOT_YET = (
    NothingToFit,
    TooFewItems,
    NoTies,
    OnlyTies,
    Unconnected,
    Separated,
)  # more answers will resolve it
KEPT_BELIEFS = (
    64  # to go back to when an answer is taken back: as many as a crowd gives between two of one rater
)


class FoldedBelief:
    """A belief folded from answers up to a log position, with earlier ones to go back to.

    Folding gives what a fresh fold over all judgments gives, exactly for conjugate models and within a stated tolerance
    for those that are refitted.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.model: Any = make_model(ledger)
        self.belief: Belief | None = None
        self.log_position = 0
        self._earlier: deque[tuple[int, Belief]] = deque(maxlen=KEPT_BELIEFS)  # with their positions

    def restart(self) -> None:
        """Go back to before the first answer."""
        self.replace(self.model.start(unit_labels(self._ledger)), 0)

    def replace(self, belief: Belief, position: int) -> None:
        """Go on from a belief that was learnt elsewhere."""
        self.belief, self.log_position = belief, position
        self._earlier.clear()

    def fresh_judgments(self) -> Judgments:
        """The judgments after the belief's position."""
        return judgments_to_learn(self._ledger, self._ledger.judgments(LEADING, self.log_position))

    def fold(self, fresh: Judgments) -> None:
        """Fold the fresh judgments in. What the model raises leaves the belief as it was."""
        if self.belief is not None and len(fresh):
            learned = self.model.update(self.belief, fresh)
            self._earlier.append((self.log_position, self.belief))
            self.belief = learned
        self.log_position = self._ledger.log_position

    def go_back(self, first: int) -> bool:
        """Go back to before the answer at this position; False where no such belief is kept."""
        while self._earlier and self._earlier[-1][0] >= first:
            self._earlier.pop()
        if not self._earlier:
            return False
        self.log_position, self.belief = self._earlier.pop()
        return True

    def learn_all(self, answers: Sequence[Answer]) -> Belief:
        """The belief from these answers alone. Entries of the log never change, so this may run beside the ledger."""
        judgments = judgments_to_learn(self._ledger, self._ledger.judgments_in(answers, LEADING))
        return learn_all(self.model, unit_labels(self._ledger), judgments)


def make_model(ledger: Ledger) -> Model:
    """The study's model; features of items say nothing about systems."""
    features = ledger.items.features if ledger.definition.learning.unit == "item" else None
    return ledger.definition.make_model(features)


def unit_labels(ledger: Ledger) -> Labels:
    """What the scale is about: the items, or the systems that made them."""
    return ledger.items.ids if ledger.definition.learning.unit == "item" else ledger.items.systems[1]


def judgments_to_learn(ledger: Ledger, judgments: Judgments) -> Judgments:
    """The judgments that selection learns from: of the model's kind, and of items or of systems."""
    of_its_kind = _of_its_kind(ledger, judgments)
    return of_its_kind.at_unit(ledger.definition.learning.unit) if len(of_its_kind) else of_its_kind


def _of_its_kind(ledger: Ledger, judgments: Judgments) -> Judgments:
    """The judgments as the study's model takes them."""
    fitted = ledger.definition.fitted_kind
    return judgments if fitted == ledger.definition.kind.name else judgments_as(judgments, fitted)


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
    note = f"{given:,} {answered.kinds[0]} judgments were converted to {made:,} {fitted.kinds[0]}s."
    provenance = replace(fit.provenance, judgments=given)
    return replace(fit, provenance=provenance, notes=(note, *fit.notes))
