"""Deletion of everything that a study stores about one rater: the only deletion from the log."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from steelyard.errors import BadSetting, SeveralRaters, SteelyardError, UnknownName
from steelyard.storage import schema
from steelyard.storage.database import Database
from steelyard.storage.engines import engine_for
from steelyard.storage.erasing import erase_deleted
from steelyard.storage.location import Location
from steelyard.storage.moved_copies import has_schema, moved_copies
from steelyard.storage.rows import event_row, task_of
from steelyard.study.log.entries import Event
from steelyard.study.log.interface import Rater

PSEUDONYM = "study:"  # before an id that is to be compared with pseudonyms only


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was deleted.

    Attributes
    ----------
    rater
        Id of the rater.
    answers
        Number of answers, including answers that the rater took back.
    events
        Number of events, such as consent, survey and training.
    reopened
        Number of places that are asked again because their answers were deleted.
    erased
        Whether nothing is left in the files of the database. False if another process still read the deleted rows.
    """

    rater: str
    answers: int
    events: int
    reopened: int
    erased: bool = True


def forget_rater(database: Database, rater: str, at: float) -> Forgotten:
    """Delete the answers, events and identity of a rater, in one transaction.

    An event `forgotten` without content takes the log position of each deleted entry, so positions keep no gap. A last
    event `forgotten` names the rater; a process that has read the deleted entries reads the log again when it finds
    it. Results that were computed from the log are deleted too. Copies outside the database are not.

    Parameters
    ----------
    database
        Database of the study.
    rater
        Id of the rater.
    at
        Time of the deletion, in seconds since 1970.

    Returns
    -------
    Forgotten
        What was deleted.

    Raises
    ------
    UnknownName
        If the study has no rater with this id.
    """
    known = [each.id for each in database.all()]
    if rater not in known:  # an empty id would match events about the whole study
        raise UnknownName("rater", rater, known, database.location.words)
    with database.writing() as writer:
        connection = writer.connection
        reopened = [task_of(row) for row in connection.execute(_answered_tasks(rater))]
        for task in reopened:
            writer.add_place(task, "", "", None)
        free = {"rater": "", "assignment": "", "until": None}
        connection.execute(schema.lease.update().where(schema.lease.c.rater == rater).values(**free))
        answers = _empty(connection, schema.answer, rater, at)
        events = _empty(connection, schema.event, rater, at)
        unknown = {"name": rater, "key": "", "token": secrets.token_urlsafe(18), "submission": ""}
        connection.execute(schema.rater.update().where(schema.rater.c.id == rater).values(**unknown))
        connection.execute(schema.cached.delete())
        last = writer.append(Event("forgotten", rater, {"answers": answers, "events": events}, at))
    erased = erase_deleted(database, last.log_position)
    return Forgotten(rater, answers, events, len(reopened), erased)


@dataclass(frozen=True, slots=True)
class KeptCopy:
    """An old database that `steelyard move` has kept, and what was deleted from it.

    Attributes
    ----------
    location
        Place of the copy.
    forgotten
        What was deleted; None if the copy does not have the rater, or could not be changed.
    problem
        Why the copy could not be changed; empty if it could.
    """

    location: Location
    forgotten: Forgotten | None = None
    problem: str = ""


def forget_in_copies(folder: Path, rater: Rater, at: float) -> list[KeptCopy]:
    """Delete a rater from the old databases of a study that was moved.

    Parameters
    ----------
    folder
        Folder of the study.
    rater
        The rater, as they are or were in the study.
    at
        Time of the deletion, in seconds since 1970.

    Returns
    -------
    list of KeptCopy
        One per old database.
    """
    copies = []
    for location in moved_copies(folder):
        try:
            copies.append(KeptCopy(location, _forget_in(location, rater, at)))
        except SteelyardError as reason:
            copies.append(KeptCopy(location, problem=str(reason)))
    return copies


def _forget_in(location: Location, rater: Rater, at: float) -> Forgotten | None:
    """Delete a rater from an old database; None if they joined after the study was moved, or if it was deleted."""
    database = Database(engine_for(location), location)
    try:
        if location.url:
            with database.reading() as connection:
                if not has_schema(connection, location.schema):
                    return None
        database.check_version()
        same = database.by_id(rater.id)
        if same is None or (same.source, same.at) != (rater.source, rater.at):
            return None
        return forget_rater(database, rater.id, at)
    finally:
        database.engine.dispose()


def rater_with(database: Database, name: str) -> Rater:
    """Return the rater with this id in the study, on another site or in a file.

    An id is compared with both, because the id that a file or site uses may be the pseudonym of someone else in the
    study. An id after `study:` is compared with pseudonyms only, which are unique.

    Parameters
    ----------
    database
        Database of the study.
    name
        The id.

    Returns
    -------
    Rater
        The rater.

    Raises
    ------
    BadSetting
        If the id is empty.
    UnknownName
        If no rater has the id.
    SeveralRaters
        If several raters have it.
    """
    if not name.strip():
        raise BadSetting("--rater", "is empty. Name the id of a rater, such as r-07.")
    raters = database.all()
    matching = [each for each in raters if f"{PSEUDONYM}{each.id}" == name]
    matching = matching or [each for each in raters if name in (each.id, *_ids_elsewhere(each))]
    if not matching:
        raise UnknownName("rater", name, [each.id for each in raters], database.location.words)
    if len(matching) > 1:
        raise SeveralRaters(name, {f"{PSEUDONYM}{each.id}": _described(each) for each in matching})
    return matching[0]


def _ids_elsewhere(rater: Rater) -> tuple[str, ...]:
    """Return the ids of a rater on another site or in a file; none for raters who joined by a link."""
    return (rater.key, rater.key.split()[0]) if rater.key.strip() else ()


def _described(rater: Rater) -> str:
    """Return how a rater joined, for a list to choose from."""
    elsewhere = f", id {rater.key} there" if rater.key else ""
    return f"{rater.name}, source {rater.source}{elsewhere}"


def _answered_tasks(rater: str) -> sa.Select[tuple[object, ...]]:
    """The task of every answer of a rater that was not taken back; taking back has already reopened its place."""
    facts = sa.select(schema.event.c.content).where(
        schema.event.c.rater == rater, schema.event.c.kind == "superseded"
    )
    taken_back = facts.subquery().c.content["answer"].as_integer()
    return (
        sa.select(schema.task)
        .join(schema.answer, schema.answer.c.task == schema.task.c.id)
        .where(schema.answer.c.rater == rater, schema.answer.c.position.not_in(sa.select(taken_back)))
    )


def _empty(connection: sa.Connection, table: sa.Table, rater: str, at: float) -> int:
    """Replace the entries of a rater in a table by events without content; return their number."""
    own = table.c.rater == rater
    positions = connection.execute(sa.select(table.c.position).where(own)).scalars().all()
    connection.execute(table.delete().where(own))
    if positions:
        tombstone = event_row(Event("forgotten", at=at))
        connection.execute(
            schema.event.insert(), [{**tombstone, "position": position} for position in positions]
        )
    return len(positions)
