"""Acts that wait share a transaction; if one fails, the others are stored all the same."""

import asyncio
import threading
from contextlib import contextmanager

import pytest
from starlette.responses import Response

from steelyard.errors import HalfDone
from steelyard.web.together import MOST, Together
from tests.commands import PATIENCE
from tests.event_loops import run_apart
from tests.study.making import Clock, answer_with, make_session, work


class Store:
    """Counts transactions, and holds the first one back until others are waiting."""

    def __init__(self):
        self.kept, self.written, self.commits = [], [], 0
        self.gate = threading.Event()

    @contextmanager
    def transaction(self):
        assert self.gate.wait(PATIENCE)
        before = list(self.written)
        try:
            yield
        except BaseException:
            self.written = before
            raise
        self.commits += 1
        self.kept = list(self.written)

    def act(self, number, fails=False):
        def do():
            self.written.append(number)
            if fails:
                raise ValueError(number)
            return Response(str(number))

        return do


def run_all(store, acts):
    async def every():
        together = Together(store.transaction)
        tasks = [asyncio.create_task(together.run(act)) for act in acts]
        await asyncio.sleep(0)
        store.gate.set()
        return await asyncio.gather(*tasks, return_exceptions=True)

    return run_apart(every())


def test_acts_that_wait_are_stored_in_order_with_few_commits():
    store = Store()
    responses = run_all(store, [store.act(number) for number in range(3 * MOST)])
    assert [int(each.body) for each in responses] == list(range(3 * MOST))
    assert store.kept == list(range(3 * MOST))
    assert store.commits <= 4


def test_no_response_is_sent_before_the_commit():
    store, order = Store(), []

    @contextmanager
    def committing():
        with store.transaction():
            yield
        order.append("commit")

    async def one(together, number):
        await together.run(store.act(number))
        order.append("response")

    async def every():
        together = Together(committing)
        tasks = [asyncio.create_task(one(together, number)) for number in range(5)]
        await asyncio.sleep(0)
        store.gate.set()
        await asyncio.gather(*tasks)

    run_apart(every())
    assert order.index("commit") < order.index("response")
    assert order.count("response") == 5
    assert order.count("commit") <= 2


def test_an_act_that_fails_alone_takes_nothing_with_it():
    store = Store()
    alone = Store()
    acts = [store.act(0), store.act(1), alone.act(2, fails=True), store.act(3)]
    responses = run_all(store, acts)
    assert [int(responses[at].body) for at in (0, 1, 3)] == [0, 1, 3]
    assert isinstance(responses[2], ValueError)
    assert sorted(set(store.written)) == [0, 1, 3]


def test_a_part_that_fails_after_a_change_prevents_the_commit_even_if_it_is_handled(tmp_path):
    session = make_session(tmp_path / "study", Clock(), 6, protocol="list")
    rater = session.join("Ann", "link").id
    work(session, rater, 1)
    head = session.log.head()
    with (
        pytest.raises(HalfDone),
        session.transaction(),
        pytest.raises(ZeroDivisionError),
        session.transaction() as part,
    ):
        part.note("paused")
        _ = 1 / 0
    assert session.log.head() == head
    assert not session.fresh_ledger().paused


def test_a_part_that_fails_before_any_change_leaves_the_others(tmp_path):
    session = make_session(tmp_path / "study", Clock(), 6, protocol="list")
    rater = session.join("Ann", "link").id
    assignment = session.next_task(rater).assignment
    with session.transaction():
        with pytest.raises(ZeroDivisionError), session.transaction():
            _ = 1 / 0
        assert session.accept(rater, answer_with(assignment))
    assert len(session.fresh_ledger().answers) == 1
