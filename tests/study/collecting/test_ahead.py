"""Tasks that are assigned in advance, while a rater answers the current one."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.study.making import answer_with


def join(session, name="one"):
    return session.join(name, "link").id


def both(session, rater):
    """The current state of a rater and the one after it, assigned in one transaction as pages do."""
    with session.transaction():
        current = session.next_task(rater)
        return current, session.task_ahead(rater, current)


def work_ahead(session, rater):
    """Answer as a page does that has the next task before the answer to the current one; return the tasks."""
    seen, (current, ahead) = [], both(session, rater)
    while current.assignment is not None:
        session.accept(rater, answer_with(current.assignment))
        seen.append(current.assignment.task)
        following, further = both(session, rater)
        assert ahead is None or following.assignment == ahead.assignment
        current, ahead = following, further
    return seen


@pytest.mark.parametrize(
    "settings",
    [
        {"selection": "balanced", "protocol": "list"},
        {"selection": "easl", "model": "easl", "protocol": "list"},
        {"selection": "easl", "model": "easl", "protocol": "list", "update": "round"},
        {"selection": "sequences", "protocol": "list", "sequence_length": 6},
    ],
)
def test_a_rater_who_receives_tasks_in_advance_sees_no_item_twice_and_every_item_gets_its_answers(
    make, settings
):
    session = make(24, list_size=4, redundancy=3, **settings)
    for name in ("one", "two", "three"):
        items = [item for task in work_ahead(session, join(session, name)) for item in task.items]
        assert len(items) == len(set(items))
        assert items
    if settings["selection"] != "sequences":  # a rater answers one sequence
        assert session.ledger.answered.tolist() == [3] * 24


def test_the_task_in_advance_is_the_next_one_also_after_a_reload(make):
    session = make(20)
    rater = join(session)
    current, ahead = both(session, rater)
    assert both(session, rater) == (current, ahead)
    session.accept(rater, answer_with(current.assignment))
    assert session.next_task(rater).assignment == ahead.assignment


def test_the_state_in_advance_is_the_state_after_the_answer(make):
    session = make(20)
    rater = join(session)
    current, ahead = both(session, rater)
    session.accept(rater, answer_with(current.assignment))
    assert session.next_task(rater) == ahead


def test_raters_who_receive_tasks_in_advance_hold_different_assignments(make):
    session = make(100, redundancy=1)
    raters = [join(session, f"rater {at}") for at in range(20)]
    with ThreadPoolExecutor(8) as pool:
        states = [state for pair in pool.map(lambda rater: both(session, rater), raters) for state in pair]
    assert len({state.assignment.task.id for state in states}) == 40


def test_an_abandoned_task_in_advance_goes_to_another_rater(make, clock):
    session = make(3, redundancy=1, lease_minutes=30)
    first, second = join(session, "one"), join(session, "two")
    _, ahead = both(session, first)
    assert session.next_task(second).assignment.task.id != ahead.assignment.task.id
    clock.pass_minutes(31)
    others = [join(session, name) for name in ("three", "four")]
    taken = {session.next_task(rater).assignment.task.id for rater in others}
    assert ahead.assignment.task.id in taken


def test_an_undo_releases_the_tasks_held_and_gives_the_last_one_again(make):
    session = make(20)
    rater = join(session)
    current, _ = both(session, rater)
    session.accept(rater, answer_with(current.assignment))
    both(session, rater)
    again = session.undo(rater, current.assignment.id)
    assert again.assignment.task == current.assignment.task
    assert not session.ledger.judgments()
    with session.log.writing() as writer:
        assert len(writer.leases_of(rater)) == 1


def test_the_last_ready_task_is_not_assigned_in_advance(make):
    session = make(2, redundancy=1)
    rater = join(session)
    assert both(session, rater)[1] is None


def test_a_rater_does_not_hold_more_tasks_than_they_may_answer(make):
    session = make(20, tasks_per_rater=2)
    rater = join(session)
    assert both(session, rater)[1] is not None
    session.accept(rater, answer_with(session.next_task(rater).assignment))
    assert both(session, rater)[1] is None


@pytest.mark.parametrize(
    "settings",
    [
        {"page": {"fetch_ahead": False}},
        {"anchors": {"show": ["labels", "own"]}},
        {"checks": {"least_seconds": 1.0}},
    ],
    ids=["setting", "own answers", "checks"],
)
def test_nothing_is_assigned_in_advance_if_the_owner_or_the_scale_forbids_it(make, settings):
    session = make(20, **settings)
    assert both(session, join(session))[1] is None


def test_an_excluded_rater_keeps_no_task(make):
    session = make(20, redundancy=1)
    rater = join(session)
    both(session, rater)
    session.note("excluded", rater, {"reason": "test"})
    with session.log.writing() as writer:
        assert not writer.leases_of(rater)
