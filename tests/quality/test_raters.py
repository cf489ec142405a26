import time

import numpy as np
import pytest

from steelyard import Comparison, Judgments, Range, Rating
from steelyard.quality.raters import describe_raters

ITEMS = [f"i{at}" for at in range(12)]
TRUTH = np.linspace(5, 95, 12)


def ratings(**raters):
    """Judgments of the twelve items: each rater's scores, in lists of four that took 20 s unless told."""
    rows = []
    for rater, (scores, milliseconds) in raters.items():
        for at, score in enumerate(scores):
            extra = {"task": f"{rater}-{at // 4}", "milliseconds": milliseconds}
            rows.append(Rating(rater, ITEMS[at], float(score), extra))
    return Judgments.of(rows, range=(-100, 200))


def habits_of(judgments, rater, **settings):
    return next(habits for habits in describe_raters(judgments, **settings) if habits.rater == rater)


def honest(shift=0.0, slope=1.0, milliseconds=20_000):
    return 50 + shift + slope * (TRUTH - 50), milliseconds


def test_bias_is_the_mean_gap_to_the_mean_of_the_others():
    judgments = ratings(ann=honest(), bob=honest(4.0), cat=honest(8.0))
    assert habits_of(judgments, "ann").bias == pytest.approx(-6.0)
    assert habits_of(judgments, "bob").bias == pytest.approx(0.0)
    assert habits_of(judgments, "cat").bias == pytest.approx(6.0)


def test_slope_and_agreement_match_the_regression_on_leave_one_out_means():
    rng = np.random.default_rng(3)
    raters = {name: (TRUTH + rng.normal(0, 15, 12), 20_000) for name in ("ann", "bob", "cat")}
    habits = habits_of(ratings(**raters), "cat")
    others = (raters["ann"][0] + raters["bob"][0]) / 2
    slope, _ = np.polyfit(others, raters["cat"][0], 1)
    assert habits.slope == pytest.approx(slope)
    assert habits.agreement == pytest.approx(np.corrcoef(others, raters["cat"][0])[0, 1])


def test_a_rater_who_turns_the_scale_round_is_asked_about():
    judgments = ratings(ann=honest(), bob=honest(3.0), cat=honest(slope=-0.8))
    habits = habits_of(judgments, "cat")
    assert habits.agreement == pytest.approx(-1.0)
    assert habits.flags == ("Scale reversed?",)
    assert habits_of(judgments, "bob").flags == ()


def test_a_rater_who_hardly_varies_is_not_also_called_reversed():
    steady = (np.array([60, 61, 60, 60, 59, 60, 61, 60, 60, 60, 59, 59.0]), 20_000)
    judgments = ratings(ann=honest(), bob=honest(3.0), cat=steady)
    assert habits_of(judgments, "cat").flags == ("Hardly varies",)


def test_one_score_for_every_list_is_a_straight_line_and_has_no_agreement():
    judgments = ratings(ann=honest(), bob=honest(3.0), cat=(np.full(12, 50.0), 20_000))
    habits = habits_of(judgments, "cat")
    assert habits.agreement is None
    assert habits.slope == pytest.approx(0.0)
    assert habits.flags == ("Hardly varies", "Straight lines")


def test_a_fifth_of_the_usual_time_is_fast():
    judgments = ratings(ann=honest(), bob=honest(3.0), cat=honest(1.0, milliseconds=3_000))
    assert habits_of(judgments, "cat").flags == ("Fast",)
    assert habits_of(judgments, "cat").milliseconds == 3_000
    assert habits_of(judgments, "ann").flags == ()


def test_time_is_the_median_over_tasks_not_over_items():
    rows = [Rating("ann", item, 1.0, {"task": "a", "milliseconds": 9_000}) for item in ITEMS[:5]]
    rows += [Rating("ann", "i7", 2.0, {"task": "b", "milliseconds": 1_000})]
    assert habits_of(Judgments.of(rows), "ann").milliseconds == 5_000


