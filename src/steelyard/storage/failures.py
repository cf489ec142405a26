"""Explain errors of the database driver: the cause and what to do about it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from steelyard.errors import UnreadableFile

DRIVER: tuple[type[Exception], ...] = (sa.exc.DBAPIError, sqlite3.Error)
Cause = tuple[str, str]  # what is wrong, and what to do
DAMAGED = "Keep this file, and restore the study from a backup."
# By the error name of the driver; extended names start with the general name.
CAUSES: dict[str, Cause] = {
    "SQLITE_NOTADB": ("this is not the database of a study.", DAMAGED),
    "SQLITE_CORRUPT": ("the database is damaged.", DAMAGED),
    "SQLITE_READONLY": (
        "the database is read-only.",
        "The data are intact. Allow this user to write to the file and its folder, or use a copy.",
    ),
    "SQLITE_PERM": ("permission denied.", "The data are intact. Run as the user who owns the file."),
    "SQLITE_AUTH": ("permission denied.", "The data are intact. Run as the user who owns the file."),
    "SQLITE_CANTOPEN": (
        "the database cannot be opened.",
        "The data are intact. Check that this user may read and write the file and its folder.",
    ),
    "SQLITE_BUSY": (
        "the database is locked by another process.",
        "The data are intact. Try again when that process has finished, or stop it.",
    ),
    "SQLITE_LOCKED": (
        "the database is locked by another process.",
        "The data are intact. Try again when that process has finished, or stop it.",
    ),
    "SQLITE_FULL": ("the disk is full.", "All stored data are intact. Free some disk space and try again."),
    "SQLITE_IOERR": (
        "the disk could not be read or written.",
        "Check the disk and its free space, then try again.",
    ),
}


def cause_of(error: BaseException) -> Cause | None:
    """Return what is wrong and what to do, or None if the error does not concern the file.

    >>> cause_of(PermissionError(13, "Permission denied"))[0]
    'permission denied.'
    """
    if isinstance(error, sa.exc.DBAPIError) and error.orig is not None:
        return cause_of(error.orig)
    if isinstance(error, PermissionError):
        return CAUSES["SQLITE_PERM"]
    if isinstance(error, OSError):
        return f"the database cannot be opened ({error.strerror}).", "Check the path and the permissions."
    name = getattr(error, "sqlite_errorname", "")
    if name == "SQLITE_ERROR" and "no such table" in str(error):
        return "this database does not belong to a study.", "Choose the folder of a study."
    return next((cause for start, cause in CAUSES.items() if name.startswith(start)), None)


@contextmanager
def explained(path: Path, kinds: tuple[type[Exception], ...] = DRIVER) -> Iterator[None]:
    """Convert errors of these kinds that concern this file to UnreadableFile, with the cause and what to do."""
    try:
        yield
    except kinds as error:
        cause = cause_of(error)
        if cause is None:
            raise
        raise UnreadableFile(str(path), *cause) from error
