from __future__ import annotations

import numpy as np
import pytest

from steelyard.models.steelyard.layout import lay_out
from steelyard.models.steelyard.model import Steelyard
from steelyard.models.steelyard.stacking import SLOPE_VARIANCE, error_products, stacked_weights

PRIOR = np.array([0.1, 0.2, 0.7])


def products_of(*errors):
    errors = np.array(errors)
    return errors @ errors.T


def test_without_differences_in_prediction_the_prior_decides():
    np.testing.assert_allclose(stacked_weights(np.ones((3, 3)), PRIOR, 1.0), PRIOR, atol=1e-5)


def test_the_best_predictor_of_many_answers_gets_the_weight():
    rng = np.random.default_rng(81)
    noise = rng.standard_normal(2000)
    wrong = [noise + rng.standard_normal(2000) for _ in range(2)]
    weights = stacked_weights(products_of(noise, *wrong), PRIOR, 1.0)
    assert weights[0] > 0.95
    assert weights.min() >= 0.0
    assert weights.sum() == pytest.approx(1.0)


def test_two_predictors_with_independent_errors_share_the_weight_by_their_variances():
    rng = np.random.default_rng(82)
    one, other = rng.standard_normal(100_000), 2.0 * rng.standard_normal(100_000)
    weights = stacked_weights(products_of(one, other, 50.0 * one), PRIOR, 1.0)
    np.testing.assert_allclose(weights, [0.8, 0.2, 0.0], atol=0.01)


@pytest.mark.parametrize("tasks", [True, False])
def test_errors_are_weighed_by_the_inverse_covariance_of_a_raters_answers(simulated, tasks):
    judgments = simulated("full", 3, seed=83, items=30, raters=5)[0]
    if not tasks:
        judgments = judgments.where(lambda table: table.codes["task"] % 2 == 0)
    layout, rng = lay_out(judgments), np.random.default_rng(84)
    bias_only = Steelyard().posterior(judgments).average.bias_only
    predicted = [rng.random(len(layout.ratings.score)) for _ in range(3)]
    lists = np.repeat(np.arange(len(layout.ratings.rater)), np.diff(layout.ratings.start))
    learnt, size = bias_only.learnt, len(lists)
    same = layout.rater[:, None] == layout.rater
    middle = np.mean(predicted, axis=0) - layout.ratings.score.mean()
    covariance = (
        learnt.noise_variance * np.eye(size)
        + learnt.offset_variance * (lists[:, None] == lists)
        + learnt.bias_variance * same
        + SLOPE_VARIANCE * same * np.outer(middle, middle)
    )
    errors = layout.ratings.score - np.array(predicted)
    expected = errors @ np.linalg.solve(covariance, errors.T)
    found = error_products(predicted, bias_only, layout)
    np.testing.assert_allclose(found, expected * size / np.diag(expected).min(), rtol=1e-9)


def test_spammers_hardly_move_the_weights_towards_flatter_predictions(simulated):
    judgments, _, expected, _ = simulated("full", 5, seed=85)
    layout = lay_out(judgments)
    bias_only = Steelyard().posterior(judgments).average.bias_only
    best = expected[layout.ratings.item]
    flat = 0.5 + 0.6 * (best - 0.5)
    weights = stacked_weights(error_products([flat, flat, best], bias_only, layout), PRIOR, 1.0)
    assert weights[2] > 0.75
