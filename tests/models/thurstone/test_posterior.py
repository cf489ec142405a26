"""The posterior of Thurstone's model, compared with integration on a grid."""

import itertools

import numpy as np
import pytest
from scipy.special import ndtr

from steelyard import BradleyTerry, Comparison, Judgments, Thurstone
from steelyard.errors import OnlyTies
from steelyard.models.thurstone import gaussians
from steelyard.models.thurstone.belief import ThurstoneBelief
from steelyard.models.thurstone.gaussians import DenseGaussian, SparseGaussian
from steelyard.models.thurstone.outcomes import Outcomes
from steelyard.models.thurstone.prior import most_probable, posterior_of
from steelyard.models.thurstone.propagation import Scales, propagate

ITEMS = ("a", "b", "c")


def comparisons(wins, ties=(), rater="ann"):
    rows = [Comparison(rater, first, second, "left") for first, second in wins]
    return Judgments.of([*rows, *(Comparison(rater, first, second, "tie") for first, second in ties)])


def outcomes(items, wins):
    first, second = np.array(wins).T
    return Outcomes(items, first, second, np.zeros(len(first), bool), np.ones(len(first)))


def about_the_mean(covariance):
    """Variances of positions less their mean, which no comparison shows."""
    centred = np.eye(len(covariance)) - 1.0 / len(covariance)
    return np.diag(centred @ covariance @ centred)


def on_a_grid(wins, prior_sd, points=121, reach=5.0):
    """Moments of three positions and the log evidence, by summing over a grid."""
    axis = np.linspace(-reach * prior_sd, reach * prior_sd, points)
    grid = np.array(list(itertools.product(axis, repeat=3)))
    density = np.exp(-0.5 * np.sum(grid**2, axis=1) / prior_sd**2) / (np.sqrt(2 * np.pi) * prior_sd) ** 3
    for first, second in wins:
        density = density * ndtr(grid[:, first] - grid[:, second])
    mass = density.sum()
    mean = density @ grid / mass
    covariance = (grid - mean).T @ ((grid - mean) * density[:, None]) / mass
    return mean, covariance, np.log(mass * (axis[1] - axis[0]) ** 3)


@pytest.mark.parametrize("wins", [[(0, 1), (1, 2), (0, 2)], [(0, 1), (0, 1), (1, 0), (1, 2)]])
def test_moments_and_evidence_are_those_of_the_exact_posterior(wins):
    mean, covariance, evidence = on_a_grid(wins, 1.0)
    found = propagate(outcomes(3, wins), Scales(1.0))
    assert found.converged
    assert found.gaussian.position == pytest.approx(mean, abs=0.02)
    assert np.allclose(found.gaussian.covariance, covariance, atol=0.02)
    assert found.log_evidence == pytest.approx(evidence, abs=0.02)


