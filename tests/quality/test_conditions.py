import math

import numpy as np
import pytest
from scipy.stats import ttest_rel

from steelyard import Comparison, Judgments, Range, Rating
from steelyard.errors import NothingToTest, UnknownName
from steelyard.quality.conditions import (
    WorkSaved,
    compare_disagreement,
    disagreement_along_scale,
    scale_use,
    work_saved,
    work_times,
)
from steelyard.quality.paired import correlation, paired_test
from steelyard.quality.trends import quadratic_trend


def judge(condition, rows):
    return Judgments.of(
        [Rating(f"{condition}{rater}", item, score, {"condition": condition}) for rater, item, score in rows]
    )


# Standard errors of two: half their difference. plain: 1, 2, 3; anchored: 1, 1, 1.
PLAIN = [(1, "a", 0), (2, "a", 2), (1, "b", 3), (2, "b", 7), (1, "c", 2), (2, "c", 8), (1, "d", 5)]
ANCHORED = [(1, "a", 1), (2, "a", 3), (1, "b", 4), (2, "b", 6), (1, "c", 7), (2, "c", 9)]


def both():
    return judge("plain", PLAIN) + judge("anchored", ANCHORED)


def test_disagreement_between_conditions_is_a_paired_test_of_standard_errors():
    result = compare_disagreement(both(), "plain", "anchored")
    assert result.pairs == 3  # d has one rater
    assert (result.first, result.second, result.difference) == pytest.approx((2, 1, 1))
    assert result.t == pytest.approx(math.sqrt(3))  # differences 0, 1, 2: mean 1, error 1 / sqrt(3)
    assert result.df == 2
    assert result.p == pytest.approx(1 - math.sqrt(3 / 5))  # t with 2 df: p = 1 - t / sqrt(t^2 + 2)
    turned = compare_disagreement(both(), "anchored", "plain")
    assert (turned.t, turned.p) == (pytest.approx(-result.t), pytest.approx(result.p))


def test_ranges_disagree_by_their_middles():
    ranges = [Range(f"p{r}", i, s - 1, s + 1, {"condition": "ranged"}) for r, i, s in ANCHORED]
    result = compare_disagreement(both() + Judgments.of(ranges), "ranged", "anchored")
    assert result.difference == pytest.approx(0)


def test_an_unknown_condition_is_answered_with_those_that_are_known():
    with pytest.raises(UnknownName, match="Did you mean 'plain'"):
        compare_disagreement(both(), "plan", "anchored")


def test_scale_use_is_the_mean_over_raters_of_their_lowest_and_highest_answer():
    plain, anchored = scale_use(both())
    assert (plain.condition, plain.raters, plain.low, plain.high, plain.width) == ("plain", 2, 1, 6.5, 5.5)
    assert (anchored.low, anchored.high) == (2, 8)


def test_judgments_without_conditions_are_one():
    rows = Judgments.of([Rating("ann", "a", 1), Rating("ann", "b", 4)])
    assert [(use.condition, use.low, use.high) for use in scale_use(rows)] == [("", 1, 4)]


def test_disagreement_runs_along_one_position_for_both_conditions():
    curves = disagreement_along_scale(both())
    assert list(curves) == ["plain", "anchored"]
    assert curves["plain"].item.tolist() == ["a", "b", "c"]
    expected = [1.5, 5, 6.5]  # plain 1, 5, 5; anchored 2, 5, 8
    assert curves["plain"].position.tolist() == curves["anchored"].position.tolist() == expected
    np.testing.assert_allclose(curves["plain"].trend.at(curves["plain"].position), [1, 2, 3], atol=1e-9)


def test_the_trend_is_the_least_squares_parabola():
    rng = np.random.default_rng(3)
    x = rng.random(30)
    y = 0.1 + 0.8 * x - 0.7 * x**2 + 0.05 * rng.standard_normal(30)
    trend = quadratic_trend(x, y)
    expected = np.polyfit(x, y, 2)
    assert [trend.quadratic, trend.linear, trend.constant] == pytest.approx(expected.tolist())
    residual = y - np.polyval(expected, x)
    assert trend.r_squared == pytest.approx(1 - residual @ residual / np.sum((y - y.mean()) ** 2))
    assert trend.turn == pytest.approx(-expected[1] / (2 * expected[0]))


