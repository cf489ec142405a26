import numpy as np
from scipy.stats import spearmanr

from steelyard import DirectAssessment
from steelyard.study.scenarios import SCENARIOS
from steelyard.study.simulate import Crowd, simulate
from tests.study.making import make_session


def run(tmp_path, clock, name="s", seed=3, raters=12, **settings):
    session = make_session(tmp_path / name, clock, 30, True, **settings)
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


def test_they_stop_where_they_are_told(tmp_path, clock):
    session = make_session(tmp_path / "few", clock, 30, True, redundancy=9)
    rng = np.random.default_rng(0)
    assert simulate(session, Crowd.draw(session, SCENARIOS["iid"], 3, "skewed", rng), rng, most_tasks=7) == 7
