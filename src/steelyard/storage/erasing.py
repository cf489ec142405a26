"""Removal of deleted rows from the files of a database, where they would otherwise stay until they are overwritten."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING

import sqlalchemy as sa

from steelyard.errors import StoreUnavailable
from steelyard.storage import engines, schema

if TYPE_CHECKING:
    from steelyard.storage.database import Database

# Tables with rows about raters.
ABOUT_RATERS = (schema.rater, schema.answer, schema.event, schema.lease, schema.cached)
POLL_SECONDS = 0.2
LOCK_SECONDS = (
    5  # how long raters wait at most while PostgreSQL waits for readers of a table that is to be rewritten
)
# Transactions of other processes that began before the event at a log position was committed: they can still read the
# rows that were deleted with it, and PostgreSQL keeps these for them.
OLDER_READERS = sa.text(
    "SELECT COUNT(*) FROM pg_stat_activity AS other, event AS deletion WHERE deletion.position = :position "
    "AND other.datname = current_database() AND other.pid <> pg_backend_pid() "
    "AND age(other.backend_xmin) >= age(deletion.xmin)"
)


def erase_deleted(database: Database, position: int) -> bool:
    """Remove deleted rows from the files of a database.

    Waits for other processes that read the database, as long as any transaction does.

    Parameters
    ----------
    database
        Database of a study.
    position
        Log position of the event that was stored with the deletion.

    Returns
    -------
    bool
        False if another process still read the database, so that the files still contain the rows.
    """
    try:
        if database.engine.dialect.name == "sqlite":
            return _erase_in_file(database)
        return _erase_on_server(database, position)
    except StoreUnavailable:  # locked: the rows are deleted, and only their traces in the files are left
        return False


def _erase_in_file(database: Database) -> bool:
    """Rewrite the SQLite file and empty its journal, which is possible when nobody reads the old pages."""
    with database.explained(), closing(database.engine.raw_connection()) as file:
        cursor = file.cursor()  # without SQLAlchemy, which would start a transaction
        cursor.execute("VACUUM")
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (result,) = cursor.fetchall()
    is_busy = bool(result[0])
    return not is_busy


def _erase_on_server(database: Database, position: int) -> bool:
    """Rewrite the tables of a study on PostgreSQL, when no transaction needs the deleted rows any more."""
    outside = database.engine.execution_options(isolation_level="AUTOCOMMIT")
    deadline = time.monotonic() + engines.BUSY_SECONDS
    with database.explained(), outside.connect() as connection:
        while connection.execute(OLDER_READERS, {"position": position}).scalar_one():
            if time.monotonic() > deadline:
                return False
            time.sleep(POLL_SECONDS)
        connection.exec_driver_sql(f"SET lock_timeout = '{LOCK_SECONDS}s'")
        try:
            for table in ABOUT_RATERS:
                # Without FULL, pages keep the bytes of deleted rows until other rows overwrite them.
                connection.exec_driver_sql(f"VACUUM (FULL) {table.name}")
        finally:
            connection.exec_driver_sql("RESET lock_timeout")
    return True
