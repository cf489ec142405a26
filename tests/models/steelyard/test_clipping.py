from __future__ import annotations

import numpy as np
import pytest

from steelyard.models.steelyard.clipping import cut_site, expected_clip, with_ends
from steelyard.models.steelyard.layout import lay_out


@pytest.mark.parametrize("latent", [-0.6, 0.0, 0.3, 0.97, 1.8])
def test_the_expected_cut_answer_is_that_of_many_draws(latent):
    drawn = np.clip(latent + 0.3 * np.random.default_rng(1).standard_normal(400_000), 0.0, 1.0)
    assert expected_clip(np.array([latent]), np.array([0.3]))[0] == pytest.approx(drawn.mean(), abs=0.002)


def test_expected_answers_keep_the_order_and_the_scale():
    latent = np.linspace(-1.0, 2.0, 300)
    answer = expected_clip(latent, np.full(300, 0.2))
    assert np.all(np.diff(answer) >= 0.0)
    assert answer.min() >= 0.0
    assert answer.max() <= 1.0


def test_the_message_at_an_end_gives_the_moments_of_the_truncated_normal():
    """N(0.1, 0.04) times the site has the mean and variance of N(0.1, 0.04) cut above 0."""
    draws = 0.1 + 0.2 * np.random.default_rng(2).standard_normal(2_000_000)
    cut = draws[draws <= 0.0]
    answer, blur = cut_site(np.array([0.0]), np.array([0.1]), np.array([0.04]), (0.0, 1.0))
    precision = 1 / 0.04 + 1 / blur[0]
    assert (0.1 / 0.04 + answer[0] / blur[0]) / precision == pytest.approx(cut.mean(), abs=0.001)
    assert 1 / precision == pytest.approx(cut.var(), rel=0.01)


def test_scores_inside_the_scale_are_unchanged():
    answer, blur = cut_site(np.array([0.4]), np.array([0.5]), np.array([0.04]), (0.005, 0.995))
    assert (answer[0], blur[0]) == (0.4, 0.0)


def test_ends_reach_half_a_step_into_the_scale(table):
    rows = [(f"r{a}", f"i{i}", "", (a + i) % 5 / 4) for a in range(5) for i in range(5)]
    ratings = with_ends(lay_out(table(rows)).ratings)
    assert (ratings.low, ratings.high) == (0.125, 0.875)
    assert np.sum(ratings.ends == -1) == 5
