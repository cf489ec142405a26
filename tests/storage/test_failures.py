"""Messages on a database that cannot be used state the cause and a remedy that loses no data."""

import shutil
import sqlite3

import pytest

from steelyard.errors import StoreUnavailable, UnreadableFile
from steelyard.storage.database import create_database, open_database
from steelyard.storage.failures import cause_of


def driver_error(path, mode, statement):
    with pytest.raises(sqlite3.Error) as caught:
        sqlite3.connect(f"file:{path}?mode={mode}", uri=True).execute(statement)
    return caught.value


def test_a_read_only_database_is_reported_as_read_only_without_advice_to_restore_it(tmp_path):
    create_database(tmp_path)
    cause = cause_of(driver_error(tmp_path / "study.db", "ro", "DELETE FROM study"))
    assert cause.reason == "the database is read-only."
    assert cause.remedy.startswith("The data are intact.")
    assert "estore" not in cause.remedy


def test_a_database_that_cannot_be_opened_is_not_called_damaged(tmp_path):
    cause = cause_of(driver_error(tmp_path / "absent.db", "ro", "SELECT 1"))
    assert cause.reason == "the database cannot be opened."
    assert "estore" not in cause.remedy


def test_a_locked_database_is_called_locked(tmp_path):
    path = tmp_path / "locked.db"
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("CREATE TABLE t (x)")
    holder.execute("BEGIN EXCLUSIVE")
    other = sqlite3.connect(path, timeout=0.0)
    with pytest.raises(sqlite3.OperationalError) as caught:
        other.execute("DELETE FROM t")
    assert "locked by another process" in cause_of(caught.value).reason


def test_permission_denied_is_reported_as_such():
    assert cause_of(PermissionError(13, "Permission denied")).reason == "permission denied."


def test_an_error_that_does_not_concern_the_file_is_not_changed(tmp_path):
    assert cause_of(driver_error(tmp_path / "new.db", "rwc", "SELEC")) is None


def test_opening_a_read_only_database_names_the_cause(tmp_path, monkeypatch):
    create_database(tmp_path)
    connect = sqlite3.connect

    def read_only(name, **settings):
        return connect(name.replace("mode=rw", "mode=ro"), **settings)

    monkeypatch.setattr("sqlite3.dbapi2.connect", read_only)
    with pytest.raises(UnreadableFile, match="read-only"):
        open_database(tmp_path).new_owner_key()


def test_a_new_connection_leaves_a_moved_file_and_its_journal_as_they_are(tmp_path):
    folder = tmp_path / "a #?%20 study"
    folder.mkdir()
    database, _ = create_database(folder)
    rater = database.add("Ann", "link", "token", "", 0.0)  # in the journal
    (folder / "study.db").rename(folder / "moved.db")
    with database.reading(), pytest.raises(StoreUnavailable, match="deleted or replaced"):
        database.all()  # the open connection is in use
    assert "deleted or replaced" in database.problem
    assert not (folder / "study.db").exists()
    (folder / "moved.db").rename(folder / "study.db")
    crashed = shutil.copytree(
        folder, tmp_path / "crashed"
    )  # as after kill -9, before the journal is copied back
    assert open_database(crashed).all() == [rater]
    assert database.problem == ""


def test_a_folder_in_place_of_the_database_is_named(tmp_path):
    (tmp_path / "study.db").mkdir()
    with pytest.raises(UnreadableFile, match="this is not a file"):
        open_database(tmp_path)


def test_a_database_of_something_else_is_named(tmp_path):
    with sqlite3.connect(tmp_path / "study.db") as other:
        other.execute("CREATE TABLE t (x)")
    with pytest.raises(UnreadableFile, match="does not belong to a study"):
        open_database(tmp_path)


def test_an_interrupted_creation_is_reported(tmp_path):
    (tmp_path / "study.db").touch()
    with pytest.raises(UnreadableFile, match="interrupted"):
        open_database(tmp_path)
