"""Versions of the tables of a study, and the steps from each version to the next."""

from __future__ import annotations

from collections.abc import Callable

import sqlalchemy as sa

from steelyard.errors import UnreadableFile
from steelyard.storage import schema
from steelyard.storage.statements import LOCK


def _add_cached(connection: sa.Connection) -> None:
    """Add the table of results that are computed from the log."""
    schema.cached.create(connection, checkfirst=True)


def _add_keys_and_submissions(connection: sa.Connection) -> None:
    """Add the table of keys, and the column with the submissions of crowd raters."""
    schema.access_key.create(connection, checkfirst=True)
    if "submission" not in [column["name"] for column in sa.inspect(connection).get_columns("rater")]:
        connection.exec_driver_sql("ALTER TABLE rater ADD COLUMN submission VARCHAR NOT NULL DEFAULT ''")


def _add_acts_scopes_and_webhooks(connection: sa.Connection) -> None:
    """Add the scopes of keys, and the tables of owners' acts, of webhooks and of their messages."""
    if "scopes" not in [column["name"] for column in sa.inspect(connection).get_columns("access_key")]:
        connection.exec_driver_sql("ALTER TABLE access_key ADD COLUMN scopes VARCHAR NOT NULL DEFAULT ''")
    for table in (schema.act, schema.webhook, schema.notice, schema.delivery):
        table.create(connection, checkfirst=True)


# By the version that they start from.
STEPS: dict[int, Callable[[sa.Connection], None]] = {
    2: _add_cached,
    3: _add_keys_and_submissions,
    4: _add_acts_scopes_and_webhooks,
}


def version_of(connection: sa.Connection) -> int:
    """Return the schema version of a database."""
    version: int = connection.execute(sa.select(schema.study.c.schema_version)).scalar_one()
    return version


def migrate(connection: sa.Connection, study: str) -> tuple[int, int]:
    """Change the tables to the current version, in one transaction; the log is not changed.

    Parameters
    ----------
    connection
        Connection in a transaction.
    study
        Name of the study for messages.

    Returns
    -------
    tuple of int
        Versions before and after.
    """
    connection.execute(LOCK)
    before = version = version_of(connection)
    while version != schema.SCHEMA_VERSION:
        if version not in STEPS:
            reason = f"it has schema version {version}, but this Steelyard needs {schema.SCHEMA_VERSION}."
            raise UnreadableFile(study, reason, "Use the version of Steelyard that created it.")
        STEPS[version](connection)
        version += 1
    connection.execute(schema.study.update().values(schema_version=version))
    return before, version
