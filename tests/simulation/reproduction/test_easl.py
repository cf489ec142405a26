"""Sakaguchi & Van Durme (2018) in small: the machinery, and what follows from the methods for any size."""

import numpy as np
import pytest

from steelyard.errors import BadSetting
from steelyard.simulation.reproduction import easl_experiments
from steelyard.simulation.reproduction.easl_data import TABLE_1, draw_lexical, draw_political, read_given
from steelyard.simulation.reproduction.easl_experiments import (
    COMPARED,
    DA,
    EASL,
    RA,
    calibrated,
    run_experiment,
    scaled,
)
from steelyard.simulation.reproduction.easl_figures import (
    belief_after,
    correlation_figure,
    histogram_figure,
    match_quality_figure,
    positions_at,
    quality_matrix,
    spread_ratio,
)
from steelyard.simulation.reproduction.easl_lexical import close_claim, faster_claim, rising_claim
from steelyard.simulation.reproduction.easl_model import model_section
from steelyard.simulation.reproduction.easl_systems import BUNDLED, replay, simulated_scores
from steelyard.simulation.reproduction.reproduction import Request
from steelyard.simulation.scenarios import SCENARIOS
from steelyard.storage.memory import Memory

ITEMS = 30


@pytest.fixture(scope="module")
def experiment():
    request = Request(make_log=Memory)
    return run_experiment(lambda rng: rng.random(ITEMS), SCENARIOS["iid"], COMPARED, 2, request)


def test_every_method_gets_the_same_number_of_answers(experiment):
    sizes = {len(run.judgments.table("rating")) for method in COMPARED for run in experiment.runs[method]}
    assert sizes == {10 * ITEMS}


def test_the_same_seed_gives_the_same_experiment(experiment):
    again = run_experiment(
        lambda rng: rng.random(ITEMS), SCENARIOS["iid"], (EASL,), 1, Request(make_log=Memory)
    )
    assert np.array_equal(again.last(EASL)[0], experiment.last(EASL)[0])


def test_progress_is_reported_once_per_method_and_experiment():
    steps = []
    request = Request(make_log=Memory, step=lambda: steps.append(1))
    run_experiment(lambda rng: rng.random(10), SCENARIOS["iid"], (DA, EASL), 3, request)
    assert len(steps) == 6


def test_ranking_aggregation_is_narrower_than_scores(experiment):
    assert spread_ratio(experiment, RA) < min(spread_ratio(experiment, DA), spread_ratio(experiment, EASL))


def test_verdicts_follow_the_curves(experiment):
    assert rising_claim("Figure 6", DA, experiment).verdict == "reproduced"
    assert faster_claim("Figure 6", RA, experiment, "It loses distances.").verdict == "differs"
    assert close_claim("Abstract", (10, 1), experiment, "").verdict == "reproduced"
    assert close_claim("Abstract", (1, 10), experiment, "").verdict == "differs"


def test_match_quality_is_equal_at_first_and_higher_near_the_diagonal_later(experiment):
    first, last = (quality_matrix(belief_after(experiment, at), experiment.truths[0]) for at in (0, 10))
    assert np.ptp(first) == 0.0
    assert last[0, 1] > last[0, -1]


def test_the_figures_have_a_panel_for_every_method_and_measure(experiment):
    assert list(correlation_figure(6, "", experiment).panels) == ["Spearman", "Pearson"]
    assert list(histogram_figure(7, "", experiment).panels) == ["oracle", "DA", "RA", "EASL"]
    assert len(match_quality_figure(experiment).panels) == 4


def test_positions_at_gold_values_follow_their_order(experiment):
    gold = np.array([row[0] for row in TABLE_1]) / 100.0
    assert np.all(np.diff(positions_at(experiment, DA, gold)[[0, 5, 9]]) < 0.0)


def test_raters_are_calibrated_to_the_agreement_of_the_paper(monkeypatch):
    monkeypatch.setattr(easl_experiments, "CALIBRATION_STEPS", 3)
    monkeypatch.setattr(easl_experiments, "CALIBRATION_WORLDS", 1)
    low, high = (calibrated(draw_lexical, agreement, np.random.default_rng(0)) for agreement in (0.2, 0.7))
    assert low.base_noise > high.base_noise
    assert scaled(low, 0.5).base_noise == pytest.approx(low.base_noise / 2.0)


def test_stand_ins_have_the_shape_of_the_paper():
    political = draw_political(np.random.default_rng(0))
    assert len(political) == 150
    assert np.allclose(political * 28, np.round(political * 28))


def test_the_sentences_about_the_models_have_the_verdicts_that_their_equations_give():
    verdicts = [claim.verdict for claim in model_section().claims]
    assert verdicts == ["reproduced"] * 3 + ["differs"] * 3


def test_gold_values_are_recognised_and_brought_to_the_unit_scale(tmp_path):
    (tmp_path / "gold.csv").write_text("item,value\na,-2\nb,0\nc,2\n")
    assert read_given([tmp_path / "gold.csv"]).gold.tolist() == [0.0, 0.5, 1.0]


def test_rankings_become_shares_of_beaten_outputs(tmp_path):
    (tmp_path / "ranks.csv").write_text("task,item,rank\n1,a,1\n1,b,2\n1,c,2\n2,b,1\n2,c,2\n")
    (scores,) = read_given([tmp_path / "ranks.csv"]).systems
    assert (scores.system, scores.relative) == (("a", "b", "c"), True)
    assert scores.oracle.tolist() == [1.0, 0.625, 0.125]


def test_a_file_of_another_kind_is_refused_with_its_columns(tmp_path):
    (tmp_path / "other.csv").write_text("left,right\na,b\n")
    with pytest.raises(BadSetting, match="left, right"):
        read_given([tmp_path / "other.csv"])


def test_the_bundled_scores_have_ten_systems_each():
    assert [len(each.system) for each in read_given([BUNDLED]).systems] == [10, 10]


def test_a_replay_with_all_judgments_is_the_oracle(tmp_path):
    rng = np.random.default_rng(0)
    rows = [f"s{a},g{b},{rng.random():.3f}" for a in range(6) for b in range(20)]
    (tmp_path / "scores.csv").write_text("\n".join(["system,segment,score", *rows]))
    (scores,) = read_given([tmp_path / "scores.csv"]).systems
    found = replay(scores, 2, rng)
    assert found.budgets == (5, 10, 20)
    assert np.allclose(found.spearman["DA"][:, -1], 1.0)
    assert np.allclose(found.position["DA"], scores.oracle)


def test_simulated_systems_have_the_numbers_of_the_paper():
    scores = simulated_scores(np.random.default_rng(0))
    assert (len(scores.system), scores.segments, len(scores.score)) == (10, 2999, 33760)
