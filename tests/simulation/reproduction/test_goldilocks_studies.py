"""Studies 1 and 2 of Chen, Weld & Zhang (2021): arms of a simulated study, with planted effects that are recovered."""

import numpy as np
import pytest

from steelyard.quality.conditions import compare_disagreement
from steelyard.quality.probes import compare_probes, probe_changes
from steelyard.simulation.reproduction import goldilocks_anchors as study_1
from steelyard.simulation.reproduction import goldilocks_probes as study_2
from steelyard.simulation.reproduction.goldilocks_arms import ArmsDesign, Views, collect
from steelyard.simulation.reproduction.sampled import shown_range, within_range
from steelyard.storage.memory import Memory

DISAGREEMENT = {study_1.SEMANTIC: 0.25, study_1.EXAMPLE: 0.1}
NOISE = {study_2.CONTROL: (0.1, 0.1), study_2.AUGMENT: (0.1, 0.0)}


@pytest.fixture(scope="module")
def disagreeing():
    design = ArmsDesign(20, 10, study_1.ARMS)
    views = Views.draw(design.items, design.raters, np.random.default_rng(0))
    return design, collect(design, study_1._Disagreeing(views, DISAGREEMENT), 1, Memory)


@pytest.fixture(scope="module")
def settling():
    design = ArmsDesign(study_2.LENGTH, study_2.LENGTH, study_2.ARMS, study_2.EVERY)
    views = Views.draw(design.items, design.raters, np.random.default_rng(0))
    return design, collect(design, study_2._Settling(views, NOISE), 1, Memory)


def test_each_arm_has_ten_raters_per_item_and_nobody_is_in_two_arms(disagreeing):
    design, judgments = disagreeing
    table = judgments.table("rating")
    pairs = set(zip(table.codes["rater"].tolist(), table.codes["condition"].tolist(), strict=True))
    assert len(pairs) == len(judgments.raters) == design.raters == 40
    cells = table.codes["item"] * 2 + table.codes["condition"]
    assert set(np.bincount(cells).tolist()) == {10}


def test_the_planted_disagreement_is_recovered(disagreeing):
    test = compare_disagreement(disagreeing[1], study_1.SEMANTIC, study_1.EXAMPLE)
    assert test.first > 1.5 * test.second
    assert test.p < 0.001


def test_a_sequence_has_twenty_tasks_and_three_answers_to_its_first_item(settling):
    design, judgments = settling
    assert len(judgments.table("rating")) == 20 * design.raters
    assert len(probe_changes(judgments)) == design.raters


def test_raters_without_noise_after_the_first_answer_do_not_change_again(settling):
    compared = compare_probes(probe_changes(settling[1]), study_2.CONTROL, study_2.AUGMENT)
    control, augment = compared.everyone
    assert control.second > 0.03
    assert augment.second < 0.01 < augment.first


def test_the_fitted_spread_gives_the_standard_error_of_the_paper():
    rng = np.random.default_rng(0)
    small, large = (study_1.fitted_sd(error, rng) for error in (0.02765, 0.07348))
    assert 0.07 < small < 0.11
    assert large > 0.232  # clipped answers need a larger spread than the standard error times the root of 10


def test_the_planted_noise_has_the_mean_changes_of_table_2():
    first, later = study_2.noise_of(0.105, 0.062)
    rng = np.random.default_rng(0)
    one, two, three = (sd * rng.standard_normal(40_000) for sd in (first, later, later))
    assert np.abs(two - one).mean() == pytest.approx(0.105, rel=0.02)
    assert np.abs(three - two).mean() == pytest.approx(0.062, rel=0.02)


def test_a_published_number_agrees_if_one_more_study_could_have_it():
    simulated = np.array([0.9, 1.0, 1.1, 1.0])
    assert within_range(1.1, simulated).holds
    assert not within_range(2.0, simulated).holds
    assert not within_range(1.0, simulated[:1]).holds
    assert shown_range(simulated[:1], 1) == "0.9"
