from __future__ import annotations

import numpy as np
import pytest

from steelyard.models.steelyard.errors import estimated_weights
from steelyard.models.steelyard.model import Steelyard

ANSWERS = 8


def crowd(table, kinds, *, items=40, seed=0, noise=None):
    """Every rater answers `ANSWERS` lists of five; a kind is `honest` or a function of rng and size."""
    rng = np.random.default_rng(seed)
    truth = rng.uniform(0.1, 0.9, items)
    rows = []
    for who, kind in enumerate(kinds):
        order = rng.permutation(items).reshape(-1, 5)[:ANSWERS]
        for at, page in enumerate(order):
            deviation = 0.12 if noise is None else noise[who]
            scores = truth[page] + deviation * rng.standard_normal(5) if kind == "honest" else kind(rng, 5)
            scores = np.clip(np.round(scores, 2), 0.0, 1.0)
            rows += [
                (f"r{who:02d}", f"i{i:02d}", f"{who}-{at}", float(y))
                for i, y in zip(page, scores, strict=True)
            ]
    return table(rows), truth


def anywhere(rng, size):
    return rng.random(size)


def at_the_top(rng, size):
    return np.where(rng.random(size) < 0.8, 1.0, rng.uniform(0.8, 1.0, size))


def test_raters_with_uniform_answers_are_detected(table):
    judgments, _ = crowd(table, ["honest"] * 12 + [anywhere] * 3)
    rows = Steelyard().fit(judgments).raters
    spam = np.array([row["spam"] for row in rows])
    assert spam[:12].max() < 0.1
    assert spam[12:].min() > 0.9


def with_one_more(table, kind, *, answers, seed, lists=True):
    """Twelve honest raters and one more rater `x`, of a small slope or a spammer, who gives so many answers."""
    rng = np.random.default_rng(seed)
    truth = rng.uniform(0.1, 0.9, 60)
    rows = []
    for who in range(12):
        bias, slope = 0.05 * rng.standard_normal(), np.exp(0.1 * rng.standard_normal())
        for page in rng.permutation(60).reshape(-1, 5)[:8]:
            scores = 0.5 + bias + slope * (truth[page] - 0.5) + 0.12 * rng.standard_normal(5)
            rows += [(f"r{who:02d}", i, f"{who}-{page[0]}", y) for i, y in zip(page, scores, strict=True)]
    order = np.concatenate([rng.permutation(60) for _ in range(2)])[:answers].reshape(-1, 5)
    for at, page in enumerate(order):
        scores = kind(rng, 5) if callable(kind) else 0.5 + kind * (truth[page] - 0.5) + rng.normal(0, 0.06, 5)
        rows += [("x", i, f"x-{at}", y) for i, y in zip(page, scores, strict=True)]
    tasks = [task if lists else f"{task}-{i}" for _, i, task, _ in rows]
    return table(
        [
            (who, f"i{i:02d}", task, float(np.clip(np.round(y, 2), 0.0, 1.0)))
            for (who, i, _, y), task in zip(rows, tasks, strict=True)
        ]
    )


def row_of(judgments, rater="x"):
    return next(row for row in Steelyard().fit(judgments).raters if row["rater"] == rater)


@pytest.mark.parametrize("lists", [True, False])
@pytest.mark.parametrize("answers", [20, 120])
@pytest.mark.parametrize("slope", [0.3, 0.4, 0.5])
def test_a_rater_with_a_small_but_clear_slope_is_not_a_spammer(table, slope, answers, lists):
    for seed in range(3):
        row = row_of(with_one_more(table, slope, answers=answers, seed=seed, lists=lists))
        assert row["spam"] < 0.5
        if answers == 120:
            assert abs(row["slope"] - slope) < 0.15


def always_the_middle(rng, size):
    return np.full(size, 0.5)


def nearly_the_same(rng, size):
    return 0.7 + 0.03 * rng.standard_normal(size)


@pytest.mark.parametrize("kind", [anywhere, always_the_middle, nearly_the_same, at_the_top])
@pytest.mark.parametrize("answers", [20, 120])
def test_answers_that_do_not_follow_the_items_are_spam(table, kind, answers):
    for seed in range(3):
        assert row_of(with_one_more(table, kind, answers=answers, seed=seed))["spam"] > 0.9


def test_spammers_at_an_end_do_not_raise_the_variance_of_biases(table):
    alone, _ = crowd(table, ["honest"] * 15)
    joined, _ = crowd(table, ["honest"] * 15 + [at_the_top] * 4)
    for judgments in (alone, joined):
        variants = Steelyard().posterior(judgments).average.variants
        assert all(one.converged for one in variants)
        assert max(one.learnt.bias_variance for one in variants if one.parts.noise) < 0.02


@pytest.mark.parametrize("seed", [1, 2])
def test_noise_is_shrunk_less_if_raters_differ_more(table, seed):
    alike, _ = crowd(table, ["honest"] * 20, seed=seed)
    differing, _ = crowd(table, ["honest"] * 20, seed=seed, noise=np.geomspace(0.03, 0.3, 20))
    freedom = [Steelyard().posterior(j).average.variants[2].learnt.noise_freedom for j in (alike, differing)]
    assert freedom[1] < 24.0 < freedom[0]


def test_differing_noise_is_recovered_in_order(table):
    noise = np.geomspace(0.03, 0.3, 20)
    judgments, _ = crowd(table, ["honest"] * 20, noise=noise)
    found = np.array([row["noise"] for row in Steelyard().fit(judgments).raters])
    assert np.corrcoef(np.log(found), np.log(noise))[0, 1] > 0.9


def test_estimated_weights_cost_two_over_the_degrees_of_freedom(table):
    judgments, _ = crowd(table, ["honest"] * 10)
    posterior = Steelyard().posterior(judgments)
    plain, rich = posterior.average.variants[1:3]
    assert np.all(estimated_weights(plain, posterior.layout) == 1.0)
    inflation = estimated_weights(rich, posterior.layout)
    freedom = rich.learnt.noise_freedom + rich.sums.noise_information
    assert np.all(inflation > 1.0)
    assert np.all(inflation <= 1.0 + 2.0 / freedom.min())
