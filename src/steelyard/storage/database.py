"""The log and the roster of a study in an SQLite database; the statements are standard SQL."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from steelyard.errors import StudyExists, UnreadableFile
from steelyard.storage import schema
from steelyard.storage.failures import DRIVER, explained
from steelyard.storage.rows import answer_of, answer_row, event_of, event_row, in_order, task_of, task_row
from steelyard.storage.statements import (
    ADD_ANSWER,
    ADD_EVENT,
    ADD_LEASE,
    ADD_TASK,
    ANSWER_TO,
    ANSWERED,
    ANSWERS_SINCE,
    CLOSE,
    EVENTS_SINCE,
    FREE,
    FREE_IN,
    HELD,
    LEASED,
    PLACE,
    POSITION,
    SET_POSITION,
    SHORTEN,
    TAKE,
    TASKS_SINCE,
    Statements,
)
from steelyard.study.definition.private_files import make_private_file
from steelyard.study.log.interface import Answer, Entry, Event, EventKind, Lease, Rater, Source, Task

DATABASE_FILE = "study.db"
INTERRUPTED = "the creation of this database was interrupted."
BUSY_SECONDS = 30  # how long a writer waits for another process to release the lock


def create_database(folder: Path) -> tuple[Database, str]:
    """Create the database in the folder of a study; return it and the owner key, which is stored only as a hash."""
    path = folder / DATABASE_FILE
    with explained(path, (*DRIVER, OSError)):
        try:
            make_private_file(path)  # SQLite gives its journal files the same permissions
        except FileExistsError:
            raise StudyExists(str(folder)) from None
        engine = _engine(path)
        schema.metadata.create_all(engine)
        with engine.begin() as connection:
            start = {"id": 1, "position": 0, "owner_key_hash": "", "cookie_secret": secrets.token_urlsafe(32)}
            connection.execute(schema.study.insert().values(**start, schema_version=schema.SCHEMA_VERSION))
    database = Database(engine, path)
    return database, database.new_owner_key()


def open_database(folder: Path) -> Database:
    """Open the database in the folder of a study."""
    path = folder / DATABASE_FILE
    with explained(path, (*DRIVER, OSError)):
        if not path.exists():
            raise UnreadableFile(
                str(path), "the database does not exist.", "Create the study with: steelyard new"
            )
        if not path.is_file():
            raise UnreadableFile(str(path), "this is not a file.", "Choose the folder of a study.")
        if not path.stat().st_size:
            raise UnreadableFile(str(path), INTERRUPTED, "The file is empty. Delete it and try again.")
    database = Database(_engine(path), path)
    database.check_version()
    return database


class Database:
    """The database of one study: the log, the roster and the owner key."""

    def __init__(self, engine: sa.Engine, path: Path) -> None:
        self.engine = engine
        self.path = path
        self.reader = engine.execution_options(reading=True)
        self._statements = Statements(engine.dialect)

    def check_version(self) -> None:
        """Raise UnreadableFile if the database cannot be read or has another schema version."""
        path = str(self.path)
        with explained(self.path), self.reader.connect() as connection:
            versions = connection.execute(sa.select(schema.study.c.schema_version)).scalars().all()
        if len(versions) != 1:
            raise UnreadableFile(path, INTERRUPTED, "The file contains no answers. Delete it and try again.")
        if versions[0] != schema.SCHEMA_VERSION:
            reason = f"it has schema version {versions[0]}, but this Steelyard needs {schema.SCHEMA_VERSION}."
            raise UnreadableFile(path, reason, "Use the version of Steelyard that created it.")

    # The owner

    def new_owner_key(self) -> str:
        """Create and return a new owner key; the old key stops working."""
        key = secrets.token_urlsafe(24)
        with explained(self.path), self.engine.begin() as connection:
            connection.execute(schema.study.update().values(owner_key_hash=_hash(key)))
        return key

    def owner_key_hash(self) -> str:
        """Return the hash of the owner key."""
        with self.reader.connect() as connection:
            stored: str = connection.execute(sa.select(schema.study.c.owner_key_hash)).scalar_one()
        return stored

    def is_owner_key(self, key: str) -> bool:
        """Whether this is the owner key."""
        return secrets.compare_digest(self.owner_key_hash(), _hash(key))

    def cookie_secret(self) -> str:
        """Return the secret that signs the cookies and form tokens of this study."""
        with self.reader.connect() as connection:
            secret: str = connection.execute(sa.select(schema.study.c.cookie_secret)).scalar_one()
        return secret

    # The log

    @contextmanager
    def writing(self) -> Iterator[DatabaseWriter]:
        """Open a transaction that holds the lock of the study from its start (BEGIN IMMEDIATE)."""
        with explained(self.path), self.engine.connect() as connection, connection.begin():
            writer = DatabaseWriter(connection, self._statements)
            yield writer
            writer.keep_position()

    def since(self, position: int) -> Iterator[Entry]:
        """Yield the committed entries after a log position, in order."""
        with self.reader.connect() as connection:
            yield from _entries(connection, position)

    def interactions(self, assignment: str) -> dict[str, Any]:
        """Return the interactions of an answer and the facts about the screen."""
        wanted = schema.answer.c.assignment == assignment
        with self.reader.connect() as connection:
            moves: dict[str, Any] = connection.execute(
                sa.select(schema.answer.c.interactions).where(wanted)
            ).scalar_one()
        return moves

    def head(self) -> int:
        """Return the newest log position."""
        with self.reader.connect() as connection:
            newest: int = connection.execute(POSITION).scalar_one()
        return newest

    def newest_event(self, kind: EventKind) -> Event | None:
        """Return the newest event of a kind."""
        chosen = sa.select(schema.event).where(schema.event.c.kind == kind)
        with self.reader.connect() as connection:
            row = connection.execute(chosen.order_by(schema.event.c.position.desc()).limit(1)).first()
        return None if row is None else event_of(row)

    def has_tasks(self) -> bool:
        """Whether the log contains a task."""
        with self.reader.connect() as connection:
            return connection.execute(sa.select(schema.task.c.position).limit(1)).first() is not None

    # The roster

    def add(self, name: str, source: Source, token: str, key: str, at: float) -> Rater:
        """Add a rater, or return the existing rater with the same source and key."""
        with explained(self.path), self.engine.connect() as connection, connection.begin():
            return _added(connection, Rater("", name, source, token, key, at))

    def by_token(self, token: str) -> Rater | None:
        """Return the rater whose link has this token."""
        return self._rater_where(schema.rater.c.token == token)

    def by_id(self, rater: str) -> Rater | None:
        """Return the rater with this id."""
        return self._rater_where(schema.rater.c.id == rater)

    def all(self) -> Sequence[Rater]:
        """Return all raters, oldest first."""
        with self.reader.connect() as connection:
            rows = connection.execute(sa.select(schema.rater).order_by(schema.rater.c.number)).all()
        return [_rater(row) for row in rows]

    def _rater_where(self, condition: sa.ColumnElement[bool]) -> Rater | None:
        with self.reader.connect() as connection:
            row = connection.execute(sa.select(schema.rater).where(condition)).first()
        return None if row is None else _rater(row)


class DatabaseWriter:
    """One open transaction on the log. Log positions have no gaps."""

    def __init__(self, connection: sa.Connection, statements: Statements) -> None:
        self._connection = connection
        self._statements = statements
        self._cursor = connection.connection.cursor()
        (self._first,) = self._rows(POSITION)[0]
        self.position: int = self._first

    def keep_position(self) -> None:
        """Store the newest log position, once at the end of the transaction."""
        if self.position != self._first:
            self._run(SET_POSITION, new_position=self.position)

    def since(self, position: int) -> list[Entry]:
        """Return the entries after a log position, in order."""
        return _entries(self._connection, position) if position < self.position else []

    def append(self, entry: Entry) -> Entry:
        """Store an entry at the next position and return it; a task gets a free place per assignment."""
        self.position += 1
        if isinstance(entry, Task):
            self._run(ADD_TASK, **task_row(entry), position=self.position)
            for _ in range(entry.assignments):
                self.add_place(entry, "", "", None)
        elif isinstance(entry, Answer):
            self._run(ADD_ANSWER, **answer_row(entry), position=self.position)
        else:
            self._run(ADD_EVENT, **event_row(entry), position=self.position)
        return replace(entry, log_position=self.position)

    def answered(self, assignment: str) -> bool:
        """Whether this assignment has been answered."""
        return bool(self._rows(ANSWERED, wanted=assignment))

    def answer_to(self, assignment: str) -> Answer | None:
        """Return the answer to this assignment, including an answer that was taken back."""
        row = self._connection.execute(ANSWER_TO, {"wanted": assignment}).first()
        return None if row is None else answer_of(row)

    def lease_of(self, rater: str) -> Lease | None:
        """Return the place that a rater holds; an expired place counts until another rater takes it."""
        return next(iter(self._leases(HELD, wanted=rater)), None)

    def leased(self, assignment: str) -> Lease | None:
        """Return the place that is held under this assignment."""
        return next(iter(self._leases(LEASED, wanted=assignment)), None)

    def free(self, now: float, limit: int) -> list[Lease]:
        """Return up to `limit` places that are free or expired, oldest first."""
        return self._leases(FREE, now=now, most=limit)

    def free_in(self, sequence: int, now: float) -> list[Lease]:
        """Return the places of a sequence that are free or expired, in the order of the sequence."""
        return self._leases(FREE_IN, now=now, wanted=sequence)

    def place_of(self, task: str, holder: str) -> Lease | None:
        """Return a place of a task that this rater holds; an empty `holder` finds a free place."""
        return next(iter(self._leases(PLACE, of_task=task, wanted=holder)), None)

    def take(self, lease: Lease, rater: str, assignment: str, until: float | None) -> None:
        """Give a place to a rater."""
        self._run(TAKE, wanted=lease.id, new_rater=rater, new_assignment=assignment, new_until=until)

    def add_place(self, task: Task, rater: str, assignment: str, until: float | None) -> None:
        """Add a place to a task and give it to a rater."""
        held = {"rater": rater, "assignment": assignment, "until": until}
        self._run(ADD_LEASE, task=task.id, sequence=task.sequence, **held)

    def shorten(self, latest: float) -> None:
        """Set the expiry of places that are held for longer to `latest`."""
        self._run(SHORTEN, latest=latest, new_until=latest)

    def close(self, lease: Lease) -> None:
        """Delete a place that was answered or withdrawn."""
        self._run(CLOSE, wanted=lease.id)

    def add_rater(self, name: str, source: Source, token: str, key: str, at: float) -> Rater:
        """Add a rater within this transaction, as `Roster.add` does."""
        return _added(self._connection, Rater("", name, source, token, key, at))

    def _run(self, statement: sa.Executable, **values: Any) -> None:
        self._statements.run(self._cursor, statement, **values)

    def _rows(self, statement: sa.Executable, **values: Any) -> Sequence[Any]:
        self._run(statement, **values)
        return self._cursor.fetchall()

    def _leases(self, statement: sa.Executable, **values: Any) -> list[Lease]:
        return [Lease(*row) for row in self._rows(statement, **values)]


def _entries(connection: sa.Connection, position: int) -> list[Entry]:
    after = {"after": position}
    return in_order(
        [
            *(task_of(row) for row in connection.execute(TASKS_SINCE, after)),
            *(answer_of(row) for row in connection.execute(ANSWERS_SINCE, after)),
            *(event_of(row) for row in connection.execute(EVENTS_SINCE, after)),
        ]
    )


def _added(connection: sa.Connection, wanted: Rater) -> Rater:
    """Return the rater with this source and key; if there is none, add the rater with the next number."""
    if wanted.key:
        same = (schema.rater.c.source == wanted.source, schema.rater.c.key == wanted.key)
        joined = connection.execute(sa.select(schema.rater).where(*same)).first()
        if joined is not None:
            return _rater(joined)
    newest = sa.select(sa.func.coalesce(sa.func.max(schema.rater.c.number), 0))
    number = connection.execute(newest).scalar_one() + 1
    own = f"r-{number:02d}"
    rater = replace(wanted, id=own, name=wanted.name if wanted.name else own)
    columns = ("id", "name", "source", "token", "key", "at")
    values = {column: getattr(rater, column) for column in columns}
    connection.execute(schema.rater.insert().values(number=number, **values))
    return rater


def _rater(row: sa.Row[tuple[object, ...]]) -> Rater:
    return Rater(row.id, row.name, row.source, row.token, row.key, row.at)


def _hash(key: str) -> str:
    # The key has 192 random bits, so a hash without salt cannot be reversed by search.
    return hashlib.sha256(key.encode()).hexdigest()


def _engine(path: Path) -> sa.Engine:
    """Return an SQLite engine in WAL mode: commits are on disk before they return, and writers lock at their start."""
    # Every block of this module commits or rolls back, so the pool does not need to.
    settings = {
        "connect_args": {"timeout": BUSY_SECONDS},
        "pool_reset_on_return": None,
        "paramstyle": "named",
    }
    engine = sa.create_engine(f"sqlite:///{path}", **settings)

    @sa.event.listens_for(engine, "connect")
    def _set_up(connection: object, _record: object) -> None:
        connection.isolation_level = None  # type: ignore[attr-defined]  # only `_begin` below starts transactions
        cursor = connection.cursor()  # type: ignore[attr-defined]
        cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute("PRAGMA synchronous=FULL")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        reading = connection.get_execution_options().get("reading", False)
        connection.connection.cursor().execute("BEGIN" if reading else "BEGIN IMMEDIATE")

    return engine
