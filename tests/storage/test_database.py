from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from steelyard.errors import StudyExists, UnreadableFile
from steelyard.kinds.rating import Score
from steelyard.storage.database import create_database, open_database
from steelyard.storage.keys import key_matching
from steelyard.study.log.entries import Answer, Chosen, Event, Task
from tests.stores import STORES, create_store


@pytest.fixture(params=STORES)
def create(request):
    """Create a database on every kind of store; tests must pass on all of them."""
    return lambda folder: create_store(folder, request.param)


def a_task(name="t1", assignments=1):
    return Task(name, ("a", "b"), ("q",), "list", Chosen("balanced", 0, (1, 2), 0.5), assignments=assignments)


def test_entries_are_read_as_they_were_written(tmp_path, create):
    database, _ = create(tmp_path)
    entries = [
        a_task(),
        Answer(
            "t1",
            "r-01",
            "x",
            (Score(0, 0, 12.5), Score(1, 0, None)),
            "é 🍝",
            900,
            [[1, 0, 0, "place", 3.0]],
            {"w": 1},
            5.0,
        ),
        Event("excluded", "r-01", {"reason": "why"}, 6.0),
    ]
    with database.writing() as writer:
        written = [writer.append(entry) for entry in entries]
    moved = replace(written[1], interactions=(), shown={})
    assert list(open_database(tmp_path).since(0)) == [written[0], moved, written[2]]
    assert database.interactions("x") == {"interactions": [[1, 0, 0, "place", 3.0]], "shown": {"w": 1}}
    assert [entry.log_position for entry in written] == [1, 2, 3]


def test_a_failed_transaction_leaves_no_entry_and_no_gap(tmp_path, create):
    database, _ = create(tmp_path)
    with pytest.raises(RuntimeError), database.writing() as writer:
        writer.append(a_task())
        raise RuntimeError
    assert database.head() == 0
    with database.writing() as writer:
        writer.append(a_task())
    assert [entry.log_position for entry in database.since(0)] == [1]


def test_many_writers_leave_positions_without_gaps_in_commit_order(tmp_path, create):
    create(tmp_path)
    databases = [open_database(tmp_path) for _ in range(4)]

    def write(at):
        with databases[at % 4].writing() as writer:
            return writer.append(Event("paused", facts={"at": at})).log_position

    with ThreadPoolExecutor(8) as pool:
        given = list(pool.map(write, range(40)))
    assert sorted(given) == list(range(1, 41))
    assert [entry.log_position for entry in databases[0].since(0)] == list(range(1, 41))


def test_a_place_has_one_holder(tmp_path, create):
    database, _ = create(tmp_path)
    with database.writing() as writer:
        writer.append(a_task())
        (place,) = writer.free(0.0, 10)
        writer.take(place, "r-01", "token", 100.0)
        assert writer.free(50.0, 10) == []
        assert writer.leased("token").rater == "r-01"
        assert [each.rater for each in writer.free(101.0, 10)] == ["r-01"]
        writer.close(place)
        assert not writer.leases_of("r-01")


def test_a_known_key_returns_the_same_rater(tmp_path, create):
    database, _ = create(tmp_path)
    first = database.add("Prolific", "prolific", "t1", "pid", 0.0)
    assert database.add("Prolific", "prolific", "t2", "pid", 0.0) == first
    other = database.add("", "open", "t3", "", 0.0)
    assert (first.id, other.id, other.name) == ("r-01", "r-02", "r-02")
    assert database.by_token("t3") == other
    assert database.by_token("nobody") is None


def test_an_existing_study_is_not_created_again(tmp_path, create):
    create(tmp_path)
    with pytest.raises(StudyExists):
        create_database(tmp_path)


def test_a_file_that_is_not_a_database_is_named(tmp_path):
    (tmp_path / "study.db").write_text("this is not a database, and long enough not to be taken for one" * 50)
    with pytest.raises(UnreadableFile, match="not the database of a study"):
        open_database(tmp_path)


def test_only_the_owner_key_is_accepted(tmp_path, create):
    database, key = create(tmp_path)
    assert key_matching(database.access_keys(), key) is not None
    assert key_matching(database.access_keys(), key + "x") is None
    assert key_matching(database.access_keys(), "") is None
