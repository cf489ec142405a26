import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard import DirectAssessment, Goldilocks, Judgments, Range, Rating, read
from steelyard.errors import NothingToFit
from steelyard.quality.paired import correlation
from steelyard.simulation.range_scenarios import (
    RangeItems,
    RangeScenario,
    answer_ranges,
    answer_ratings,
    draw_views,
)

# tea: middles 20, 50, 35; widths 20, 40, 10. egg: middles 70, 80; widths 20, 20. jam: one rater.
GIVEN = [
    ("ann", "tea", 10, 30),
    ("bob", "tea", 30, 70),
    ("cat", "tea", 30, 40),
    ("ann", "egg", 60, 80),
    ("bob", "egg", 70, 90),
    ("ann", "jam", 0, 10),
]


def judge(rows, range=(0, 100)):
    return Judgments.of([Range(*row) for row in rows], range=range)


def items(fit):
    return {row["item"]: row for row in fit.items}


def raters(fit):
    return {row["rater"]: row for row in fit.raters}


def test_the_position_is_the_mean_midpoint_with_mean_bounds():
    fit = Goldilocks().fit(judge(GIVEN))
    assert fit.scale.item.tolist() == [row["item"] for row in fit.items] == ["tea", "egg", "jam"]
    assert fit.scale.position.tolist() == [35.0, 75.0, 5.0]
    tea = items(fit)["tea"]
    assert (tea["low"], tea["high"], tea["raters"]) == (pytest.approx(70 / 3), pytest.approx(140 / 3), 3)


def test_ambiguity_is_the_mean_width_and_disagreement_the_deviation_over_raters():
    fitted = items(Goldilocks().fit(judge(GIVEN)))
    assert fitted["tea"]["ambiguity"] == pytest.approx(70 / 3)
    assert fitted["tea"]["disagreement"] == pytest.approx(15)  # middles 20, 50, 35
    assert fitted["tea"]["low_disagreement"] == pytest.approx(math.sqrt(400 / 3))  # lows 10, 30, 30
    assert fitted["tea"]["high_disagreement"] == pytest.approx(math.sqrt(1300 / 3))  # highs 30, 70, 40
    assert fitted["egg"]["disagreement"] == pytest.approx(math.sqrt(50))
    assert fitted["egg"]["ambiguity"] == 20


def test_one_rater_determines_ambiguity_but_not_disagreement():
    jam = items(Goldilocks().fit(judge(GIVEN)))["jam"]
    assert jam["ambiguity"] == 10
    assert jam["disagreement"] is jam["low_disagreement"] is jam["high_disagreement"] is None


def test_positions_and_intervals_are_those_of_direct_assessment_of_the_middles():
    ranges = Goldilocks().fit(judge(GIVEN)).scale
    middles = [Rating(rater, item, (low + high) / 2) for rater, item, low, high in GIVEN]
    direct = DirectAssessment().fit(Judgments.of(middles, range=(0, 100))).scale
    for column in ("position", "spread", "low", "high", "rank", "count"):
        np.testing.assert_allclose(getattr(ranges, column), getattr(direct, column), rtol=1e-12)


def test_bias_and_width_habit_are_relative_to_others_on_the_same_items():
    fitted = raters(Goldilocks().fit(judge(GIVEN)))
    # ann: tea 20 against (50 + 35) / 2, egg 70 against 80; jam has no others.
    assert fitted["ann"]["bias"] == pytest.approx((-22.5 - 10) / 2)
    assert fitted["ann"]["width_habit"] == pytest.approx((20 + 20) / (25 + 20))
    assert fitted["ann"]["width"] == pytest.approx(50 / 3)
    assert fitted["cat"]["bias"] == pytest.approx(0)
    assert fitted["cat"]["width_habit"] == pytest.approx(10 / 30)
    assert [fitted[name]["items"] for name in ("ann", "bob", "cat")] == [3, 2, 1]


