"""Studies with several protocols: who gets tasks of which protocol, and what the log keeps of them."""

from collections import Counter

import numpy as np
import pytest

from steelyard.errors import BadSetting
from steelyard.judgments.counting import judgments_by_kind
from steelyard.kinds.comparison import Verdict
from steelyard.kinds.rating import Score
from steelyard.simulation.crowd_at_work import Crowd, simulate
from steelyard.simulation.scenarios import SCENARIOS
from steelyard.storage.memory import Memory
from steelyard.study.collecting.files.import_results import import_results
from steelyard.study.collecting.session import Session
from steelyard.study.log.entries import Answer
from tests.study.making import Clock, make_session, make_study

MIXED = {"protocol": ["list", "comparison"], "list_size": 4, "redundancy": 4}


def session_of(tmp_path, items=12, **settings):
    return make_session(tmp_path / "study", Clock(), items, "memory", **{**MIXED, **settings})


def answer(assignment, value=None):
    """An answer to a task of either protocol; ratings are 50 and comparisons say left, or None for can't judge."""
    task = assignment.task
    if task.protocol == "list":
        cells = [Score(at, 0, 50.0 if value is None else value) for at in range(len(task.items))]
    else:
        cells = [Verdict(1, 0, "left")]
    return Answer("", "", assignment.id, tuple(cells), milliseconds=4000)


def work(session, rater, tasks=None):
    seen = []
    while tasks is None or len(seen) < tasks:
        assignment = session.next_task(rater).assignment
        if assignment is None:
            break
        session.accept(rater, answer(assignment))
        seen.append(assignment.task)
    return seen


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.25, 0.75), (0.7, 0.3)])
def test_tasks_of_each_rater_and_of_the_study_have_their_shares(tmp_path, shares):
    session = session_of(tmp_path, 60, shares=list(shares), redundancy=40)
    raters = [session.join(f"r{at}", "link").id for at in range(7)]
    overall = Counter()
    for number in range(10):
        for rater in raters[: 7 if number < 3 else 4]:  # some leave early
            overall.update(task.protocol for task in work(session, rater, 1))
    for rater in raters:
        protocols = [session.ledger.tasks[a.task].protocol for a in session.record(rater).answers.values()]
        assert abs(protocols.count("list") - shares[0] * len(protocols)) <= 1.0
    assert abs(overall["list"] - shares[0] * overall.total()) <= 2.0


def test_raters_with_a_single_task_do_not_all_get_the_same_protocol(tmp_path):
    session = session_of(tmp_path, 60, shares=[0.75, 0.25], redundancy=20)
    first = [work(session, session.join(f"r{at}", "link").id, 1)[0].protocol for at in range(12)]
    assert Counter(first) == {"list": 9, "comparison": 3}


def test_a_rater_meets_an_item_once_per_list_and_never_a_pair_twice(tmp_path):
    session = session_of(tmp_path, 12, redundancy=30)
    seen = work(session, session.join("ann", "link").id)
    rated = [item for task in seen if task.protocol == "list" for item in task.items]
    pairs = [frozenset(task.items) for task in seen if task.protocol == "comparison"]
    assert len(set(rated)) == len(rated) == 12  # every item was rated once
    assert len(set(pairs)) == len(pairs) == 12 * 11 // 2  # and every pair was compared once
    assert session.next_task(session.join("ann", "link", "").id).assignment is not None  # others go on


def test_answers_of_both_protocols_count_towards_redundancy(tmp_path):
    session = session_of(tmp_path, 12)
    for at in range(6):
        work(session, session.join(f"r{at}", "link").id)
    ledger = session.ledger
    assert (ledger.answered >= 4).all()
    assert ledger.answered.sum() <= 12 * 4 + 2  # a pair may need an item that has enough answers
    assert session.supply().missing == 0


def test_the_last_answers_are_asked_under_the_other_protocol_if_raters_have_rated_everything(tmp_path):
    session = session_of(tmp_path, 8, redundancy=6, list_size=4)
    raters = [session.join(name, "link").id for name in ("ann", "bob")]
    for _ in range(60):
        for rater in raters:
            work(session, rater, 1)
    assert (session.ledger.answered >= 6).all()


def test_judgments_of_each_kind_are_in_a_table_of_their_own(tmp_path):
    session = session_of(tmp_path)
    work(session, session.join("ann", "link").id, 4)
    judgments = session.ledger.judgments()
    assert judgments.kinds == ("rating", "comparison")
    assert (len(judgments.table("rating")), len(judgments.table("comparison"))) == (8, 2)
    assert judgments.range == (0.0, 100.0)


