"""Positions without ratings, integrated over their unit."""

import numpy as np
import pytest
from scipy.special import log_ndtr

from steelyard import Comparison, Judgments, Steelyard
from steelyard.models.steelyard.mixed.fitting import UNRATED_LINK, orders_by_kind, solve_unrated
from steelyard.models.steelyard.mixed.rater_terms import LINK_DEVIATION
from steelyard.models.steelyard.mixed.unit import integrated_over_unit

POSITIONS = np.array([-0.8, -0.2, 0.1, 0.9])


def compared(count, seed):
    """Comparisons of four items, each by a rater of its own."""
    rng, rows = np.random.default_rng(seed), []
    for at in range(count):
        one, other = rng.choice(4, 2, replace=False)
        won = 1.2 * (POSITIONS[one] - POSITIONS[other]) + rng.standard_normal() > 0
        rows.append(Comparison(f"r{at}", f"i{one}", f"i{other}", "left" if won else "right"))
    return Judgments.of(rows).canonical()


def integral(judgments, draws=200_000):
    """Mean and covariance of centred positions in units of the noise, by draws from the prior with weights."""
    rng = np.random.default_rng(1)
    unit = np.exp(np.log(UNRATED_LINK) + LINK_DEVIATION * rng.standard_normal((draws, 1)))
    position = unit * rng.standard_normal((draws, 4))
    position = position - position.mean(axis=1, keepdims=True)
    table, log = judgments.table("comparison"), np.zeros(draws)
    outcomes = judgments.cells("comparison", "outcome").tolist()
    for left, right, outcome in zip(table.codes["left"], table.codes["right"], outcomes, strict=True):
        first, second = (left, right) if outcome == "left" else (right, left)
        log += log_ndtr(position[:, first] - position[:, second])
    weight = np.exp(log - log.max())
    weight /= weight.sum()
    mean = weight @ position
    return mean, (position - mean).T @ (weight[:, None] * (position - mean))


@pytest.mark.parametrize("count", [60, 120])
def test_positions_and_spreads_are_those_of_the_integral_over_unit_and_positions(count):
    judgments = compared(count, seed=count)
    solution = solve_unrated(4, orders_by_kind(judgments), len(judgments.raters), differ=False)
    integrated = integrated_over_unit(solution)
    mean, covariance = integral(judgments)
    spread = np.sqrt(np.diag(covariance))
    assert integrated.position == pytest.approx(mean, abs=0.1 * spread.mean())
    assert np.sqrt(np.diag(integrated.covariance)) == pytest.approx(spread, rel=0.07)


def test_the_mean_follows_a_skewed_distribution_of_the_unit():
    judgments = compared(24, seed=24)
    solution = solve_unrated(4, orders_by_kind(judgments), len(judgments.raters), differ=False)
    mean, covariance = integral(judgments)
    spread = np.sqrt(np.diag(covariance))
    assert integrated_over_unit(solution).position == pytest.approx(mean, abs=0.1 * spread.mean())


def test_the_unit_is_less_certain_with_fewer_answers():
    deviations = []
    for count in (20, 80, 320):
        judgments = compared(count, seed=2)
        solution = solve_unrated(4, orders_by_kind(judgments), len(judgments.raters), differ=False)
        deviations.append(integrated_over_unit(solution).deviation)
    assert deviations[0] > deviations[1] > deviations[2] > 0.0


def test_a_scale_without_ratings_has_its_own_words():
    fit = Steelyard().fit(compared(60, seed=3))
    assert "units of the noise" in fit.quantity.sentence("item")