def test_self_consistency_compares_every_two_answers_of_a_rater_to_an_item():
    again = [("ann", "tea", 10, 30), ("ann", "tea", 20, 40), ("ann", "tea", 40, 60), ("bob", "tea", 10, 30)]
    fitted = raters(Goldilocks().fit(judge(again)))
    # Middles 20, 30, 50: distances 10, 30, 20; the first and third range are apart, the others overlap or touch.
    assert fitted["ann"]["repeats"] == 2
    assert fitted["ann"]["self_difference"] == pytest.approx(20)
    assert fitted["ann"]["self_overlap"] == pytest.approx(2 / 3)
    assert fitted["bob"]["repeats"] == 0
    assert fitted["bob"]["self_difference"] is fitted["bob"]["self_overlap"] is None


def test_repeats_do_not_make_a_rater_count_twice():
    once = Goldilocks().fit(judge([("ann", "tea", 10, 30), ("bob", "tea", 50, 70)]))
    twice = Goldilocks().fit(judge([("ann", "tea", 5, 30), ("ann", "tea", 15, 30), ("bob", "tea", 50, 70)]))
    assert items(once)["tea"] == items(twice)["tea"]
    assert twice.scale.count.tolist() == [3]


def test_rows_that_happened_twice_are_two_rows():
    counted = [Range("ann", "tea", 10, 30, {"count": 2}), Range("bob", "tea", 50, 70)]
    doubled = [Range("ann", "tea", 10, 30), Range("ann", "tea", 10, 30), Range("bob", "tea", 50, 70)]
    one, other = (Goldilocks().fit(Judgments.of(rows, range=(0, 100))) for rows in (counted, doubled))
    assert one.items == other.items
    assert list(one.raters) == list(other.raters)
    assert raters(one)["ann"]["self_difference"] == 0.0


def test_each_answer_without_a_rater_counts_as_a_separate_rater(tmp_path):
    file = tmp_path / "ranges.csv"
    file.write_text("item,low,high,count\ntea,10,30,1\ntea,30,50,3\n")
    fit = Goldilocks().fit(read(file, "range", range=(0, 100)))
    tea = items(fit)["tea"]
    assert (tea["position"], tea["raters"], fit.raters) == (35.0, 4, ())
    assert tea["disagreement"] == pytest.approx(10)  # of 20, 40, 40, 40


def test_ranges_beyond_the_ends_of_the_scale_are_not_cut():
    outlier = Judgments.from_columns(
        "range", {"rater": ["a", "b"], "item": ["x", "x"], "low": [1.2, 1.3], "high": [1.4, 1.5]}, (0.0, 1.0)
    )
    scale = Goldilocks().fit(outlier).scale
    assert scale.position[0] == pytest.approx(1.35)
    assert scale.low[0] < 1.35 < scale.high[0]


bounds = st.tuples(st.integers(0, 100), st.integers(0, 100)).map(sorted)
rows = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz"), bounds), min_size=1, max_size=20)


def unpacked(rows):
    return [(rater, item, *bound) for rater, item, bound in rows]


@given(rows)
def test_no_number_is_missing_and_no_interval_has_no_width(rows):
    fit = Goldilocks().fit(judge(unpacked(rows)))
    scale = fit.scale
    for values in (scale.position, scale.spread, scale.low, scale.high):
        assert np.isfinite(values).all()
    assert (scale.high > scale.low).all()
    for row in [*fit.items, *fit.raters]:
        assert all(value is None or isinstance(value, str) or math.isfinite(value) for value in row.values())
    for row in fit.items:
        assert min(row["position_error"], row["low_error"], row["high_error"], row["ambiguity_error"]) > 0
        assert row["low"] - 1e-9 <= row["position"] <= row["high"] + 1e-9


