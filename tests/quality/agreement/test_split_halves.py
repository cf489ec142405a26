import numpy as np
import pytest

from steelyard.errors import UnknownName
from steelyard.quality.agreement.best_worst import (
    Choices,
    best_worst_scores,
    best_worst_split_half,
    choice_agreement,
)
from steelyard.quality.agreement.split_halves import possible_splits, rater_halves, split_half
from tests.quality.agreement.tables import SHROUT_FLEISS_1979


def test_all_splits_of_four_raters():
    """Values by short NumPy from the definition: the mean is taken after stepping up."""
    found = split_half(SHROUT_FLEISS_1979, np.random.default_rng(0))
    assert found.exact
    assert found.splits == 3
    assert found.pearson == pytest.approx(0.855601767818622, abs=1e-12)
    assert found.spearman == pytest.approx(0.932429024920146, abs=1e-12)
    assert found.pearson_stepped_up == pytest.approx(0.921639637173835, abs=1e-12)
    assert found.spearman_stepped_up == pytest.approx(0.963827375701052, abs=1e-12)
    assert found.sd_over_splits["pearson"] == pytest.approx(0.0413074504492286, abs=1e-12)


@pytest.mark.parametrize("raters", [2, 3, 4, 5, 7, 8])
def test_every_split_is_listed_once(raters):
    sides = rater_halves(raters, 1000, np.random.default_rng(0))
    assert len(sides) == possible_splits(raters)
    assert (sides.sum(axis=1) == raters // 2).all()
    unordered = {frozenset((tuple(side), tuple(~side))) for side in sides}
    assert len(unordered) == len(sides)


def test_random_halves_of_ratings_agree_with_halves_of_raters_without_rater_effects():
    rng = np.random.default_rng(3)
    table = rng.standard_normal((200, 1)) + rng.standard_normal((200, 8))
    by_raters = split_half(table, rng, "raters", 50)
    by_ratings = split_half(table, rng, "ratings", 50)
    assert by_raters.pearson_stepped_up == pytest.approx(by_ratings.pearson_stepped_up, abs=0.02)
    assert by_raters.pearson_stepped_up == pytest.approx(8 / 9, abs=0.03)  # reliability of the mean of 8


def test_splits_without_variation_are_left_out_and_counted():
    table = [[1, 1, 5], [1, 2, 4], [1, 3, 6], [1, 4, 7]]  # the first rater alone is one half of one split
    found = split_half(table, np.random.default_rng(0))
    assert (found.splits, found.undefined) == (2, 1)
    alone = split_half([[1], [2], [3]], np.random.default_rng(0))
    assert np.isnan(alone.pearson)
    assert alone.splits == 0


def test_unknown_halves_are_named():
    with pytest.raises(UnknownName, match="raters"):
        split_half(SHROUT_FLEISS_1979, np.random.default_rng(0), "items")


def choices(rows):
    """Best-worst choices from (tuple, items with the best first and the worst last)."""
    item = np.array([each for _, shown in rows for each in shown])
    sign = np.tile([1.0, 0.0, 0.0, -1.0], len(rows))
    return Choices(item, sign, np.repeat(np.arange(len(rows)), 4), np.array([name for name, _ in rows]))


def test_best_worst_scores_are_counts_over_times_shown():
    made = choices([(0, (0, 1, 2, 3)), (0, (0, 2, 1, 3)), (1, (4, 0, 1, 3))])
    assert best_worst_scores(made).tolist() == [2 / 3, 0.0, 0.0, -1.0, 1.0]


def test_identical_annotations_split_into_equal_halves():
    made = choices([(0, (0, 1, 2, 3))] * 4 + [(1, (4, 0, 5, 3))] * 4)
    found = best_worst_split_half(made, np.random.default_rng(0), 10)
    assert found.pearson == found.spearman == pytest.approx(1.0)


def test_items_can_be_left_out_of_the_correlation_only():
    rng = np.random.default_rng(2)
    made = choices([(at % 6, tuple(rng.permutation(8)[:4])) for at in range(60)])
    with_all = best_worst_split_half(made, np.random.default_rng(0), 10)
    without = best_worst_split_half(made, np.random.default_rng(0), 10, np.array([0]))
    assert with_all.pearson != without.pearson


def test_agreement_on_the_best_item():
    made = choices([(0, (0, 1, 2, 3)), (0, (0, 1, 2, 3)), (0, (1, 0, 2, 3)), (1, (4, 5, 6, 7))])
    same, chance, answers = choice_agreement(made, 1.0)
    assert same.tolist() == [2 / 6]
    assert (chance.tolist(), answers.tolist()) == ([0.25], [3.0])
    assert choice_agreement(made, -1.0)[0].tolist() == [1.0]
