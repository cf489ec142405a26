"""The raters of a study in its database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from steelyard.storage import schema
from steelyard.study.log.interface import Rater

COLUMNS = ("id", "name", "source", "token", "key", "at", "submission")


def find_rater(connection: sa.Connection, *conditions: sa.ColumnElement[bool]) -> Rater | None:
    """Return the rater who meets these conditions."""
    row = connection.execute(sa.select(schema.rater).where(*conditions)).first()
    return None if row is None else _rater(row)


def all_raters(connection: sa.Connection) -> Sequence[Rater]:
    """Return all raters, oldest first."""
    rows = connection.execute(sa.select(schema.rater).order_by(schema.rater.c.number)).all()
    return [_rater(row) for row in rows]


def added_rater(connection: sa.Connection, wanted: Rater) -> Rater:
    """Return the rater with this source and key; if there is none, add the rater with the next number.

    The transaction must hold the lock of the study.
    """
    if wanted.key:
        joined = find_rater(
            connection, schema.rater.c.source == wanted.source, schema.rater.c.key == wanted.key
        )
        if joined is not None:
            return joined
    newest = sa.select(sa.func.coalesce(sa.func.max(schema.rater.c.number), 0))
    number = connection.execute(newest).scalar_one() + 1
    own = f"r-{number:02d}"
    rater = replace(wanted, id=own, name=wanted.name if wanted.name else own)
    values = {column: getattr(rater, column) for column in COLUMNS}
    connection.execute(schema.rater.insert().values(number=number, **values))
    return rater


def _rater(row: Any) -> Rater:
    return Rater(row.id, row.name, row.source, row.token, row.key, row.at, row.submission)
