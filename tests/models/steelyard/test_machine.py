"""Answers of machine judges sharpen positions and never decide them."""

from pathlib import Path

import numpy as np
import pytest

from steelyard import Comparison, Judgments, Steelyard, read
from steelyard.judgments.orders import orders_of
from steelyard.judgments.table import Judgments as Table
from steelyard.models.steelyard.machine import machine_scores, ridge_positions
from steelyard.selection.information import Information
from steelyard.selection.pool import Pool


def beside(people: Judgments, scores: dict[str, np.ndarray], **more: list[str]) -> Judgments:
    items = people.items.tolist()
    parts = [
        Judgments.from_columns(
            "rating",
            {
                "rater": [name] * len(items),
                "item": items,
                "score": values,
                "source": ["machine"] * len(items),
                **{column: [cells[at]] * len(items) for column, cells in more.items()},
            },
        )
        for at, (name, values) in enumerate(scores.items())
    ]
    return Judgments.concat([people, *parts])


@pytest.fixture
def judged(simulated):
    people, truth, *_ = simulated("full", 2, seed=3, items=80, raters=20)
    order = truth
    return people, (order - order.mean()) / order.std()


def error(fit, truth: np.ndarray) -> float:
    return float(np.corrcoef(fit.scale.position, truth)[0, 1])


def test_a_good_judge_sharpens_and_a_useless_one_does_not_harm(judged):
    people, truth = judged
    rng = np.random.default_rng(0)
    alone = error(Steelyard().fit(people), truth)
    good = Steelyard().fit(beside(people, {"m": 0.8 * truth + 0.6 * rng.standard_normal(80)}))
    useless = Steelyard().fit(beside(people, {"m": rng.standard_normal(80)}))
    assert error(good, truth) > alone + 0.02
    assert error(useless, truth) > alone - 0.01
    assert np.mean(good.scale.spread) < np.mean(Steelyard().fit(people).scale.spread)


def test_units_and_sign_of_a_judge_do_not_matter(judged):
    people, truth = judged
    scores = 0.8 * truth + 0.6 * np.random.default_rng(0).standard_normal(80)
    one = Steelyard().fit(beside(people, {"m": scores})).scale.position
    other = Steelyard().fit(beside(people, {"m": -1000.0 * scores + 7.0})).scale.position
    np.testing.assert_allclose(one, other, atol=1e-6)


def test_without_the_setting_the_answers_are_left_out_and_the_fit_says_so(judged):
    people, truth = judged
    fit = Steelyard(machine=False).fit(beside(people, {"m": truth}))
    np.testing.assert_array_equal(fit.scale.position, Steelyard().fit(people).scale.position)
    assert "80 answers of machine judges (m) are left out." in fit.notes


def test_judges_of_a_family_share_a_feature_and_the_variance_of_their_deviations(judged):
    people, truth = judged
    rng = np.random.default_rng(1)
    scores = {name: truth + rng.standard_normal(80) for name in ("a", "b", "c")}
    machine = beside(people, scores, family=["f", "f", "g"]).machine
    made = machine_scores(machine, people.items, None)
    assert made.names == ("judges family f", "judge a", "judge b", "judge c")
    assert made.groups.tolist()[1] == made.groups.tolist()[2]
    assert len(set(made.groups.tolist())) == 3


def test_items_about_which_judges_disagree_or_say_nothing_have_wider_spreads(simulated):
    people, truth, *_ = simulated("full", 2, seed=3, items=300, raters=40)
    order = truth
    standard = (order - order.mean()) / order.std()
    rng = np.random.default_rng(2)
    unsure = np.arange(300) < 100
    noise = np.where(unsure, 1.5, 0.2)
    scores = {name: standard + noise * rng.standard_normal(300) for name in ("a", "b", "c")}
    spread = Steelyard().fit(beside(people, scores)).scale.spread
    assert spread[unsure].mean() > 1.1 * spread[~unsure].mean()


def test_one_judge_of_all_items_is_equally_sure_of_them(judged):
    people, truth = judged
    made = machine_scores(beside(people, {"m": truth}).machine, people.items, None)
    np.testing.assert_array_equal(made.unsure, np.ones(80))


def test_a_judge_that_favours_a_system_has_the_scores_of_one_that_does_not(judged):
    people, truth = judged
    system = np.arange(80) % 4
    fair, unfair = (
        machine_scores(
            beside(people, {"m": truth + 9.0 * favour * (system == 1)}).machine, people.items, system
        )
        for favour in (0, 1)
    )
    np.testing.assert_allclose(fair.scores, unfair.scores, atol=1e-12)


def test_comparisons_become_a_scale_by_ridge_regression():
    """Two items, one win and a ridge of 1 each: the difference d solves d/2 = 1/(1 + exp(d))."""
    orders = orders_of(Table.of([Comparison("m", "x", "y", "left")]), "comparison")
    side_free = type(orders)(
        **{**{f: getattr(orders, f) for f in orders.__dataclass_fields__}, "side": np.zeros(1)}
    )
    first, second = ridge_positions(side_free, 2)
    gap = first - second
    assert gap == pytest.approx(0.6748, abs=1e-4)
    assert gap / 2.0 == pytest.approx(1.0 / (1.0 + np.exp(gap)))


def test_a_side_preference_of_a_judge_is_removed():
    always_left = [Comparison("m", *pair, "left") for pair in ("xy", "yx", "yz", "zy", "xz", "zx")]
    orders = orders_of(Table.of(always_left), "comparison")
    np.testing.assert_allclose(ridge_positions(orders, 3), np.zeros(3), atol=1e-9)


def test_information_asks_people_about_items_of_which_judges_are_unsure(simulated):
    people, truth, *_ = simulated("full", 2, seed=3, items=300, raters=40)
    standard = (truth - truth.mean()) / truth.std()
    rng = np.random.default_rng(2)
    unsure = np.arange(300) < 100
    noise = np.where(unsure, 1.5, 0.2)
    scores = {name: standard + noise * rng.standard_normal(300) for name in ("a", "b", "c")}

    def share(judgments: Judgments) -> float:
        belief = Steelyard().believe(people.items, judgments)
        zeros = np.zeros(300, dtype=np.int64)
        pool = Pool(zeros + 2, zeros, 10, zeros, zeros, np.ones(300, dtype=bool))
        choices = Information(5).choose(pool, belief, 20, np.random.default_rng(0))
        return float(np.mean([unsure[item] for choice in choices for item in choice.items]))

    assert share(beside(people, scores)) > share(people) + 0.1


def test_positions_converge_where_a_judge_explains_most_of_the_variance_of_the_items():
    """Full steps of the biases and of the regression on the judge's scores alternate for these answers."""
    path = Path(__file__).parents[2] / "data" / "judge_explains_items.csv"
    fit = Steelyard().fit(read(path, range=(0, 100)))
    assert fit.provenance.converged
    assert fit.provenance.settings["features"] == "judge mj,system,segment"
