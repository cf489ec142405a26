"""`steelyard check DIR` finds each kind of damage, and other commands name the study, the damage and the remedy."""

import pytest
import sqlalchemy as sa

from steelyard.storage.database import open_database
from tests.commands import finish
from tests.storage.test_copying import answered_study
from tests.stores import STORES

DAMAGE = {
    "broken JSON": ("UPDATE answer SET content = '{\"kind\": ' WHERE position = {answer}", "cannot be read"),
    "an unknown kind": (
        'UPDATE answer SET content = \'{"kind": "mood", "cells": [[0, 0, 1]], "comment": "", '
        '"milliseconds": 1}\' WHERE position = {answer}',
        "cannot be read",
    ),
    "a task of an unknown item": (
        "UPDATE task SET content = REPLACE(CAST(content AS TEXT), '\"tea\"', '\"nothing\"')",
        "contradicts earlier entries",
    ),
    "a missing entry": ("DELETE FROM answer WHERE position = {answer}", "is missing"),
    "a place too many": (
        "INSERT INTO lease (task, rater, assignment) SELECT id, '', '' FROM task WHERE position = {task}",
        "places, but the log leaves",
    ),
}


@pytest.mark.parametrize("store", STORES)
def test_a_sound_study_has_no_damage(tmp_path, store):
    answered_study(tmp_path / "study", store)
    done = finish("check", str(tmp_path / "study"))
    assert done.returncode == 0, done.stderr
    assert "9 answered tasks" in done.stdout
    assert "No damage found" in done.stdout


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_found_and_named(tmp_path, name):
    database, _ = answered_study(tmp_path / "study")
    statement, found = DAMAGE[name]
    with database.engine.connect() as connection, connection.begin():
        first = {
            table: connection.execute(sa.text(f"SELECT MIN(position) FROM {table}")).scalar_one()
            for table in ("answer", "task")
        }
        for table, position in first.items():
            statement = statement.replace(f"{{{table}}}", str(position))
        connection.exec_driver_sql(statement)
    done = finish("check", str(tmp_path / "study"))
    assert done.returncode == 1
    assert found in done.stdout
    assert "steelyard restore" in done.stdout
    if name in ("a missing entry", "a place too many"):
        return  # the state can be computed, so other commands do not notice
    done = finish("export", str(tmp_path / "study"))
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert str(tmp_path / "study") in done.stderr
    assert "the log is damaged" in done.stderr
    assert "restore" in done.stderr


def test_a_garbled_page_is_reported(tmp_path):
    database, _ = answered_study(tmp_path / "study")
    database.engine.dispose()
    file = tmp_path / "study" / "study.db"
    content = bytearray(file.read_bytes())
    content[4096 : len(content) - 4096] = b"\x77" * (len(content) - 8192)
    file.write_bytes(content)
    done = finish("check", str(tmp_path / "study"))
    assert done.returncode in (1, 2)
    assert "damaged" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    with pytest.raises(Exception, match="damaged"):
        list(open_database(tmp_path / "study").since(0))
