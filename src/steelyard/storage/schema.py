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
    ),  # newest log position; every writer locks this row first, so positions follow the order of commits
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
    sa.Column("submission", sa.String, nullable=False, server_default=""),
    sa.Index("rater_by_key", "source", "key"),
)

access_key = sa.Table(
    "access_key",
    metadata,
    sa.Column("name", sa.String, primary_key=True),
    sa.Column("role", sa.String, nullable=False),
    sa.Column("hash", sa.String, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("scopes", sa.String, nullable=False, server_default=""),  # of a program, separated by spaces
)

webhook = sa.Table(
    "webhook",
    metadata,
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("url", sa.String, nullable=False),
    sa.Column("events", sa.String, nullable=False),  # separated by spaces
    sa.Column("secret", sa.String, nullable=False),
    sa.Column("by", sa.String, nullable=False),  # name of the key that added it
    sa.Column("at", sa.Float, nullable=False),
)

notice = sa.Table(  # what webhooks were last notified about; one row
    "notice",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("position", sa.Integer, nullable=False),  # log position
    sa.Column("judgments", sa.Integer, nullable=False),
    sa.Column("status", sa.String, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
)

delivery = sa.Table(  # messages to webhooks; old ones are deleted
    "delivery",
    metadata,
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("webhook", sa.String, nullable=False, index=True),
    sa.Column("event", sa.String, nullable=False),
    sa.Column("body", sa.String, nullable=False),
    sa.Column("state", sa.String, nullable=False, index=True),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("problem", sa.String, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("due", sa.Float, nullable=False),  # time of the next attempt, in seconds since 1970
)

act = sa.Table(  # the audit trail
    "act",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("what", sa.String, nullable=False),
    sa.Column("who", sa.String, nullable=False),
    sa.Column("rater", sa.String, nullable=False),
    sa.Column("content", sa.JSON, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
)

cached = sa.Table(  # results that are computed from the log and may be deleted at any time
    "cached",
    metadata,
    sa.Column("name", sa.String, primary_key=True),
    sa.Column("position", sa.Integer, nullable=False),  # log position up to which the log was read
    sa.Column("settings", sa.String, nullable=False),  # what else the content depends on
    sa.Column("content", sa.LargeBinary, nullable=False),
)

SCHEMA_VERSION = 5
