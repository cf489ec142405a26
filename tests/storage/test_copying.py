"""Moves between the stores, backups and restores keep the log identical."""

import os
import shutil
import tarfile
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
import sqlalchemy as sa

from steelyard.errors import CannotWrite, StoreUnavailable, StudyExists, UnreadableFile
from steelyard.storage.backups import back_up, restore
from steelyard.storage.copying import log_digest, move_study
from steelyard.storage.database import Database, migrate_database, open_database
from steelyard.storage.engines import engine_for
from steelyard.storage.keys import key_matching
from steelyard.storage.location import LONGEST_SCHEMA, location_of, moved_name, schema_name
from steelyard.storage.moved_copies import moved_copies
from steelyard.storage.schema import SCHEMA_VERSION, act
from steelyard.study.collecting.session import Session
from steelyard.study.definition.study import open_study
from tests.commands import PATIENCE, finish
from tests.postgres import server_url
from tests.serving import write_study
from tests.stores import STORES, create_store
from tests.study.making import work


def digest_of(database):
    with database.reading() as connection:
        return log_digest(connection)


def answered_study(folder, store="sqlite"):
    """A study with answers, an undo, an exclusion, open places and text of several languages."""
    write_study(folder, extra="redundancy = 3\nlist_size = 3")
    for name in ("study.db", "database.toml"):
        (folder / name).unlink(missing_ok=True)
    database, key = create_store(folder, store)
    session = Session(open_study(folder), database, database, lambda: 1_000_000.5)
    for name in ("Ann", "Бо", "嘉"):
        work(session, session.join(name, "open").id, 3)
    session.undo("r-01", list(session.record("r-01").answers.values())[-1].assignment)
    session.note("excluded", "r-02", {"reason": "é"})
    session.next_task("r-03")
    return database, key


def test_a_study_moved_to_postgresql_and_back_has_the_same_log(tmp_path):
    folder = tmp_path / tmp_path.name
    database, key = answered_study(folder)
    database.add_key("lab", "viewer", 5.0)
    before, entries, raters = digest_of(database), list(database.since(0)), database.all()
    secret = database.cookie_secret()
    assert finish("move", str(folder), "--to", server_url()).returncode == 0
    assert not (folder / "study.db").exists()
    moved = open_database(folder)
    assert moved.engine.dialect.name == "postgresql"
    assert [(each.what, dict(each.facts)) for each in moved.acts()] == [("moved", {"to": "postgresql"})]
    with moved.locking() as connection:
        connection.execute(act.delete())
    assert digest_of(moved) == before
    assert list(moved.since(0)) == entries
    assert moved.all() == raters
    assert key_matching(moved.access_keys(), key) is not None
    assert [each.name for each in moved.access_keys()] == ["owner", "lab"]
    assert moved.cookie_secret() == secret
    with pytest.raises(StoreUnavailable, match="moved to PostgreSQL"), database.writing():
        pass  # a server that still runs on the file
    session = Session(open_study(folder), moved, moved, lambda: 1_000_001.0)
    work(session, session.join("new", "open").id, 1)
    after = digest_of(moved)
    assert after != before
    assert move_study(folder, "").schema.endswith("_moved")
    back = open_database(folder)
    assert back.engine.dialect.name == "sqlite"
    assert digest_of(back) == after
    with pytest.raises(UnreadableFile, match="does not contain the study"), moved.writing():
        pass
    with pytest.raises(StudyExists):
        move_study(folder, "")


def move_to_server(folder):
    """Move a study to PostgreSQL, and return the name of its schema there."""
    move_study(folder, server_url())
    return location_of(folder).schema


def test_a_study_with_a_long_name_is_moved_away_from_its_schema(tmp_path):
    folder = tmp_path / f"{tmp_path.name}-{'x' * 58}"[-58:]
    answered_study(folder)
    schema = move_to_server(folder)
    moved = open_database(folder)
    done = finish("move", str(folder), "--to", "sqlite")
    assert done.returncode == 0, done.stderr
    assert moved_name(schema) in done.stderr
    assert schema != moved_name(schema)
    with pytest.raises(UnreadableFile, match="does not contain the study"), moved.writing():
        pass  # a server that still runs on the schema
    assert open_database(folder).acts()[-1].what == "moved"


