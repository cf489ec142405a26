"""What one answer of any kind is expected to add to a belief, before it is asked."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr

from steelyard import Comparison, Judgments, Rating, Steelyard
from steelyard.models.model import learn_all
from steelyard.models.steelyard.mixed.next_answer import rating_information, variance_removed
from steelyard.models.steelyard.mixed.statements import Link

ITEMS = np.array([f"i{at}" for at in range(12)], dtype=object)
ALL_PAIRS = np.array([(one, other) for one in range(4) for other in range(one + 1, 4)])
NO_PAIRS = np.empty((0, 2), dtype=np.int64)


@pytest.fixture(scope="module")
def belief():
    rng = np.random.default_rng(5)
    truth = np.linspace(10.0, 90.0, len(ITEMS))
    rows = []
    for rater in ("ann", "bob", "cy", "dee"):
        for item, value in zip(ITEMS, truth, strict=True):
            rows.append(Rating(rater, item, float(np.clip(value + 12 * rng.standard_normal(), 0, 100))))
        for one, other in rng.choice(len(ITEMS), (15, 2)):
            if one != other:
                wins = truth[one] + 12 * rng.standard_normal() > truth[other] + 12 * rng.standard_normal()
                rows.append(Comparison(rater, ITEMS[one], ITEMS[other], "left" if wins else "right"))
    return learn_all(Steelyard(), ITEMS, Judgments.of(rows, range=(0, 100)))


def removed(belief, kind, items, pairs=ALL_PAIRS, rater="new"):
    return belief.variance_removed(kind, np.array(items), pairs, np.ones(len(items)), rater)


def both_outcomes(belief, one, other):
    """Expected change of the variances when the belief is updated with a comparison of a new rater."""
    seen = belief.in_kind("comparison")
    gap, variance = seen.position[one] - seen.position[other], seen.variance[[one, other]].sum()
    wins = ndtr(gap / np.sqrt(1.0 + variance))
    total = 0.0
    for outcome, chance in (("left", wins), ("right", 1.0 - wins)):
        answer = Comparison("new", ITEMS[one], ITEMS[other], outcome)
        after = Steelyard().update(belief, Judgments.of([answer], range=(0, 100)))
        total += chance * float(np.sum(1.0 / belief.precision - 1.0 / after.precision))
    return total


@pytest.mark.parametrize(("one", "other"), [(5, 6), (2, 4)])
def test_the_expected_gain_of_a_comparison_is_the_mean_over_its_outcomes(belief, one, other):
    expected = removed(belief, "comparison", [one, other], np.array([[0, 1]]))
    # The prediction leaves out spam, which the update counts.
    assert expected == pytest.approx(both_outcomes(belief, one, other), rel=0.25)


def test_neighbours_are_worth_more_than_items_far_apart(belief):
    near, far = ([5, 6], [0, 11])
    pair = np.array([[0, 1]])
    assert removed(belief, "comparison", near, pair) > 10 * removed(belief, "comparison", far, pair)


def test_a_ranking_decides_more_than_a_best_worst_choice_and_that_more_than_a_pair(belief):
    ranking, choice = (removed(belief, kind, [4, 5, 6, 7]) for kind in ("ranking", "best_worst"))
    assert ranking > choice > removed(belief, "comparison", [5, 6], np.array([[0, 1]]))


def test_what_answers_of_a_page_share_makes_them_worth_less():
    variance, weights = np.full(4, 0.02), np.ones(4)
    shared, apart = (
        variance_removed(variance, rating_information(4, 0.03, common), weights) for common in (0.02, 0.0)
    )
    assert apart == pytest.approx(4 * 0.02**2 / 0.05)
    assert shared < 0.9 * apart


def test_a_rater_whose_bias_is_known_is_worth_more(belief):
    known = removed(belief, "rating", [1, 2], NO_PAIRS, "ann")
    assert known > removed(belief, "rating", [1, 2], NO_PAIRS)


def test_answers_about_another_quality_are_worth_less(belief):
    link = belief.links["comparison"]
    assert isinstance(link, Link)
    apart = replace(belief, links={"comparison": replace(link, discrepancy=0.1)})
    pair = np.array([[0, 1]])
    assert removed(apart, "comparison", [5, 6], pair) < 0.7 * removed(belief, "comparison", [5, 6], pair)


def test_a_kind_without_a_fit_has_the_noise_of_two_ratings():
    fresh = Steelyard().start(ITEMS)
    link = fresh.link_of("ranking")
    assert 1.0 / link.discrimination**2 == pytest.approx(2.0 * fresh.habits.noise_variance)
