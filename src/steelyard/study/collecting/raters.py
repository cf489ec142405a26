"""The raters of a study: how they join, their links, and when they may start."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence

from steelyard.errors import UnknownRater
from steelyard.study.collecting.rater_names import clean_name
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.log.interface import CROWDS, Rater, Roster, Source
from steelyard.study.log.ledger import Ledger
from steelyard.study.log.rater_record import RaterRecord
from steelyard.study.log.transaction import Transaction


class Raters:
    """The raters of one study and their links."""

    def __init__(self, roster: Roster, clock: Callable[[], float], elsewhere: Sequence[Roster] = ()) -> None:
        self._roster = roster
        self._clock = clock
        self._elsewhere = elsewhere  # of studies whose raters may not join
        self._by_link: dict[str, Rater] = {}
        self._restarts = 0

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

    def took_part_elsewhere(self, person: str) -> bool:
        """Whether a person with this id on a crowdsourcing site has joined one of the excluded studies."""
        return any(person_of(rater) == person for roster in self._elsewhere for rater in roster.all())

    def has_joined(self, person: str) -> bool:
        """Whether a person with this id on a crowdsourcing site has joined this study."""
        return any(person_of(rater) == person for rater in self._roster.all())

    def same_person(self, rater: str) -> tuple[str, ...]:
        """Return the ids of other raters with the same id on another site, such as a second submission on Prolific."""
        everyone = self._roster.all()
        person = next((person_of(each) for each in everyone if each.id == rater), "")
        return tuple(
            each.id for each in everyone if person and each.id != rater and person_of(each) == person
        )

    def by_link(self, token: str, restarts: int = 0) -> Rater:
        """Return the rater with this link; raise UnknownRater if there is none.

        A link is looked up once, and again when the log was read from its beginning (`restarts`), because a rater may
        have been forgotten.
        """
        if restarts != self._restarts:
            self._restarts = restarts
            self._by_link.clear()
        if token not in self._by_link:
            rater = self._roster.by_token(token)
            if rater is None:
                raise UnknownRater
            self._by_link[token] = rater
        return self._by_link[token]


def person_of(rater: Rater) -> str:
    """Return the id of a person on a crowdsourcing site; empty if the rater did not join through one.

    The key of a rater from Prolific also has the id of the submission's study.
    """
    return rater.key.split(" ")[0] if rater.key and rater.source in (*CROWDS, "file") else ""


def has_begun(definition: StudyDefinition, record: RaterRecord) -> bool:
    """Whether the rater has given consent, answered the survey and finished the training, if there are any."""
    surveyed = not definition.joining.survey_part("before") or record.survey is not None
    trained = definition.training is None or record.trained
    return record.consented and surveyed and trained and not instructions_due(definition, record)


def instructions_due(definition: StudyDefinition, record: RaterRecord) -> bool:
    """Whether a rater has to read the instructions of [training] now: after the interface training, once.

    If the study has exercises of its own, these show the instructions.
    """
    training = definition.training
    own = any(way.training is not None and way.training.tasks for way in definition.asked_ways)
    if training is None or not training.instructions or own:
        return False
    return record.trained and not record.instructed and not record.answers


def has_room(ledger: Ledger, rater: str, now: float) -> bool:
    """Whether this rater may take part without exceeding the largest number of raters of the study.

    Parameters
    ----------
    ledger
        State of the study.
    rater
        Id of the rater, or of nobody for someone who has not joined.
    now
        Current time, in seconds since 1970.

    Returns
    -------
    bool
        True for raters who count already.
    """
    most = ledger.definition.joining.most_raters
    if not most:
        return True
    since = now - 60.0 * ledger.definition.choosing.lease_minutes
    counted = {
        each
        for each, record in ledger.raters.items()
        if not record.is_out
        and not record.declined
        and (record.answers or (record.consented and record.active_at >= since))
    }
    return rater in counted or len(counted) < most