def test_an_undone_answer_is_asked_again_with_its_protocol(tmp_path):
    session = session_of(tmp_path)
    rater = session.join("ann", "link").id
    for _ in range(2):
        state = session.next_task(rater)
        session.accept(rater, answer(state.assignment))
        again = session.undo(rater, state.assignment.id).assignment
        assert again.task == state.assignment.task
        session.accept(rater, answer(again))
    assert Counter(session.ledger.tasks[a.task].protocol for a in session.record(rater).answers.values()) == {
        "list": 1,
        "comparison": 1,
    }


def test_cannot_judge_is_stored_as_an_answer_of_the_kind_of_the_task(tmp_path):
    session = session_of(tmp_path)
    rater = session.join("ann", "link").id
    for _ in range(2):
        assignment = session.next_task(rater).assignment
        asked = range(len(assignment.task.items)) if assignment.task.protocol == "list" else [1]
        refused = tuple(Score(at, 0, None) for at in asked)
        session.accept(rater, Answer("", "", assignment.id, refused))
    kinds = {cell.kind for each in session.record(rater).answers.values() for cell in each.cells}
    assert kinds == {"rating", "comparison"}
    assert len(session.ledger.judgments()) == 0


def test_the_task_ahead_has_the_protocol_whose_turn_it_is(tmp_path):
    session = session_of(tmp_path, 40)
    rater = session.join("ann", "link").id
    with session.transaction():
        state = session.next_task(rater)
        ahead = session.task_ahead(rater, state)
    assert {state.assignment.task.protocol, ahead.assignment.task.protocol} == {"list", "comparison"}
    session.accept(rater, answer(state.assignment))
    assert session.next_task(rater).assignment.task == ahead.assignment.task


def test_folding_the_log_again_gives_the_same_ledgers(tmp_path):
    study = make_study(tmp_path, 12, **MIXED)
    log = Memory()
    session = Session(study, log, log, Clock())
    for at in range(3):
        work(session, session.join(f"r{at}", "link").id, 5)
    again = Session(study, log, log, Clock())
    again.fresh_ledger()
    for before, after in zip(session.follower.ledgers, again.follower.ledgers, strict=True):
        assert (before.answered == after.answered).all()
        assert (before.pending == after.pending).all()
        assert before.raters == after.raters
        assert before.tasks == after.tasks
        assert before.paired == after.paired
    rater = next(iter(session.ledger.raters))
    assert again.next_task(rater).assignment == session.next_task(rater).assignment


def test_a_batch_has_tasks_of_all_protocols_or_of_one(tmp_path):
    session = session_of(tmp_path, 40, shares=[0.75, 0.25])
    assert Counter(task.protocol for task in session.batch(8)) == {"list": 6, "comparison": 2}
    assert {task.protocol for task in session.batch(3, protocol="comparison")} == {"comparison"}


def test_simulated_raters_finish_a_study_with_several_protocols(tmp_path):
    session = session_of(tmp_path, 20, redundancy=5)
    rng = np.random.default_rng(3)
    crowd = Crowd.draw(session, SCENARIOS["full"], 8, "uniform", rng)
    done = simulate(session, crowd, rng)
    assert (session.ledger.answered >= 5).all()
    protocols = Counter(session.ledger.tasks[a.task].protocol for a in session.ledger.answers.values())
    assert protocols.total() == done
    assert abs(protocols["list"] - protocols["comparison"]) <= 4


def test_the_exported_judgments_of_each_protocol_are_imported_into_another_study(tmp_path):
    session = session_of(tmp_path, 12)
    for name in ("ann", "bob"):
        work(session, session.join(name, "link").id, 4)
    judgments = session.ledger.judgments()
    other = session_of(tmp_path / "other", 12)
    with pytest.raises(BadSetting, match="name the protocol of the file, because the study has several"):
        import_results(other, judgments.only("rating"))
    for protocol, kind in (("list", "rating"), ("comparison", "comparison")):
        done = import_results(other, judgments.only(kind), protocol=protocol)
        assert done.answers == 4
    assert Counter(task.protocol for task in other.ledger.tasks.values()) == {"list": 4, "comparison": 4}
    assert judgments_by_kind(other.ledger.judgments()) == judgments_by_kind(judgments)
