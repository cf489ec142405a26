import numpy as np
import pytest

from steelyard.maths.mixed import Effect, MixedDesign, solve
from steelyard.maths.reml import fit_reml


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
