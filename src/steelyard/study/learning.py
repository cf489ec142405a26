"""Log to belief to scale: what the study has learnt at a position of its log."""

from __future__ import annotations

from typing import Any

from steelyard.maths.arrays import Labels
from steelyard.scales.belief import Belief
from steelyard.scales.fit import Fit
from steelyard.study.ledger import Ledger

LEADING = 0  # selection learns from the first question


class Learner:
    """Folds new answers into a belief; answers taken back or excluded make it start again.

    A belief is a cache: folding gives what a fresh fold over all judgments gives.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._model: Any = ledger.definition.make_model()
        self._belief: Belief | None = None
        self._position = 0

    def belief(self) -> Belief | None:
        """The belief at the ledger's position, or None where the model does not learn online."""
        if not is_online(self._model):
            return None
        if self._belief is None or self._ledger.rewritten > self._position:
            self._belief, self._position = self._model.start(unit_labels(self._ledger)), 0
        fresh = self._ledger.judgments(LEADING, after=self._position)
        if len(fresh):
            unit = fresh.at_unit(self._ledger.definition.unit)
            self._belief = self._model.update(self._belief, unit)
        self._position = self._ledger.position
        return self._belief


def is_online(model: Any) -> bool:
    """Can the model start from nothing and be updated?"""
    return hasattr(model, "start") and hasattr(model, "update")


def unit_labels(ledger: Ledger) -> Labels:
    """What the scale is about: the items, or the systems that made them."""
    return ledger.items.ids if ledger.definition.unit == "item" else ledger.items.systems[1]


def fit_question(ledger: Ledger, question: int) -> Fit | None:
    """The scale of one question, or None before the first rating."""
    judgments = ledger.judgments(question).at_unit(ledger.definition.unit).compact()
    if not len(judgments):
        return None
    return ledger.definition.make_model().fit(judgments)
