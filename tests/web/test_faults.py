"""A store that fails: raters get a page that says so, nothing is lost, and work continues by itself."""

import sqlite3
from contextlib import closing

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from steelyard.study.log.entries import Answer
from steelyard.web.app import create_app
from tests.postgres import Server, create_postgres
from tests.serving import write_study
from tests.stores import create_store
from tests.web.conftest import answer_to, start_rating

ITEMS = [(f"i{at}", f"Item {at}") for at in range(1000)]


@pytest.fixture(scope="module")
def server():
    """A PostgreSQL server that tests may stop."""
    made = Server()
    yield made
    made.remove()


class Working:
    """A rater at work on a study whose store can be made to fail."""

    def __init__(self, folder, create):
        write_study(folder, items=ITEMS)
        for name in ("study.db", "database.toml"):
            (folder / name).unlink(missing_ok=True)
        create(folder)
        app = create_app(folder)
        self.folder, self.database = folder, app.state.session.log
        self.client = TestClient(app, follow_redirects=False)
        self.csrf = start_rating(self.client)
        self.task = self.client.get("/api/task").json()["task"]

    def answer(self):
        headers = {"x-csrf-token": self.csrf}
        return self.client.post("/api/answers", json=answer_to(self.task), headers=headers)

    def each_connection(self, statement):
        """Execute a statement on every new connection, and give up the present ones."""
        self.database.engine.dispose()

        @sa.event.listens_for(self.database.engine, "connect")
        def _execute(connection, _record):
            connection.cursor().execute(statement)
            connection.commit()

        return lambda: (
            sa.event.remove(self.database.engine, "connect", _execute),
            self.database.engine.dispose(),
        )

    def check_failure_and_recovery(self, end_fault, cause):
        """The answer is refused with a page for raters and a cause for the owner, and stored once afterwards."""
        head = self.database.location  # not the log: it may not be readable now
        refused = self.answer()
        assert refused.status_code == 503
        assert refused.headers["retry-after"]
        assert str(head.folder) not in refused.text
        with pytest.raises(Exception, match=cause), self.database.writing() as writer:
            writer.add_rater("", "open", "t", "", 0.0)
        end_fault()
        assert self.answer().status_code == 200
        assert self.answer().status_code == 200  # sent again, because the first reply was lost
        assert sum(isinstance(entry, Answer) for entry in self.database.since(0)) == 1


def test_a_full_disk(tmp_path):
    working = Working(tmp_path / "study", lambda folder: create_store(folder, "sqlite"))
    with closing(sqlite3.connect(tmp_path / "study" / "study.db")) as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
    end = working.each_connection(f"PRAGMA max_page_count = {pages}")
    accepted = 0
    while (reply := working.answer()).status_code == 200:
        accepted += 1
        working.task = reply.json()["task"]
    assert reply.status_code == 503
    assert sum(isinstance(entry, Answer) for entry in working.database.since(0)) == accepted
    end()
    assert working.answer().status_code == 200
    assert sum(isinstance(entry, Answer) for entry in working.database.since(0)) == accepted + 1


def test_a_read_only_file(tmp_path):
    working = Working(tmp_path / "study", lambda folder: create_store(folder, "sqlite"))
    end = working.each_connection("PRAGMA query_only = ON")
    working.check_failure_and_recovery(end, "read-only")


def test_a_lock_that_another_process_holds(tmp_path):
    working = Working(tmp_path / "study", lambda folder: create_store(folder, "sqlite"))
    forget = working.each_connection("PRAGMA busy_timeout = 0")  # the tests do not wait for 30 seconds
    other = sqlite3.connect(tmp_path / "study" / "study.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    working.check_failure_and_recovery(other.close, "locked by another process")
    forget()


def test_a_database_file_that_was_deleted(tmp_path):
    working = Working(tmp_path / "study", lambda folder: create_store(folder, "sqlite"))
    file, aside = tmp_path / "study" / "study.db", tmp_path / "aside.db"
    file.rename(aside)  # the open connections still reach it, as after a deletion
    working.check_failure_and_recovery(lambda: aside.rename(file), "deleted or replaced")


def test_a_lock_of_the_study_on_postgresql(tmp_path, server):
    working = Working(tmp_path / "study", lambda folder: create_postgres(folder, server.url))
    forget = working.each_connection("SET lock_timeout = '100ms'")
    other = sa.create_engine(working.database.engine.url)
    holder = other.connect()
    holder.execute(sa.text(f"SELECT position FROM {working.database.location.schema}.study FOR UPDATE"))
    working.check_failure_and_recovery(lambda: (holder.close(), other.dispose()), "locked by another process")
    forget()


def test_a_read_only_server(tmp_path, server):
    working = Working(tmp_path / "study", lambda folder: create_postgres(folder, server.url))
    engine = working.database.engine

    @sa.event.listens_for(engine, "begin")
    def _only_read(connection):
        connection.exec_driver_sql("SET TRANSACTION READ ONLY")

    working.check_failure_and_recovery(lambda: sa.event.remove(engine, "begin", _only_read), "read-only")


def test_a_full_disk_of_a_server(tmp_path, server):
    working = Working(tmp_path / "study", lambda folder: create_postgres(folder, server.url))
    schema = working.database.location.schema
    refuse = "BEGIN RAISE EXCEPTION USING ERRCODE = 'disk_full'; END"
    statements = (
        f"CREATE FUNCTION {schema}.refuse() RETURNS trigger LANGUAGE plpgsql AS $${refuse}$$",
        f"CREATE TRIGGER full_disk BEFORE INSERT ON {schema}.answer EXECUTE FUNCTION {schema}.refuse()",
        f"CREATE TRIGGER full_disk BEFORE INSERT ON {schema}.rater EXECUTE FUNCTION {schema}.refuse()",
    )

    def execute(*texts):
        with working.database.engine.begin() as connection:
            for text in texts:
                connection.exec_driver_sql(text)

    execute(*statements)
    end = [f"DROP TRIGGER full_disk ON {schema}.{table}" for table in ("answer", "rater")]
    working.check_failure_and_recovery(lambda: execute(*end), "disk is full")


def test_a_database_server_that_is_stopped_and_started(tmp_path, server):
    working = Working(tmp_path / "study", lambda folder: create_postgres(folder, server.url))
    server.stop()
    working.check_failure_and_recovery(server.start, "cannot be reached")


def test_the_character_that_postgresql_cannot_store_is_refused_like_others(tmp_path, server):
    working = Working(tmp_path / "study", lambda folder: create_postgres(folder, server.url))
    assert working.client.get("/r/a%00b").status_code == 404
    assert working.answer().status_code == 200
    working.task = {**working.task, "assignment": "a\0b"}
    assert working.answer().status_code == 409
    signed_in = dict.fromkeys(working.client.cookies, '"a\\000b"')
    stranger = TestClient(working.client.app, follow_redirects=False, cookies=signed_in)
    assert stranger.get("/task").status_code == 403
    assert working.database.by_id("a\0b") is None
