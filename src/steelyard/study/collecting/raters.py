"""The raters of a study: how they join, their links, and when they may start."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from steelyard.errors import UnknownRater
from steelyard.study.collecting.rater_names import clean_name
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.log.interface import Rater, Roster, Source
from steelyard.study.log.rater_record import RaterRecord
from steelyard.study.log.transaction import Transaction


class Raters:
    """The raters of one study and their links."""

    def __init__(self, roster: Roster, clock: Callable[[], float]) -> None:
        self._roster = roster
        self._clock = clock
        self._by_link: dict[str, Rater] = {}

    def join(
        self, name: str, source: Source, key: str, transaction: Transaction | None
    ) -> tuple[Rater, bool]:
        """Add a rater, or find the existing rater with this source and key.

        Parameters
        ----------
        name
            Name of the rater. Invisible characters are removed.
        source
            How the rater joins.
        key
            Id of the rater on another site or in a file; empty if there is none.
        transaction
            Open transaction to join in, or None to store the rater immediately.

        Returns
        -------
        rater : Rater
            The rater.
        is_new : bool
            Whether the rater was added.
        """
        token = secrets.token_urlsafe(18)
        if transaction is None:
            rater = self._roster.add(clean_name(name), source, token, key, self._clock())
        else:
            rater = transaction.writer.add_rater(clean_name(name), source, token, key, transaction.now)
        return rater, rater.token == token

    def by_link(self, token: str) -> Rater:
        """Return the rater with this link; raise UnknownRater if there is none."""
        if token not in self._by_link:  # a link always belongs to the same rater, so it is looked up once
            rater = self._roster.by_token(token)
            if rater is None:
                raise UnknownRater
            self._by_link[token] = rater
        return self._by_link[token]


def has_begun(definition: StudyDefinition, record: RaterRecord) -> bool:
    """Whether the rater has given consent, answered the survey and finished the training, if there are any."""
    surveyed = not definition.joining.survey or record.survey is not None
    return record.consented and surveyed and (definition.training is None or record.trained)
