"""Scores of pairs: expected reductions, ranks as a goal, and groups that count before the next ones."""

import numpy as np
import pytest
from scipy.special import ndtr

from steelyard.maths.gaussian import expected_reduction
from steelyard.selection.pair_scores import (
    JointScores,
    gap_variances,
    mixed_goal,
    mutual_information,
    rank_goal,
    rank_slopes,
    system_goal,
    weighted_goal,
)

EVERY = np.ones((6, 6), dtype=bool)


def posterior(seed=3, items=6):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(items, items))
    return rng.normal(size=items), root @ root.T / items


@pytest.mark.parametrize(("gap", "variance"), [(0.0, 0.1), (0.7, 1.0), (-2.5, 1.5)])
def test_the_expected_reduction_is_that_of_the_posterior_variances_of_both_outcomes(gap, variance):
    x = np.linspace(gap - 12.0, gap + 12.0, 20_001)
    prior = np.exp(-((x - gap) ** 2) / (2.0 * variance))
    expected = 0.0
    for likelihood in (ndtr(x), ndtr(-x)):
        posterior = prior * likelihood / np.sum(prior * likelihood)
        mean = np.sum(posterior * x)
        expected += np.sum(prior * likelihood) / np.sum(prior) * np.sum(posterior * (x - mean) ** 2)
    reduction = expected_reduction(np.array(gap), np.array(variance))
    assert variance - reduction * variance**2 == pytest.approx(expected, rel=1e-6)


def test_rank_slopes_are_the_derivatives_of_expected_ranks():
    position, covariance = posterior()
    scale = np.sqrt(gap_variances(covariance))

    def ranks(at):
        chances = ndtr((at[:, None] - at) / scale)
        return chances.sum(axis=1) - np.diag(chances)

    moved = 1e-6 * np.eye(6)
    numeric = np.array([(ranks(position + step) - ranks(position - step)) / 2e-6 for step in moved]).T
    assert rank_slopes(position, covariance, EVERY) == pytest.approx(numeric, abs=1e-7)


def test_ranks_count_only_among_comparable_items():
    position, covariance = posterior()
    segment = np.array([0, 0, 0, 1, 1, 1])
    slopes = rank_slopes(position, covariance, segment[:, None] == segment)
    assert not slopes[:3, 3:].any()
    assert slopes[:3, :3] == pytest.approx(
        rank_slopes(position[:3], covariance[:3, :3], np.ones((3, 3), bool))
    )


@pytest.mark.parametrize("name", ["distances", "ranks", "systems", "both"])
def test_the_score_is_the_expected_drop_of_the_goal_and_the_mutual_information(name):
    position, covariance = posterior()
    distances, ranks = weighted_goal(np.ones(6)), rank_goal(position, covariance, EVERY)
    goals = {
        "distances": [distances],
        "ranks": [ranks],
        "systems": [system_goal(np.array([0, 0, 0, 1, 1, 2]))],
        "both": [distances, ranks],
    }
    goal = mixed_goal(goals[name], covariance)
    scores = JointScores.towards(goal, position, covariance, EVERY)
    for one, other in ((0, 1), (2, 5)):
        along = covariance[:, one] - covariance[:, other]
        gap, variance = np.array(position[one] - position[other]), np.array(along[one] - along[other])
        after = covariance - expected_reduction(gap, variance) * np.outer(along, along)
        drop = np.sum(goal * covariance) - np.sum(goal * after)
        assert scores.all[one, other] == pytest.approx(np.sqrt(drop * mutual_information(gap, variance)))


def test_goals_together_have_equal_shares_of_the_uncertainty():
    position, covariance = posterior()
    goals = [1e6 * weighted_goal(np.ones(6)), rank_goal(position, covariance, EVERY)]
    shares = [float(np.sum(mixed_goal([goal], covariance) * covariance)) for goal in goals]
    assert shares == pytest.approx([1.0, 1.0])
    assert float(np.sum(mixed_goal(goals, covariance) * covariance)) == pytest.approx(2.0)


def test_scores_after_a_group_are_those_of_the_covariance_after_it():
    position, covariance = posterior()
    goal = mixed_goal([weighted_goal(np.ones(6)), rank_goal(position, covariance, EVERY)], covariance)
    after = JointScores.towards(goal, position, covariance, EVERY).after([(0, 3, 1), (2, 4)])
    again = JointScores.towards(goal, position, after.covariance, EVERY)
    assert after.all == pytest.approx(again.all)
    assert np.trace(after.covariance) < np.trace(covariance)
