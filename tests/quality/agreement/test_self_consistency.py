import numpy as np
import pytest

from steelyard.errors import NothingToTest
from steelyard.quality.agreement.self_consistency import (
    only_repeated,
    repeated_choices,
    repeats_of_table,
    self_consistency,
)
from tests.quality.agreement.tables import REPEATS


def test_variances_of_a_balanced_table():
    """Expected values by lme4 1.1-31, and by hand from the mean squares."""
    found = self_consistency(repeats_of_table(REPEATS))
    assert found.items == pytest.approx(471.447916666667, abs=1e-8)
    assert found.raters == pytest.approx(129.41369047619, abs=1e-8)
    assert found.items_by_raters == pytest.approx(1.15922619047619, abs=1e-8)
    assert found.error == pytest.approx(11.375, abs=1e-8)
    assert found.within_rater == pytest.approx(0.981455694052916, abs=1e-10)
    assert found.between_raters == pytest.approx(0.768586760859967, abs=1e-10)
    assert found.sd == pytest.approx(3.37268439080801, abs=1e-10)
    assert found.by_rater == pytest.approx([0.977755958225475, 0.963304826905682, 0.986352421539364])


def test_missing_repeats_are_estimated_by_reml():
    table = np.array(REPEATS, dtype=float)
    table[0, 0] = np.nan
    table[3, 2, 1] = np.nan
    found = self_consistency(repeats_of_table(table))
    assert found.cells == 22
    assert found.within_rater == pytest.approx(0.98, abs=0.01)


def test_one_item_repeated_by_thirteen_raters():
    """One pair of words in the first set of wordsim-353, rated twice by each rater."""
    table = [
        *[[10, 10], [9.5, 9.5], [9.5, 9.5], [10, 10], [8, 5], [9, 9], [9.5, 9.5]],
        *[[10, 10], [7, 8], [10, 10], [8.5, 8.5], [9, 9], [9, 10]],
    ]
    found = self_consistency(repeats_of_table(np.array([table])))
    assert found.within_rater == pytest.approx(0.684964200477327, abs=1e-6)
    assert found.sd == pytest.approx(0.650443635587991, abs=1e-6)
    assert found.change == pytest.approx(-1 / 13)
    assert found.absolute_change == pytest.approx(5 / 13)
    assert np.isnan(found.between_raters)


def test_equal_repeats_are_perfectly_consistent_and_no_repeats_are_refused():
    assert self_consistency(repeats_of_table([[[1, 1], [2, 2]], [[5, 5], [7, 7]]])).within_rater == 1.0
    with pytest.raises(NothingToTest, match="twice"):
        self_consistency(only_repeated(np.array([0, 1]), np.array([0, 0]), np.array([1.0, 2.0])))


def test_agreement_of_repeated_choices():
    agreement, answers = repeated_choices(np.array([0, 0, 0, 1, 2, 2]), np.array([0, 0, 2, 1, 1, 1]))
    assert agreement[[0, 2]].tolist() == [1 / 3, 1.0]
    assert np.isnan(agreement[1])
    assert answers.tolist() == [3.0, 1.0, 2.0]


def _simulated_repeats(seed: int, items: int = 200, raters: int = 30):
    """Two answers of some raters about some items; variances 16 of items, 9 of raters, 4 of both and 1 of error."""
    rng = np.random.default_rng(seed)
    item, rater = np.nonzero(rng.random((items, raters)) < 0.2)
    mean = rng.normal(0.0, 4.0, items)[item] + rng.normal(0.0, 3.0, raters)[rater]
    cell = mean + rng.normal(0.0, 2.0, len(item))
    value = np.concatenate([cell, cell]) + rng.normal(0.0, 1.0, 2 * len(item))
    return only_repeated(np.tile(item, 2), np.tile(rater, 2), value)


def test_many_repeats_have_unbiased_variances_from_moments():
    found = [self_consistency(_simulated_repeats(seed)) for seed in range(60)]
    estimates = np.array([(each.items, each.raters, each.items_by_raters, each.error) for each in found])
    error = estimates.std(axis=0, ddof=1) / np.sqrt(len(found))
    assert np.all(np.abs(estimates.mean(axis=0) - [16.0, 9.0, 4.0, 1.0]) < 3.5 * error)
    assert np.mean([each.within_rater for each in found]) == pytest.approx(29.0 / 30.0, abs=0.003)
