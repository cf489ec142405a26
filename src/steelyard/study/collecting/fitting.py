"""Fit the model of a study: convert judgments for the model, update its belief, and fit the scale.

If the model needs another kind of judgment than the page collects, judgments are converted to the first kind in
`Protocol.becomes` that the model accepts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from steelyard.errors import NothingToFit, NoTies, OnlyTies, Separated, TooFewItems, Unconnected
from steelyard.judgments.conversions import judgments_as
from steelyard.judgments.counting import count_judgments
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Labels, Mask
from steelyard.models.model import Model, learn_all
from steelyard.models.units import fit_unit
from steelyard.scales.belief import Belief
from steelyard.scales.fit import Fit
from steelyard.study.log.entries import Answer
from steelyard.study.log.ledger import Ledger

LEADING = 0  # index of the question that selection learns from
NOT_YET = (
    NothingToFit,
    TooFewItems,
    NoTies,
    OnlyTies,
    Unconnected,
    Separated,
)  # errors that more answers will resolve
KEPT_BELIEFS = 64  # kept for undo: about as many answers as a crowd gives between two of one rater


class FoldedBelief:
    """The belief after all answers up to a log position, with earlier beliefs to return to.

    Updating answer by answer has the same result as learning from all answers at once: exactly for conjugate models,
    and within a stated tolerance for models that are refitted.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.model: Any = make_model(ledger)
        self.belief: Belief | None = None
        self.log_position = 0
        self._earlier: deque[tuple[int, Belief]] = deque(maxlen=KEPT_BELIEFS)  # with their log positions

    def restart(self) -> None:
        """Return to the belief before the first answer."""
        self.replace(self.model.start(unit_labels(self._ledger)), 0)

    def replace(self, belief: Belief, position: int) -> None:
        """Continue with another belief, which was learned from the answers up to a log position."""
        self.belief, self.log_position = belief, position
        self._earlier.clear()

    def fresh_judgments(self) -> Judgments:
        """Return the judgments after the log position of the belief."""
        return judgments_to_learn(self._ledger, self._ledger.judgments(LEADING, self.log_position))

    def fold(self, fresh: Judgments) -> None:
        """Update the belief with new judgments; if the model raises an error, the belief is unchanged."""
        if self.belief is not None and len(fresh):
            learned = self.model.update(self.belief, fresh)
            self._earlier.append((self.log_position, self.belief))
            self.belief = learned
        self.log_position = self._ledger.log_position

    def go_back(self, first: int) -> bool:
        """Return to the belief before the answer at this log position; False if that belief is not kept."""
        while self._earlier and self._earlier[-1][0] >= first:
            self._earlier.pop()
        if not self._earlier:
            return False
        self.log_position, self.belief = self._earlier.pop()
        return True

    def learn_all(self, answers: Sequence[Answer]) -> Belief:
        """Return the belief learned from these answers; safe in another thread, because log entries never change."""
        judgments = judgments_to_learn(self._ledger, self._ledger.judgments_in(answers, LEADING))
        return learn_all(self.model, unit_labels(self._ledger), judgments)


def make_model(ledger: Ledger) -> Model:
    """Return the model of the study; item features are used only for a scale of items."""
    features = ledger.items.features if ledger.definition.learning.unit == "item" else None
    return ledger.definition.make_model(features)


def unit_labels(ledger: Ledger) -> Labels:
    """Return the labels of the scale: ids of the items, or names of the systems."""
    return ledger.items.ids if ledger.definition.learning.unit == "item" else ledger.items.systems[1]


def asked_units(ledger: Ledger) -> Mask:
    """Return which items or systems of the belief are asked, and not only shown in checks or as anchors."""
    items = ledger.items
    if ledger.definition.learning.unit == "item":
        return items.asked
    codes, labels = items.systems
    return np.asarray(np.bincount(codes[items.asked], minlength=len(labels)) > 0)


def judgments_to_learn(ledger: Ledger, judgments: Judgments) -> Judgments:
    """Return judgments for the model: converted to its kind, and grouped by system for a scale of systems."""
    of_its_kind = _of_its_kind(ledger, judgments)
    return of_its_kind.at_unit(ledger.definition.learning.unit) if len(of_its_kind) else of_its_kind


def _of_its_kind(ledger: Ledger, judgments: Judgments) -> Judgments:
    """Return judgments converted to the kind that the model is fitted to."""
    fitted = ledger.definition.fitted_kind
    return judgments if fitted == ledger.definition.kind.name else judgments_as(judgments, fitted)


def fit_question(ledger: Ledger, question: int) -> Fit | None:
    """Fit the scale of one question; None while there are too few judgments."""
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
    """Return the fit with the number of original judgments, if they were converted before fitting."""
    if fitted.kinds == answered.kinds:
        return fit
    original, converted = count_judgments(answered), count_judgments(fitted)
    note = f"{original:,} {answered.kinds[0]} judgments were converted to {converted:,} {fitted.kinds[0]}s."
    provenance = replace(fit.provenance, judgments=original)
    return replace(fit, provenance=provenance, notes=(note, *fit.notes))
