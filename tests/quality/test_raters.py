import time

import numpy as np
import pytest

from steelyard import Comparison, Judgments, Range, Rating, Steelyard
from steelyard.quality.raters import describe_raters, spam_by_rater
from steelyard.simulation.scenarios import SCENARIOS, answer_task, draw_raters, draw_truth, participation

ITEMS = [f"i{at}" for at in range(12)]
TRUTH = np.linspace(5, 95, 12)


def ratings(**raters):
    """Judgments of the twelve items: each rater's scores, in lists of four, with the milliseconds of a list."""
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
    by_rater = {each.rater: each for each in describe_raters(Judgments.of(rows), ["odd"])}
    assert by_rater["ann"].bias is None
    assert by_rater["ann"].answers == len(pairs)
    assert by_rater["ann"].agreement == pytest.approx(1.0)
    assert by_rater["odd"].agreement == pytest.approx(-1.0)
    assert by_rater["odd"].flags == ("Scale reversed?",)


def test_ranges_are_told_by_their_middles():
    rows = [
        Range(rater, item, low + shift, low + 10 + shift)
        for rater, shift in (("ann", 0), ("bob", 20))
        for item, low in (("a", 0), ("b", 40))
    ]
    by_rater = {each.rater: each.bias for each in describe_raters(Judgments.of(rows))}
    assert by_rater == {"ann": -20.0, "bob": 20.0}


RANDOM_SCORES = [42, 71, 18, 66, 35, 80, 24, 57, 73, 30, 61, 46.0]


def test_a_rater_whose_answers_are_unrelated_to_the_others_is_flagged_in_words():
    judgments = ratings(ann=honest(), bob=honest(3.0), cat=honest(-3.0), dan=(RANDOM_SCORES, 20_000))
    habits = habits_of(judgments, "dan")
    assert abs(habits.slope) < 0.25
    assert abs(habits.agreement) < 0.25
    assert habits.flags == ("Unrelated to the other raters’ answers",)
    assert habits_of(judgments, "ann").flags == ()


def test_few_answers_are_not_called_unrelated():
    few = slice(0, 7)
    raters = {
        "ann": (honest()[0][few], 20_000),
        "bob": (honest(3.0)[0][few], 20_000),
        "cat": (honest(-3.0)[0][few], 20_000),
        "dan": (np.array([50, 20, 60, 35, 60, 25, 45.0]), 20_000),
    }
    habits = habits_of(ratings(**raters), "dan")
    assert abs(habits.agreement) < 0.3
    assert habits.flags == ()


def test_a_few_answers_in_another_order_are_not_called_reversed():
    few = slice(0, 6)
    raters = {
        "ann": (honest()[0][few], 20_000),
        "bob": (honest(3.0)[0][few], 20_000),
        "cat": (honest(-3.0)[0][few], 20_000),
        "dan": (np.array([60, 68, 72, 50, 64, 40.0]), 20_000),
    }
    habits = habits_of(ratings(**raters), "dan")
    assert -0.7 < habits.agreement < -0.5
    assert habits.flags == ()


def test_where_all_raters_disagree_nobody_is_called_unrelated():
    rng = np.random.default_rng(5)
    judgments = ratings(**{name: (rng.uniform(0, 100, 12), 20_000) for name in ("ann", "bob", "cat", "dan")})
    assert not any("Unrelated" in flag for each in describe_raters(judgments) for flag in each.flags)


def test_a_spam_probability_is_kept_and_flagged_with_its_number():
    judgments = ratings(ann=honest(), bob=honest(3.0))
    spam = {"ann": 0.42, "bob": 0.97}
    assert habits_of(judgments, "ann", spam=spam).flags == ()
    assert habits_of(judgments, "ann", spam=spam).spam == 0.42
    assert habits_of(judgments, "bob", spam=spam).flags == (
        "Looks like random answers (spam probability 0.97)",
    )
    assert habits_of(judgments, "bob").spam is None


