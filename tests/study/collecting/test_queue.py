"""The queue assigns a task exactly if it has announced one."""

import numpy as np
import pytest

from steelyard.simulation.crowd_at_work import Crowd, answer_as, simulate
from steelyard.simulation.scenarios import SCENARIOS
from steelyard.study.collecting.queue import Queue

STUDIES = {
    "single items": {},
    "lists": {"protocol": "list", "list_size": 3},
    "pairs": {"protocol": "comparison", "redundancy": 4},
    "rankings": {"protocol": "ranking", "list_size": 3},
    "best-worst choices": {"protocol": "best_worst", "list_size": 4, "redundancy": 4},
    "by belief": {"protocol": "list", "list_size": 3, "model": "easl", "selection": "easl"},
    "sequences": {"selection": "sequences", "sequence_length": 4},
    "a budget": {"stop": {"budget": 9}},
    "a limit": {"tasks_per_rater": 3},
    "rounds of planning": {"update": "round"},
}
WAIT_FOR_THE_ROUND = ("rounds of planning",)  # raters may have to wait for what is announced


def has_any(session, rater):
    with session.transaction() as transaction:
        return Queue(session.follower.planner, transaction, rater).has_any()


@pytest.mark.parametrize("name", STUDIES)
def test_a_task_is_assigned_exactly_if_one_was_announced(make, clock, name):
    session = make(7, **{"redundancy": 2, **STUDIES[name]})
    rng = np.random.default_rng(4)
    crowd = Crowd.draw(session, SCENARIOS["iid"], 5, "uniform", rng)
    raters = [session.join(each, "link").id for each in "abcde"]
    given = 0
    for _ in range(120):
        at = int(rng.integers(len(raters)))
        held = session.rater_state(raters[at]).assignment
        announced = has_any(session, raters[at])
        assignment = session.next_task(raters[at]).assignment
        if held is None and name not in WAIT_FOR_THE_ROUND:
            assert (assignment is not None) == announced
        elif held is None and assignment is not None:
            assert announced
        if assignment is not None and rng.random() < 0.8:
            session.accept(raters[at], answer_as(crowd, at, assignment, session, rng))
            given += 1
        clock.pass_minutes(float(rng.integers(0, 20)))
    assert given >= 5


def test_a_rater_who_comes_back_keeps_the_task_that_they_hold(make, clock):
    session = make(5)
    rater = session.join("a", "link").id
    first = session.next_task(rater).assignment
    clock.pass_minutes(10)
    assert session.next_task(rater).assignment == first
    assert session.rater_state(rater).assignment == first


def test_a_task_goes_back_to_the_queue_when_its_rater_is_excluded(make):
    session = make(1, redundancy=1)
    ann, bob = session.join("a", "link").id, session.join("b", "link").id
    task = session.next_task(ann).assignment.task
    assert session.next_task(bob).assignment is None
    session.note("excluded", ann)
    assert session.next_task(bob).assignment.task == task


def test_every_page_of_a_best_worst_study_is_full_and_at_most_one_is_added(make):
    session = make(24, protocol="best_worst", list_size=4, redundancy=4)
    rng = np.random.default_rng(1)
    crowd = Crowd.draw(session, SCENARIOS["iid"], 12, "uniform", rng)
    assert simulate(session, crowd, rng) <= 24 + 1
    assert {len(task.items) for task in session.ledger.tasks.values()} == {4}
    assert set(session.ledger.answered.tolist()) <= {4, 5}
