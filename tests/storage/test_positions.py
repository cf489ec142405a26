"""Log positions have no gaps and follow the order of commits, on every store and for every reader."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from steelyard.storage.database import open_database
from steelyard.study.log.entries import Event
from tests.storage.test_database import a_task
from tests.stores import STORES, create_store


@pytest.fixture(params=STORES)
def folder(request, tmp_path):
    create_store(tmp_path, request.param)
    return tmp_path


def test_a_writer_that_commits_late_makes_the_next_one_wait_for_its_position(folder):
    first, second = open_database(folder), open_database(folder)
    began, order = threading.Event(), []

    def write_late():
        began.wait()
        with second.writing() as writer:
            order.append(writer.append(Event("resumed")).log_position)

    late = threading.Thread(target=write_late)
    late.start()
    with first.writing() as writer:
        order.append(writer.append(Event("paused")).log_position)
        began.set()
        late.join(0.2)  # the other writer cannot have a position before this one has committed
        assert order == [1]
        assert list(open_database(folder).since(0)) == []
    late.join()
    assert order == [1, 2]
    assert [entry.kind for entry in first.since(0)] == ["paused", "resumed"]


def test_a_reader_never_sees_a_later_position_without_an_earlier_one(folder):
    writers = [open_database(folder) for _ in range(3)]
    reader, done = open_database(folder), threading.Event()
    gaps, newest = [], 0

    def write(at):
        for number in range(15):
            with writers[at].writing() as writer:
                if number % 2:
                    writer.append(Event("paused", facts={"by": at}))
                else:
                    writer.append(a_task(f"t{at}-{number}"))
                    writer.append(Event("resumed", facts={"by": at}))

    def follow():
        nonlocal newest
        while not done.is_set() or newest < reader.head():
            for entry in reader.since(newest):
                if entry.log_position != newest + 1:
                    gaps.append((newest, entry.log_position))
                newest = entry.log_position

    following = threading.Thread(target=follow)
    following.start()
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(write, range(3)))
    done.set()
    following.join()
    assert not gaps
    assert newest == reader.head() == 3 * (7 + 2 * 8)


def test_a_rolled_back_transaction_frees_its_position_for_the_next_one(folder):
    first, second = open_database(folder), open_database(folder)
    with pytest.raises(RuntimeError), first.writing() as writer:
        writer.append(a_task("lost"))
        raise RuntimeError
    with second.writing() as writer:
        assert writer.append(a_task("kept")).log_position == 1
    assert [entry.id for entry in first.since(0)] == ["kept"]


def test_raters_who_join_at_once_get_different_numbers(folder):
    databases = [open_database(folder) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        joined = list(
            pool.map(lambda at: databases[at % 4].add("", "open", f"token{at}", "", 0.0), range(20))
        )
    assert sorted(rater.id for rater in joined) == [f"r-{number:02d}" for number in range(1, 21)]
