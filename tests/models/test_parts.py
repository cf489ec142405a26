"""Items that no judgment links: every model of comparisons reports them and claims no rank across parts."""

import numpy as np
import pytest

from steelyard import BestWorst as Choice
from steelyard import Comparison, Judgments, Ranking, Rating
from steelyard.models.known import model_named

COMPARING = [
    ("bradley_terry", {"unconnected": "apart"}),
    ("bradley_terry", {"penalty": "pseudo"}),
    ("bradley_terry", {"penalty": "ridge"}),
    ("bradley_terry", {"penalty": "auto"}),
    ("plackett_luce", {}),
    ("trueskill", {}),
    ("elo", {"k": 32.0}),
    ("win_rate", {}),
]
UNSURE = [("beta_ranking", {})]  # its intervals are too wide to tell even these items apart
CHOOSING = [("best_worst", {"method": "counting"}), ("best_worst", {"method": "model"})]


def wins(winner, loser, times=30, lost=2):
    """Comparisons that the winner nearly always wins."""
    return [
        Comparison(f"r{at}", winner, loser, "left" if at >= lost else "right") for at in range(times + lost)
    ]


def apart():
    return Judgments.of([*wins("a", "b"), *wins("c", "d")])


def choices(*tasks):
    rows = [(f"r{at}", at, task, *picked) for at in range(20) for task, picked in enumerate(tasks)]
    return Judgments.of(
        [Choice(rater, f"{task}-{at}", items, best, worst) for rater, at, task, items, best, worst in rows]
    )


def ranks(fit):
    rows = fit.scale.rows()
    return {row["item"]: (row["rank_low"], row["rank_high"]) for row in rows}


@pytest.mark.parametrize(("name", "settings"), COMPARING)
def test_comparisons_in_two_parts_give_rank_intervals_for_any_order_of_the_parts(name, settings):
    fit = model_named(name, **settings).fit(apart())
    assert fit.parts == (("a", "b"), ("c", "d"))
    assert ranks(fit) == {"a": (1, 3), "b": (2, 4), "c": (1, 3), "d": (2, 4)}
    assert all(row["rank_low"] <= row["rank"] <= row["rank_high"] for row in fit.scale.rows())
    assert fit.predict("a", "d") == 0.5
    assert fit.predict("a", "b") > 0.9


@pytest.mark.parametrize(("name", "settings"), [*COMPARING, *UNSURE])
def test_unlinked_parts_are_named_in_remarks_and_summary(name, settings):
    fit = model_named(name, **settings).fit(apart())
    sentence = "No judgment links these 2 parts of the items: a, b (2); c, d (2)."
    assert any(remark.startswith(sentence) for remark in fit.remarks)
    assert sentence in fit.summary()
    assert np.all(fit.scale.rank_high >= 3)
    assert np.all(fit.scale.rank_low <= 2)


@pytest.mark.parametrize(("name", "settings"), CHOOSING)
def test_choices_in_two_parts_give_rank_intervals_for_any_order_of_the_parts(name, settings):
    one, other = (("a", "b", "c"), "a", "c"), (("d", "e", "f"), "d", "f")
    fit = model_named(name, **settings).fit(choices(one, other))
    assert fit.parts == (("a", "b", "c"), ("d", "e", "f"))
    assert ranks(fit)["a"] == ranks(fit)["d"] == (1, 4)
    assert any("2 parts" in remark for remark in fit.remarks)


def test_rankings_in_two_parts_are_named():
    tasks = [("s", {"a": 1, "b": 2, "c": 3}), ("t", {"d": 1, "e": 2})]
    rows = [Ranking(f"r{at}", task, ranks) for at in range(9) for task, ranks in tasks]
    fit = model_named("plackett_luce").fit(Judgments.of(rows))
    assert fit.parts == (("a", "b", "c"), ("d", "e"))


@pytest.mark.parametrize(("name", "settings"), [*COMPARING, ("bradley_terry", {})])
def test_linked_items_are_one_part_without_a_remark(name, settings):
    fit = model_named(name, **settings).fit(apart() + Judgments.of(wins("b", "c")))
    assert fit.parts == ()
    assert fit.remarks == ()
    assert ranks(fit)["a"][1] < 4


def test_a_tie_links_items_only_if_it_is_counted():
    rows = [*wins("a", "b"), *wins("c", "d"), Comparison("r", "b", "c", "tie")]
    judgments = Judgments.of(rows)
    assert model_named("win_rate", ties="half").fit(judgments).parts == ()
    assert len(model_named("win_rate", ties="ignore").fit(judgments).parts) == 2
    assert model_named("trueskill").fit(judgments).parts == ()
    dropped = model_named("bradley_terry", ties="drop", unconnected="apart").fit(judgments)
    assert len(dropped.parts) == 2


def test_a_row_with_a_count_of_zero_links_nothing():
    rows = [*wins("a", "b"), *wins("c", "d"), Comparison("r", "b", "c", "left", {"count": 0})]
    assert len(model_named("elo").fit(Judgments.of(rows)).parts) == 2


def test_clusters_of_indistinguishable_items_do_not_split_parts_that_nothing_compares():
    fit = model_named("bradley_terry", unconnected="apart").fit(apart())
    assert len(fit.clusters()) == 1


def test_of_many_parts_only_the_largest_are_named():
    rows = [each for at in range(40) for each in wins(f"w{at:02d}", f"x{at:02d}", 3, 1)]
    fit = model_named("elo").fit(Judgments.of(rows))
    (remark,) = fit.remarks
    assert "these 40 parts" in remark
    assert "and 36 more" in remark
    np.testing.assert_array_equal(fit.scale.rank_high - fit.scale.rank_low >= 78, True)


def test_ratings_in_two_parts_are_named_but_positions_stay_comparable():
    rows = [Rating(f"r{item}{at}", item, score) for item, score in (("a", 20), ("c", 80)) for at in range(4)]
    rows += [Rating(f"r{item}{at}", other, 50) for item, other in (("a", "b"), ("c", "d")) for at in range(4)]
    fit = model_named("steelyard").fit(Judgments.of(rows, range=(0, 100)))
    assert fit.remarks == (
        "The items form 2 parts without a common rater, so differences between parts may be due to their raters: "
        "a, b (2); c, d (2).",
    )
    assert fit.remarks[0] in fit.summary()
    assert fit.parts == ()
    linked = Judgments.of([*rows, Rating("ra0", "c", 80)], range=(0, 100))
    assert model_named("steelyard").fit(linked).remarks == ()
