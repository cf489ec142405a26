import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, spearmanr

from steelyard import Comparison, Judgments, Rating, TrueSkill
from steelyard.errors import BadSetting, NothingToFit, UnknownItem
from steelyard.maths.arrays import object_cells
from steelyard.models.online import trueskill_kernel, trueskill_twin
from steelyard.models.online.steps import Steps
from steelyard.scales.belief import GaussianBelief
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

OUTCOMES = {">": "left", "=": "tie", "<": "right"}


def one_update(model, before, outcome):
    """Two items with these means and variances, compared once."""
    belief = GaussianBelief(
        object_cells(["i", "j"]), np.array(before[::2]), np.array(before[1::2]), np.zeros(2)
    )
    after = model.update(belief, Judgments.of([Comparison("ann", "i", "j", outcome)]))
    return after.position[0], after.variance[0], after.position[1], after.variance[1]


@pytest.mark.parametrize(
    ("before", "gamma", "epsilon", "outcome", "expected"),
    [
        (
            (0.5, 0.09, 0.5, 0.09),
            0.1,
            0.1,
            ">",
            (0.6902729220494361, 0.06235849662699384, 0.30972707795056387, 0.06235849662699384),
        ),
        (
            (0.8, 0.04, 0.3, 0.09),
            0.1,
            0.1,
            "<",
            (0.5954431372288509, 0.030885587936609123, 0.7602529412350856, 0.04385828892908369),
        ),
        ((0.5, 0.09, 0.5, 0.09), 0.1, 0.1, "=", (0.5, 0.0501705107497294, 0.5, 0.0501705107497294)),
        (
            (25.0, 69.44444444444446, 25.0, 69.44444444444446),
            4.166666666666667,
            0.7404666874587706,
            ">",
            (29.395575676767226, 51.42526985859687, 20.604424323232774, 51.42526985859687),
        ),
    ],
)
def test_an_update_is_as_in_the_paper(before, gamma, epsilon, outcome, expected):
    # Eqns 3-10 of Sakaguchi & Van Durme (2018), in 80-digit arithmetic.
    after = one_update(TrueSkill(gamma=gamma, epsilon=epsilon), before, OUTCOMES[outcome])
    assert after == pytest.approx(expected, rel=4e-15)


def test_updates_are_those_of_the_trueskill_package():
    import trueskill

    rng = np.random.default_rng(7)
    for _ in range(2000):
        gamma, chance = rng.uniform(0.5, 10.0), rng.uniform(0.01, 0.6)
        environment = trueskill.TrueSkill(beta=gamma, tau=0.0, draw_probability=chance, backend="scipy")
        mean, sd = rng.normal(25.0, 8.0, 2), rng.uniform(1.0, 9.0, 2)
        ratings = [environment.create_rating(m, s) for m, s in zip(mean, sd, strict=True)]
        drawn = bool(rng.random() < 0.4)
        theirs = trueskill.rate_1vs1(*ratings, drawn=drawn, env=environment)
        epsilon = norm.ppf((chance + 1.0) / 2.0) * np.sqrt(2.0) * gamma
        before = (mean[0], sd[0] ** 2, mean[1], sd[1] ** 2)
        ours = one_update(TrueSkill(gamma=gamma, epsilon=epsilon), before, "tie" if drawn else "left")
        wanted = [number for each in theirs for number in (each.mu, each.sigma**2)]
        assert ours == pytest.approx(wanted, rel=1e-9, abs=1e-9)


def test_match_quality_is_that_of_the_trueskill_package():
    import trueskill

    from steelyard.selection.match_quality import match_quality

    rng = np.random.default_rng(8)
    for _ in range(200):
        gamma = rng.uniform(0.5, 10.0)
        environment = trueskill.TrueSkill(beta=gamma, tau=0.0, backend="scipy")
        mean, sd = rng.normal(25.0, 8.0, 2), rng.uniform(1.0, 9.0, 2)
        ratings = [environment.create_rating(m, s) for m, s in zip(mean, sd, strict=True)]
        ours = match_quality(mean[0], sd[0] ** 2, mean[1:], sd[1:] ** 2, gamma)
        assert ours[0] == pytest.approx(trueskill.quality_1vs1(*ratings, env=environment), abs=1e-9)


