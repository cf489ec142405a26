"""Results computed from the log, in the table `cached`, which may be emptied at any time.

Large results are stored in several rows, each in a transaction of its own, so that raters do not wait for the lock of
the study until all of it is written. The row with the plain name is written last. Until then, the earlier result is
complete.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from steelyard.storage.schema import cached, event
from steelyard.storage.statements import LOCK

if TYPE_CHECKING:
    from steelyard.storage.database import Database

PART = 500_000  # bytes in one row
MARK = "\n"  # between a name, the log position and the number of a part


@dataclass(frozen=True, slots=True)
class CacheName:
    """Name of a result, and a hash of everything that it depends on except the log."""

    name: str
    settings: str


def newest_result(database: Database, of: CacheName, after: int) -> tuple[int, bytes] | None:
    """Return log position and content of a stored result.

    Parameters
    ----------
    database
        Database of the study.
    of
        Name and settings of the result.
    after
        Log position; earlier results are left out.

    Returns
    -------
    tuple or None
        Log position and content, or None if there is no such result.
    """
    wanted = sa.select(cached.c.position, cached.c.content).where(
        cached.c.name == of.name, cached.c.settings == of.settings, cached.c.position > after
    )
    with database.reading() as connection:
        last = connection.execute(wanted).first()
        if last is None:
            return None
        named = cached.c.name.startswith(f"{of.name}{MARK}{last.position}{MARK}", autoescape=True)
        parts = connection.execute(sa.select(cached.c.content).where(named).order_by(cached.c.name))
        return last.position, b"".join([*(bytes(each) for each in parts.scalars()), bytes(last.content)])


def keep_result(database: Database, of: CacheName, position: int, content: bytes) -> None:
    """Store a result in place of an earlier one.

    Nothing is stored if a rater was forgotten after the log position of the result, because it may contain answers
    that were deleted.

    Parameters
    ----------
    database
        Database of the study.
    of
        Name and settings of the result.
    position
        Log position up to which the log was read.
    content
        The result.
    """
    pieces = [content[at : at + PART] for at in range(0, len(content), PART)] or [b""]
    names = [f"{of.name}{MARK}{position}{MARK}{number:06d}" for number in range(len(pieces) - 1)]
    for name, piece in zip([*names, of.name], pieces, strict=True):
        with database.locking() as connection:
            connection.execute(LOCK)
            if _was_rewritten(connection, position):
                connection.execute(cached.delete().where(_belongs(of.name)))
                return
            connection.execute(cached.delete().where(cached.c.name == name))
            values = {"name": name, "settings": of.settings, "position": position, "content": piece}
            connection.execute(cached.insert().values(**values))
            if name == of.name:
                connection.execute(cached.delete().where(_belongs(name), cached.c.position != position))


def _belongs(name: str) -> sa.ColumnElement[bool]:
    return sa.or_(cached.c.name == name, cached.c.name.startswith(f"{name}{MARK}", autoescape=True))


def _was_rewritten(connection: sa.Connection, position: int) -> bool:
    """Whether entries before a log position were deleted after it."""
    later = sa.select(event.c.position).where(event.c.kind == "forgotten", event.c.position > position)
    return connection.execute(later.limit(1)).first() is not None
