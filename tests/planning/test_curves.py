import math

import numpy as np
import pytest

from steelyard.planning.curves import Curve, monotone
from steelyard.selection.growth import crossing

ANSWERS = np.array([2.0, 4.0, 8.0])


def test_a_level_between_two_points_is_interpolated_on_the_logarithm_of_answers():
    assert crossing(ANSWERS, np.array([0.0, 1.0, 2.0]), 1.5) == pytest.approx(4.0 * math.sqrt(2.0))


def test_a_curve_is_continued_by_a_little_and_not_without_end():
    levels = np.array([0.0, 1.0, 2.0])
    assert crossing(ANSWERS, levels, 2.5) == pytest.approx(8.0 * math.sqrt(2.0))
    assert crossing(ANSWERS, levels, 5.0) == math.inf


def test_nobody_needs_less_than_one_answer():
    assert crossing(ANSWERS, np.array([3.0, 4.0, 5.0]), -10.0) == 1.0


def test_the_mean_of_studies_is_monotone_and_the_interval_contains_the_answer():
    rng = np.random.default_rng(0)
    curve = Curve(ANSWERS, np.log(ANSWERS) + 0.3 * rng.standard_normal((40, 3)))
    low, high = curve.needed_band(math.log(4.0))
    assert (np.diff(curve.middle) >= 0.0).all()
    assert low < 4.0 < high
    assert curve.needed(math.log(4.0)) == pytest.approx(4.0, rel=0.15)


def test_the_interval_holds_a_new_study_as_often_as_it_says():
    rng = np.random.default_rng(1)
    answers, held = np.array([2.0, 8.0]), []
    for _ in range(400):
        *studies, new = math.log(4.0) + 0.3 * rng.standard_normal(5)
        low, high = Curve(answers, np.log(answers) - np.array(studies)[:, None]).needed_band(0.0)
        held.append(low <= math.exp(new) <= high)
    assert np.mean(held) == pytest.approx(0.8, abs=0.06)


def test_the_interval_is_open_if_studies_do_not_reach_the_level():
    low, high = Curve(ANSWERS, np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 0.0]])).needed_band(1.0)
    assert low == 1.0
    assert high == math.inf


def test_monotone_keeps_a_rising_sequence():
    assert monotone(np.array([1.0, 2.0, 5.0])).tolist() == [1.0, 2.0, 5.0]
