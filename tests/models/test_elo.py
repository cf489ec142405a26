import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from steelyard import Elo
from steelyard.errors import BadSetting
from steelyard.maths.arrays import object_cells
from steelyard.models.online import elo_kernel, elo_twin
from steelyard.scales.saved import load_belief, save_belief
from tests.models.online import (
    against_truth,
    check_folding,
    check_merging,
    check_prior_kept,
    check_relabelling,
    check_swapping,
    judge,
    random_steps,
    reordered,
    rows,
    simulated,
)

GAMES = [
    (("a", "b"), "left", 1.0),
    (("b", "c"), "right", 1.0),
    (("c", "a"), "tie", 1.0),
    (("a", "d"), "left", 1.0),
    (("d", "b"), "right", 1.0),
    (("b", "a"), "tie", 1.0),
    (("c", "d"), "left", 1.0),
    (("d", "a"), "left", 1.0),
    (("a", "c"), "right", 1.0),
]


@pytest.mark.parametrize(
    ("k", "expected"),
    [
        (4.0, (999.9088401132506, 998.057361798468, 1005.9422426047066, 996.0915554835748)),
        (32.0, (994.6284774815961, 987.5677123295893, 1044.2404359213017, 973.5633742675132)),
    ],
)
def test_ratings_are_those_of_evalica(k, expected):
    # evalica 0.4.2, elo(..., k=k).
    assert Elo(k=k).fit(judge(GAMES)).posterior.position == pytest.approx(expected, rel=1e-15)


def test_four_hundred_points_are_ten_to_one():
    posterior = Elo().fit(judge([(("milk", "tea"), "tie", 1.0)])).posterior
    apart = type(posterior)(
        type(posterior.belief)(
            posterior.belief.item,
            np.array([1400.0, 1000.0]),
            posterior.belief.variance,
            posterior.belief.count,
        ),
        400.0,
    )
    assert apart.expected_score(np.array([0]), np.array([1]))[0] == pytest.approx(10 / 11)


def test_the_kernel_does_what_its_twin_does():
    steps = random_steps(np.random.default_rng(3))
    start = np.linspace(700.0, 1300.0, 12), np.linspace(100.0, 40_000.0, 12)
    ours = elo_kernel.fold(*start, steps, 20.0, 400.0)
    np.testing.assert_allclose(ours, elo_twin.fold(*start, steps, 20.0, 400.0), rtol=1e-12)


@given(rows)
def test_points_are_won_from_the_other_side(rows):
    belief = Elo(k=30).fit(judge(rows)).posterior.belief
    assert belief.position.sum() == pytest.approx(1000.0 * len(belief.item), rel=1e-13)


@given(rows)
def test_relabelling_items_relabels_the_scale(rows):
    check_relabelling(Elo(), rows)


@given(rows)
def test_swapping_sides_and_outcomes_changes_nothing(rows):
    check_swapping(Elo(), rows, exactly=False)


@given(rows, st.integers(0, 25))
def test_merging_files_is_fitting_all_rows(rows, cut):
    check_merging(Elo(), rows, cut)


@given(rows, st.integers(0, 25))
def test_folding_is_fitting_to_the_last_bit(rows, cut):
    check_folding(Elo(), rows, cut)


@given(rows)
def test_an_item_nobody_judged_keeps_its_prior(rows):
    check_prior_kept(Elo(), rows)


def test_a_count_of_two_is_the_row_twice_and_a_fraction_a_part_of_the_step():
    def gain(*counts):
        fit = Elo().fit(judge([(("milk", "tea"), "left", count) for count in counts]))
        return fit.posterior.position[0] - 1000.0

    assert gain(2.0) == gain(1.0, 1.0)
    assert gain(1 / 3) == pytest.approx(gain(1.0) / 3.0)


def test_default_settings_recover_the_order_of_a_simulated_truth():
    rng = np.random.default_rng(1)
    truth = rng.random(60)
    fit = Elo().fit(simulated(rng, truth, 60))
    assert spearmanr(fit.posterior.position, against_truth(fit, truth)).statistic > 0.93


def test_more_passes_lessen_the_part_that_order_plays():
    rng = np.random.default_rng(11)
    judgments = simulated(rng, rng.random(20), 60)
    orders = reordered(judgments, rng, 8)

    def moved(model):
        return np.std([model.fit(each).posterior.position for each in orders], axis=0).mean()

    assert moved(Elo(k=16, passes=10)) < 0.5 * moved(Elo(k=16))


def test_intervals_hold_simulated_ratings_about_as_often_as_they_say():
    rng = np.random.default_rng(2)
    held = []
    for _ in range(40):
        truth = 200.0 * rng.standard_normal(40)
        # A logistic difference has the standard deviation pi / sqrt(3); its scale here is 400 / ln 10.
        left = rng.integers(40, size=400)
        right = (left + 1 + rng.integers(39, size=400)) % 40
        won = truth[left] - truth[right] + rng.logistic(0.0, 400.0 / np.log(10.0), 400) > 0
        games = [
            ((f"i{i:03d}", f"i{j:03d}"), "left" if w else "right", 1.0)
            for i, j, w in zip(left, right, won, strict=True)
        ]
        fit = Elo().fit(judge(games))
        wanted = against_truth(fit, truth)
        wanted = wanted - wanted.mean() + 1000.0
        low, high = fit.posterior.interval(0.95)
        held.append(np.mean((low <= wanted) & (wanted <= high)))
    assert 0.92 < np.mean(held) < 0.98


def test_a_saved_belief_resumes_exactly(tmp_path):
    model = Elo(k=24)
    belief = model.update(model.start(object_cells(list("abcd"))), judge(GAMES[:4]))
    save_belief(belief, tmp_path / "belief.json")
    resumed = model.update(load_belief(tmp_path / "belief.json"), judge(GAMES[4:]))
    whole = model.fit(judge(GAMES)).posterior.belief
    assert resumed.position.tolist() == whole.position.tolist()
    assert resumed.variance.tolist() == whole.variance.tolist()


@pytest.mark.parametrize("settings", [{"k": 0.0}, {"scale": -1.0}, {"start_spread": 0.0}, {"passes": 0}])
def test_settings_without_a_meaning_are_refused_by_name(settings):
    with pytest.raises(BadSetting, match=next(iter(settings))):
        Elo(**settings)
