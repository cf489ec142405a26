"""A study's log and roster in an SQL database (SQLite here; the statements are plain SQL)."""

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
INTERRUPTED = "the making of this database was interrupted."
BUSY_SECONDS = 30  # how long a writer waits for another process


def create_database(folder: Path) -> tuple[Database, str]:
    """A fresh database in a study's folder, and the owner's key, which is stored only as a hash."""
    path = folder / DATABASE_FILE
    with explained(path, (*DRIVER, OSError)):
        try:
            make_private_file(path)  # the driver gives its journal the same mode
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
    """The database of a study's folder."""
    path = folder / DATABASE_FILE
    with explained(path, (*DRIVER, OSError)):
        if not path.exists():
            raise UnreadableFile(
                str(path), "there is no such database.", "Make the study with: steelyard new"
            )
        if not path.is_file():
            raise UnreadableFile(str(path), "this is not a file.", "Name the folder of a study.")
        if not path.stat().st_size:
            raise UnreadableFile(str(path), INTERRUPTED, "It is empty. Delete it and start again.")
    database = Database(_engine(path), path)
    database.check_version()
    return database


class Database:
    """One study's database: the log, the roster, and the owner's key."""

    def __init__(self, engine: sa.Engine, path: Path) -> None:
        self.engine = engine
        self.path = path
        self.reader = engine.execution_options(reading=True)
        self._statements = Statements(engine.dialect)

    def check_version(self) -> None:
        """Refuse a database that cannot be read, or of another layout."""
        path = str(self.path)
        with explained(self.path), self.reader.connect() as connection:
            versions = connection.execute(sa.select(schema.study.c.schema_version)).scalars().all()
        if len(versions) != 1:
            raise UnreadableFile(path, INTERRUPTED, "It has no answers. Delete it and start again.")
        if versions[0] != schema.SCHEMA_VERSION:
            reason = f"its layout is version {versions[0]}, this Steelyard knows {schema.SCHEMA_VERSION}."
            raise UnreadableFile(path, reason, "Use the version of Steelyard that made it.")

    # The owner

    def new_owner_key(self) -> str:
        """A new owner's key; the old one is void."""
        key = secrets.token_urlsafe(24)
        with explained(self.path), self.engine.begin() as connection:
            connection.execute(schema.study.update().values(owner_key_hash=_hash(key)))
        return key

    def owner_key_hash(self) -> str:
        """The hash of the owner's key."""
        with self.reader.connect() as connection:
            stored: str = connection.execute(sa.select(schema.study.c.owner_key_hash)).scalar_one()
        return stored

    def is_owner_key(self, key: str) -> bool:
        """Is this the owner's key?"""
        return secrets.compare_digest(self.owner_key_hash(), _hash(key))

    def cookie_secret(self) -> str:
        """The secret that cookies and form tokens of this study are signed with."""
        with self.reader.connect() as connection:
            secret: str = connection.execute(sa.select(schema.study.c.cookie_secret)).scalar_one()
        return secret

    # The log

    @contextmanager
    def writing(self) -> Iterator[DatabaseWriter]:
        """A transaction that holds the study's lock from its start (BEGIN IMMEDIATE)."""
        with explained(self.path), self.engine.connect() as connection, connection.begin():
            writer = DatabaseWriter(connection, self._statements)
            yield writer
            writer.keep_position()

    def since(self, position: int) -> Iterator[Entry]:
        """Entries after a position, in order, as committed."""
        with self.reader.connect() as connection:
            yield from _entries(connection, position)

    def interactions(self, assignment: str) -> dict[str, Any]:
        """How an answer came about: the moves, and what the screen was like."""
        wanted = schema.answer.c.assignment == assignment
        with self.reader.connect() as connection:
            moves: dict[str, Any] = connection.execute(
                sa.select(schema.answer.c.interactions).where(wanted)
            ).scalar_one()
        return moves

    def head(self) -> int:
        """The newest position."""
        with self.reader.connect() as connection:
            newest: int = connection.execute(POSITION).scalar_one()
        return newest

    def newest_event(self, kind: EventKind) -> Event | None:
        """The newest event of a kind."""
        chosen = sa.select(schema.event).where(schema.event.c.kind == kind)
        with self.reader.connect() as connection:
            row = connection.execute(chosen.order_by(schema.event.c.position.desc()).limit(1)).first()
        return None if row is None else event_of(row)

    def has_tasks(self) -> bool:
        """Has anything been asked yet?"""
        with self.reader.connect() as connection:
            return connection.execute(sa.select(schema.task.c.position).limit(1)).first() is not None

    # The roster

    def add(self, name: str, source: Source, token: str, key: str, at: float) -> Rater:
        """A new rater; a known (source, key) gives the rater that has it."""
        with explained(self.path), self.engine.connect() as connection, connection.begin():
            return _added(connection, Rater("", name, source, token, key, at))

    def by_token(self, token: str) -> Rater | None:
        """The rater of this link."""
        return self._rater_where(schema.rater.c.token == token)

    def by_id(self, rater: str) -> Rater | None:
        """The rater of this id."""
        return self._rater_where(schema.rater.c.id == rater)

    def all(self) -> Sequence[Rater]:
        """Every rater, oldest first."""
        with self.reader.connect() as connection:
            rows = connection.execute(sa.select(schema.rater).order_by(schema.rater.c.number)).all()
        return [_rater(row) for row in rows]

    def _rater_where(self, condition: sa.ColumnElement[bool]) -> Rater | None:
        with self.reader.connect() as connection:
            row = connection.execute(sa.select(schema.rater).where(condition)).first()
        return None if row is None else _rater(row)


