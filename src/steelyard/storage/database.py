"""The log and the roster of a study in an SQLite or PostgreSQL database, with the same tables and statements."""

from __future__ import annotations

import os
import secrets
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from steelyard.errors import StoreUnavailable, StudyExists, UnreadableFile
from steelyard.storage import schema
from steelyard.storage.cached_results import CacheName, keep_result, newest_result
from steelyard.storage.engines import engine_for, reading_engine
from steelyard.storage.failures import DRIVER, explained
from steelyard.storage.keys import Key, added_key, all_keys, delete_key, key_hash
from steelyard.storage.location import LOCATION_FILE, Location, exists, location_of, note_location
from steelyard.storage.migrations import migrate
from steelyard.storage.roster import added_rater, all_raters, find_rater
from steelyard.storage.rows import answer_of, event_of, task_of
from steelyard.storage.statements import ANSWERS_OF, LOCK, POSITION, TASK_NAMED, TASKS_OF, Statements
from steelyard.storage.trail import add_act, all_acts
from steelyard.storage.writer import DatabaseWriter, entries_after, entry_at, readable
from steelyard.study.definition.private_files import make_private_file
from steelyard.study.log.acts import Act
from steelyard.study.log.entries import Answer, Entry, Event, EventKind, Task
from steelyard.study.log.interface import Rater, Source

INTERRUPTED = "the creation of this database was interrupted."
REPLACED = "the database file was deleted or replaced while the study was running."
RESTORE = "Put the file back, or restore a backup, and restart the server."
MOVED = "the study was moved to PostgreSQL while it was running."


def create_database(folder: Path, url: str = "") -> tuple[Database, str]:
    """Create the database of a study; return it and the owner key, which is stored only as a hash.

    Parameters
    ----------
    folder
        Folder of the study.
    url
        Address of a PostgreSQL database; empty for a file in the folder.

    Returns
    -------
    database : Database
        The database.
    key : str
        The owner key.
    """
    location = location_of(folder, url)
    if exists(location):
        raise StudyExists(str(folder))
    database = create_tables(location)
    if location.url:
        note_location(location)
    return database, database.new_owner_key()


def create_tables(location: Location) -> Database:
    """Create an empty log at a location where there is none."""
    with explained(location.words, (*DRIVER, OSError)):
        if not location.url:
            try:
                make_private_file(location.path)  # SQLite gives its journal files the same permissions
            except FileExistsError:
                raise StudyExists(str(location.folder)) from None
        database = Database(engine_for(location), location)
        with database.explained(), database.engine.begin() as connection:
            if location.url:
                _create_schema(connection, location)
            schema.metadata.create_all(connection)
            start = {"id": 1, "position": 0, "owner_key_hash": "", "cookie_secret": secrets.token_urlsafe(32)}
            connection.execute(schema.study.insert().values(**start, schema_version=schema.SCHEMA_VERSION))
    return database


def _create_schema(connection: sa.Connection, location: Location) -> None:
    wanted = {"name": location.schema}
    query = sa.text("SELECT 1 FROM information_schema.schemata WHERE schema_name = :name")
    if connection.execute(query, wanted).first() is not None:
        raise UnreadableFile(
            location.words,
            "this schema exists and may contain another study.",
            "If it is this study, restore database.toml in its folder. If not, rename the folder.",
        )
    connection.execute(sa.schema.CreateSchema(location.schema))


def open_database(folder: Path) -> Database:
    """Open the database of a study: study.db in its folder, or the PostgreSQL database that database.toml names."""
    database = _opened(folder)
    database.check_version()
    return database


def migrate_database(folder: Path) -> tuple[int, int]:
    """Change the tables of a study to the current version; return the versions before and after."""
    database = _opened(folder)
    with database.locking() as connection:
        return migrate(connection, database.location.words)


def _opened(folder: Path) -> Database:
    """Return the database of a study, whose version is not checked."""
    location = location_of(folder)
    path = location.path
    with explained(location.words, (*DRIVER, OSError)):
        if not exists(location):
            raise UnreadableFile(
                str(folder),
                "this folder has no study.",
                f"Check the path, or create a study: steelyard new {folder} --items items.csv",
            )
        if not location.url and not path.is_file():
            raise UnreadableFile(str(path), "this is not a file.", "Choose the folder of a study.")
        if not location.url and not path.stat().st_size:
            raise UnreadableFile(str(path), INTERRUPTED, "The file is empty. Delete it and try again.")
    return Database(engine_for(location), location)


