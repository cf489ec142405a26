"""When results that take long are computed again."""

from __future__ import annotations

from steelyard.study.log.ledger import Ledger

GROWTH = 1.2  # factor of answers, as for the refits of models


class Renewal:
    """Whether a study has changed enough since results were last computed.

    Results are due when there are 20% more answers, or when answers were removed or changed.
    """

    def __init__(self) -> None:
        self._answers = 0
        self._rewritten = -1

    def is_due(self, ledger: Ledger) -> bool:
        """Return whether results are due, and count them as computed now."""
        count, rewritten = len(ledger.answers), ledger.rewritten
        if not count or (rewritten == self._rewritten and count < GROWTH * self._answers):
            return False
        self._answers, self._rewritten = count, rewritten
        return True
