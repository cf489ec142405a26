"""The stores that tests run on. Without another choice, tests of pages use SQLite.

STEELYARD_TEST_STORE=postgres runs the tests of pages, commands and the browser on PostgreSQL instead.
"""

import os

STORES = ("sqlite", "postgres")
CHOSEN = os.environ.get("STEELYARD_TEST_STORE", "sqlite")


def create_store(folder, store=CHOSEN):
    """The database of a study and the owner's key."""
    if store == "postgres":
        from tests.postgres import create_postgres  # late: not every process needs a server

        return create_postgres(folder)
    from steelyard.storage.database import create_database

    return create_database(folder)
