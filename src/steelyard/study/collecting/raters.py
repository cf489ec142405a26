"""The raters of a study: how they join, whose a link is, and when they may start."""

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
        """The rater of this source and key, and whether they are new; the name is stored as it can be seen."""
        token = secrets.token_urlsafe(18)
        if transaction is None:
            rater = self._roster.add(clean_name(name), source, token, key, self._clock())
        else:
            rater = transaction.writer.add_rater(clean_name(name), source, token, key, transaction.now)
        return rater, rater.token == token

    def by_link(self, token: str) -> Rater:
        """The rater of a link."""
        if token not in self._by_link:  # a link never changes hands, so it is looked up once
            rater = self._roster.by_token(token)
            if rater is None:
                raise UnknownRater
            self._by_link[token] = rater
        return self._by_link[token]


def has_begun(definition: StudyDefinition, record: RaterRecord) -> bool:
    """Has this rater agreed to take part, answered the survey and done the training, if there are any?"""
    surveyed = not definition.joining.survey or record.survey is not None
    return record.consented and surveyed and (definition.training is None or record.trained)
