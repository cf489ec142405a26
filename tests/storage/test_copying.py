"""Moves between the stores, backups and restores keep the log identical."""

import os
import shutil
import sqlite3
import tarfile
from contextlib import closing

import pytest

from steelyard.errors import CannotWrite, StoreUnavailable, StudyExists, UnreadableFile
from steelyard.storage.backups import back_up, restore
from steelyard.storage.copying import log_digest, move_study
from steelyard.storage.database import create_database, migrate_database, open_database
from steelyard.storage.keys import key_matching
from steelyard.storage.schema import SCHEMA_VERSION
from steelyard.study.collecting.session import Session
from steelyard.study.definition.study import open_study
from tests.commands import finish
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
    assert digest_of(moved) == before
    assert list(moved.since(0)) == entries
    assert moved.all() == raters
    assert key_matching(moved.access_keys(), key) is not None
    assert [each.name for each in moved.access_keys()] == ["owner", "lab"]
    assert moved.cookie_secret() == secret
    with pytest.raises(StoreUnavailable, match="deleted or replaced"), database.writing():
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
    shutil.rmtree(tmp_path / "study")
    done = finish("restore", str(archive), str(tmp_path / "again"))
    assert done.returncode == 0, done.stderr
    assert "No damage found" in done.stderr
    again = open_database(tmp_path / "again")
    assert digest_of(again) == digest_of(database) if store == "postgres" else again.head()
    assert key_matching(again.access_keys(), key) is not None
    assert (tmp_path / "again" / "media" / "a.txt").exists()
    assert os.stat(tmp_path / "again").st_mode & 0o077 == 0
    with pytest.raises(StudyExists):
        restore(archive, tmp_path / "again")


def test_a_backup_made_during_writes_is_consistent(tmp_path):
    database, _ = answered_study(tmp_path / "study")
    with database.writing():  # a transaction in progress, which the backup does not wait for
        position = back_up(tmp_path / "study", tmp_path / "backup.tar.gz")
    assert position == database.head()
    with pytest.raises(CannotWrite):
        back_up(tmp_path / "study", tmp_path / "study" / "backup.tar.gz")


def test_a_damaged_backup_is_named(tmp_path):
    (tmp_path / "half.tar.gz").write_bytes(b"\x1f\x8b broken")
    with pytest.raises(UnreadableFile, match="not a complete backup"):
        restore(tmp_path / "half.tar.gz", tmp_path / "new")


def test_an_earlier_schema_version_is_migrated_and_a_later_one_refused(tmp_path):
    create_database(tmp_path)
    with closing(sqlite3.connect(tmp_path / "study.db")) as connection, connection:
        connection.execute("UPDATE study SET schema_version = 2")
        connection.execute("DROP TABLE cached")
        connection.execute("DROP TABLE access_key")
        connection.execute("ALTER TABLE rater DROP COLUMN submission")
    assert migrate_database(tmp_path) == (2, SCHEMA_VERSION)
    assert migrate_database(tmp_path) == (SCHEMA_VERSION, SCHEMA_VERSION)
    assert open_database(tmp_path).newest("belief", "", 0) is None
    with closing(sqlite3.connect(tmp_path / "study.db")) as connection, connection:
        connection.execute("UPDATE study SET schema_version = 99")
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
