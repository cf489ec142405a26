"""Studies in which information decides the protocol of the next task."""

from collections import Counter

import numpy as np
import pytest

from steelyard.kinds.comparison import Verdict
from steelyard.kinds.rating import Score
from steelyard.simulation.crowd_at_work import Crowd, simulate
from steelyard.simulation.scenarios import SCENARIOS
from steelyard.storage.memory import Memory
from steelyard.study.collecting.informative_ways import LEAST_TIMED, seconds_of
from steelyard.study.collecting.session import Session
from steelyard.study.log.entries import Answer
from tests.study.making import Clock, make_session, make_study

MIXED = {
    "protocol": ["list", "comparison"],
    "list_size": 4,
    "redundancy": 12,
    "selection": "information",
    "least_worth": 0,
}


def session_of(tmp_path, items=30, **settings):
    return make_session(tmp_path / "study", Clock(), items, "memory", **{**MIXED, **settings})


def answer(assignment, seconds, rng):
    """An answer of a rater who sees item 7 at 7 and takes the seconds of the protocol."""
    task = assignment.task
    truth = [100.0 * int(item[1:]) / 30.0 for item in task.items]
    seen = np.clip(np.array(truth) + 15.0 * rng.standard_normal(len(truth)), 0.0, 100.0)
    if task.protocol == "list":
        cells = [Score(at, 0, float(value)) for at, value in enumerate(seen)]
    else:
        cells = [Verdict(1, 0, "left" if seen[0] > seen[1] else "right")]
    taken = seconds[task.protocol]
    return Answer(
        "", "", assignment.id, tuple(cells), milliseconds=None if taken is None else int(1000 * taken)
    )


def work(session, seconds, tasks=400, raters=8):
    """Let raters answer in turn; return the tasks."""
    rng, done = np.random.default_rng(1), []
    ids = [session.join(f"r{at}", "link").id for at in range(raters)]
    for at in range(tasks):
        rater = ids[at % raters]
        assignment = session.next_task(rater).assignment
        if assignment is None:
            continue
        session.accept(rater, answer(assignment, seconds, rng))
        done.append(assignment.task)
    return done


@pytest.mark.parametrize(
    ("seconds", "favoured"),
    [({"list": 10.0, "comparison": 60.0}, "list"), ({"list": 200.0, "comparison": 1.0}, "comparison")],
)
def test_the_protocol_with_more_information_per_second_is_asked(tmp_path, seconds, favoured):
    done = work(session_of(tmp_path), seconds, tasks=70)
    first = Counter(task.protocol for task in done[:20])
    assert abs(first["list"] - first["comparison"]) <= 2  # the shares, until both have ten answers
    later = Counter(task.protocol for task in done[24:])
    other = {"list": "comparison", "comparison": "list"}[favoured]
    assert later[favoured] > 3 * later[other]


def test_the_other_protocol_keeps_a_part_of_its_share(tmp_path):
    session = session_of(tmp_path, explore=0.6, redundancy=40)
    done = work(session, {"list": 200.0, "comparison": 1.0}, tasks=160)
    share = np.mean([task.protocol == "list" for task in done])
    assert share == pytest.approx(0.3, abs=0.03)  # .6 of a half


def test_pages_end_when_the_study_has_its_answers(tmp_path):
    session = session_of(tmp_path, redundancy=5)
    work(session, {"list": 30.0, "comparison": 12.0}, tasks=300)
    assert 150 <= session.ledger.answered.sum() <= 150 + 4
    assert session.supply().missing == 0
    rater = next(iter(session.ledger.raters))
    assert session.next_task(rater).assignment is None


def test_a_part_of_the_tasks_of_each_protocol_is_random(tmp_path):
    done = work(
        session_of(tmp_path, explore=0.3, redundancy=40), {"list": 60.0, "comparison": 8.0}, tasks=200
    )
    chosen = Counter((task.protocol, task.chosen.selection) for task in done)
    for protocol in ("list", "comparison"):
        assert chosen[protocol, "audit"] > 0
        assert chosen[protocol, "information"] > 0


def test_times_are_assumed_until_they_are_measured(tmp_path):
    session = session_of(tmp_path)
    lists, pairs = (way.ledger for way in session.follower.planner.ways)
    assert seconds_of(lists) == (4 * 27.0, False)
    assert seconds_of(pairs) == (2 * 5.6, False)
    work(session, {"list": 40.0, "comparison": None}, tasks=2 * LEAST_TIMED + 2)
    measured, is_measured = seconds_of(lists)
    assert is_measured
    assert measured == pytest.approx(40.0, rel=0.03)
    assert seconds_of(pairs) == (2 * 5.6, False)


def test_times_of_answers_taken_back_and_of_excluded_raters_do_not_count(tmp_path):
    session = session_of(tmp_path)
    work(session, {"list": 40.0, "comparison": 10.0}, tasks=24, raters=4)
    whole = session.ledger
    timed = whole.times.total()
    assert timed == len(whole.answers)
    rater = next(iter(whole.raters))
    own = len(whole.raters[rater].answers)
    session.note("excluded", rater, {"reason": "test"})
    assert session.ledger.times.total() == timed - own
    session.note("included", rater)
    newest = list(session.record(rater).answers.values())[-1]
    session.undo(rater, newest.assignment)
    assert session.ledger.times.total() == timed - 1
    assert sum(way.ledger.times.total() for way in session.follower.planner.ways) == timed - 1


def test_the_log_folded_again_gives_the_same_times_and_the_same_next_task(tmp_path):
    study, log = make_study(tmp_path, 30, **MIXED), Memory()
    session = Session(study, log, log, Clock())
    work(session, {"list": 30.0, "comparison": 9.0}, tasks=60)
    again = Session(study, log, log, Clock())
    again.fresh_ledger()
    for before, after in zip(session.follower.ledgers, again.follower.ledgers, strict=True):
        assert before.times == after.times
    rater = next(iter(session.ledger.raters))
    assert again.next_task(rater).assignment == session.next_task(rater).assignment


def test_the_aim_changes_which_items_are_asked(tmp_path):
    session = session_of(tmp_path, aim="top_k", top_k=5, explore=0, redundancy=20)
    done = work(session, {"list": 60.0, "comparison": 8.0}, tasks=200)
    shown = Counter(int(item[1:]) for task in done[100:] for item in task.items)
    top, bottom = (np.mean([shown[at] for at in some]) for some in (range(20, 30), range(10)))
    assert top > bottom


def test_simulated_raters_finish_a_study(tmp_path):
    session = session_of(tmp_path, 20, redundancy=5)
    rng = np.random.default_rng(3)
    simulate(session, Crowd.draw(session, SCENARIOS["full"], 8, "uniform", rng), rng)
    assert session.ledger.answered.sum() >= 100


def test_rankings_and_ranges_take_part(tmp_path):
    session = session_of(tmp_path, 20, protocol=["range", "ranking", "best_worst"], redundancy=6)
    rng = np.random.default_rng(3)
    simulate(session, Crowd.draw(session, SCENARIOS["full"], 6, "uniform", rng), rng)
    done = Counter(session.ledger.tasks[each.task].protocol for each in session.ledger.answers.values())
    assert min(done[name] for name in ("range", "ranking", "best_worst")) >= 10