def test_names_of_schemas_fit_into_the_limit_of_postgresql_and_differ(tmp_path):
    names = [schema_name(tmp_path / f"{'x' * 58}{end}") for end in ("", "a", "b", "aa")]
    assert len(set(names)) == len(names)
    ascii_and_longest = [*names, "s" * LONGEST_SCHEMA, "é" * (LONGEST_SCHEMA // 2)]
    for name in ascii_and_longest:
        moved = {moved_name(name, number) for number in (1, 2, 10)}
        assert len({name, *moved}) == 4
        assert all(len(each.encode()) <= LONGEST_SCHEMA for each in moved)
    assert len({moved_name(name) for name in ascii_and_longest}) == len(ascii_and_longest)


def test_moving_a_study_leaves_a_study_with_the_name_of_its_copy_alone(tmp_path):
    folder, other = tmp_path / tmp_path.name, tmp_path / f"{tmp_path.name}_moved"
    for each in (folder, other):
        answered_study(each)
    schema = move_to_server(folder)
    assert move_to_server(other) == moved_name(schema)
    before = digest_of(open_database(other))
    assert move_study(folder, "").schema == moved_name(schema, 2)
    assert digest_of(open_database(other)) == before


def test_a_move_that_cannot_rename_the_schema_leaves_the_study_where_it_was(tmp_path, monkeypatch):
    folder = tmp_path / tmp_path.name
    answered_study(folder)
    schema = move_to_server(folder)
    monkeypatch.setattr("steelyard.storage.copying.free_name", lambda connection, old: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        move_study(folder, "")
    assert open_database(folder).location.schema == schema
    monkeypatch.undo()
    assert move_study(folder, "").schema == moved_name(schema)
    assert not (folder / "database.toml").exists()


@pytest.mark.parametrize("store", STORES)
def test_what_a_server_stores_during_a_move_is_moved_or_refused(tmp_path, monkeypatch, store):
    folder = tmp_path / tmp_path.name
    answered_study(folder)
    if store == "postgres":
        move_to_server(folder)
    server, waiting = open_database(folder), Event()
    sa.event.listen(server.engine, "checkout", lambda *_: waiting.set())
    with ThreadPoolExecutor(1) as requests, monkeypatch.context() as patched:
        late = []

        def digest_beside_a_request(connection):
            if not late:  # the move holds the lock, so the request has to wait
                late.append(requests.submit(server.add, "late", "open", "token", "", 0.0))
                assert waiting.wait(PATIENCE)
            return log_digest(connection)

        patched.setattr("steelyard.storage.copying.log_digest", digest_beside_a_request)
        move_study(folder, server_url() if store == "sqlite" else "")
    with pytest.raises(UnreadableFile):
        late[0].result()
    kept = [Database(engine_for(each), each) for each in moved_copies(folder)]
    for database in (open_database(folder), *kept):
        assert [each.name for each in database.all()] == ["Ann", "Бо", "嘉"]


def test_a_copy_that_was_kept_is_noted_with_the_study(tmp_path):
    folder = tmp_path / tmp_path.name
    answered_study(folder)
    schema = move_to_server(folder)
    assert [each.path.name for each in moved_copies(folder)] == ["study.moved.db"]
    move_study(folder, "")
    copies = moved_copies(folder)
    assert [each.schema for each in copies] == [moved_name(schema), ""]
    assert (folder / "moved.toml").stat().st_mode & 0o077 == 0
    for each in copies:
        copy = Database(engine_for(each), each)
        assert [rater.name for rater in copy.all()] == ["Ann", "Бо", "嘉"]
    back_up(folder, tmp_path / "backup.tar.gz")
    with tarfile.open(tmp_path / "backup.tar.gz") as content:
        assert not {"moved.toml", "study.moved.db"} & set(content.getnames())


@pytest.mark.parametrize("store", STORES)
def test_the_restore_drill_gives_the_study_back(tmp_path, store):
    database, key = answered_study(tmp_path / "study", store)
    (tmp_path / "study" / "media").mkdir()
    (tmp_path / "study" / "media" / "a.txt").write_text("a file of the study")
    archive = tmp_path / "backup.tar.gz"
    done = finish("backup", str(tmp_path / "study"), "-o", str(archive))
    assert done.returncode == 0, done.stderr
    assert archive.stat().st_mode & 0o077 == 0
    with tarfile.open(archive) as content:
        assert not {"database.toml", "study.db-wal"} & set(content.getnames())
    original = digest_of(database)
    shutil.rmtree(tmp_path / "study")
    done = finish("restore", str(archive), str(tmp_path / "again"))
    assert done.returncode == 0, done.stderr
    assert "No damage found" in done.stderr
    again = open_database(tmp_path / "again")
    assert digest_of(again) == original
    assert key_matching(again.access_keys(), key) is not None
    assert (tmp_path / "again" / "media" / "a.txt").exists()
    assert os.stat(tmp_path / "again").st_mode & 0o077 == 0
    with pytest.raises(StudyExists):
        restore(archive, tmp_path / "again")


@pytest.mark.parametrize("store", STORES)
def test_a_backup_made_during_writes_is_consistent(tmp_path, store):
    database, _ = answered_study(tmp_path / "study", store)
    with database.writing():  # a transaction in progress, which the backup does not wait for
        position = back_up(tmp_path / "study", tmp_path / "backup.tar.gz")
    assert position == database.head()
    with pytest.raises(CannotWrite):
        back_up(tmp_path / "study", tmp_path / "study" / "backup.tar.gz")


def test_linked_files_are_part_of_a_backup_and_what_is_no_file_is_not(tmp_path):
    folder, elsewhere = tmp_path / "study", tmp_path / "elsewhere"
    answered_study(folder)
    elsewhere.mkdir()
    (elsewhere / "a.txt").write_text("a file of the study")
    (folder / "media").symlink_to(elsewhere)
    os.link(elsewhere / "a.txt", folder / "same.txt")
    os.link(elsewhere / "a.txt", folder / "again.txt")
    os.mkfifo(folder / "pipe")
    back_up(folder, tmp_path / "backup.tar.gz")
    shutil.rmtree(elsewhere)
    restore(tmp_path / "backup.tar.gz", tmp_path / "restored")
    for name in ("media/a.txt", "same.txt", "again.txt"):
        assert (tmp_path / "restored" / name).read_text() == "a file of the study"
    assert not (tmp_path / "restored" / "pipe").exists()
    (folder / "lost.txt").symlink_to(elsewhere / "lost.txt")
    with pytest.raises(UnreadableFile, match=r"lost\.txt: this link does not lead to a file"):
        back_up(folder, tmp_path / "backup.tar.gz")


def test_a_damaged_backup_is_named(tmp_path):
    (tmp_path / "half.tar.gz").write_bytes(b"\x1f\x8b broken")
    with pytest.raises(UnreadableFile, match="not a complete backup"):
        restore(tmp_path / "half.tar.gz", tmp_path / "new")


@pytest.mark.parametrize("store", STORES)
def test_an_earlier_schema_version_is_migrated_and_a_later_one_refused(tmp_path, store):
    database, _ = create_store(tmp_path, store)
    with database.locking() as connection:
        connection.exec_driver_sql("UPDATE study SET schema_version = 2")
        for table in ("cached", "access_key", "act", "webhook", "notice", "delivery"):
            connection.exec_driver_sql(f"DROP TABLE {table}")
        connection.exec_driver_sql("ALTER TABLE rater DROP COLUMN submission")
    assert migrate_database(tmp_path) == (2, SCHEMA_VERSION)
    assert migrate_database(tmp_path) == (SCHEMA_VERSION, SCHEMA_VERSION)
    assert open_database(tmp_path).newest("belief", "", 0) is None
    with database.locking() as connection:
        connection.exec_driver_sql("UPDATE study SET schema_version = 99")
    with pytest.raises(UnreadableFile, match="schema version 99"):
        open_database(tmp_path)


def test_an_archive_with_a_path_outside_of_the_folder_is_refused(tmp_path):
    archive, outside = tmp_path / "bad.tar.gz", tmp_path / "outside.txt"
    outside.write_text("x")
    with tarfile.open(archive, "w:gz") as written:
        written.add(outside, "../written.txt")
    outside.unlink()
    done = finish("restore", str(archive), str(tmp_path / "again"))
    assert done.returncode == 2
    assert "is not a file of a study" in done.stderr
    assert not (tmp_path / "written.txt").exists()
