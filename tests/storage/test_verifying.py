"""`steelyard check DIR` finds each kind of damage, and other commands name the study, the damage and the remedy."""

import sqlite3
from contextlib import closing

import pytest
import sqlalchemy as sa

from steelyard.errors import UnreadableFile
from steelyard.storage.database import open_database
from steelyard.study.definition.study import open_study
from steelyard.study.log.changes import reconcile
from steelyard.study.log.entries import Event
from tests.commands import finish
from tests.serving import write_study
from tests.storage.test_copying import answered_study
from tests.stores import CHOSEN, STORES

# By name: a statement, what `check` finds, and the stores that allow it. PostgreSQL checks JSON and references itself.
DAMAGE = {
    "broken JSON": (
        "UPDATE answer SET content = '{\"kind\": ' WHERE position = {answer}",
        "cannot be read",
        ("sqlite",),
    ),
    "broken settings": (
        "UPDATE event SET content = '{' WHERE kind = 'defined'",
        "cannot be read",
        ("sqlite",),
    ),
    "settings of something else": (
        "UPDATE event SET content = '{\"a\": 1}' WHERE kind = 'defined'",
        "the event 'defined' has no questions",
        STORES,
    ),
    "an unknown kind": (
        'UPDATE answer SET content = \'{"kind": "mood", "cells": [[0, 0, 1]], "comment": "", '
        '"milliseconds": 1}\' WHERE position = {answer}',
        "cannot be read",
        STORES,
    ),
    "an item that the task does not have": (
        'UPDATE answer SET content = \'{"kind": "rating", "cells": [[99, 0, 50.0]], "comment": "", '
        '"milliseconds": 1}\' WHERE position = {answer}',
        "is about item 99 of a task with 3 items",
        STORES,
    ),
    "a question that the study does not have": (
        'UPDATE answer SET content = \'{"kind": "rating", "cells": [[0, 7, 50.0]], "comment": "", '
        '"milliseconds": 1}\' WHERE position = {answer}',
        "is about question 7 of a study with 1",
        STORES,
    ),
    "a task of an unknown item": (
        "UPDATE task SET content = CAST(REPLACE(CAST(content AS TEXT), '\"tea\"', '\"nothing\"') AS {json})",
        "contradicts earlier entries",
        STORES,
    ),
    "an answer to an unknown task": (
        "UPDATE answer SET task = 'nothing' WHERE position = {answer}",
        "answers an unknown task, 'nothing'",
        ("sqlite",),
    ),
    "a missing entry": ("DELETE FROM answer WHERE position = {answer}", "is missing", STORES),
    "a newest position that is too low": (
        "UPDATE study SET position = 3",
        "later than the newest one, 3",
        STORES,
    ),
}
COMMANDS = ("export", "report", "simulate", "next", "agreement")


@pytest.mark.parametrize("store", STORES)
def test_a_sound_study_has_no_damage(tmp_path, store):
    answered_study(tmp_path / "study", store)
    done = finish("check", str(tmp_path / "study"))
    assert done.returncode == 0, done.stderr
    assert "9 answered tasks" in done.stdout
    assert "No damage found" in done.stdout


def damage(database, statement):
    """Change the database behind the back of Steelyard, without its checks."""
    with database.reading() as connection:
        for table in ("answer", "task"):
            first = connection.execute(sa.text(f"SELECT MIN(position) FROM {table}")).scalar_one()
            statement = statement.replace(f"{{{table}}}", str(first))
    is_file = database.engine.dialect.name == "sqlite"
    statement = statement.replace("{json}", "TEXT" if is_file else "JSON")
    if is_file:
        with closing(sqlite3.connect(database.location.path)) as connection, connection:
            connection.execute(statement)
    else:
        with database.locking() as connection:
            connection.exec_driver_sql(statement)


@pytest.mark.parametrize(
    ("store", "name"), [(store, name) for name, (_, _, stores) in DAMAGE.items() for store in stores]
)
def test_damage_is_found_and_named_by_every_command(tmp_path, store, name):
    folder = tmp_path / "study"
    database, _ = answered_study(folder, store)
    reconcile(open_study(folder), database, 1_000_002.0)
    statement, found, _ = DAMAGE[name]
    damage(database, statement)
    done = finish("check", str(folder))
    assert done.returncode == 1, done.stderr
    assert found in done.stdout
    assert "steelyard restore" in done.stdout
    for command in COMMANDS:
        done = finish(command, str(folder))
        assert done.returncode == 2, (command, done.stderr)
        assert "Traceback" not in done.stderr
        assert str(folder) in done.stderr
        assert "the log is damaged" in done.stderr
        assert found in done.stderr
        assert "steelyard restore" in done.stderr


@pytest.mark.parametrize("store", STORES)
def test_a_place_too_many_is_found(tmp_path, store):
    database, _ = answered_study(tmp_path / "study", store)
    damage(
        database,
        "INSERT INTO lease (task, rater, assignment) SELECT id, '', '' FROM task WHERE position = {task}",
    )
    done = finish("check", str(tmp_path / "study"))
    assert done.returncode == 1
    assert "places, but the log leaves" in done.stdout


@pytest.mark.parametrize("store", STORES)
def test_an_entry_at_a_used_position_is_refused_as_damage(tmp_path, store):
    database, _ = answered_study(tmp_path / "study", store)
    damage(database, "UPDATE study SET position = 3")
    with pytest.raises(UnreadableFile, match="the log is damaged"), database.writing() as writer:
        for _ in range(30):  # positions are counted over three tables, and one of these is an event's
            writer.append(Event("paused"))


@pytest.mark.skipif(CHOSEN != "sqlite", reason="PostgreSQL checks references itself")
def test_an_answer_to_an_unknown_task_is_found_in_a_study_with_arms(tmp_path):
    folder = tmp_path / "study"
    arms = '[[condition]]\nname = "plain"\n[[condition]]\nname = "two"\nredundancy = 3'
    write_study(folder, extra="redundancy = 2\nlist_size = 3", scale=arms)
    assert finish("simulate", str(folder), "--raters", "4", "--tasks", "4").returncode == 0
    database = open_database(folder)
    assert finish("check", str(folder)).returncode == 0
    damage(database, "UPDATE answer SET task = 'nothing' WHERE position = {answer}")
    for command, code in (("check", 1), ("export", 2), ("next", 2)):
        done = finish(command, str(folder))
        assert done.returncode == code
        assert "answers an unknown task, 'nothing'" in done.stdout + done.stderr


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
