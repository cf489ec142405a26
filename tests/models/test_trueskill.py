import numpy as np
import pytest
from hypothesis import given
from scipy.stats import norm, spearmanr

from steelyard import Comparison, Judgments, TrueSkill
from steelyard.maths.arrays import object_cells
from steelyard.models.online import trueskill_kernel, trueskill_twin
from steelyard.models.online.steps import Steps
from steelyard.scales.belief import GaussianBelief
from tests.models.online import (
    against_truth,
    judge,
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


@pytest.mark.parametrize("outcome", [1, 0, -1])
@pytest.mark.parametrize("gap", [-1000.0, -30.0, -6.0, 0.0, 3.0, 35.0, 400.0])
def test_the_kernel_agrees_with_its_twin_for_extreme_outcomes(gap, outcome):
    steps = Steps(np.array([0]), np.array([1]), np.array([outcome]), np.ones(1))
    start = np.array([gap + 0.5, 0.5]), np.array([0.4, 0.5])
    ours = trueskill_kernel.fold(*start, steps, 0.2, 0.3)
    np.testing.assert_allclose(ours, trueskill_twin.fold(*start, steps, 0.2, 0.3), rtol=1e-13)
    assert np.isfinite(ours).all()
    assert (ours[1] > 0).all()


@given(rows)
def test_every_judgment_reduces_the_variance_of_its_items(rows):
    belief = TrueSkill().start(object_cells(sorted(judge(rows).items)))
    after = TrueSkill().update(belief, judge(rows))
    assert (after.variance < belief.variance).all()


def test_a_third_of_a_comparison_reduces_the_variance_by_a_third_as_much():
    def fit(count):
        return TrueSkill().fit(judge([(("tea", "milk"), "left", count)])).posterior

    assert fit(1 / 3).spread[0] ** 2 == pytest.approx((2.0 / 12.0 + fit(1.0).spread[0] ** 2) / 3.0)


def test_the_order_of_the_rows_matters():
    rows = [(("tea", "milk"), "left", 1.0), (("milk", "soup"), "left", 1.0), (("soup", "tea"), "left", 1.0)]
    one, two = (TrueSkill().fit(judge(some)).posterior.position for some in (rows, rows[::-1]))
    assert np.abs(one - two).max() > 0.01


def test_more_passes_count_everything_once():
    rng = np.random.default_rng(11)
    orders = reordered(simulated(rng, rng.random(20), 30), rng, 8)
    once, often = (
        np.mean([model.fit(each).posterior.spread for each in orders])
        for model in (TrueSkill(), TrueSkill(passes=10))
    )
    assert often == pytest.approx(once, rel=0.2)


def test_shuffling_depends_only_on_the_seed():
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


def test_coverage_of_simulated_positions_is_nominal():
    rng = np.random.default_rng(2)
    held = []
    for _ in range(40):
        truth = 0.5 + np.sqrt(1 / 12) * rng.standard_normal(40)
        fit = TrueSkill().fit(simulated(rng, truth, 20, noise=np.sqrt(0.02)))
        wanted = against_truth(fit, truth)
        # Comparisons do not determine the level that all items share.
        wanted = wanted - wanted.mean() + fit.posterior.position.mean()
        low, high = fit.posterior.interval(0.95)
        held.append(np.mean((low <= wanted) & (wanted <= high)))
    assert 0.92 < np.mean(held) < 0.98


def test_probabilities_of_the_next_comparison_include_its_noise_and_ties():
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