class DatabaseWriter:
    """One open transaction on the log. Positions follow each other without a gap."""

    def __init__(self, connection: sa.Connection, statements: Statements) -> None:
        self._connection = connection
        self._statements = statements
        self._cursor = connection.connection.cursor()
        (self._first,) = self._rows(POSITION)[0]
        self.position: int = self._first

    def keep_position(self) -> None:
        """Store the newest position; done once, at the end."""
        if self.position != self._first:
            self._run(SET_POSITION, new_position=self.position)

    def since(self, position: int) -> list[Entry]:
        """Entries after a position, in order."""
        return _entries(self._connection, position) if position < self.position else []

    def append(self, entry: Entry) -> Entry:
        """The entry, added at the next position; a task gets a free place per assignment."""
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
        """Has this assignment been answered already?"""
        return bool(self._rows(ANSWERED, wanted=assignment))

    def answer_to(self, assignment: str) -> Answer | None:
        """The answer that was given under this assignment, taken back or not."""
        row = self._connection.execute(ANSWER_TO, {"wanted": assignment}).first()
        return None if row is None else answer_of(row)

    def lease_of(self, rater: str) -> Lease | None:
        """The place that this rater holds, expired or not, if nobody took it over."""
        return next(iter(self._leases(HELD, wanted=rater)), None)

    def leased(self, assignment: str) -> Lease | None:
        """The place held under this assignment."""
        return next(iter(self._leases(LEASED, wanted=assignment)), None)

    def free(self, now: float, limit: int) -> list[Lease]:
        """Places that nobody holds, or that were abandoned, oldest first."""
        return self._leases(FREE, now=now, most=limit)

    def free_in(self, sequence: int, now: float) -> list[Lease]:
        """Free places of one sequence, in its order."""
        return self._leases(FREE_IN, now=now, wanted=sequence)

    def place_of(self, task: str, holder: str) -> Lease | None:
        """A place of this task that `holder` holds ('' for a free one)."""
        return next(iter(self._leases(PLACE, of_task=task, wanted=holder)), None)

    def take(self, lease: Lease, rater: str, assignment: str, until: float | None) -> None:
        """Give a place to a rater."""
        self._run(TAKE, wanted=lease.id, new_rater=rater, new_assignment=assignment, new_until=until)

    def add_place(self, task: Task, rater: str, assignment: str, until: float | None) -> None:
        """One more place of a task, for this rater."""
        held = {"rater": rater, "assignment": assignment, "until": until}
        self._run(ADD_LEASE, task=task.id, sequence=task.sequence, **held)

    def shorten(self, latest: float) -> None:
        """End every hold by this time at the latest."""
        self._run(SHORTEN, latest=latest, new_until=latest)

    def close(self, lease: Lease) -> None:
        """Remove a place: it was answered or withdrawn."""
        self._run(CLOSE, wanted=lease.id)

    def add_rater(self, name: str, source: Source, token: str, key: str, at: float) -> Rater:
        """A new rater, as `Roster.add` makes one, who is gone again if the transaction fails."""
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
    """The rater of this source and key, added with the next number where there is none."""
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
    # The key has 192 random bits, so a plain hash cannot be searched.
    return hashlib.sha256(key.encode()).hexdigest()


def _engine(path: Path) -> sa.Engine:
    """SQLite in WAL mode, every commit on disk before it is acknowledged, writers locked from their start."""
    # Every block here commits or rolls back itself, so the pool need not do it once more.
    settings = {
        "connect_args": {"timeout": BUSY_SECONDS},
        "pool_reset_on_return": None,
        "paramstyle": "named",
    }
    engine = sa.create_engine(f"sqlite:///{path}", **settings)

    @sa.event.listens_for(engine, "connect")
    def _set_up(connection: object, _record: object) -> None:
        connection.isolation_level = None  # type: ignore[attr-defined]  # SQLAlchemy's BEGIN below is the only one
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