def test_a_rater_who_chooses_at_random_between_two_is_flagged_too():
    rng = np.random.default_rng(2)
    rows = []
    for left in range(12):
        for right in range(left + 1, 12):
            for rater in ("ann", "bob", "cat", "dan"):
                better = "left" if TRUTH[left] > TRUTH[right] else "right"
                outcome = str(rng.choice(["left", "right"])) if rater == "dan" else better
                flip = bool(rng.integers(2))
                sides = (ITEMS[right], ITEMS[left]) if flip else (ITEMS[left], ITEMS[right])
                turned = {"left": "right", "right": "left"}[outcome] if flip else outcome
                rows.append(Comparison(rater, *sides, turned))
    by_rater = {each.rater: each.flags for each in describe_raters(Judgments.of(rows))}
    assert by_rater == {"ann": (), "bob": (), "cat": (), "dan": ("Unrelated to the other raters’ answers",)}


def simulated(scenario, seed, size):
    """Ratings by simulated raters in tasks of this size, and who of them is a spammer."""
    rng = np.random.default_rng([seed, size])
    people = draw_raters(SCENARIOS[scenario], 12, rng)
    truth = draw_truth("uniform", 60, rng)
    rows, seen = [], [set() for _ in people]
    for _ in range(5):
        for items in rng.permutation(60).reshape(-1, size):
            free = np.array([not seen[at] & set(items.tolist()) for at in range(12)])
            if not free.any():
                continue
            chance = participation(12) * free
            rater = rng.choice(12, p=chance / chance.sum())
            seen[rater] |= set(items.tolist())
            scores = answer_task(people[rater], SCENARIOS[scenario], truth[items], float(truth.mean()), rng)
            rows += [
                Rating(f"r{rater}", f"i{item}", 100 * float(score), {"task": str(len(rows))})
                for item, score in zip(items, scores, strict=True)
            ]
    return Judgments.of(rows, range=(0, 100)), {f"r{at}" for at, each in enumerate(people) if each.spam}


@pytest.mark.parametrize("with_model", [False, True], ids=["agreement_alone", "with_the_rater_model"])
def test_few_honest_raters_and_most_spammers_are_flagged(with_model):
    flagged = {"honest": [], "spammer": []}
    for seed in range(200, 206):
        for scenario in ("bias+spam", "full", "hard full", "hard iid"):
            judgments, spammers = simulated(scenario, seed, 5 if seed % 2 else 1)
            spam = spam_by_rater(Steelyard().fit(judgments).raters) if with_model else {}
            for each in describe_raters(judgments, spam=spam):
                if each.answers >= 10:
                    flagged["spammer" if each.rater in spammers else "honest"].append(bool(each.flags))
    assert len(flagged["honest"]) > 200
    assert np.mean(flagged["honest"]) < 0.02
    assert np.mean(flagged["spammer"]) > 0.6


def sided(rater, share_left, number=20):
    """Comparisons of a rater, of which this share prefers the left item."""
    left = round(share_left * number)
    pairs = [(f"i{at % 5}", f"i{(at + 1) % 5}") for at in range(number)]
    return [
        Comparison(rater, *pair, "left" if at < left else "right", {"task": f"{rater}{at}"})
        for at, pair in enumerate(pairs)
    ]


def flagged_as_one_sided(rows):
    return [
        each.rater
        for each in describe_raters(Judgments.of(rows))
        if "Nearly always the same answer" in each.flags
    ]


def test_a_rater_who_nearly_always_prefers_one_side_is_flagged():
    others = [*sided("ann", 0.5), *sided("bob", 0.6)]
    assert flagged_as_one_sided([*others, *sided("cat", 0.95)]) == ["cat"]
    assert flagged_as_one_sided([*others, *sided("cat", 0.9), *sided("dan", 1.0, number=19)]) == []


def test_where_all_answers_are_on_one_side_the_file_was_written_so_and_nobody_is_one_sided():
    assert flagged_as_one_sided([*sided("ann", 1.0), *sided("bob", 1.0)]) == []
