"""Connections to SQLite and PostgreSQL, set up so that commits are on disk before they return."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import sqlalchemy as sa

from steelyard.errors import MissingLibrary
from steelyard.storage.location import Location

BUSY_SECONDS = 30  # how long a writer waits for another process to release the lock
ABANDONED_SECONDS = 120  # PostgreSQL then ends a transaction whose process has stopped without closing it
CONNECT_SECONDS = 10


def engine_for(location: Location) -> sa.Engine:
    """Return the engine of a study's database."""
    return _postgres(location) if location.url else _sqlite(location.path)


def reading_engine(engine: sa.Engine) -> sa.Engine:
    """Return the engine for transactions that only read, in which all statements see the same state."""
    if engine.dialect.name == "sqlite":
        return engine.execution_options(reading=True)
    return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


def _sqlite(path: Path) -> sa.Engine:
    """Return an SQLite engine in WAL mode, whose writers take the lock when their transaction starts."""
    # Every block of this package commits or rolls back, so the pool does not need to.
    settings = {
        "connect_args": {"timeout": BUSY_SECONDS},
        "pool_reset_on_return": None,
        "paramstyle": "named",
    }
    engine = sa.create_engine(_existing(path), **settings)

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


def _existing(path: Path) -> sa.URL:
    """Return the address of a file that SQLite opens only if it exists.

    SQLite would otherwise create an empty file in place of one that was moved, and delete the newest answers of the
    moved one, which are in the journal beside it.
    """
    return sa.URL.create("sqlite", database=f"file:{quote(str(path))}", query={"mode": "rw", "uri": "true"})


def _postgres(location: Location) -> sa.Engine:
    """Return a PostgreSQL engine whose connections see only the schema of this study.

    A connection that the server has closed is replaced before it is used.
    """
    options = {
        "search_path": location.schema,
        "lock_timeout": f"{BUSY_SECONDS}s",
        "idle_in_transaction_session_timeout": f"{ABANDONED_SECONDS}s",
    }
    settings = " ".join(f"-c {name}={value}" for name, value in options.items())
    try:
        engine = sa.create_engine(
            sa.make_url(location.url).set(drivername="postgresql+psycopg"),
            connect_args={
                "options": settings,
                "connect_timeout": CONNECT_SECONDS,
                "application_name": "steelyard",
            },
            pool_pre_ping=True,
        )
    except ModuleNotFoundError:
        raise MissingLibrary("psycopg", "postgres") from None
    from steelyard.storage.postgres_texts import StorableText  # imports the driver, which is optional

    @sa.event.listens_for(engine, "connect")
    def _set_up(connection: object, _record: object) -> None:
        connection.adapters.register_dumper(str, StorableText)  # type: ignore[attr-defined]

    return engine