def test_a_rater_alone_with_their_items_is_not_compared():
    habits = habits_of(ratings(ann=honest()), "ann")
    assert (habits.bias, habits.slope, habits.agreement) == (None, None, None)
    assert habits.answers == 12


def test_two_shared_items_are_too_few_for_a_slope():
    rows = [
        Rating("ann", "i0", 10),
        Rating("ann", "i1", 20),
        Rating("bob", "i0", 30),
        Rating("bob", "i1", 60),
    ]
    habits = habits_of(Judgments.of(rows), "bob")
    assert habits.bias == pytest.approx(30.0)
    assert (habits.slope, habits.agreement) == (None, None)


def test_a_rater_left_out_is_described_but_is_no_ones_other():
    judgments = ratings(ann=honest(), bob=honest(4.0), cat=honest(40.0, slope=0.0))
    assert habits_of(judgments, "ann", left_out={"cat"}).bias == pytest.approx(-4.0)
    assert habits_of(judgments, "cat", left_out={"cat"}).bias == pytest.approx(38.0)


def test_an_item_under_two_questions_is_two_things():
    rows = [
        Rating("ann", "tea", 10, {"question": "a"}),
        Rating("ann", "tea", 90, {"question": "b"}),
        Rating("bob", "tea", 20, {"question": "a"}),
        Rating("bob", "tea", 80, {"question": "b"}),
    ]
    assert habits_of(Judgments.of(rows), "bob").bias == pytest.approx(0.0)


def test_a_rating_that_happened_twice_weighs_twice():
    rows = [Rating("ann", "tea", 10, {"count": 2}), Rating("bob", "tea", 40), Rating("cat", "tea", 0)]
    assert habits_of(Judgments.of(rows), "cat").bias == pytest.approx(-20.0)


def test_a_file_without_raters_has_no_habits_to_show():
    assert describe_raters(Judgments.from_columns("rating", {"item": ["tea"], "score": [3.0]})) == ()
    assert describe_raters(Judgments({}, {})) == ()


def test_a_hundred_thousand_ratings_are_described_quickly():
    rng, size = np.random.default_rng(1), 100_000
    columns = {
        "rater": [f"r{at}" for at in rng.integers(0, 300, size)],
        "item": [f"i{at}" for at in rng.integers(0, 5000, size)],
        "task": [f"t{at // 5}" for at in range(size)],
        "score": rng.integers(0, 101, size).astype(float),
        "milliseconds": rng.lognormal(10, 1, size),
    }
    judgments = Judgments.from_columns("rating", columns)
    start = time.process_time()
    describe_raters(judgments)
    assert time.process_time() - start < 0.5


def test_raters_of_comparisons_are_told_by_their_agreement():
    places = {"a": 3, "b": 1, "c": 5, "d": 2, "e": 4}
    pairs = [(x, y) for x in places for y in places if x < y]
    more = {pair: "left" if places[pair[0]] > places[pair[1]] else "right" for pair in pairs}
    less = {"left": "right", "right": "left"}
    rows = [Comparison(rater, *pair, more[pair]) for rater in ("ann", "bob", "eve") for pair in pairs]
    rows += [Comparison("odd", *pair, less[more[pair]]) for pair in pairs]
    told = {each.rater: each for each in describe_raters(Judgments.of(rows), ["odd"])}
    assert told["ann"].bias is None
    assert told["ann"].answers == len(pairs)
    assert told["ann"].agreement == pytest.approx(1.0)
    assert told["odd"].agreement == pytest.approx(-1.0)
    assert told["odd"].flags == ("Scale reversed?",)


def test_ranges_are_told_by_their_middles():
    rows = [
        Range(rater, item, low + shift, low + 10 + shift)
        for rater, shift in (("ann", 0), ("bob", 20))
        for item, low in (("a", 0), ("b", 40))
    ]
    told = {each.rater: each.bias for each in describe_raters(Judgments.of(rows))}
    assert told == {"ann": -20.0, "bob": 20.0}
