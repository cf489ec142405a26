"""The audit trail of a study in its database."""

from __future__ import annotations

import sqlalchemy as sa

from steelyard.storage import schema
from steelyard.study.log.acts import Act


def add_act(connection: sa.Connection, act: Act) -> None:
    """Store an act, in an open transaction."""
    values = {"what": act.what, "who": act.who, "rater": act.rater, "content": dict(act.facts), "at": act.at}
    connection.execute(schema.act.insert().values(**values))


def all_acts(connection: sa.Connection) -> list[Act]:
    """Return all acts, in the order in which they were stored."""
    rows = connection.execute(sa.select(schema.act).order_by(schema.act.c.number)).all()
    return [Act(row.what, row.who, row.rater, row.content, row.at) for row in rows]
