"""Items that are added to a study while it runs."""

import logging

import numpy as np
import pytest

from steelyard.storage.database import create_database
from steelyard.study.collecting.session import Session
from steelyard.study.definition.create import NewStudy, create_study
from steelyard.study.definition.study import open_study
from steelyard.study.log.entries import Answer
from steelyard.study.results.watch import Watch
from tests.study.making import work


def write_items(folder, count, first=0):
    rows = "".join(f"i{at},Item number {at}\n" for at in range(first, first + count))
    folder.mkdir(exist_ok=True)
    (folder / "items.csv").write_text(f"id,text\n{rows}")


@pytest.fixture
def folder(tmp_path):
    write_items(tmp_path / "items", 4)
    create_study(tmp_path / "study", NewStudy(tmp_path / "items" / "items.csv", redundancy=1, seed=1))
    return tmp_path / "study"


@pytest.fixture
def database(folder):
    return create_database(folder)[0]


def open_here(folder, database, clock):
    return Session(open_study(folder), database, database, clock)


def test_a_running_session_asks_about_items_that_were_added(folder, database, clock):
    session = open_here(folder, database, clock)
    ann = session.join("Ann", "link").id
    work(session, ann)
    assert session.next_task(ann).finished
    write_items(folder, 6)
    assert {item for task in work(session, ann) for item in task.items} == {"i4", "i5"}
    assert len(session.study.items) == 6


def test_session_and_watch_fold_tasks_of_another_process_about_added_items(folder, database, clock):
    session = open_here(folder, database, clock)
    watch = Watch(session.study, database, database)
    ann = session.join("Ann", "link").id
    work(session, ann, 2)
    assert watch.overview().items == 4
    write_items(folder, 6)
    beside = open_here(folder, database, clock)
    assert len(beside.batch(6)) > 0
    watch.wake()
    assert watch.overview().items == 6
    assert watch.ledger().log_position == beside.ledger.log_position
    assert session.record(ann).answers
    assert session.next_task(ann) is not None
    assert session.ledger.log_position == beside.fresh_ledger().log_position


def test_an_unknown_item_in_a_task_causes_the_file_to_be_read_again(folder, database, clock, monkeypatch):
    session = open_here(folder, database, clock)
    watch = Watch(session.study, database, database)
    write_items(folder, 6)
    beside = open_here(folder, database, clock)
    beside.batch(6)
    for each in (session.follower, watch._follower):
        monkeypatch.setattr(each._items_file, "_stamp", beside.follower._items_file._stamp)
    assert len(session.fresh_ledger().items) == 6
    assert watch.overview().items == 6


def test_a_file_without_a_known_item_or_that_cannot_be_read_is_not_used_and_reported(
    folder, database, clock, caplog
):
    session = open_here(folder, database, clock)
    ann = session.join("Ann", "link").id
    with caplog.at_level(logging.WARNING):
        write_items(folder, 3)
        assert session.next_task(ann).assignment is not None
        assert "'i3' is missing" in session.problems[0]
        (folder / "items.csv").write_text("id,text\ni0,\n")
        assert session.next_task(ann).assignment is not None
    assert "cannot be used" in session.problems[0]
    assert len(caplog.records) == 2
    write_items(folder, 5)
    session.next_task(ann)
    assert session.problems == ()
    assert len(session.study.items) == 5


@pytest.mark.parametrize(
    "settings", ['protocol = "rating"', 'protocol = "comparison"', 'protocol = "ranking"']
)
@pytest.mark.parametrize("length", [0, 2])
def test_items_added_to_a_study_of_sequences_are_asked(folder, clock, settings, length):
    (folder / "study.toml").write_text(
        f'title = "T"\n{settings}\nselection = "sequences"\nsequence_length = {length}\nredundancy = 2\nlist_size = 3\n'
        '[items]\nfile = "items.csv"\ntext = "text"\n[[questions]]\ntext = "How much?"\n'
    )
    database = create_database(folder)[0]
    session = open_here(folder, database, clock)
    people = [session.join(f"rater {at}", "link").id for at in range(8)]
    for rater in people:
        answer_all(session, rater)
    assert session.ledger.answered.min() >= 2
    write_items(folder, 5)
    for rater in people:
        answer_all(session, rater)
    assert session.ledger.answered[4] >= 2
    assert session.ledger.pending.sum() == 0
    assert session.batch() == []


def answer_all(session, rater):
    rng = np.random.default_rng(0)
    while (assignment := session.next_task(rater).assignment) is not None:
        seen = rng.random(len(assignment.task.items))
        definition = session.study.definition
        cells = definition.kind.simulate(seen, 0, definition.asked(0), rng)
        session.accept(rater, Answer("", "", assignment.id, tuple(cells)))


@pytest.mark.parametrize("protocol", ["comparison", "comparison_list", "ranking", "best_worst", "list"])
def test_items_added_to_a_study_of_comparisons_are_asked(folder, clock, protocol):
    (folder / "study.toml").write_text(
        f'title = "T"\nprotocol = "{protocol}"\nredundancy = 2\nlist_size = 3\ngroup_size = 4\n'
        '[items]\nfile = "items.csv"\ntext = "text"\n[[questions]]\ntext = "How much?"\n'
    )
    write_items(folder, 12)
    session = open_here(folder, create_database(folder)[0], clock)
    people = [session.join(f"rater {at}", "link").id for at in range(6)]
    for rater in people:
        answer_all(session, rater)
    write_items(folder, 14)
    for rater in people:
        answer_all(session, rater)
    assert session.ledger.answered[12:].min() >= 2
