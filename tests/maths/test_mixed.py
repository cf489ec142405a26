import numpy as np
import pytest

from steelyard.maths.mixed import Effect, MixedDesign, fit_reml, satterthwaite, solve


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


def crossed_design(eliminated, seed=5):
    rng = np.random.default_rng(seed)
    rater, item = (codes.ravel() for codes in np.meshgrid(np.arange(4), np.arange(9)))
    score = rng.normal(size=4)[rater] + rng.normal(size=9)[item] + 0.5 * rng.normal(size=36)
    value = rng.uniform(0.5, 1.5, 36)
    effects = (
        Effect("mean", np.zeros(36, dtype=np.int64), 1, random=False),
        Effect("rater", rater, 4),
        Effect("item", item, 9, value=value),
    )
    return MixedDesign(score, rng.uniform(0.5, 2.0, 36), effects, eliminated)


def dense_answer(design, deviations):
    """Criterion and fixed effects from the marginal covariance written out."""
    columns = [np.eye(effect.levels)[effect.codes] * effect.column[:, None] for effect in design.effects]
    fixed = columns[0]
    marginal = np.diag(1.0 / design.weight)
    for theta, random in zip(deviations, columns[1:], strict=True):
        marginal = marginal + theta**2 * random @ random.T
    inverse = np.linalg.inv(marginal)
    information = fixed.T @ inverse @ fixed
    mean = np.linalg.solve(information, fixed.T @ inverse @ design.score)
    rest = design.score - fixed @ mean
    freedom = len(design.score) - fixed.shape[1]
    noise = rest @ inverse @ rest / freedom
    logs = np.linalg.slogdet(marginal)[1] + np.linalg.slogdet(information)[1]
    return logs + freedom * (1.0 + np.log(2.0 * np.pi * noise)), mean, noise * np.linalg.inv(information)


@pytest.mark.parametrize("eliminated", [1, 2])
def test_the_criterion_is_that_of_the_covariance_written_out(eliminated):
    design, deviations = crossed_design(eliminated), np.array([0.7, 1.3])
    solved = solve(design, deviations)
    criterion, mean, covariance = dense_answer(design, deviations)
    assert solved.criterion == pytest.approx(criterion)
    assert solved.effect("mean") == pytest.approx(mean)
    row = np.zeros((1, design.starts[-1]))
    row[0, design.places("mean")] = 1.0
    assert solved.covariance(row) == pytest.approx(covariance)


@pytest.mark.parametrize("eliminated", [1, 2])
def test_slopes_of_the_criterion_are_its_derivatives(eliminated):
    design, deviations = crossed_design(eliminated), np.array([0.7, 1.3])
    solved = solve(design, deviations)
    for at, slope in enumerate(solved.log_slopes(solved.noise_variance)):
        up, down = deviations.copy(), deviations.copy()
        up[at] *= np.exp(5e-6)
        down[at] *= np.exp(-5e-6)
        change = (solve(design, up).criterion - solve(design, down).criterion) / 2e-5
        assert slope == pytest.approx(change, abs=1e-4)


def test_influence_times_scores_is_the_estimate():
    design = crossed_design(2)
    solved = solve(design, np.array([0.7, 1.3]))
    row = np.zeros((1, design.starts[-1]))
    row[0, design.places("mean")] = 1.0
    assert solved.influence(row) @ design.score == pytest.approx(solved.effect("mean"))


def test_a_basis_restricts_the_levels_to_its_space():
    design = crossed_design(2)
    basis = np.linalg.qr(np.column_stack([np.ones(4), np.eye(4)]))[0][:, 1:4]
    rater = Effect("rater", design.effects[1].codes, 4, basis=basis)
    effects = (design.effects[0], rater, design.effects[2])
    reml = fit_reml(MixedDesign(design.score, design.weight, effects, 2))
    assert reml.solved.effect("rater").sum() == pytest.approx(0.0, abs=1e-9)
    assert np.abs(reml.solved.effect("rater")).max() > 0.1


def test_sparse_and_dense_couplings_give_the_same(monkeypatch):
    dense = fit_reml(crossed_design(2))
    monkeypatch.setattr("steelyard.maths.mixed.DENSE_CELLS", 0)
    sparse = fit_reml(crossed_design(2))
    assert sparse.solved.criterion == pytest.approx(dense.solved.criterion, abs=1e-8)
    assert sparse.solved.effect("item") == pytest.approx(dense.solved.effect("item"), abs=1e-5)
