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


def test_raters_who_answer_anywhere_on_the_scale_are_found(table):
    judgments, _ = crowd(table, ["honest"] * 12 + [anywhere] * 3)
    rows = Steelyard().fit(judgments).raters
    spam = np.array([row["spam"] for row in rows])
    assert spam[:12].max() < 0.1
    assert spam[12:].min() > 0.9


def test_spammers_at_an_end_do_not_stretch_what_is_known_of_biases(table):
    alone, _ = crowd(table, ["honest"] * 15)
    joined, _ = crowd(table, ["honest"] * 15 + [at_the_top] * 4)
    for judgments in (alone, joined):
        variants = Steelyard().posterior(judgments).average.variants
        assert all(one.converged for one in variants)
        assert max(one.learnt.bias_variance for one in variants[1:]) < 0.02


@pytest.mark.parametrize("seed", [1, 2])
def test_noise_is_shrunk_less_where_raters_differ_more(table, seed):
    alike, _ = crowd(table, ["honest"] * 20, seed=seed)
    differing, _ = crowd(table, ["honest"] * 20, seed=seed, noise=np.geomspace(0.03, 0.3, 20))
    freedom = [Steelyard().posterior(j).average.variants[1].learnt.noise_freedom for j in (alike, differing)]
    assert freedom[1] < 24.0 < freedom[0]


def test_differing_noise_is_recovered_in_order(table):
    noise = np.geomspace(0.03, 0.3, 20)
    judgments, _ = crowd(table, ["honest"] * 20, noise=noise)
    found = np.array([row["noise"] for row in Steelyard().fit(judgments).raters])
    assert np.corrcoef(np.log(found), np.log(noise))[0, 1] > 0.9


def test_estimated_weights_cost_two_over_the_degrees_of_freedom(table):
    judgments, _ = crowd(table, ["honest"] * 10)
    posterior = Steelyard().posterior(judgments)
    plain, rich = posterior.average.variants[:2]
    assert np.all(estimated_weights(plain, posterior.layout) == 1.0)
    inflation = estimated_weights(rich, posterior.layout)
    freedom = rich.learnt.noise_freedom + rich.sums.noise_information
    assert np.all(inflation > 1.0)
    assert np.all(inflation <= 1.0 + 2.0 / freedom.min())
