"""The tables of the database of a study."""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData()

study = sa.Table(
    "study",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column(
        "position", sa.Integer, nullable=False
    ),  # newest log position; this row is the lock of the study
    sa.Column("owner_key_hash", sa.String, nullable=False),
    sa.Column("cookie_secret", sa.String, nullable=False),
    sa.Column("schema_version", sa.Integer, nullable=False),
)

task = sa.Table(
    "task",
    metadata,
    sa.Column("position", sa.Integer, primary_key=True),
    sa.Column("id", sa.String, nullable=False, unique=True),
    sa.Column("condition", sa.String, nullable=False),
    sa.Column("round", sa.Integer, nullable=False),
    sa.Column("content", sa.JSON, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
)

answer = sa.Table(
    "answer",
    metadata,
    sa.Column("position", sa.Integer, primary_key=True),
    sa.Column("task", sa.String, sa.ForeignKey("task.id"), nullable=False),
    sa.Column("rater", sa.String, nullable=False, index=True),
    sa.Column("assignment", sa.String, nullable=False, unique=True),
    sa.Column("content", sa.JSON, nullable=False),
    sa.Column(
        "interactions", sa.JSON, nullable=False
    ),  # interactions and screen; large, and read only on request
    sa.Column("at", sa.Float, nullable=False),
)

event = sa.Table(
    "event",
    metadata,
    sa.Column("position", sa.Integer, primary_key=True),
    sa.Column("kind", sa.String, nullable=False),
    sa.Column("rater", sa.String, nullable=False),
    sa.Column("content", sa.JSON, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
)

lease = sa.Table(
    "lease",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("task", sa.String, sa.ForeignKey("task.id"), nullable=False, index=True),
    sa.Column("sequence", sa.Integer, index=True),
    sa.Column("rater", sa.String, nullable=False, index=True),
    sa.Column("assignment", sa.String, nullable=False, index=True),
    sa.Column("until", sa.Float),
)

rater = sa.Table(
    "rater",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("id", sa.String, nullable=False, unique=True),
    sa.Column("name", sa.String, nullable=False),
    sa.Column("source", sa.String, nullable=False),
    sa.Column("key", sa.String, nullable=False),
    sa.Column("token", sa.String, nullable=False, unique=True),
    sa.Column("at", sa.Float, nullable=False),
    sa.Index("rater_by_key", "source", "key"),
)

SCHEMA_VERSION = 2