@given(rows)
def test_mirroring_the_scale_mirrors_positions_and_bias_and_keeps_widths(rows):
    given_rows = unpacked(rows)
    mirrored = [(rater, item, 100 - high, 100 - low) for rater, item, low, high in given_rows]
    one, other = Goldilocks().fit(judge(given_rows)), Goldilocks().fit(judge(mirrored))
    for here, there in zip(one.items, other.items, strict=True):
        assert there["position"] == pytest.approx(100 - here["position"])
        assert there["low"] == pytest.approx(100 - here["high"])
        assert there["ambiguity"] == pytest.approx(here["ambiguity"])
        assert there["low_disagreement"] == pytest.approx(here["high_disagreement"])
    for here, there in zip(one.raters, other.raters, strict=True):
        assert there["width_habit"] == pytest.approx(here["width_habit"])
        assert there["bias"] == pytest.approx(None if here["bias"] is None else -here["bias"], abs=1e-9)


@given(rows, st.permutations("abcd"), st.randoms())
def test_other_names_and_another_order_of_rows_change_no_number(rows, names, random):
    renamed = [(dict(zip("abcd", names, strict=True))[r], i, low, high) for r, i, low, high in unpacked(rows)]
    random.shuffle(renamed)
    one, other = items(Goldilocks().fit(judge(unpacked(rows)))), items(Goldilocks().fit(judge(renamed)))
    for name, row in one.items():
        assert {k: v for k, v in row.items() if k != "item"} == pytest.approx(
            {k: v for k, v in other[name].items() if k != "item"}, abs=1e-9
        )


def test_two_raters_with_widths_of_zero_have_equal_width_habits():
    fit = Goldilocks().fit(judge([("ann", "tea", 10, 10), ("bob", "tea", 10, 10)]))
    assert items(fit)["tea"]["ambiguity"] == items(fit)["tea"]["disagreement"] == 0.0
    assert [row["width_habit"] for row in fit.raters] == [1.0, 1.0]


def test_ratings_are_not_ranges():
    with pytest.raises(
        NothingToFit, match="goldilocks needs range judgments, but these are rating judgments"
    ):
        Goldilocks().fit(Judgments.of([Rating("ann", "tea", 3)]))


def simulated_items():
    """60 items whose ambiguity and disagreement are unrelated: every size of one with every size of the other."""
    width, apart = (
        each.ravel() for each in np.meshgrid(np.linspace(0.02, 0.2, 10), np.linspace(0.01, 0.1, 6))
    )
    return RangeItems(np.tile(np.linspace(0.4, 0.6, 6), 10), width, apart)


def test_ranges_separate_ambiguity_from_disagreement():
    rng, items = np.random.default_rng(5), simulated_items()
    scenario = RangeScenario(0.1, 0.05, bias_share=0.0, width_spread=0.2, bound_noise=0.01)
    low, high = answer_ranges(draw_views(items, scenario, 20, rng), scenario, rng)
    names = [f"{at:02}" for at in range(60)]
    cells = {
        "rater": np.repeat([f"r{at}" for at in range(20)], 60).astype(object),
        "item": np.tile(np.array(names, dtype=object), 20),
    }
    columns = {**cells, "low": low.ravel(), "high": high.ravel()}
    fit = Goldilocks().fit(Judgments.from_columns("range", columns, (0.0, 1.0)))
    ambiguity, disagreement = (
        np.array([row[name] for row in fit.items]) for name in ("ambiguity", "disagreement")
    )
    assert correlation(ambiguity, items.width).r > 0.97
    assert correlation(disagreement, items.disagreement).r > 0.85
    assert abs(correlation(ambiguity, disagreement).r) < 0.2
    assert ambiguity == pytest.approx(items.width, abs=0.04)
    assert np.mean(disagreement / items.disagreement) == pytest.approx(1.0, abs=0.1)
    # Single values cannot separate them, with any number of raters: their deviations contain both.
    scores = answer_ratings(draw_views(items, scenario, 400, rng), rng)
    mixed = np.std(scores, axis=0, ddof=1)
    assert min(correlation(mixed, each).r for each in (items.width, items.disagreement)) > 0.3
