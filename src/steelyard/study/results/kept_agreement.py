"""Agreement for the owner's page: computed again only when the study has grown or answers were removed."""

from __future__ import annotations

import logging
from collections.abc import Mapping

import numpy as np

from steelyard.errors import NothingToTest
from steelyard.quality.agreement import Agreement, AgreementSettings
from steelyard.study.collecting.learning import MODEL_FAILURES
from steelyard.study.log.ledger import Ledger
from steelyard.study.results.agreement import agreement_basis, with_points
from steelyard.study.results.renewal import Renewal

LOG = logging.getLogger(__name__)
MOST_JUDGMENTS = 10_000  # of more ratings, a random sample of items is used


class KeptAgreement:
    """Agreement about every question of a ledger, which may lack the newest answers."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._renewal = Renewal()
        self._found: Mapping[str, Agreement] = {}

    def by_question(self) -> Mapping[str, Agreement]:
        """Return the agreement by id of the question; questions without enough answers are left out."""
        if self._renewal.is_due(self._ledger):
            asked = [question.id for question in self._ledger.definition.questions]
            agreements = {name: self._agreement(at) for at, name in enumerate(asked)}
            self._found = {name: each for name, each in agreements.items() if each is not None}
        return self._found

    def _agreement(self, question: int) -> Agreement | None:
        rng = np.random.default_rng(self._ledger.definition.seed)
        basis = agreement_basis(self._ledger, question).sampled(MOST_JUDGMENTS, rng)
        settings = with_points(self._ledger, question, AgreementSettings())
        try:
            agreement = basis.agreement(settings, rng)
        except NothingToTest:
            return None
        except MODEL_FAILURES as reason:  # the rest of the page is still of use
            LOG.error("Agreement could not be computed.", exc_info=reason)
            return Agreement((), (f"Agreement could not be computed ({type(reason).__name__}: {reason}).",))
        return agreement if agreement.statistics else None
