from __future__ import annotations

import numpy as np
from scipy.stats import spearmanr

from steelyard import Judgments
from steelyard.models.steelyard.answers import answer_of
from steelyard.models.steelyard.model import Steelyard


def test_weights_sum_to_one(simulated):
    judgments, *_ = simulated("full", 3, seed=51)
    weights = Steelyard().posterior(judgments).average.weights
    assert abs(sum(weights) - 1.0) < 1e-12
    assert min(weights) >= 0.0


def test_differing_raters_give_weight_to_rater_effects(simulated):
    judgments, *_ = simulated("full", 8, seed=52)
    assert Steelyard().posterior(judgments).average.weights[0] < 0.05


def test_without_answers_at_the_ends_there_is_no_censored_variant(table):
    rng = np.random.default_rng(53)
    rows = [
        (f"r{a}", f"i{i}", "", float(np.clip(0.2 + 0.06 * i + 0.05 * rng.standard_normal(), 0.05, 0.95)))
        for a in range(6)
        for i in range(10)
    ]
    assert len(Steelyard().posterior(table(rows)).average.variants) == 2


def test_answers_cut_at_the_ends_are_treated_as_censored(simulated):
    """Cut answers have less spread at the ends; treating them as censored improves the order of extreme items."""
    gains = []
    for seed in range(4):
        judgments, truth, _, _ = simulated("hard full", 6, seed=54 + seed)
        average = Steelyard().posterior(judgments).average
        _, plain, ends = (answer_of(one, one.latent) for one in average.variants)
        gains.append(spearmanr(ends, truth).statistic - spearmanr(plain, truth).statistic)
    assert np.mean(gains) > 0.0


def test_true_zeros_are_not_treated_as_censored():
    """Answers that are exactly zero more often than any tail: the variant with ends must not win."""
    rng = np.random.default_rng(55)
    truth = rng.random(100)
    columns = {"rater": [], "item": [], "score": []}
    for rater in range(30):
        for item in rng.choice(100, 20, replace=False):
            zero = rng.random() < 1 / (1 + np.exp(6 * (truth[item] - 0.35)))
            score = 0.0 if zero else float(np.clip(truth[item] + 0.15 * rng.standard_normal(), 0.01, 0.99))
            for name, value in zip(columns, (f"r{rater}", f"i{item}", round(score, 2)), strict=True):
                columns[name].append(value)
    average = Steelyard().posterior(Judgments.from_columns("rating", columns, (0.0, 1.0))).average
    assert average.weights[2] < 0.3
