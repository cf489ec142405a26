"""Raters whose answers carry too little information are stopped early, and the owner may reinstate them."""

import numpy as np
import pytest

from steelyard.errors import BadSetting, NothingToUndo
from steelyard.models.steelyard.belief import SteelyardBelief
from steelyard.study.definition.study_file import define
from steelyard.study.log.ledger import Ledger
from tests.study.making import answer_with

TRUTH = np.linspace(5, 95, 40)
HONEST = 6


def answer(session, rater, rng, spams):
    """One task by a rater who looks at the items, or by one who does not; False when there is none."""
    assignment = session.next_task(rater).assignment
    if assignment is None:
        return False
    truth = TRUTH[[session.study.items.index[item] for item in assignment.task.items]]
    seen = rng.uniform(0, 100, len(truth)) if spams else np.clip(truth + rng.normal(0, 8, len(truth)), 0, 100)
    session.accept(rater, answer_with(assignment, np.round(seen).tolist()))
    return True


def work_together(session, rng):
    """Let honest raters and one spammer take turns until nobody receives a task."""
    people = [session.join(f"rater {at}", "link").id for at in range(HONEST + 1)]
    going = True
    while going:
        going = any([answer(session, rater, rng, rater == people[-1]) for rater in people])
    return people


@pytest.fixture
def study(make):
    return make(40, protocol="list", list_size=5, redundancy=5, selection="information", seed=2)


def test_a_spammer_gets_no_new_tasks_and_everyone_else_does(study):
    *honest, spammer = work_together(study, np.random.default_rng(0))
    records = study.ledger.raters
    assert records[spammer].stopped_early
    assert not any(records[rater].stopped_early for rater in honest)
    assert 2 <= len(records[spammer].answers) < min(len(records[rater].answers) for rater in honest)
    assert study.ledger.answered.sum() >= 5 * 40
    rater_state = study.next_task(spammer)
    assert rater_state.finished
    assert not rater_state.waiting


def test_stopping_a_rater_early_is_logged_and_keeps_their_answers(study):
    *_, spammer = work_together(study, np.random.default_rng(0))
    events = [entry for entry in study.log.since(0) if getattr(entry, "kind", "") == "stopped_early"]
    assert [event.rater for event in events] == [spammer]
    refolded = Ledger(study.study.definition, study.study.items)
    refolded.fold(study.log.since(0))
    assert refolded.raters[spammer].stopped_early
    assert spammer in study.ledger.judgments().raters


def test_events_of_version_0_1_are_read_under_their_old_names(study):
    rater = study.join("ann", "link").id
    study.note("rested", rater)
    assert study.record(rater).stopped_early
    study.note("recalled", rater)
    assert study.record(rater).reinstated


def test_a_reinstated_rater_gets_tasks_again(make):
    session = make(40, protocol="list", list_size=5, redundancy=9, selection="information", seed=2)
    *_, spammer = work_together(session, np.random.default_rng(0))
    done = len(session.ledger.raters[spammer].answers)
    session.note("reinstated", spammer)
    assert not session.next_task(spammer).finished
    while answer(session, spammer, np.random.default_rng(1), spams=True):
        pass
    answers = session.ledger.raters[spammer].answers
    assert len(answers) > done
    assert sum(len(answer.cells) for answer in answers.values()) == 40  # every item, in lists of at most five


@pytest.mark.parametrize(
    "settings",
    [{"selection": "balanced"}, {"selection": "information", "least_worth": 0}],
    ids=["balanced", "information, set to 0"],
)
def test_without_the_rule_everyone_receives_tasks(make, settings):
    session = make(40, protocol="list", list_size=5, redundancy=5, seed=2, **settings)
    work_together(session, np.random.default_rng(0))
    assert not any(record.stopped_early for record in session.ledger.raters.values())


def test_balanced_studies_may_set_the_rule(make):
    session = make(40, protocol="list", list_size=5, redundancy=5, seed=2, least_worth=0.25)
    *_, spammer = work_together(session, np.random.default_rng(0))
    assert [rater for rater, record in session.ledger.raters.items() if record.stopped_early] == [spammer]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"least_worth": 1.0}, "not a share. Write a number from 0 to below 1"),
        ({"least_worth": -0.1}, "not a share. Write a number from 0 to below 1"),
        ({"least_worth": 0.2, "model": "easl"}, 'Set model = "steelyard"'),
        ({"least_worth": 0.2, "selection": "sequences"}, "cannot stop raters early. Set 0"),
    ],
)
def test_an_invalid_rule_is_refused(settings, message):
    table = {"title": "T", "items": {"file": "items.csv"}, "questions": [{"text": "How much?"}], **settings}
    with pytest.raises(BadSetting, match=message):
        define(table)


def test_a_rater_who_was_stopped_early_cannot_undo(study):
    *_, spammer = work_together(study, np.random.default_rng(0))
    rater_state = study.rater_state(spammer)
    assert not rater_state.can_undo
    with pytest.raises(NothingToUndo):
        study.undo(spammer, rater_state.last)
    assert study.rater_state(spammer).assignment is None


def test_cannot_judge_does_not_count_towards_an_early_stop(make, monkeypatch):
    """A rater whose answers carry no information is stopped after ten judgments, however many tasks these took."""
    monkeypatch.setattr(SteelyardBelief, "worth", lambda belief, rater: 0.0)
    session = make(40, protocol="list", list_size=5, redundancy=5, selection="information", seed=2)
    rater, done = session.join("silent", "link").id, 0
    while (assignment := session.next_task(rater).assignment) is not None:
        session.accept(rater, answer_with(assignment, [50.0, 40.0, None, None, None]))
        done += 1
    assert done == 5
    assert session.record(rater).stopped_early
