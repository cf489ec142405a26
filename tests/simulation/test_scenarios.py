from __future__ import annotations

import numpy as np
import pytest

from steelyard.errors import UnknownName
from steelyard.simulation.scenarios import (
    SCENARIOS,
    Scenario,
    SimulatedRater,
    answer_task,
    draw_raters,
    draw_truth,
    expected_answers,
    participation,
)

QUIET = Scenario(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)


def test_there_are_the_nine_scenarios_of_the_reference():
    easy = ["iid", "bias", "bias+spam", "full", "full+cmp", "full+contrast"]
    assert list(SCENARIOS) == [*easy, "hard iid", "hard full", "hard full+cmp"]


@pytest.mark.parametrize("shape", ["uniform", "skewed", "bimodal", "clustered"])
def test_truth_lies_on_the_unit_scale(shape):
    truth = draw_truth(shape, 151, np.random.default_rng(1))
    assert truth.shape == (151,)
    assert truth.min() >= 0.0
    assert truth.max() <= 1.0


def test_an_unknown_shape_is_answered_with_the_known_ones():
    with pytest.raises(UnknownName, match="skewed"):
        draw_truth("skewd", 5, np.random.default_rng(1))


def test_a_rater_without_habits_says_the_truth():
    truth = np.array([0.1, 0.5, 0.87])
    answers = answer_task(SimulatedRater(0.0, 1.0, 0.0), QUIET, truth, 0.5, np.random.default_rng(1))
    np.testing.assert_allclose(answers, truth, atol=1e-12)


def test_answers_are_rounded_and_stay_on_the_scale():
    loud = SimulatedRater(0.3, 2.0, 0.5)
    answers = answer_task(loud, SCENARIOS["full"], np.linspace(0, 1, 500), 0.5, np.random.default_rng(2))
    assert answers.min() == 0.0
    assert answers.max() == 1.0
    np.testing.assert_allclose(answers * 100, np.round(answers * 100), atol=1e-9)


def test_the_offset_is_shared_by_the_answers_of_one_task():
    offsets_only = Scenario(0.0, 0.0, 0.0, 0.0, 0.0, 0.1, 1.0, 0.0)
    truth = np.full(4, 0.5)
    answers = answer_task(SimulatedRater(0.0, 1.0, 0.0), offsets_only, truth, 0.5, np.random.default_rng(3))
    assert np.ptp(answers) == 0.0
    assert answers[0] != 0.5


def test_context_counts_only_in_lists():
    contrast = Scenario(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.3)
    plain = SimulatedRater(0.0, 1.0, 0.0)
    alone = answer_task(plain, contrast, np.array([0.8]), 0.5, np.random.default_rng(1))
    together = answer_task(plain, contrast, np.array([0.8, 0.8]), 0.5, np.random.default_rng(1))
    assert alone[0] == pytest.approx(0.8)
    assert together[0] == pytest.approx(0.71)


def test_spammers_do_not_look_at_the_items():
    truth = np.linspace(0, 1, 2000)
    rng = np.random.default_rng(4)
    uniform = answer_task(SimulatedRater(0.0, 1.0, 0.1, "uniform"), SCENARIOS["full"], truth, 0.5, rng)
    constant = answer_task(SimulatedRater(0.1, 1.0, 0.1, "constant"), SCENARIOS["full"], truth, 0.5, rng)
    assert abs(np.corrcoef(uniform, truth)[0, 1]) < 0.08
    assert constant.mean() == pytest.approx(0.7, abs=0.01)
    assert constant.std() == pytest.approx(0.05, abs=0.01)


def test_the_share_of_spammers_is_the_scenarios():
    raters = draw_raters(SCENARIOS["full"], 4000, np.random.default_rng(5))
    spam = [rater.spam for rater in raters if rater.spam is not None]
    assert len(spam) / 4000 == pytest.approx(0.10, abs=0.02)
    assert spam.count("uniform") / len(spam) == pytest.approx(0.6, abs=0.1)


def test_participation_is_a_distribution_that_falls():
    chances = participation(40)
    assert chances.sum() == pytest.approx(1.0)
    assert np.all(np.diff(chances) < 0)


def test_expected_answers_are_pulled_in_at_the_ends_only():
    truth = np.array([0.0, 0.5, 1.0])
    expected = expected_answers(SCENARIOS["iid"], truth, np.random.default_rng(6), raters=20000)
    np.testing.assert_allclose(expected, [0.08, 0.5, 0.92], atol=0.01)


def test_the_same_seed_gives_the_same_answers():
    def answers() -> np.ndarray:
        rng = np.random.default_rng(7)
        rater = draw_raters(SCENARIOS["hard full"], 1, rng)[0]
        return answer_task(rater, SCENARIOS["hard full"], draw_truth("skewed", 5, rng), 0.3, rng)

    np.testing.assert_array_equal(answers(), answers())
