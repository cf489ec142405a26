import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import friedmanchisquare, kendalltau, spearmanr

from steelyard.errors import NothingToTest
from steelyard.quality.agreement.between_raters import leave_one_out, mean_pairwise_spearman
from steelyard.quality.agreement.concordance import SetCorrelations, kendall_w, mean_correlation, same_sets
from tests.quality.agreement.tables import SHROUT_FLEISS_1979


def test_mean_pairwise_spearman_of_a_published_table():
    found = mean_pairwise_spearman(SHROUT_FLEISS_1979)
    assert found.pairs == 6
    assert found.mean == pytest.approx(0.84958756525219, abs=1e-12)  # by scipy 1.17.1


def test_each_rater_against_the_rest_of_a_published_table():
    found = leave_one_out(SHROUT_FLEISS_1979)
    assert found.pearson.mean() == pytest.approx(0.82494359204787, abs=1e-10)
    assert found.spearman.mean() == pytest.approx(0.919823288156469, abs=1e-10)
    assert found.raters == 4


CELLS = st.sampled_from([float("nan"), 1.0, 2.0, 3.0, 4.5])


@given(table=st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=8))
def test_pairs_are_ranked_on_their_common_items(table):
    table = np.array(table)
    expected = []
    for one, other in ((0, 1), (0, 2), (1, 2)):
        both = ~np.isnan(table[:, one]) & ~np.isnan(table[:, other])
        first, second = table[both, one], table[both, other]
        if both.sum() >= 3 and np.ptp(first) > 0 and np.ptp(second) > 0:
            expected.append(spearmanr(first, second)[0])
    found = mean_pairwise_spearman(table)
    assert found.pairs == len(expected)
    assert found.mean == pytest.approx(np.mean(expected) if expected else np.nan, abs=1e-9, nan_ok=True)


def test_equal_means_of_the_others_are_tied():
    # The others' means are (0.1 + 0.2 + 0.3) / 3 and (0.3 + 0.2 + 0.1) / 3, which differ by a rounding error.
    table = np.array([[1, 0.1, 0.2, 0.3], [2, 0.3, 0.2, 0.1], [3, 0.9, 0.8, 0.7], [0, 0.0, 0.0, 0.0]])
    ranks = spearmanr([1, 2, 3, 0], [2.5, 2.5, 4, 1])[0]
    assert leave_one_out(table).spearman[0] == pytest.approx(ranks)


def test_raters_with_few_shared_items_or_one_value_have_no_correlation():
    table = np.array([[1, 2, 5], [2, 3, 5], [3, np.nan, 5], [4, np.nan, 5]])
    found = leave_one_out(table)
    assert np.isnan(found.pearson[1])  # two items
    assert np.isnan(found.pearson[2])  # always 5
    assert found.raters == 1


def test_kendalls_w_with_ties():
    found = kendall_w(SHROUT_FLEISS_1979)  # irr 0.84.1
    assert found.w == pytest.approx(0.887037037037037, abs=1e-12)
    assert found.w_uncorrected == pytest.approx(0.855357142857143, abs=1e-12)
    assert (found.statistic, found.df) == (pytest.approx(17.7407407407407), 5)
    assert found.p == pytest.approx(0.00328950924368028)
    test = friedmanchisquare(*np.array(SHROUT_FLEISS_1979, float))
    assert found.statistic == pytest.approx(test.statistic)


def test_a_rater_who_ties_everything_counts_in_w():
    assert kendall_w([[1, 5], [2, 5], [3, 5]]).w == pytest.approx(0.5)
    assert np.isnan(kendall_w([[5, 5], [5, 5]]).w)


def test_w_without_ties_implies_the_mean_correlation():
    table = np.array([[1, 2, 3], [2, 1, 1], [3, 4, 2], [4, 3, 4]])
    assert mean_correlation(kendall_w(table).w, 3) == pytest.approx(mean_pairwise_spearman(table).mean)


def test_w_needs_a_complete_table():
    with pytest.raises(NothingToTest, match="mean pairwise Spearman"):
        kendall_w([[1, 2], [2, None]])


def test_mean_correlations_of_rankings_are_those_of_pairs():
    ranks = np.array([[1, 2, 3, 4], [2, 1, 3, 3], [4, 3, 2, 1]])
    reversed_set, tied = ranks[:2, ::-1], np.array([[1, 1, 1], [1, 2, 3]])
    sets = [(ranks, np.arange(3)), (reversed_set, np.array([3, 4])), (tied, np.array([5, 6]))]
    rho, tau = SetCorrelations(sets).means(np.ones(7, dtype=bool))
    both = [(0, 1), (0, 2), (1, 2), (0, 1)]  # the ranking that ties all items has no pair
    assert rho == pytest.approx(np.mean([spearmanr(ranks[i], ranks[j])[0] for i, j in both]))
    assert tau == pytest.approx(np.mean([kendalltau(ranks[i], ranks[j])[0] for i, j in both]))
    only_tied = np.isin(np.arange(7), [5, 6])
    assert np.isnan(SetCorrelations(sets).means(only_tied)).all()


def test_sets_of_items_are_equal_whatever_their_order():
    item = np.array([0, 1, 2, 2, 1, 0, 0, 1, 3])
    answer = np.repeat([0, 1, 2], 3)
    sets = same_sets(item, answer, np.zeros(3, dtype=np.int64))
    assert sets[0] == sets[1] != sets[2]
    apart = same_sets(item, answer, np.array([0, 1, 0]))
    assert len(set(apart.tolist())) == 3