@pytest.mark.parametrize(("gamma", "epsilon"), [(0.1, 0.1), (0.01, 0.0001), (1.0, 3.0), (0.1, 0.0)])
def test_the_kernel_does_what_its_twin_does(gamma, epsilon):
    steps = random_steps(np.random.default_rng(3))
    start = np.linspace(0.1, 0.9, 12), np.full(12, 1 / 12)
    ours = trueskill_kernel.fold(*start, steps, gamma, epsilon)
    readable = trueskill_twin.fold(*start, steps, gamma, epsilon)
    np.testing.assert_allclose(ours, readable, rtol=1e-11)


@pytest.mark.parametrize("outcome", [1, 0, -1])
@pytest.mark.parametrize("gap", [-1000.0, -30.0, -6.0, 0.0, 3.0, 35.0, 400.0])
def test_outcomes_beyond_belief_move_as_far_in_the_kernel_as_in_its_twin(gap, outcome):
    steps = Steps(np.array([0]), np.array([1]), np.array([outcome]), np.ones(1))
    start = np.array([gap + 0.5, 0.5]), np.array([0.4, 0.5])
    ours = trueskill_kernel.fold(*start, steps, 0.2, 0.3)
    np.testing.assert_allclose(ours, trueskill_twin.fold(*start, steps, 0.2, 0.3), rtol=1e-13)
    assert np.isfinite(ours).all()
    assert (ours[1] > 0).all()


@given(rows)
def test_relabelling_items_relabels_the_scale(rows):
    check_relabelling(TrueSkill(), rows)


@given(rows)
def test_swapping_sides_and_outcomes_changes_nothing(rows):
    check_swapping(TrueSkill(), rows)


@given(rows, st.integers(0, 25))
def test_merging_files_is_fitting_all_rows(rows, cut):
    check_merging(TrueSkill(), rows, cut)


@given(rows, st.integers(0, 25))
def test_folding_is_fitting_to_the_last_bit(rows, cut):
    check_folding(TrueSkill(), rows, cut)


@given(rows)
def test_an_item_nobody_judged_keeps_its_prior(rows):
    check_prior_kept(TrueSkill(), rows)


@given(rows)
def test_every_judgment_lessens_the_variance_of_its_items(rows):
    belief = TrueSkill().start(object_cells(sorted(judge(rows).items)))
    after = TrueSkill().update(belief, judge(rows))
    assert (after.variance < belief.variance).all()


def test_a_count_of_two_is_the_row_twice_and_a_fraction_a_part_of_the_step():
    def fit(*counts):
        return TrueSkill().fit(judge([(("tea", "milk"), "left", count) for count in counts])).posterior

    assert fit(2.0).position.tolist() == fit(1.0, 1.0).position.tolist()
    assert fit(2.5).position.tolist() == fit(1.0, 1.0, 0.5).position.tolist()
    third = fit(1 / 3).position - 0.5
    assert third == pytest.approx((fit(1.0).position - 0.5) / 3.0)
    assert fit(1 / 3).spread[0] ** 2 == pytest.approx((2.0 / 12.0 + fit(1.0).spread[0] ** 2) / 3.0)


def test_the_order_of_the_rows_matters():
    rows = [(("tea", "milk"), "left", 1.0), (("milk", "soup"), "left", 1.0), (("soup", "tea"), "left", 1.0)]
    one, two = (TrueSkill().fit(judge(some)).posterior.position for some in (rows, rows[::-1]))
    assert np.abs(one - two).max() > 0.01


def test_more_passes_lessen_the_part_that_order_plays_and_count_everything_once():
    rng = np.random.default_rng(11)
    judgments = simulated(rng, rng.random(20), 30)
    orders = reordered(judgments, rng, 8)

    def fits(model):
        return [model.fit(each).posterior for each in orders]

    once, often = fits(TrueSkill()), fits(TrueSkill(passes=10))
    moved = [np.std([fit.position for fit in some], axis=0).mean() for some in (once, often)]
    assert moved[1] < 0.5 * moved[0]
    spread = [np.mean([fit.spread for fit in some]) for some in (once, often)]
    assert spread[1] == pytest.approx(spread[0], rel=0.2)


