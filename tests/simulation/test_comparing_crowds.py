"""Simulated raters in studies that choose comparisons by information."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from steelyard.errors import BadSetting, UnknownName
from steelyard.selection.pairing import pairs_among
from steelyard.simulation.crowd_at_work import Crowd, simulate
from steelyard.simulation.scenarios import SCENARIOS
from steelyard.simulation.truth_column import read_truth
from steelyard.study.collecting.fitting import fit_question
from steelyard.study.definition.create import NewStudy, create_study
from tests.study.making import make_session

ITEMS = 16


def run(tmp_path, clock, **settings):
    settings = {"selection": "information", "seed": 4, **settings}
    session = make_session(tmp_path / "s", clock, ITEMS, True, **settings)
    rng = np.random.default_rng(4)
    crowd = Crowd.draw(session, SCENARIOS["iid"], 12, "uniform", rng)
    simulate(session, crowd, rng)
    return session, crowd


@pytest.mark.parametrize(
    ("protocol", "answers"),
    [("comparison", 16), ("comparison_list", 24), ("ranking", 16), ("best_worst", 16)],
)
def test_a_crowd_finds_the_truth(tmp_path, clock, protocol, answers):
    session, crowd = run(tmp_path, clock, protocol=protocol, redundancy=answers)
    assert session.study.definition.learning.model == "thurstone"
    assert session.ledger.answered.sum() >= answers * ITEMS
    scale = fit_question(session.ledger, 0).scale
    at = [session.study.items.index[item] for item in scale.item]
    assert spearmanr(scale.position, crowd.truth[0][at]).statistic > 0.85


def test_no_rater_meets_a_pair_twice_and_some_tasks_are_random(tmp_path, clock):
    session, _ = run(tmp_path, clock, protocol="comparison", redundancy=16)
    ledger = session.ledger
    met = [
        (answer.rater, pair)
        for answer in ledger.answers.values()
        for pair in pairs_among(session.study.items.index[item] for item in ledger.tasks[answer.task].items)
    ]
    assert len(met) == len(set(met))
    chosen = {task.chosen.selection for task in ledger.tasks.values()}
    assert chosen == {"information", "audit"}


def test_a_study_of_comparisons_stops_when_it_is_reliable(tmp_path, clock):
    stopped, _ = run(tmp_path, clock, protocol="comparison", redundancy=60, stop={"reliability": 0.9})
    answers = int(stopped.ledger.answered.sum())
    assert 2 * ITEMS < answers < 60 * ITEMS
    assert stopped.fresh_ledger()


@pytest.mark.parametrize(("protocol", "expected"), [("rating", [0.1, 0.5]), ("comparison", [0.0, 1.0])])
def test_true_positions_are_read_from_a_column(tmp_path, clock, protocol, expected):
    session = make_session(tmp_path / "s", clock, 2, True, protocol=protocol)
    ids = session.study.items.ids
    (tmp_path / "s" / "items.csv").write_text(f"id,text,quality\n{ids[0]},a,10\n{ids[1]},b,50\n")
    assert read_truth(session.study, "quality").tolist() == [expected]


@pytest.mark.parametrize(
    ("cell", "error", "message"),
    [("high", BadSetting, "not a number"), ("170", BadSetting, "outside the scale from 0 to 100")],
)
def test_a_position_that_cannot_be_used_is_named(tmp_path, clock, cell, error, message):
    session = make_session(tmp_path / "s", clock, 2, True, protocol="rating")
    ids = session.study.items.ids
    (tmp_path / "s" / "items.csv").write_text(f"id,text,quality\n{ids[0]},a,{cell}\n{ids[1]},b,50\n")
    with pytest.raises(error, match=message):
        read_truth(session.study, "quality")


def test_a_missing_column_is_named(tmp_path, clock):
    session = make_session(tmp_path / "s", clock, 2, True, protocol="rating")
    ids = session.study.items.ids
    (tmp_path / "s" / "items.csv").write_text(f"id,text\n{ids[0]},a\n{ids[1]},b\n")
    with pytest.raises(UnknownName, match=r"unknown column 'quality'\. Known: id, text"):
        read_truth(session.study, "quality")


@pytest.mark.parametrize("protocol", ["comparison", "comparison_list", "ranking", "best_worst", "list"])
def test_a_new_study_can_choose_by_information(tmp_path, protocol):
    (tmp_path / "items.csv").write_text("id,text\n" + "".join(f"i{at},Text {at}\n" for at in range(6)))
    new = NewStudy(items=tmp_path / "items.csv", protocol=protocol, selection="information")
    study = create_study(tmp_path / "study", new)
    assert study.definition.choosing.selection == "information"
