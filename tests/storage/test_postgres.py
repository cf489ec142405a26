"""What only PostgreSQL does: several studies in one database, locked places, and lost connections."""

import os
import signal

import pytest
import sqlalchemy as sa

from steelyard.errors import BadSetting, StoreUnavailable, StudyExists, UnreadableFile
from steelyard.storage.database import create_database, open_database
from steelyard.storage.keys import key_matching
from steelyard.storage.location import location_of, note_location, schema_name
from steelyard.study.log.entries import Event
from tests.postgres import Server, create_postgres, server_url
from tests.storage.test_database import a_task


@pytest.fixture(scope="module")
def own_server():
    """A server that a test may stop."""
    server = Server()
    yield server
    server.remove()


def test_a_place_that_another_transaction_is_taking_is_not_offered(tmp_path):
    database, _ = create_postgres(tmp_path)
    with database.writing() as writer:
        writer.append(a_task(assignments=2))
    with database.engine.connect() as other, other.begin():
        other.execute(sa.text("SELECT id FROM lease ORDER BY id LIMIT 1 FOR UPDATE"))
        with database.writing() as writer:
            assert len(writer.free(0.0, 10)) == 1
    with database.writing() as writer:
        assert len(writer.free(0.0, 10)) == 2


def test_studies_in_one_database_do_not_see_each_other(tmp_path):
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    databases = [create_postgres(folder)[0] for folder in folders]
    with databases[0].writing() as writer:
        writer.append(Event("paused"))
    assert [each.head() for each in databases] == [1, 0]
    assert databases[0].cookie_secret() != databases[1].cookie_secret()


def test_database_toml_names_the_database_and_only_its_owner_may_read_it(tmp_path):
    folder = tmp_path / os.path.basename(tmp_path)  # unique on this server
    folder.mkdir()
    database, key = create_database(folder, server_url())
    assert key_matching(open_database(folder).access_keys(), key) is not None
    assert database.location.schema == schema_name(folder)
    assert (folder / "database.toml").stat().st_mode & 0o077 == 0
    with pytest.raises(StudyExists):
        create_database(folder, server_url())
    (folder / "database.toml").unlink()
    with pytest.raises(UnreadableFile, match="may contain another study"):
        create_database(folder, server_url())


def test_a_study_in_a_file_is_not_started_again_in_postgresql(tmp_path):
    create_database(tmp_path)
    with pytest.raises(BadSetting, match="steelyard move"):
        create_database(tmp_path, "postgresql://ann:secret@host/name")


def test_a_server_that_does_not_answer_is_named_without_its_password(tmp_path):
    location = location_of(tmp_path, "postgresql://ann:secret@127.0.0.1:1/name")
    note_location(location)
    with pytest.raises(StoreUnavailable, match="cannot be reached") as caught:
        open_database(tmp_path)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_work_continues_after_the_server_was_restarted(tmp_path, own_server, how):
    database, _ = create_postgres(tmp_path, own_server.url)
    with database.writing() as writer:
        writer.append(Event("paused"))
    own_server.stop(how)
    with pytest.raises(StoreUnavailable, match="cannot be reached"), database.writing():
        pass
    with pytest.raises(StoreUnavailable, match="cannot be reached"):
        database.head()
    own_server.start()
    with database.writing() as writer:
        assert writer.append(Event("resumed")).log_position == 2


def test_a_transaction_that_loses_its_connection_stores_nothing(tmp_path, own_server):
    database, _ = create_postgres(tmp_path, own_server.url)
    end = sa.text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
    (tmp_path / "other").mkdir()
    other, _ = create_postgres(tmp_path / "other", own_server.url)
    with pytest.raises(StoreUnavailable), database.writing() as writer:
        writer.append(Event("paused"))
        with other.engine.connect() as connection:
            connection.execute(end)
        writer.append(Event("resumed"))
    assert database.head() == 0
    with database.writing() as writer:
        assert writer.append(Event("paused")).log_position == 1
