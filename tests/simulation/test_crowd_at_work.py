from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from steelyard import DirectAssessment
from steelyard.kinds.known import PROTOCOLS
from steelyard.simulation.crowd_at_work import Crowd, simulate
from steelyard.simulation.scenarios import SCENARIOS
from tests.study.making import make_session


def run(tmp_path, clock, name="s", seed=3, raters=12, **settings):
    session = make_session(tmp_path / name, clock, 30, "memory", **settings)
    rng = np.random.default_rng(seed)
    crowd = Crowd.draw(session, SCENARIOS["full"], raters, "uniform", rng)
    return session, crowd, simulate(session, crowd, rng)


def test_a_crowd_finishes_a_study_and_finds_its_truth(tmp_path, clock):
    session, crowd, done = run(tmp_path, clock, protocol="list", redundancy=8)
    assert session.ledger.answered.tolist() == [8] * 30
    assert done == len(session.ledger.answers)
    scale = DirectAssessment().fit(session.ledger.judgments()).scale
    assert spearmanr(scale.position, crowd.truth[0]).statistic > 0.8


def test_the_same_seed_gives_the_same_answers(tmp_path, clock):
    scores = [
        run(tmp_path, clock, name, redundancy=2)[0]
        .ledger.judgments()
        .table("rating")
        .numbers["score"]
        .tolist()
        for name in ("one", "two")
    ]
    assert scores[0] == scores[1]


def test_answers_lie_on_the_studys_levels(tmp_path, clock):
    session, _, _ = run(tmp_path, clock, redundancy=2, scale={"low": 1, "high": 5, "levels": 5})
    assert set(session.ledger.judgments().table("rating").numbers["score"]) <= {1, 2, 3, 4, 5}


def test_they_stop_at_the_requested_number(tmp_path, clock):
    session = make_session(tmp_path / "few", clock, 30, "memory", redundancy=9)
    rng = np.random.default_rng(0)
    assert simulate(session, Crowd.draw(session, SCENARIOS["iid"], 3, "skewed", rng), rng, most_tasks=7) == 7


@pytest.mark.parametrize("store", ["memory", "sqlite"])
def test_simulated_raters_say_how_much_more(tmp_path, clock, store):
    session = make_session(
        tmp_path / "s", clock, 12, store, protocol="comparison", strength=True, redundancy=4
    )
    rng = np.random.default_rng(1)
    simulate(session, Crowd.draw(session, SCENARIOS["full"], 5, "uniform", rng), rng)
    told = [cell for answer in session.ledger.answers.values() for cell in answer.cells]
    assert {cell.strength for cell in told if cell.outcome != "tie"} == {1, 2, 3}
    assert {cell.strength for cell in told if cell.outcome == "tie"} <= {None}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_they_take_the_training_before_their_first_task(tmp_path, clock, protocol):
    session = make_session(tmp_path / "s", clock, 12, "memory", protocol=protocol, training={}, redundancy=2)
    rng = np.random.default_rng(1)
    assert simulate(session, Crowd.draw(session, SCENARIOS["iid"], 5, "uniform", rng), rng) > 0
    records = session.ledger.raters.values()
    assert all(record.attempts >= 1 for record in records)
    assert all(record.trained for record in records if record.answers)


def test_those_who_do_not_look_fail_the_training_and_get_no_task(tmp_path, clock):
    session = make_session(
        tmp_path / "s", clock, 12, "memory", redundancy=2,
        training={"tasks": [{"text": f"Something of {right}", "answer": right, "tolerance": 3} for right in (5, 95)]},
    )  # fmt: skip
    rng = np.random.default_rng(1)
    crowd = Crowd.draw(session, SCENARIOS["hard full"], 60, "uniform", rng)
    simulate(session, crowd, rng)
    records = [session.ledger.raters[f"r-{at:02}"] for at in range(1, 61)]
    spammers = [record for record, rater in zip(records, crowd.raters, strict=True) if rater.spam]
    honest = [record for record, rater in zip(records, crowd.raters, strict=True) if not rater.spam]
    assert sum(record.trained for record in spammers) < len(spammers) / 2
    assert sum(record.trained for record in honest) > 0.9 * len(honest)
    assert max(record.attempts for record in honest) > 3
    assert not any(record.answers for record in records if not record.trained)


def test_a_crowd_answers_all_arms_and_a_factor_changes_the_disagreement_of_one(tmp_path, clock):
    arms = [{"name": "plain"}, {"name": "close"}, {"name": "ranges", "protocol": "range"}]
    survey = [{"id": "native", "text": "Native?", "kind": "choice", "choices": ["yes", "no"]}]
    settings = {"condition": arms, "redundancy": 5, "survey": survey, "assignment": {"strata": ["native"]}}
    session = make_session(tmp_path / "arms", clock, 20, "memory", **settings)
    rng = np.random.default_rng(4)
    crowd = Crowd.draw(session, SCENARIOS["iid"], 18, "uniform", rng)
    done = simulate(session, replace(crowd, factors={"close": 0.2}), rng)
    ledgers = {name: arm.ledger for name, arm in session.follower.arms.items()}
    assert done == 300
    assert all((ledger.answered == 5).all() for ledger in ledgers.values())
    errors = {
        name: np.std(ledger.judgments().table("rating").numbers["score"] - 100 * crowd.truth[0][at])
        for name, ledger in ledgers.items()
        if name != "ranges"
        for at in [ledger.judgments().table("rating").codes["item"]]
    }
    assert errors["close"] < 0.5 * errors["plain"]
    assert {record.stratum for record in session.ledger.raters.values()} == {("yes",), ("no",)}