def test_the_trend_moves_with_the_scale():
    x, y = np.array([0.1, 0.4, 0.5, 0.9]), np.array([1.0, 3.0, 2.0, 0.0])
    near, far = quadratic_trend(x, y), quadratic_trend(1e6 + 100 * x, y)
    assert near.r_squared == pytest.approx(far.r_squared)
    assert far.turn == pytest.approx(1e6 + 100 * near.turn)


def test_a_parabola_needs_three_places():
    with pytest.raises(NothingToTest, match="items have 2 distinct positions"):
        quadratic_trend(np.array([1.0, 2.0, 2.0]), np.array([1.0, 2.0, 3.0]))


def test_a_flat_quantity_has_a_flat_trend():
    trend = quadratic_trend(np.array([1.0, 2.0, 4.0]), np.full(3, 2.0))
    assert (trend.constant, trend.linear, trend.quadratic) == pytest.approx((2, 0, 0), abs=1e-9)
    assert trend.r_squared == 0.0


def test_the_paired_test_agrees_with_scipy():
    rng = np.random.default_rng(1)
    one, other = rng.random(12), rng.random(12)
    expected = ttest_rel(one, other)
    result = paired_test(one, other)
    assert (result.t, result.p) == pytest.approx((expected.statistic, expected.pvalue))


def test_equal_differences_have_no_error():
    assert paired_test(np.array([2.0, 3.0]), np.array([1.0, 2.0])).t == math.inf
    same = paired_test(np.array([2.0, 3.0]), np.array([2.0, 3.0]))
    assert (same.t, same.p) == (0.0, 1.0)
    with pytest.raises(NothingToTest, match="1 items have both"):
        paired_test(np.ones(1), np.ones(1))


def test_a_correlation_without_variation_is_none():
    assert correlation(np.ones(3), np.arange(3.0)) is None
    assert correlation(np.full(3, 0.1), np.arange(3.0)) is None
    assert correlation(np.arange(3.0), 2 * np.arange(3.0)).r == pytest.approx(1)


# Chen, Weld & Zhang (2021), section 5.1: median seconds of range, rating and 45 comparisons; "20-48% more efficient".
@pytest.mark.parametrize(("times", "saved"), [((429.5, 307.5, 513.5), 0.48), ((592.5, 238, 502), 0.20)])
def test_the_papers_work_times_save_what_it_says(times, saved):
    assert WorkSaved(*times).share == pytest.approx(saved, abs=0.005)


def timed(kind, rater, *times, task=None):
    context = [{"milliseconds": each, **({"task": task} if task else {})} for each in times]
    if kind == "comparison":
        return [Comparison(rater, "a", f"b{at}", "left", each) for at, each in enumerate(context)]
    if kind == "range":
        return [Range(rater, f"b{at}", 0, 1, each) for at, each in enumerate(context)]
    return [Rating(rater, f"b{at}", 1, each) for at, each in enumerate(context)]


def test_work_time_is_the_median_over_raters_of_all_their_answers():
    rows = timed("rating", "ann", 100, 200) + timed("rating", "bob", 400) + timed("rating", "cat", 50, 50, 50)
    (time,) = work_times(Judgments.of(rows))
    assert (time.kind, time.raters, time.milliseconds, time.per_answer) == ("rating", 3, 300, 150)


def test_a_time_that_a_task_shares_counts_once():
    rows = timed("rating", "ann", 500, 500, 500, task="t1") + timed("rating", "ann", 500, 500, task="t2")
    (time,) = work_times(Judgments.of(rows))
    assert (time.milliseconds, time.per_answer) == (1000, 200)


def test_ranges_are_held_against_ratings_and_all_pairs():
    rows = (
        timed("range", "ann", 300, 300) + timed("rating", "bob", 100, 100) + timed("comparison", "cat", 200)
    )
    judgments = Judgments.of(rows)
    assert work_saved(judgments).share == pytest.approx(1 - 600 / 400)
    assert work_saved(judgments, items=10) == WorkSaved(3000, 1000, 9000)
    with pytest.raises(NothingToTest, match="no range judgment has a time"):
        work_saved(Judgments.of(timed("rating", "bob", 100)))
