from collections import Counter

import pytest

from steelyard.study.collecting.session import Session
from tests.study.making import make_study, work

TWO = [{"name": "lists", "protocol": "list"}, {"name": "singles"}]


def joined(session, number, **fields):
    raters = [session.join(f"p{at}", "link").id for at in range(number)]
    for rater in raters:
        session.arrive(rater, fields)
    return raters


def counts(session):
    return Counter(record.condition for record in session.ledger.raters.values())


def test_raters_are_assigned_in_equal_numbers_and_in_random_order(make):
    session = make(20, condition=TWO, redundancy=50)
    order = [session.record(rater).condition for rater in joined(session, 20)]
    assert Counter(order) == {"lists": 10, "singles": 10}
    assert len({tuple(order[at : at + 2]) for at in range(0, 20, 2)}) == 2


def test_shares_set_the_sizes_of_the_arms(make):
    session = make(20, condition=[{**TWO[0], "share": 2.0}, TWO[1]], redundancy=50)
    joined(session, 12)
    assert counts(session) == {"lists": 8, "singles": 4}


def test_each_stratum_is_balanced(make):
    session = make(20, condition=TWO, redundancy=50, assignment={"strata": ["source"]})
    by_source = {name: joined(session, 4, source=name) for name in ("mail", "forum", "mail2")}
    for raters in by_source.values():
        assert Counter(session.record(each).condition for each in raters) == {"lists": 2, "singles": 2}


def test_a_stratum_of_the_survey_is_known_only_after_the_survey(make):
    survey = [{"id": "native", "text": "Native?", "kind": "choice", "choices": ["yes", "no"]}]
    session = make(10, condition=TWO, survey=survey, assignment={"strata": ["native"]})
    (rater,) = joined(session, 1)
    assert not session.record(rater).condition
    session.note("surveyed", rater, {"native": "yes"})
    session.arrive(rater)
    assert session.record(rater).condition in ("lists", "singles")
    assert session.record(rater).stratum == ("yes",)


def test_an_assignment_is_final_and_in_the_log(make):
    session = make(10, condition=TWO)
    (rater,) = joined(session, 1)
    condition = session.record(rater).condition
    session.arrive(rater, {"source": "other"})
    again = Session(session.study, session.log, session.roster, session.clock)
    assert again.record(rater).condition == condition
    events = [each for each in session.log.since(0) if getattr(each, "kind", "") == "assigned"]
    assert [each.facts["condition"] for each in events] == [condition]


def test_a_full_arm_takes_nobody_and_a_full_study_has_no_tasks(make):
    session = make(10, condition=[{**each, "raters": 1} for each in TWO])
    first, second, third = joined(session, 3)
    assert session.need() == session.need(third) == "over"
    state = session.next_task(third)
    assert state.finished
    assert state.assignment is None
    assert {session.record(each).condition for each in (first, second)} == {"lists", "singles"}


def test_the_place_of_a_rater_who_does_not_begin_becomes_free(make, clock):
    session = make(10, condition=[{**each, "raters": 1} for each in TWO], lease_minutes=10)
    first, second = joined(session, 2)
    work(session, first, 1)
    clock.pass_minutes(11)
    (third,) = joined(session, 1)
    assert session.record(third).condition == session.record(second).condition


def test_a_rater_receives_tasks_of_one_arm_only(make):
    session = make(10, condition=TWO, redundancy=2)
    raters = joined(session, 6)
    seen = {rater: {task.condition for task in work(session, rater)} for rater in raters}
    assert all(tasks <= {session.record(rater).condition} for rater, tasks in seen.items())
    for name in ("lists", "singles"):
        assert (session.arm(name).ledger.answered == 2).all()


def test_the_same_person_returns_to_the_same_arm(make):
    session = make(10, condition=TWO, redundancy=50)
    for number in range(6):
        pair = [session.join("P", "prolific", f"person{number} study{at}").id for at in range(2)]
        for each in pair:
            session.arrive(each)
        assert len({session.record(each).condition for each in pair}) == 1


def test_people_of_an_excluded_study_are_recognised_by_their_id(make):
    first, second = make(5), make(5)
    first.join("P", "prolific", "abc study1")
    both = Session(second.study, second.log, second.roster, second.clock, elsewhere=[first.roster])
    assert both.raters.took_part_elsewhere("abc")
    assert not both.raters.took_part_elsewhere("abcd")


def test_folding_the_log_again_gives_the_same_arms(make):
    settings = {"condition": [{"name": "a", "selection": "sequences"}, {"name": "b"}, TWO[0]]}
    session = make(9, **settings, redundancy=2)
    raters = joined(session, 8)
    for rater in raters:
        work(session, rater, 3)
    session.note("excluded", raters[0])
    session.note("declined", raters[1])
    again = Session(
        make_study(session.study.folder, 9, **settings, redundancy=2),
        session.log,
        session.roster,
        session.clock,
    )
    again.fresh_ledger()
    for name, arm in session.follower.arms.items():
        fresh = again.arm(name).ledger
        for counted in ("answered", "pending"):
            assert (getattr(fresh, counted) == getattr(arm.ledger, counted)).all()
        assert fresh.tasks == arm.ledger.tasks
    ids = [task for arm in session.follower.arms.values() for task in arm.ledger.tasks]
    assert len(ids) == len(set(ids))


def test_a_round_ends_in_one_arm_only(make):
    session = make(6, condition=[{"name": "a"}, {"name": "b"}], rounds={"number": 2}, redundancy=1)
    for rater in joined(session, 2):
        work(session, rater, 2)
    session.close_round(condition="a")
    assert (session.arm("a").ledger.round, session.arm("b").ledger.round) == (2, 1)


@pytest.mark.parametrize("batch", ["singles", "lists"])
def test_a_batch_has_tasks_of_one_arm(make, batch):
    session = make(10, condition=TWO)
    assert {task.condition for task in session.batch(condition=batch)} == {batch}
