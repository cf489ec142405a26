"""Only the owner of a study may read its files."""

import os
import stat

import pytest

from steelyard.storage.database import create_database, open_database
from steelyard.study.definition.create import NewStudy, create_study
from steelyard.study.log.entries import Event
from tests.cli.test_commands import steelyard

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def items(tmp_path):
    (tmp_path / "items.csv").write_text("id,text\na,A\nb,B\n")
    return tmp_path / "items.csv"


def test_only_its_owner_can_read_a_new_study(tmp_path, items):
    folder = tmp_path / "study"
    create_study(folder, NewStudy(items))
    database, _ = create_database(folder)
    with database.writing() as writer:
        writer.append(Event("paused"))
        modes = {path.name: mode_of(path) for path in folder.iterdir()}
    assert mode_of(folder) == 0o700
    assert {"study.db", "study.db-wal", "study.db-shm", "study.toml", "items.csv"} == set(modes)
    assert set(modes.values()) == {0o600}


def test_a_database_that_a_study_starts_later_is_private_too(tmp_path):
    create_database(tmp_path)
    assert mode_of(tmp_path / "study.db") == 0o600


def test_a_study_open_to_other_users_is_reported_on_stderr(tmp_path, items):
    folder = tmp_path / "study"
    steelyard("new", folder, "--items", items)
    assert "other users" not in steelyard("export", folder).stderr
    folder.chmod(0o755)
    (folder / "study.db").chmod(0o644)
    warning = steelyard("export", folder).stderr
    assert "other users of this machine can read" in warning
    assert "study.db" in warning
    assert f"chmod 700 {folder}" in warning


def test_a_reopened_database_keeps_its_mode(tmp_path):
    create_database(tmp_path)
    open_database(tmp_path).new_owner_key()
    assert mode_of(tmp_path / "study.db") == 0o600
