"""Copy the log, roster, keys and audit trail of a study from one database to another, and compare the copies."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import sqlalchemy as sa

from steelyard.errors import StudyExists, UnreadableFile
from steelyard.storage import schema
from steelyard.storage.database import Database, create_tables, open_database
from steelyard.storage.engines import engine_for
from steelyard.storage.location import LOCATION_FILE, Location, location_of, note_location, schema_name
from steelyard.storage.moved_copies import MOVED_FILE, free_name, note_moved
from steelyard.storage.statements import LOCK

STREAMED = {"yield_per": 1000}
JOURNALS = ("-wal", "-shm")  # ends of the names of files beside one of SQLite
TABLES = (
    schema.access_key,
    schema.webhook,
    schema.notice,
    schema.delivery,
    schema.rater,
    schema.task,
    schema.answer,
    schema.event,
    schema.lease,
    schema.act,
)  # in an order that foreign keys allow


def copy_rows(source: sa.Connection, target: sa.Connection) -> None:
    """Copy all rows into tables that are empty except for the row of the study."""
    row = source.execute(sa.select(schema.study)).mappings().one()
    target.execute(schema.study.update().values(**{**row, "schema_version": schema.SCHEMA_VERSION}))
    for table in TABLES:
        rows = source.execute(sa.select(table), execution_options=STREAMED).mappings()
        for part in rows.partitions():
            target.execute(table.insert(), [dict(each) for each in part])
    if target.dialect.name == "postgresql":  # rows came with their numbers, so the counters must follow
        for name, number in (("lease", "id"), ("act", "number")):
            following = (
                f"setval(pg_get_serial_sequence('{name}', '{number}'), COALESCE(MAX({number}), 0) + 1, false)"
            )
            target.execute(sa.text(f"SELECT {following} FROM {name}"))


def log_digest(connection: sa.Connection) -> str:
    """Return a hash of the log, the roster and the places, which is equal for equal content in any database."""
    digest = hashlib.sha256()
    for table in TABLES:
        first = next(iter(table.primary_key.columns))
        rows = connection.execute(sa.select(table).order_by(first), execution_options=STREAMED)
        for row in rows:
            digest.update(json.dumps([table.name, *row], sort_keys=True).encode())
    return digest.hexdigest()


def copy_database(source: Database, location: Location, hold: bool) -> Database:
    """Copy a study to a new database and check that both are equal.

    Parameters
    ----------
    source
        Database to copy.
    location
        Place of the new database.
    hold
        Whether writers of the source wait until the copy is complete. Otherwise the copy has the state at its start.

    Returns
    -------
    Database
        The copy.
    """
    with _copied(source, location, hold) as (_, target):
        return target


@contextmanager
def _copied(source: Database, location: Location, hold: bool) -> Iterator[tuple[sa.Connection, Database]]:
    """Yield the connection to the source and the copy; until the end, writers of the source wait if `hold` is set."""
    target = create_tables(location)
    with source.locking() if hold else source.reading() as reading:
        if hold:
            reading.execute(LOCK)
        with target.locking() as writing:
            copy_rows(reading, writing)
        with target.reading() as copied:
            equal = log_digest(reading) == log_digest(copied)
        if not equal:
            reason = "the copy differs from the original."
            raise UnreadableFile(
                location.words, reason, "The original is unchanged. Delete the copy and try again."
            )
        yield reading, target


def move_study(folder: Path, url: str) -> Location:
    """Move the log of a study to PostgreSQL, or with an empty address to study.db in its folder.

    A server that still runs on the old database can no longer write to it: its requests wait until the old database has
    another name, and are refused then. The old database is kept under this name.

    Parameters
    ----------
    folder
        Folder of the study.
    url
        Address of the PostgreSQL database; empty for a file.

    Returns
    -------
    Location
        Place of the old database.
    """
    source = open_database(folder)
    old = source.location
    if bool(old.url) == bool(url):
        raise StudyExists(old.words)
    try:
        return _moved_to_server(source, folder, url) if url else _moved_to_file(source, folder)
    finally:
        source.engine.dispose()


def _moved_to_server(source: Database, folder: Path, url: str) -> Location:
    old = source.location
    new, kept = Location(folder, url, schema_name(folder)), replace(old, file=MOVED_FILE)
    with _copied(source, new, hold=True) as (_, target):
        note_location(new)
        for suffix in ("", *JOURNALS):
            with suppress(FileNotFoundError):
                os.replace(f"{old.path}{suffix}", f"{kept.path}{suffix}")
    target.engine.dispose()
    source.engine.dispose()
    # The last connection to a file writes its journal into it, and deletes the journal.
    engine = engine_for(kept)
    engine.connect().close()
    engine.dispose()
    return kept


def _moved_to_file(source: Database, folder: Path) -> Location:
    old, new = source.location, Location(folder)
    try:
        with _copied(source, new, hold=True) as (connection, target):
            target.engine.dispose()
            name = free_name(connection, old.schema)
            connection.execute(sa.text(f'ALTER SCHEMA "{old.schema}" RENAME TO "{name}"'))
    except BaseException:  # the study stays where it is, so the copy must not be mistaken for it
        for suffix in ("", *JOURNALS):
            Path(f"{new.path}{suffix}").unlink(missing_ok=True)
        raise
    kept = replace(old, schema=name)
    note_moved(kept)
    (folder / LOCATION_FILE).unlink()
    return kept


def snapshot_to_file(folder: Path, path: Path) -> int:
    """Write the state of a study that may be in use to a new SQLite file; return its newest log position."""
    database = open_database(folder)
    if database.location.url:
        part = path.parent / "part"
        part.mkdir()
        copy_database(database, Location(part), hold=False).engine.dispose()
        with closing(sqlite3.connect(part / location_of(part).path.name)) as written:
            written.execute("PRAGMA journal_mode=DELETE")  # one file, without a journal beside it
        os.replace(location_of(part).path, path)
        part.rmdir()
    else:
        with database.explained(), closing(sqlite3.connect(database.location.path)) as source:
            source.execute("VACUUM INTO ?", [str(path)])
    with closing(sqlite3.connect(path)) as written:
        head: int = written.execute("SELECT position FROM study").fetchone()[0]
    return head
