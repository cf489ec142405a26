from dataclasses import replace

import numpy as np
import pytest

from steelyard import Judgments
from steelyard.quality.arms import ArmsSettings, arm_answers, compare_arms

ITEMS, RATERS = 40, 14
TRUTH = np.linspace(0.2, 0.8, ITEMS)
QUICK = ArmsSettings(permutations=399)


def ratings(name, noise, rng, *, high=1.0, shift=0.0, seconds=5.0):
    rows = {"rater": [], "item": [], "score": [], "milliseconds": []}
    for rater in range(RATERS):
        answers = np.clip(TRUTH + shift + noise * rng.standard_normal(ITEMS), 0.0, 1.0)
        rows["rater"] += [f"{name}{rater}"] * ITEMS
        rows["item"] += [f"i{at}" for at in range(ITEMS)]
        rows["score"] += (high * answers).tolist()
        rows["milliseconds"] += [1000.0 * seconds * (1.0 + 0.01 * rater)] * ITEMS
    return arm_answers(name, Judgments.from_columns("rating", rows, range=(0, high)))


@pytest.fixture
def pair():
    rng = np.random.default_rng(8)
    return ratings("a", 0.10, rng), ratings("b", 0.05, rng, high=7.0, shift=0.05, seconds=9.0)


def contrast(compared, name):
    (found,) = compared.by_name(name).contrasts
    return found


def test_values_are_on_the_unit_scale_of_each_arm(pair):
    compared = compare_arms(pair, QUICK)
    first, second = compared.by_name("disagreement").values
    assert first.value == pytest.approx(0.10, rel=0.1)
    assert second.value == pytest.approx(0.05, rel=0.1)
    assert first.low < first.value < first.high
    assert contrast(compared, "seconds").effect == pytest.approx(9.0 / 5.0)


def test_the_answers_needed_follow_from_signal_and_noise(pair):
    noise, signal = 0.1**2, TRUTH.var(ddof=1)
    (first, _) = compare_arms(pair, QUICK).by_name("answers_needed").values
    assert first.value == pytest.approx(9.0 * noise / signal, rel=0.2)


def test_the_arm_with_less_noise_is_named_and_exchanging_the_arms_inverts_the_ratio(pair):
    one, other = compare_arms(pair, QUICK), compare_arms(pair[::-1], QUICK)
    assert one.best == other.best == "b"
    assert contrast(one, "disagreement").effect * contrast(other, "disagreement").effect == pytest.approx(1.0)
    assert contrast(one, "disagreement").is_clear


def test_equal_arms_are_not_distinguished():
    rng = np.random.default_rng(3)
    compared = compare_arms([ratings(name, 0.1, rng) for name in "ab"], QUICK)
    found = contrast(compared, "disagreement")
    assert compared.best is None
    assert found.low < 1.0 < found.high
    assert not found.is_clear


def test_interval_and_p_value_agree():
    for seed in range(12):
        rng = np.random.default_rng(seed)
        found = contrast(
            compare_arms([ratings("a", 0.1, rng), ratings("b", 0.085, rng)], QUICK), "disagreement"
        )
        assert (found.p < 0.05) == (not found.low <= 1.0 <= found.high)


def test_strata_that_occur_in_one_arm_only_are_pooled():
    rng = np.random.default_rng(1)
    arms = [ratings("a", 0.1, rng), ratings("b", 0.05, rng)]
    apart = {rater: arm.name for arm in arms for rater in arm.raters}
    compared = compare_arms([replace(arm, strata=apart) for arm in arms], QUICK)
    assert contrast(compared, "disagreement") == contrast(compare_arms(arms, QUICK), "disagreement")


def test_raters_are_permuted_within_strata():
    # Raters of one stratum disagree much more. Permuting them within strata changes the arms less.
    rng = np.random.default_rng(6)
    arms, strata = [], {}
    for name in "ab":
        low, high = ratings(name, 0.02, rng), ratings(name, 0.2, rng)
        is_low = np.arange(RATERS) < RATERS // 2
        strata |= {rater: str(each) for rater, each in zip(low.raters, is_low, strict=True)}
        arms.append(replace(low, position=np.where(is_low[:, None], low.position, high.position)))
    within = contrast(compare_arms([replace(arm, strata=strata) for arm in arms], QUICK), "disagreement")
    anyhow = contrast(compare_arms(arms, QUICK), "disagreement")
    assert within.effect == anyhow.effect
    assert within.high / within.low < anyhow.high / anyhow.low


def test_gold_and_the_other_arm_are_correlated_with_the_means(pair):
    gold = {f"i{at}": float(value) for at, value in enumerate(TRUTH)}
    compared = compare_arms(pair, ArmsSettings(199, gold))
    values = compared.by_name("gold").values
    assert all(0.98 < each.value < 1.0 for each in values)
    (between,) = compared.between
    assert 0.97 < between.low < between.effect < between.high <= 1.0


def test_probes_measure_self_consistency():
    rng = np.random.default_rng(5)
    rows = {"rater": [], "item": [], "score": [], "probe": []}
    for rater in range(RATERS):
        for item in range(ITEMS):
            for probe in ("no", "yes") if item < 10 else ("no",):
                rows["rater"].append(f"r{rater}")
                rows["item"].append(f"i{item}")
                rows["score"].append(float(np.clip(TRUTH[item] + 0.05 * rng.standard_normal(), 0, 1)))
                rows["probe"].append(probe)
    arm = arm_answers("a", Judgments.from_columns("rating", rows, range=(0, 1)))
    (value,) = compare_arms([arm], QUICK).by_name("inconsistency").values
    assert value.value == pytest.approx(0.05, rel=0.15)


def comparisons(name, accuracy, rng):
    rows = {"rater": [], "left": [], "right": [], "outcome": []}
    for rater in range(RATERS):
        for at in range(ITEMS - 1):
            first, second = (at, at + 1) if rng.random() < 0.5 else (at + 1, at)
            right = (rng.random() < accuracy) == (second > first)
            rows["rater"].append(f"{name}{rater}")
            rows["left"].append(f"i{first:02d}")
            rows["right"].append(f"i{second:02d}")
            rows["outcome"].append("right" if right else "left")
    return arm_answers(name, Judgments.from_columns("comparison", rows))


def test_comparisons_are_compared_by_pairs():
    rng = np.random.default_rng(2)
    compared = compare_arms([comparisons("a", 0.65, rng), comparisons("b", 0.97, rng)], QUICK)
    assert compared.items == ITEMS - 1
    assert contrast(compared, "disagreement").effect < 0.7


def test_ratings_and_comparisons_are_compared_by_time_only(pair):
    compared = compare_arms([pair[0], comparisons("c", 0.9, np.random.default_rng(2))], QUICK)
    assert compared.best is None
    assert "comparisons" in compared.notes[0]


def test_few_raters_or_items_are_reported():
    rows = {"rater": ["x", "y"] * 6, "item": [f"i{at // 2}" for at in range(12)], "score": [0.5, 0.6] * 6}
    arms = [arm_answers(name, Judgments.from_columns("rating", rows, range=(0, 1))) for name in "ab"]
    compared = compare_arms(arms, QUICK)
    assert compared.best is None
    assert "fewer than 4 raters" in compared.notes[0]
