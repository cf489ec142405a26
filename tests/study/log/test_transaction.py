import pytest

from steelyard.study.log.entries import Event
from tests.study.making import work


def events(session, kind):
    return [entry for entry in session.log.since(0) if isinstance(entry, Event) and entry.kind == kind]


def test_what_is_appended_is_in_the_log_and_in_the_ledger(make, clock):
    session = make(3)
    with session.transaction() as transaction:
        transaction.append(Event("paused", at=clock.now))
        assert transaction.ledger.paused
    assert session.ledger.log_position == session.log.head() == 1


def test_one_transaction_has_one_time(make, clock):
    session = make(3)
    with session.transaction() as transaction:
        started = clock.now
        clock.pass_minutes(5)
        transaction.note("paused")
        session.note("resumed")
    assert [entry.at for entry in session.log.since(0)] == [started, started]


def test_calls_of_a_session_join_the_transaction_that_is_open(make):
    session = make(3)
    with session.transaction() as outer, session.transaction() as inner:
        assert inner is outer


def test_a_failed_transaction_changes_neither_log_nor_ledger(make):
    session = make(3)
    rater = session.join("a", "link").id
    with pytest.raises(ZeroDivisionError), session.transaction() as transaction:
        work(session, rater, 1)
        transaction.note("paused")
        raise ZeroDivisionError
    assert session.log.head() == 0
    assert not session.fresh_ledger().paused
    assert session.ledger.answered.sum() == 0


def test_withdrawing_places_logs_one_event_per_task(make):
    session = make(4, protocol="list", list_size=2, redundancy=2)
    with session.transaction() as transaction:
        session.next_task(session.join("a", "link").id)
        free = list(transaction.free_places(100))
        transaction.withdraw(free)
        assert not transaction.free_places(100)
    withdrawn = events(session, "withdrawn")
    assert sum(event.facts["places"] for event in withdrawn) == len(free)
    assert len({event.facts["task"] for event in withdrawn}) == len(withdrawn)
    assert session.ledger.pending.sum() == 2
