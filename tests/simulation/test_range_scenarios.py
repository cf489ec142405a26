import numpy as np
import pytest

from steelyard.simulation.range_scenarios import (
    RangeDesign,
    RangeItems,
    RangeScenario,
    Views,
    answer_comparisons,
    answer_ranges,
    answer_ratings,
    draw_range_items,
    draw_views,
    simulate_ranges,
)


def rng():
    return np.random.default_rng(11)


def test_items_have_the_ambiguity_and_disagreement_asked_for_and_unrelated():
    items = draw_range_items(RangeScenario(0.2, 0.1, bias_share=0.0), 20_000, rng())
    assert items.width.mean() == pytest.approx(0.2, rel=0.03)
    assert items.disagreement.mean() == pytest.approx(0.1, rel=0.03)
    assert abs(np.corrcoef(items.width, items.disagreement)[0, 1]) < 0.03


def test_bias_and_disagreement_of_items_add_up_to_the_disagreement_between_raters():
    scenario = RangeScenario(0.1, 0.2, bias_share=0.5, item_spread=0.0)
    views = draw_views(draw_range_items(scenario, 20, rng()), scenario, 5000, rng())
    assert np.std(views.centre, axis=0).mean() == pytest.approx(0.2, rel=0.03)
    assert np.std(views.centre.mean(axis=1)) == pytest.approx(np.sqrt(0.02 + 0.02 / 20), rel=0.05)


def test_ranges_do_not_cross_and_stay_on_the_scale():
    scenario = RangeScenario(0.01, 0.5, bound_noise=0.1)
    items = draw_range_items(scenario, 50, rng())
    low, high = answer_ranges(draw_views(items, scenario, 20, rng()), scenario, rng())
    assert (low <= high).all()
    assert low.min() >= 0.0
    assert high.max() <= 1.0


def test_single_values_are_anywhere_in_what_the_rater_sees():
    views = Views(np.full((4000, 1), 0.5), np.full((4000, 1), 0.2))
    values = answer_ratings(views, rng())
    assert values.min() == pytest.approx(0.4, abs=0.002)
    assert values.max() == pytest.approx(0.6, abs=0.002)


def test_pairs_within_the_resolution_are_indistinguishable():
    views = Views(np.array([[0.2, 0.35, 0.6]]), np.full((1, 3), 0.2))
    left, right, sign = answer_comparisons(views, RangeScenario(0.2, 0.0))
    assert (left.tolist(), right.tolist()) == ([0, 0, 1], [1, 2, 2])
    assert sign.tolist() == [[0, -1, -1]]
    assert answer_comparisons(views, RangeScenario(0.2, 0.0, resolution=0.5))[2].tolist() == [[-1, -1, -1]]


def test_a_simulated_study_has_every_kind_of_answer_by_people_of_their_own():
    design = RangeDesign(groups=2, group_size=4, range_raters=3, rating_raters=5, comparison_raters=2)
    judgments = simulate_ranges(RangeScenario(0.1, 0.1), design, rng())
    rows = {kind: len(table) for kind, table in judgments.tables.items()}
    assert rows == {"range": 24, "rating": 40, "comparison": 24}
    assert (len(judgments.items), len(judgments.raters)) == (8, 20)
    assert judgments.range == (0.0, 1.0)


def test_without_noise_or_disagreement_a_range_is_the_items_own():
    items = RangeItems(np.array([0.5]), np.array([0.2]), np.zeros(1))
    scenario = RangeScenario(0.2, 0.0, width_spread=0.0, bound_noise=0.0)
    low, high = answer_ranges(draw_views(items, scenario, 2, rng()), scenario, rng())
    assert low.ravel().tolist() == pytest.approx([0.4, 0.4])
    assert high.ravel().tolist() == pytest.approx([0.6, 0.6])
