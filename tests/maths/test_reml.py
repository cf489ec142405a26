import numpy as np
import pytest

from steelyard.maths.mixed import Effect, MixedDesign, solve
from steelyard.maths.reml import fit_reml, satterthwaite


def one_way(groups=8, each=5, seed=3):
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(groups), each)
    score = 10.0 + rng.normal(0.0, 2.0, groups)[group] + rng.normal(0.0, 1.0, groups * each)
    return group, score


def one_way_design(group, score):
    effects = (
        Effect("mean", np.zeros(len(score), dtype=np.int64), 1, random=False),
        Effect("group", group, int(group.max()) + 1),
    )
    return MixedDesign(score, np.ones(len(score)), effects, 1)


def test_balanced_one_way_variances_are_those_of_the_analysis_of_variance():
    group, score = one_way()
    means = np.bincount(group, score) / np.bincount(group)
    between = 5.0 * np.var(means, ddof=1)
    within = np.sum((score - means[group]) ** 2) / (len(score) - len(means))
    reml = fit_reml(one_way_design(group, score))
    assert reml.converged
    variances = {"group": (between - within) / 5.0, "residual": within}
    assert reml.solved.variances == pytest.approx(variances, rel=1e-5)
    variance = reml.solved.covariance(np.ones((1, 1)))[0, 0]
    assert variance == pytest.approx(between / len(score), rel=1e-5)


def test_degrees_of_freedom_of_a_balanced_mean_are_groups_less_one():
    group, score = one_way()
    reml = fit_reml(one_way_design(group, score))

    def variance(solved, noise):
        return solved.covariance(np.ones((1, 1)))[0] * noise / solved.noise_variance

    assert satterthwaite(reml, variance) == pytest.approx([7.0], rel=0.01)


def test_a_variance_that_data_do_not_support_is_zero():
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(10), 4)
    score = np.tile([1.0, 2.0, 3.0, 4.0], 10) + 1e-3 * rng.normal(
        size=40
    )  # groups differ less than by chance
    reml = fit_reml(one_way_design(group, score))
    assert reml.on_the_boundary
    assert reml.solved.variances["group"] == 0.0


def crossed_design(seed=7):
    """Ratings of 12 items by 5 raters in 15 tasks, in which tasks do not differ."""
    rng = np.random.default_rng(seed)
    rater, item = (codes.ravel() for codes in np.meshgrid(np.arange(5), np.arange(12)))
    score = rng.normal(size=5)[rater] + 2.0 * rng.normal(size=12)[item] + rng.normal(size=60)
    effects = (
        Effect("mean", np.zeros(60, dtype=np.int64), 1, random=False),
        Effect("rater", rater, 5),
        Effect("task", 3 * rater + item // 4, 15),
        Effect("item", item, 12),
    )
    return MixedDesign(score, rng.uniform(0.5, 2.0, 60), effects, 3)


@pytest.mark.parametrize("start", [0.01, 1.0, 100.0])
def test_the_search_reaches_the_lowest_criterion_from_any_start(start):
    design = crossed_design()
    reml = fit_reml(design, np.full(3, start))
    assert reml.converged
    for factor in (0.99, 1.01):
        for at in range(3):
            deviations = reml.solved.deviations.copy()
            deviations[at] = max(deviations[at] * factor, 0.01)
            assert solve(design, deviations).criterion >= reml.solved.criterion


def test_ratings_without_noise_converge():
    group, _ = one_way()
    reml = fit_reml(one_way_design(group, 10.0 + group))
    assert reml.converged
    assert reml.solved.variances["residual"] == pytest.approx(0.0, abs=1e-6)


def test_variances_that_cannot_be_separated_stay_where_the_search_started():
    rng = np.random.default_rng(9)
    group, score = one_way()
    effects = (
        Effect("mean", np.zeros(40, dtype=np.int64), 1, random=False),
        Effect("everyone", np.zeros(40, dtype=np.int64), 1),
        Effect("group", group, 8),
        Effect("rating", rng.permutation(40), 40),  # the same as the noise
    )
    reml = fit_reml(MixedDesign(score, np.ones(40), effects, 3))
    plain = fit_reml(one_way_design(group, score))
    assert reml.converged
    variances = reml.solved.variances
    assert variances["everyone"] == pytest.approx(variances["residual"], rel=1e-3)
    assert variances["group"] == pytest.approx(plain.solved.variances["group"], rel=1e-3)
    both = variances["rating"] + variances["residual"]
    assert both == pytest.approx(plain.solved.variances["residual"], rel=1e-3)
