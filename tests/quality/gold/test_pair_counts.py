import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.quality.gold.correlations import mean_ranks, pearson, regression, spearman
from steelyard.quality.gold.pair_counts import pair_counts
from steelyard.quality.gold.tie_calibration import calibrate_ties, held_out_accuracy, item_pairs

# scipy 1.17.1 and mt-metrics-eval (commit 68a481a) give the numbers of these tables.
GOLD = np.array([3, 3, 2, 5, 4, 4, 1, 2, 5, 3], dtype=float)
SCORE = np.array([0.31, 0.35, 0.2, 0.9, 0.7, 0.62, 0.05, 0.31, 0.88, 0.4])
FEW = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 2)), min_size=2, max_size=40)


def columns(rows):
    score, gold, group = (np.array(each) for each in zip(*rows, strict=True))
    return score.astype(float), gold.astype(float), group


def counted_one_by_one(score, gold):
    one, other = np.triu_indices(len(score), 1)
    gap, step = np.sign(score[one] - score[other]), np.sign(gold[one] - gold[other])
    return [
        np.sum(gap * step > 0),
        np.sum(gap * step < 0),
        np.sum((step == 0) & (gap != 0)),
        np.sum((gap == 0) & (step != 0)),
        np.sum((gap == 0) & (step == 0)),
    ]


def in_a_list(counts, group=0):
    fields = (counts.concordant, counts.discordant, counts.tied_gold, counts.tied_scores, counts.tied_both)
    return [each[group] for each in fields]


def test_a_small_table_with_ties_has_the_numbers_of_other_programs():
    counts = pair_counts(SCORE, GOLD)
    assert in_a_list(counts) == [38, 0, 6, 1, 0]
    assert counts.kendall_tau_b[0] == pytest.approx(0.917328644212008, abs=1e-12)
    assert counts.pairwise_accuracy[0] == pytest.approx(0.974358974358974, abs=1e-12)
    assert counts.acc_eq[0] == pytest.approx(0.844444444444444, abs=1e-12)
    assert pearson(SCORE, GOLD) == pytest.approx(0.973559957649554, abs=1e-12)
    assert spearman(SCORE, GOLD) == pytest.approx(0.966006226820641, abs=1e-12)
    calibrated = calibrate_ties(item_pairs(SCORE, GOLD))
    assert calibrated.accuracy == pytest.approx(0.911111111111111, abs=1e-12)
    assert calibrated.threshold == pytest.approx(0.08, abs=1e-12)


@given(FEW)
def test_merge_sort_counts_what_counting_one_by_one_counts(rows):
    score, gold, _ = columns(rows)
    assert in_a_list(pair_counts(score, gold)) == counted_one_by_one(score, gold)


@given(FEW)
def test_groups_are_counted_apart(rows):
    score, gold, group = columns(rows)
    counts = pair_counts(score, gold, group)
    for each in range(int(group.max()) + 1):
        chosen = group == each
        assert in_a_list(counts, each) == counted_one_by_one(score[chosen], gold[chosen])


@given(FEW)
def test_turning_the_scores_round_swaps_concordant_and_discordant(rows):
    score, gold, _ = columns(rows)
    here, there = pair_counts(score, gold), pair_counts(-score, gold)
    assert here.concordant == there.discordant
    assert here.tied_both == there.tied_both


def test_equal_scores_have_no_correlation_and_no_tau():
    counts = pair_counts(np.ones(4), np.arange(4.0))
    assert np.isnan(counts.kendall_tau_b[0])
    assert np.isnan(pearson(np.ones(4), np.arange(4.0)))
    assert np.isnan(regression(np.ones(4), np.arange(4.0))).all()


def test_half_a_million_items_take_seconds():
    rng = np.random.default_rng(2)
    gold = rng.normal(size=500_000)
    counts = pair_counts(gold + rng.normal(size=len(gold)), gold)
    assert counts.kendall_tau_b[0] == pytest.approx(0.5, abs=0.01)  # 2/pi asin(sqrt(1/2)) = 1/2
    assert counts.pairs[0] == len(gold) * (len(gold) - 1) / 2


def test_ranks_are_shared_by_ties():
    assert mean_ranks(np.array([5.0, 1.0, 5.0, 5.0])).tolist() == [3.0, 1.0, 3.0, 3.0]


@given(FEW)
def test_the_threshold_is_the_best_of_all_and_the_smallest_of_the_best(rows):
    score, gold, group = columns(rows)
    pairs = item_pairs(score, gold, group)
    if not len(pairs.gap):
        return
    calibrated = calibrate_ties(pairs)
    tried = sorted({0.0, *pairs.gap.tolist()})
    accuracies = [pairs.accuracy(each) for each in tried]
    assert calibrated.accuracy == pytest.approx(max(accuracies))
    best = [
        each for each, reached in zip(tried, accuracies, strict=True) if reached > max(accuracies) - 1e-12
    ]
    assert calibrated.threshold == best[0]


def test_groups_weigh_the_same_in_the_calibrated_accuracy():
    score, gold = np.array([1.0, 2.0, 3.0, 5.0, 4.0]), np.array([1.0, 2.0, 3.0, 1.0, 2.0])
    group = np.array([0, 0, 0, 1, 1])
    assert item_pairs(score, gold, group).accuracy(0.0) == pytest.approx(0.5)  # 1 and 0, not 3 of 4 pairs


def test_differences_that_differ_in_the_last_bit_are_one_threshold():
    score = np.array([0.1, 0.2, 0.3, 0.4])
    assert 0.3 - 0.2 < 0.2 - 0.1  # both should be 0.1
    calibrated = calibrate_ties(item_pairs(score, np.array([0.0, 1.0, 1.0, 2.0])))
    assert calibrated.threshold == 0.0
    assert calibrated.accuracy == pytest.approx(5 / 6)


def test_a_sample_of_pairs_is_close_to_all_pairs():
    rng = np.random.default_rng(3)
    gold = np.round(rng.normal(size=300))
    score = gold + rng.normal(size=300)
    whole, some = (calibrate_ties(item_pairs(score, gold, most=most)) for most in (50_000, 20_000))
    assert (whole.is_sample, some.is_sample) == (False, True)
    assert some.accuracy == pytest.approx(whole.accuracy, abs=0.01)


def test_an_accuracy_on_the_other_half_is_not_flattered():
    rng = np.random.default_rng(4)
    gold, score = np.round(rng.normal(size=40)), rng.normal(size=40)
    pairs = item_pairs(score, gold)
    held_out = held_out_accuracy(pairs, np.arange(40), rng)
    assert held_out < calibrate_ties(pairs).accuracy