def test_the_spread_of_positions_is_recovered():
    rng = np.random.default_rng(4)
    truth = rng.normal(0.0, 2.0, 90)
    pairs = rng.integers(0, 90, (3000, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    won = rng.random(len(pairs)) < ndtr(truth[pairs[:, 0]] - truth[pairs[:, 1]])
    ordered = np.where(won[:, None], pairs, pairs[:, ::-1])
    posterior = posterior_of(outcomes(90, ordered), None)
    assert posterior.best.scales.prior_sd == pytest.approx(truth.std(), rel=0.15)
    assert np.corrcoef(posterior.position, truth)[0, 1] > 0.97


def test_variances_of_many_items_are_close_to_the_exact_ones():
    rng = np.random.default_rng(5)
    pairs = rng.integers(0, 200, (1000, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    rows = outcomes(200, pairs)
    weight, right = rng.uniform(0.3, 0.6, len(pairs)), rng.normal(size=200)
    dense, sparse = (kind(rows, weight, right, 1.5) for kind in (DenseGaussian, SparseGaussian))
    assert np.allclose(sparse.position, dense.position, atol=1e-6)
    assert np.allclose(sparse.variance, about_the_mean(dense.covariance), rtol=0.03)
    assert np.allclose(sparse.gap_variance(), dense.gap_variance(), rtol=0.05)


def test_many_items_give_the_positions_of_the_dense_fit(monkeypatch):
    rng = np.random.default_rng(6)
    truth = rng.normal(0.0, 1.0, 120)
    pairs = rng.integers(0, 120, (900, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    won = rng.random(len(pairs)) < ndtr(truth[pairs[:, 0]] - truth[pairs[:, 1]])
    rows = outcomes(120, np.where(won[:, None], pairs, pairs[:, ::-1]))
    dense = posterior_of(rows, 1.0)
    monkeypatch.setattr(gaussians, "FULL_ITEMS", 10)
    sparse = posterior_of(rows, 1.0)
    assert sparse.covariance is None
    assert np.allclose(sparse.position, dense.position, atol=0.03)
    assert np.allclose(sparse.variance, about_the_mean(dense.covariance), rtol=0.05)


def test_a_wide_prior_gives_the_probit_maximum_likelihood_estimates():
    wins = [("a", "b")] * 30 + [("b", "a")] * 10 + [("b", "c")] * 25 + [("c", "b")] * 15 + [("c", "a")] * 8
    wins += [("a", "c")] * 32
    ours = Thurstone(prior_sd=30.0, cluster="none").fit(comparisons(wins))
    theirs = BradleyTerry(link="probit", cluster="none").fit(comparisons(wins))
    assert ours.scale.position == pytest.approx(theirs.scale.position, abs=0.02)
    assert ours.scale.spread == pytest.approx(theirs.scale.spread, abs=0.02)


def test_items_that_always_win_have_finite_positions():
    fit = Thurstone().fit(comparisons([("a", "b")] * 9 + [("b", "c")] * 9))
    assert np.isfinite(fit.scale.position).all()
    assert fit.provenance.converged


def test_ties_bring_items_together():
    apart = Thurstone(prior_sd=1.0).fit(comparisons([("a", "b")] * 6 + [("b", "c")] * 6))
    tied = Thurstone(prior_sd=1.0).fit(comparisons([("a", "b")] * 6 + [("b", "c")] * 6, [("a", "b")] * 9))
    gaps = [dict(zip(fit.scale.item, fit.scale.position, strict=True)) for fit in (apart, tied)]
    assert gaps[1]["a"] - gaps[1]["b"] < gaps[0]["a"] - gaps[0]["b"]


def test_ties_alone_are_refused():
    with pytest.raises(OnlyTies):
        Thurstone().fit(comparisons([], [("a", "b")]))


def test_raters_who_repeat_are_clustered():
    rows = [
        Comparison(f"r{at % 5}", *("ab" if at % 2 else "bc"), "left" if at % 3 else "right")
        for at in range(60)
    ]
    fit = Thurstone().fit(Judgments.of(rows))
    assert "rater" in fit.provenance.settings["errors"]
    assert (fit.scale.spread > 0).all()


def test_updating_one_comparison_at_a_time_approaches_the_refit():
    model, items = Thurstone(prior_sd=1.0), np.array(ITEMS, dtype=object)
    judged = comparisons([("a", "b"), ("b", "c"), ("a", "c"), ("c", "b")])
    stepwise, refitted = model.update(model.start(items), judged), model.believe(items, judged)
    assert stepwise.position == pytest.approx(refitted.position, abs=0.05)
    assert np.allclose(stepwise.covariance, refitted.covariance, atol=0.05)
    assert stepwise.count.tolist() == refitted.count.tolist() == [2, 3, 3]


def test_the_tie_width_is_estimated_and_stated():
    rng = np.random.default_rng(11)
    position, width = rng.normal(0.0, 1.0, 12), 0.4
    rows = []
    for at in range(1500):
        first, second = rng.choice(12, 2, replace=False)
        felt = position[first] - position[second] + rng.normal()
        outcome = "tie" if abs(felt) < width else "left" if felt > 0 else "right"
        rows.append(Comparison(f"r{at % 30}", f"i{first}", f"i{second}", outcome))
    fit = Thurstone().fit(Judgments.of(rows))
    assert fit.tie_width == pytest.approx(width, abs=0.06)
    assert fit.remarks[0].startswith(f"Tie width {fit.tie_width:.3f}: two items at the same position")
    assert fit.remarks[0] in fit.summary()
    assert Thurstone().fit(comparisons([("a", "b"), ("b", "a")])).tie_width == 0.0


def test_the_belief_counts_the_uncertain_width_of_the_scale():
    rng = np.random.default_rng(8)
    position = rng.uniform(0.0, 4.0, 40)
    pairs = rng.permutation(np.array(list(itertools.combinations(range(40), 2))))[:240]
    won = rng.random(len(pairs)) < ndtr(position[pairs[:, 0]] - position[pairs[:, 1]])
    compared = outcomes(40, np.where(won[:, None], pairs, pairs[:, ::-1]))
    integrated, at_mode = posterior_of(compared, None), most_probable(compared, None)
    widest = [float(np.trace(each.between)) for each in (integrated, at_mode)]
    assert widest[1] == pytest.approx(widest[0], rel=0.25)
    assert not most_probable(compared, 1.0).between.any()


def test_the_belief_has_the_whole_covariance_and_variances_about_the_mean():
    rng = np.random.default_rng(9)
    items = 8
    position = rng.uniform(0.0, 4.0, items)
    pairs = rng.integers(0, items - 1, (6 * items, 1)) + np.arange(2)
    won = rng.random(len(pairs)) < ndtr(position[pairs[:, 0]] - position[pairs[:, 1]])
    posterior = most_probable(outcomes(items, np.where(won[:, None], pairs, pairs[:, ::-1])), None)
    labels = np.array([f"i{at:02}" for at in range(items)], dtype=object)
    belief = ThurstoneBelief.of(labels, np.zeros(items), posterior)
    assert belief.covariance == pytest.approx(posterior.within + posterior.between)
    assert posterior.between.any()
    assert belief.variance == pytest.approx(about_the_mean(posterior.covariance))
    steps = Thurstone().update(belief, comparisons([("i00", "i01")]))
    fall = about_the_mean(belief.covariance) - about_the_mean(steps.covariance)
    assert belief.variance - steps.variance == pytest.approx(fall)
