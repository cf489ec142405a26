"""Tasks left for a rater, and the status of a study that needs no more answers."""

import pytest

from steelyard.study.results.watch import Watch
from tests.study.making import answer_with, work


def join(session, name="a"):
    return session.join(name, "link").id


def status_of(session):
    """The status on the owner's page."""
    return Watch(session.study, session.log, session.roster).overview().status


def test_a_study_with_all_its_answers_is_complete_and_needs_nobody(make):
    session = make(2, redundancy=1)
    assert (session.need(), status_of(session)) == ("open", "not_started")
    work(session, join(session))
    assert (session.need(), status_of(session)) == ("over", "complete")


def test_a_study_whose_budget_is_used_up_has_that_status(make):
    session = make(5, redundancy=3, stop={"budget": 4})
    work(session, join(session))
    assert (session.need(), status_of(session)) == ("over", "budget_spent")


def test_a_newcomer_waits_if_open_tasks_will_use_up_the_budget(make):
    session = make(5, redundancy=3, stop={"budget": 1})
    session.next_task(join(session))
    newcomer = join(session, "b")
    assert session.need(newcomer) == "held"
    assert session.next_task(newcomer).held


@pytest.mark.parametrize(
    "settings", [{}, {"protocol": "list", "list_size": 2}, {"selection": "sequences"}, {"update": "round"}]
)
def test_a_newcomer_waits_while_others_hold_everything(make, settings):
    session = make(2, redundancy=1, **settings)
    busy, idle = join(session), join(session, "b")
    holding = [session.next_task(busy).assignment]
    while session.next_task(idle).assignment is not None:  # two hold what there is
        holding.append(session.next_task(idle).assignment)
        idle = join(session, f"c{len(holding)}")
    rater_state = session.next_task(idle)
    assert not rater_state.finished
    assert rater_state.held or rater_state.waiting
    assert status_of(session) == "collecting"


def test_a_rater_who_has_answered_is_finished_while_others_hold_the_rest(make):
    session = make(2, redundancy=1)
    first, second = join(session), join(session, "b")
    session.accept(first, answer_with(session.next_task(first).assignment))
    session.next_task(second)
    assert session.next_task(first).finished
    assert session.need(first) == "open"


def test_a_stopping_rule_that_is_met_is_named(make):
    session = make(4, redundancy=9, model="steelyard", stop={"interval_width": 0.99})
    for name in "abcd":
        work(session, join(session, name))
        if status_of(session) == "stopped":
            break
    assert (session.need(), status_of(session)) == ("over", "stopped")


def test_asking_whether_answers_are_needed_assigns_and_logs_nothing(make):
    session = make(3)
    session.need()
    status_of(session)
    assert session.log.head() == 0
