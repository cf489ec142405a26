"""Ratings on a few levels as ordered categories."""

import numpy as np
import pytest

from steelyard import Judgments, Steelyard
from steelyard.errors import BadSetting
from steelyard.models.steelyard.ordinal import _messages, level_codes

CUTS = np.array([0.5, 0.7, 0.8, 0.9])


def skewed(seed, items=40, turns=6):
    """Levels of noisy answers, most of them low, and the true positions."""
    rng = np.random.default_rng(seed)
    truth = rng.random(items)
    rows = {"rater": [], "item": [], "score": []}
    for rater in range(turns):
        seen = truth + 0.05 * rng.standard_normal() + 0.15 * rng.standard_normal(items)
        rows["rater"] += [f"r{rater}"] * items
        rows["item"] += [f"i{at:02d}" for at in range(items)]
        rows["score"] += (1 + np.searchsorted(CUTS, seen)).tolist()
    return Judgments.from_columns("rating", rows, (1, 5)), truth


def test_positions_are_expected_levels_inside_the_range():
    judgments, truth = skewed(1)
    fit = Steelyard(levels=5).fit(judgments)
    assert fit.posterior.position.min() >= 1.0
    assert fit.posterior.position.max() <= 5.0
    assert np.corrcoef(fit.posterior.position, truth)[0, 1] > 0.85
    assert "levels=5" in fit.signature


def test_skewed_levels_are_ordered_at_least_as_well_as_numbers():
    gains = []
    for seed in range(5):
        judgments, truth = skewed(seed)
        order = np.argsort(np.argsort(truth))
        ranks = [
            np.corrcoef(order, np.argsort(np.argsort(model.fit(judgments).posterior.position)))[0, 1]
            for model in (Steelyard(), Steelyard(levels=5))
        ]
        gains.append(ranks[1] - ranks[0])
    assert np.mean(gains) > -0.003


def test_cut_points_are_in_order_and_reproduce_the_counts():
    judgments, _ = skewed(2)
    posterior = Steelyard(levels=5).posterior(judgments.canonical())
    cuts = posterior.fullest.solution.cuts
    assert np.all(np.diff(cuts) > 0.0)
    assert len(cuts) == 4


def test_a_message_gives_the_moments_of_the_truncated_answer():
    expected, variance = np.array([0.4]), np.array([0.04])
    answer, blur = _messages(expected, variance, np.array([1]), np.array([0.5, 0.7]))
    drawn = 0.4 + 0.2 * np.random.default_rng(1).standard_normal(400_000)
    inside = drawn[(drawn > 0.5) & (drawn < 0.7)]
    precision = 1.0 / variance + 1.0 / blur
    assert 1.0 / precision == pytest.approx(inside.var(), rel=0.02)
    assert (expected / variance + answer / blur) / precision == pytest.approx(inside.mean(), rel=0.01)


def test_scores_between_levels_are_refused():
    assert level_codes(np.array([0.0, 0.25, 1.0]), 5).tolist() == [0, 1, 4]
    with pytest.raises(BadSetting, match="evenly numbered levels"):
        level_codes(np.array([0.3]), 5)