class Database:
    """The database of one study: the log, the roster and the owner key."""

    def __init__(self, engine: sa.Engine, location: Location) -> None:
        self.engine = engine
        weakref.finalize(
            self, engine.dispose
        )  # closes the connections when nothing uses the database any more
        self.location = location
        self.reader = reading_engine(engine)
        self._errors = (sa.exc.DBAPIError, sa.exc.TimeoutError, _driver_error(engine))
        self._statements = Statements(engine.dialect)
        self._file = None if location.url else _identity(location.path)

    def explained(self) -> Any:
        """Return a context in which errors of the driver become messages about this study."""
        return explained(self.location.words, self._errors)

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Open a transaction that reads; all of its statements see the same state."""
        try:
            with self.explained(), self.reader.connect() as connection:
                yield connection
        except StoreUnavailable:
            self._check_file()
            raise

    @contextmanager
    def locking(self) -> Iterator[sa.Connection]:
        """Open a transaction that holds the lock of the study from its start."""
        self._check_file()
        with self.explained(), self.engine.connect() as connection, connection.begin():
            self._check_file()  # again, because the lock may have been held by a process that moved the study
            yield connection

    def _check_file(self) -> None:
        """Raise StoreUnavailable if the SQLite file is no longer the one that was opened.

        SQLite would continue to write to a deleted file, and the answers would be lost with the last process.
        """
        if self._file is None or _identity(self.location.path) == self._file:
            return
        if (self.location.folder / LOCATION_FILE).exists():
            raise StoreUnavailable(self.location.words, MOVED, "Restart the server.")
        raise StoreUnavailable(self.location.words, REPLACED, RESTORE)

    @property
    def problem(self) -> str:
        """Why nothing can be stored although open connections still read, and what to do; empty if all is well."""
        try:
            self._check_file()
        except StoreUnavailable as problem:
            return str(problem)
        return ""

    def check_version(self) -> None:
        """Raise UnreadableFile if the database cannot be read or has a version that this Steelyard cannot use."""
        with self.reading() as connection:
            versions = connection.execute(sa.select(schema.study.c.schema_version)).scalars().all()
        if len(versions) != 1:
            remedy = "The file contains no answers. Delete it and try again."
            raise UnreadableFile(self.location.words, INTERRUPTED, remedy)
        if versions[0] == schema.SCHEMA_VERSION:
            return
        with self.locking() as connection:
            migrate(connection, self.location.words)

    # The owner

    def new_owner_key(self) -> str:
        """Create and return a new owner key; the old key stops working."""
        key = secrets.token_urlsafe(24)
        with self.locking() as connection:
            connection.execute(schema.study.update().values(owner_key_hash=key_hash(key)))
        return key

    def access_keys(self) -> list[Key]:
        """Return the valid keys of the owner and of viewers, without the keys themselves."""
        with self.reading() as connection:
            return all_keys(connection)

    def add_key(self, name: str, role: str, at: float, scopes: Sequence[str] = ()) -> str:
        """Create and return a key; it cannot be shown again.

        Parameters
        ----------
        name
            Name of the key, different from the others.
        role
            `"owner"`, `"viewer"` or `"program"`.
        at
            Time of creation, in seconds since 1970.
        scopes
            What a program may do.

        Returns
        -------
        str
            The key.
        """
        with self.locking() as connection:
            connection.execute(LOCK)
            return added_key(connection, name, role, at, scopes)

    def revoke_key(self, name: str) -> None:
        """Delete a key; everyone who signed in with it is signed out."""
        with self.locking() as connection:
            delete_key(connection, name)

    def cookie_secret(self) -> str:
        """Return the secret that signs the cookies and form tokens of this study."""
        with self.reading() as connection:
            secret: str = connection.execute(sa.select(schema.study.c.cookie_secret)).scalar_one()
        return secret

    def record(self, act: Act) -> None:
        """Store an act of an owner in the audit trail."""
        with self.locking() as connection:
            connection.execute(LOCK)
            add_act(connection, act)

    def acts(self) -> Sequence[Act]:
        """Return the audit trail, oldest act first."""
        with self.reading() as connection, readable("act", self.location.words):
            return all_acts(connection)

    # The log

    @contextmanager
    def writing(self) -> Iterator[DatabaseWriter]:
        """Open a transaction under the lock of the study.

        On SQLite the lock is that of the database (BEGIN IMMEDIATE), on PostgreSQL that of the row of the study.
        """
        with self.locking() as connection:
            writer = DatabaseWriter(connection, self._statements, self.location.words)
            yield writer
            writer.keep_position()

    def since(self, position: int) -> Iterator[Entry]:
        """Yield the committed entries after a log position, in order."""
        with self.reading() as connection:
            newest: int = connection.execute(POSITION).scalar_one()
            entries = entries_after(connection, position, newest, self.location.words)
        yield from entries

    def interactions(self, assignment: str) -> dict[str, Any]:
        """Return the interactions of an answer and the facts about the screen."""
        wanted = sa.select(schema.answer.c.interactions).where(schema.answer.c.assignment == assignment)
        with self.reading() as connection, readable("answer", self.location.words):
            moves: dict[str, Any] = connection.execute(wanted).scalar_one()
        return moves

    def head(self) -> int:
        """Return the newest log position."""
        with self.reading() as connection:
            newest: int = connection.execute(POSITION).scalar_one()
        return newest

    def entry_at(self, position: int) -> Entry | None:
        """Return the entry at a log position."""
        with self.reading() as connection:
            return entry_at(connection, position, self.location.words)

    def task_named(self, task: str) -> Task | None:
        """Return the task with this id."""
        with self.reading() as connection, readable("task", self.location.words):
            row = connection.execute(TASK_NAMED, {"wanted": task}).first()
            return None if row is None else task_of(row)

    def entries_of(self, rater: str) -> list[Task | Answer]:
        """Return the answers of a rater, including those taken back, and the tasks that they belong to."""
        study = self.location.words
        with self.reading() as connection:
            with readable("task", study):
                tasks = [task_of(row) for row in connection.execute(TASKS_OF, {"wanted": rater})]
            with readable("answer", study):
                answers = [answer_of(row) for row in connection.execute(ANSWERS_OF, {"wanted": rater})]
        return [*tasks, *answers]

    def newest_event(self, kind: EventKind) -> Event | None:
        """Return the newest event of a kind."""
        chosen = sa.select(schema.event).where(schema.event.c.kind == kind)
        with self.reading() as connection, readable("event", self.location.words):
            row = connection.execute(chosen.order_by(schema.event.c.position.desc()).limit(1)).first()
            return None if row is None else event_of(row)

    def has_tasks(self) -> bool:
        """Whether the log contains a task."""
        with self.reading() as connection:
            return connection.execute(sa.select(schema.task.c.position).limit(1)).first() is not None

    # Results computed from the log

    def newest(self, name: str, settings: str, after: int) -> tuple[int, bytes] | None:
        """Return a stored result with these settings, if it is later than a log position.

        Parameters
        ----------
        name
            Name of the result.
        settings
            Hash of everything that the result depends on, except the log.
        after
            Log position.

        Returns
        -------
        tuple or None
            Log position and content of the result.
        """
        return newest_result(self, CacheName(name, settings), after)

    def keep(self, name: str, settings: str, position: int, content: bytes) -> None:
        """Store a result in place of an earlier one, unless a rater was forgotten after this log position."""
        keep_result(self, CacheName(name, settings), position, content)

    # The roster

    def add(self, name: str, source: Source, token: str, key: str, at: float) -> Rater:
        """Add a rater, or return the existing rater with the same source and key."""
        with self.locking() as connection:
            connection.execute(LOCK)
            return added_rater(connection, Rater("", name, source, token, key, at))

    def note_submission(self, rater: str, submission: str) -> None:
        """Store the hash of the submission with which a rater joined."""
        named = schema.rater.update().where(schema.rater.c.id == rater)
        with self.locking() as connection:
            connection.execute(named.values(submission=submission))

    def by_token(self, token: str) -> Rater | None:
        """Return the rater whose link has this token."""
        with self.reading() as connection:
            return find_rater(connection, schema.rater.c.token == token)

    def by_id(self, rater: str) -> Rater | None:
        """Return the rater with this id."""
        with self.reading() as connection:
            return find_rater(connection, schema.rater.c.id == rater)

    def all(self) -> Sequence[Rater]:
        """Return all raters, oldest first."""
        with self.reading() as connection:
            return all_raters(connection)


def _driver_error(engine: sa.Engine) -> type[Exception]:
    """Return the base class of the errors of the driver, which statements raise that bypass SQLAlchemy."""
    error: type[Exception] = engine.dialect.loaded_dbapi.Error
    return error


def _identity(path: Path) -> tuple[int, int] | None:
    """Return the device and number of a file; None if it does not exist."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
