"""Explain errors of the database driver: the cause and what to do about it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import sqlalchemy as sa

from steelyard.errors import StoreUnavailable, UnreadableFile

DRIVER: tuple[type[Exception], ...] = (sa.exc.DBAPIError, sqlite3.Error)
DAMAGED = "Keep this file, and restore the study from a backup: steelyard restore BACKUP NEW_DIR"
INTACT = "The data are intact."
IF_MOVED = "Check url and schema in database.toml. If the study was moved, restart the server."
TO_RESTORE = "Keep the database, and restore the study from a backup: steelyard restore BACKUP NEW_DIR"


@dataclass(frozen=True, slots=True)
class Cause:
    """What is wrong, what to do, and whether the stored data are intact and the problem may pass."""

    reason: str
    remedy: str
    passes: bool = True


NO_PERMISSION = Cause("permission denied.", f"{INTACT} Run as the user who owns the file.")
LOCKED = Cause(
    "the database is locked by another process.",
    f"{INTACT} Try again when that process has finished, or stop it.",
)
FULL = Cause("the disk is full.", "All stored data are intact. Free some disk space and try again.")
READ_ONLY = Cause(
    "the database is read-only.",
    f"{INTACT} Allow this user to write to the file and its folder, or use a copy.",
)
CONTRADICTING = Cause(
    "the log is damaged: a new row has the number or id of a stored one, or names a row that does not exist.",
    f"List all damage with: steelyard check DIR. {TO_RESTORE}",
    False,
)
UNREACHABLE = Cause(
    "the database server cannot be reached.",
    f"{INTACT} Check that the server is running. Work continues when it can be reached again.",
)
# By the error name of SQLite; extended names start with the general name.
SQLITE_CAUSES: dict[str, Cause] = {
    "SQLITE_NOTADB": Cause("this is not the database of a study.", DAMAGED, False),
    "SQLITE_CORRUPT": Cause("the database is damaged.", DAMAGED, False),
    "SQLITE_CONSTRAINT": CONTRADICTING,
    "SQLITE_READONLY": READ_ONLY,
    "SQLITE_PERM": NO_PERMISSION,
    "SQLITE_AUTH": NO_PERMISSION,
    "SQLITE_CANTOPEN": Cause(
        "the database cannot be opened.",
        f"{INTACT} Check that this user may read and write the file and its folder.",
    ),
    "SQLITE_BUSY": LOCKED,
    "SQLITE_LOCKED": LOCKED,
    "SQLITE_FULL": FULL,
    "SQLITE_IOERR": Cause(
        "the disk could not be read or written.",
        "Check the disk and its free space, then try again.",
    ),
}
# By the SQLSTATE of PostgreSQL, whose first two characters are its class.
POSTGRES_CAUSES: dict[str, Cause] = {
    "23": CONTRADICTING,
    "25006": Cause(
        "the database is read-only.", f"{INTACT} Connect to the primary server, which accepts writes."
    ),
    "28": Cause("the database server refused the user or the password.", f"{INTACT} Correct the address."),
    "3D000": Cause("this database does not exist on the server.", "Create it with: createdb NAME", False),
    "3F000": Cause("this database does not contain the study.", IF_MOVED, False),
    "42P01": Cause("this database does not contain the study.", IF_MOVED, False),
    "42501": Cause("permission denied.", f"{INTACT} Grant this user the rights on the schema of the study."),
    "53100": FULL,
    "53300": Cause(
        "the database server has no free connection.",
        f"{INTACT} Raise max_connections, or use fewer workers.",
    ),
    "55P03": LOCKED,
    "XX": Cause("the database is damaged.", TO_RESTORE, False),
    "08": UNREACHABLE,
    "57P": UNREACHABLE,
    "25P03": UNREACHABLE,
}


def cause_of(error: BaseException) -> Cause | None:
    """Return what is wrong and what to do, or None if the error does not concern the database.

    >>> cause_of(PermissionError(13, "Permission denied")).reason
    'permission denied.'
    """
    if isinstance(error, sa.exc.TimeoutError):
        return LOCKED
    if isinstance(error, sa.exc.DBAPIError) and error.orig is not None:
        return cause_of(error.orig)
    if isinstance(error, PermissionError):
        return NO_PERMISSION
    if isinstance(error, OSError):
        return Cause(
            f"the database cannot be opened ({error.strerror}).", "Check the path and the permissions."
        )
    if hasattr(error, "sqlstate"):
        return _postgres_cause(error.sqlstate, type(error).__name__)
    return _sqlite_cause(error)


def _sqlite_cause(error: BaseException) -> Cause | None:
    name = getattr(error, "sqlite_errorname", "")
    if name == "SQLITE_ERROR" and "no such table" in str(error):
        return Cause("this database does not belong to a study.", "Choose the folder of a study.", False)
    return next((cause for start, cause in SQLITE_CAUSES.items() if name.startswith(start)), None)


def _postgres_cause(state: str | None, name: str) -> Cause | None:
    if state is None:  # the server did not answer, or not before the connection ended
        return UNREACHABLE if name == "OperationalError" else None
    return next((cause for start, cause in POSTGRES_CAUSES.items() if state.startswith(start)), None)


@contextmanager
def explained(study: str, kinds: tuple[type[Exception], ...] = DRIVER) -> Iterator[None]:
    """Convert errors of these kinds that concern the database of this study to UnreadableFile, with the cause."""
    try:
        yield
    except kinds as error:
        cause = cause_of(error)
        if cause is None:
            raise
        raised = StoreUnavailable if cause.passes else UnreadableFile
        raise raised(study, cause.reason, cause.remedy) from error
