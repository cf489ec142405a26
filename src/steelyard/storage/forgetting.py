"""Deletion of everything that a study stores about one rater: the only deletion from the log."""

from __future__ import annotations

import secrets
from contextlib import closing
from dataclasses import dataclass

import sqlalchemy as sa

from steelyard.errors import UnknownName
from steelyard.storage import schema
from steelyard.storage.database import Database
from steelyard.storage.rows import event_row, task_of
from steelyard.study.log.entries import Event
from steelyard.study.log.interface import Rater


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
    """

    rater: str
    answers: int
    events: int
    reopened: int


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
    """
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
        writer.append(Event("forgotten", rater, {"answers": answers, "events": events}, at))
    _erase(database)
    return Forgotten(rater, answers, events, len(reopened))


def rater_with(database: Database, name: str) -> Rater:
    """Return the rater with this id in the study, on Prolific or in a file; raise UnknownName if there is none."""
    raters = database.all()
    for rater in raters:
        if name in (rater.id, rater.key, *rater.key.split()[:1]):
            return rater
    raise UnknownName("rater", name, [rater.id for rater in raters], database.location.words)


def _erase(database: Database) -> None:
    """Remove deleted rows from the files of the database, where they would otherwise stay until overwritten."""
    if database.engine.dialect.name != "sqlite":
        outside = database.engine.execution_options(isolation_level="AUTOCOMMIT")
        with database.explained(), outside.connect() as connection:
            connection.exec_driver_sql("VACUUM")
        return
    with database.explained(), closing(database.engine.raw_connection()) as file:
        cursor = file.cursor()  # without SQLAlchemy, which would start a transaction
        cursor.execute("VACUUM")
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


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
