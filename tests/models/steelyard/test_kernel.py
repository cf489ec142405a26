from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from steelyard.models.steelyard import kernel, twin
from steelyard.models.steelyard.arrays import Ratings, Terms, silent
from steelyard.models.steelyard.clipping import with_ends
from steelyard.models.steelyard.features import features_of
from steelyard.models.steelyard.inference import Solution
from steelyard.models.steelyard.joint import joint_of
from steelyard.models.steelyard.layout import lay_out
from steelyard.models.steelyard.lists import shifts_of
from steelyard.models.steelyard.parameters import Learnt, Parts, cold_start

ALL_PARTS = Parts(slope=True, noise=True, spam=True, offset=True)


def some_terms(items: int, raters: int, rng: np.random.Generator) -> Terms:
    return Terms(
        centre=0.45,
        prior_mean=rng.normal(0, 0.05, items),
        bias_variance=0.01,
        offset_variance=0.008,
        slope=rng.uniform(0.6, 1.4, raters),
        slope_variance=rng.uniform(0, 0.02, raters),
        noise_variance=rng.uniform(0.01, 0.05, raters),
        honest_slope=rng.uniform(0.2, 1.4, raters),
        keep=rng.uniform(0.2, 1.0, raters),
        prior_variance=rng.uniform(0.05, 0.07, items),
    )


@pytest.mark.parametrize("ends", [False, True])
def test_the_compiled_sweep_and_its_twin_agree(simulated, ends):
    judgments, *_ = simulated("hard full", 3, seed=1, items=60, raters=12)
    layout = lay_out(judgments)
    ratings = with_ends(layout.ratings) if ends else layout.ratings
    terms = some_terms(layout.items, layout.raters, np.random.default_rng(2))
    fast = slow = silent(ratings, layout.items, layout.raters)
    for _ in range(4):
        fast, fast_sums = kernel.sweep(ratings, terms, fast, True)
        slow, slow_sums = twin.sweep(ratings, terms, slow, True)
    for one, other in zip([*fast, *fast_sums], [*slow, *slow_sums], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-9)


def test_a_sweep_does_not_change_its_arguments(simulated):
    judgments, *_ = simulated("full", 2, seed=3, items=30, raters=6)
    layout = lay_out(judgments)
    before = silent(layout.ratings, layout.items, layout.raters)
    kernel.sweep(
        layout.ratings, some_terms(layout.items, layout.raters, np.random.default_rng(1)), before, True
    )
    assert not before.item_precision.any()
    np.testing.assert_array_equal(before.answer, layout.ratings.score)


def dense_posterior(ratings: Ratings, terms: Terms, items: int, raters: int) -> tuple[np.ndarray, np.ndarray]:
    """Posterior of the items by plain Gaussian algebra over items, biases and offsets."""
    lists, count = len(ratings.rater), len(ratings.score)
    at = np.repeat(np.arange(lists), np.diff(ratings.start))
    design = np.zeros((count, items + raters + lists))
    rows = np.arange(count)
    design[rows, ratings.item] = terms.slope[ratings.rater[at]]
    design[rows, items + ratings.rater[at]] = 1.0
    design[rows, items + raters + at] = 1.0
    noise = terms.noise_variance[ratings.rater[at]]
    prior = np.r_[
        1 / terms.prior_variance,
        np.full(raters, 1 / terms.bias_variance),
        np.full(lists, 1 / terms.offset_variance),
    ]
    precision = design.T @ (design / noise[:, None]) + np.diag(prior)
    mean = np.r_[terms.prior_mean, np.zeros(raters + lists)]
    pull = design.T @ ((ratings.score - terms.centre) / noise) + prior * mean
    covariance = np.linalg.inv(precision)
    return (covariance @ pull)[:items], np.diag(covariance)[:items]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_messages_give_the_exact_gaussian_means(simulated, seed):
    judgments, *_ = simulated("full", 3, seed=seed, items=60, raters=12)
    layout = lay_out(judgments)
    terms = some_terms(layout.items, layout.raters, np.random.default_rng(seed))._replace(
        slope_variance=np.zeros(layout.raters), keep=np.ones(layout.raters)
    )
    messages = silent(layout.ratings, layout.items, layout.raters)
    for _ in range(200):
        messages, sums = kernel.sweep(layout.ratings, terms, messages, False)
    solution = Solution(
        layout.ratings, ALL_PARTS, learnt_of(layout.ratings, terms), messages, sums, 200, True
    )
    exact_mean, exact_variance = dense_posterior(layout.ratings, terms, layout.items, layout.raters)
    np.testing.assert_allclose(solution.latent - terms.centre, exact_mean, atol=1e-6)
    np.testing.assert_allclose(solution.latent_variance, exact_variance, rtol=0.10)
    joint = joint_of(solution, layout, shifts_of(solution, layout))
    np.testing.assert_allclose(joint.variance, exact_variance, rtol=1e-6)
    drawn = joint.draws(20000, np.random.default_rng(seed))
    np.testing.assert_allclose(drawn.var(axis=0), exact_variance, rtol=0.06)


def test_variances_of_messages_are_within_two_percent_with_many_raters(simulated):
    judgments, *_ = simulated("full", 3, seed=4, items=400, raters=150)
    layout = lay_out(judgments)
    terms = some_terms(layout.items, layout.raters, np.random.default_rng(4))._replace(
        slope_variance=np.zeros(layout.raters), keep=np.ones(layout.raters)
    )
    messages = silent(layout.ratings, layout.items, layout.raters)
    for _ in range(100):
        messages, _sums = kernel.sweep(layout.ratings, terms, messages, False)
    _, exact = dense_posterior(layout.ratings, terms, layout.items, layout.raters)
    ratio = 1.0 / (1 / terms.prior_variance + messages.item_precision) / exact
    assert abs(ratio.mean() - 1.0) < 0.02


def learnt_of(ratings: Ratings, terms: Terms) -> Learnt:
    features = features_of({}, np.arange(len(terms.prior_mean)).astype(str).astype(object))
    started = cold_start(ratings, features, len(terms.slope), ALL_PARTS)
    return replace(
        started,
        centre=terms.centre,
        regression=replace(started.regression, mean=terms.prior_mean),
        item_variance=0.06,
        unsure=terms.prior_variance / 0.06,
        unsure_share=1.0,
        bias_variance=terms.bias_variance,
        offset_variance=terms.offset_variance,
        slope=terms.slope,
        noise=terms.noise_variance,
    )