def test_shuffling_hangs_on_the_seed_alone():
    rng = np.random.default_rng(12)
    judgments = simulated(rng, rng.random(10), 20)
    fits = [TrueSkill(shuffle=True, seed=seed).fit(judgments).posterior.position for seed in (1, 1, 2)]
    assert fits[0].tolist() == fits[1].tolist()
    assert fits[0].tolist() != fits[2].tolist()


def test_default_settings_recover_a_simulated_truth():
    rng = np.random.default_rng(1)
    truth = rng.random(60)
    fit = TrueSkill().fit(simulated(rng, truth, 60))
    wanted = against_truth(fit, truth)
    position = fit.posterior.position
    assert spearmanr(position, wanted).statistic > 0.97
    assert np.corrcoef(position, wanted)[0, 1] > 0.98


def test_intervals_hold_simulated_positions_as_often_as_they_say():
    rng = np.random.default_rng(2)
    held = []
    for _ in range(40):
        truth = 0.5 + np.sqrt(1 / 12) * rng.standard_normal(40)
        fit = TrueSkill().fit(simulated(rng, truth, 20, noise=np.sqrt(0.02)))
        wanted = against_truth(fit, truth)
        # Comparisons do not tell the level that all items share.
        wanted = wanted - wanted.mean() + fit.posterior.position.mean()
        low, high = fit.posterior.interval(0.95)
        held.append(np.mean((low <= wanted) & (wanted <= high)))
    assert 0.92 < np.mean(held) < 0.98


def test_the_chances_of_the_next_comparison_count_its_noise_and_ties():
    fit = TrueSkill().fit(judge([(("milk", "tea"), "left", 3.0)]))
    left, tie, right = fit.posterior.outcomes(np.array([0]), np.array([1]))
    assert left + tie + right == pytest.approx(1.0)
    # Phi((0.3936 - 0.1) / c) and so on, by drawing two skills and two noises many times.
    rng = np.random.default_rng(5)
    drawn = fit.draws(200_000, rng) + 0.1 * rng.standard_normal((200_000, 2))
    gap = drawn[:, 0] - drawn[:, 1]
    assert left[0] == pytest.approx(np.mean(gap > 0.1), abs=0.005)
    assert tie[0] == pytest.approx(np.mean(np.abs(gap) <= 0.1), abs=0.005)
    assert fit.predict("milk", "tea") > left[0]


def test_a_saved_belief_resumes_exactly(tmp_path):
    rng = np.random.default_rng(4)
    rows = [(("tea", "milk"), "left", 1 / 3), (("milk", "egg"), "tie", 1.0), (("egg", "tea"), "right", 2.0)]
    rows = [rows[at] for at in rng.integers(3, size=50)]
    model = TrueSkill()
    belief = model.update(model.start(object_cells(["egg", "milk", "tea"])), judge(rows[:20]))
    save_belief(belief, tmp_path / "belief.json")
    resumed = model.update(load_belief(tmp_path / "belief.json"), judge(rows[20:]))
    whole = model.fit(judge(rows))
    assert resumed.position.tolist() == whole.posterior.position.tolist()
    assert resumed.variance.tolist() == whole.posterior.belief.variance.tolist()


def test_the_scale_lists_items_as_the_file_names_them_and_the_signature_tells_the_settings():
    fit = TrueSkill().fit(judge([(("tea", "milk"), "left", 1.0)]))
    assert fit.item.tolist() == ["milk", "tea"]
    assert fit.scale.item.tolist() == ["tea", "milk"]
    assert "trueskill gamma=0.1 epsilon=0.1" in fit.signature
    assert "items 2 | judgments 1 | raters 1 | seed 0" in fit.signature


@pytest.mark.parametrize(
    "settings", [{"gamma": 0.0}, {"epsilon": -0.1}, {"prior_variance": 0.0}, {"passes": 0}, {"gamma": np.nan}]
)
def test_settings_without_a_meaning_are_refused_by_name(settings):
    with pytest.raises(BadSetting, match=next(iter(settings))):
        TrueSkill(**settings)


def test_ratings_are_not_comparisons():
    with pytest.raises(NothingToFit, match="trueskill needs comparison"):
        TrueSkill().fit(Judgments.of([Rating("a", "tea", 1)]))


def test_an_unknown_item_is_refused_by_name():
    with pytest.raises(UnknownItem, match="'milk'"):
        TrueSkill().update(TrueSkill().start(object_cells(["tea"])), judge([(("tea", "milk"), "left", 1.0)]))
