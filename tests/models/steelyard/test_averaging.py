from __future__ import annotations

import numpy as np
from scipy.stats import spearmanr

from steelyard import DirectAssessment, Judgments
from steelyard.models.steelyard import averaging
from steelyard.models.steelyard.answers import answer_of
from steelyard.models.steelyard.model import Steelyard


def test_weights_sum_to_one(simulated):
    judgments, *_ = simulated("full", 3, seed=51)
    weights = Steelyard().posterior(judgments).average.weights
    assert abs(sum(weights) - 1.0) < 1e-12
    assert min(weights) >= 0.0


def test_differing_raters_give_weight_to_rater_effects(simulated):
    simple = []
    for seed in range(52, 56):
        judgments, *_ = simulated("full", 8, seed=seed)
        mean, bias_only, *_ = Steelyard().posterior(judgments).average.weights
        simple.append(mean + bias_only)
    assert np.mean(simple) < 0.1


def test_without_answers_at_the_ends_there_is_no_censored_variant(table):
    rng = np.random.default_rng(53)
    rows = [
        (f"r{a}", f"i{i}", "", float(np.clip(0.2 + 0.06 * i + 0.05 * rng.standard_normal(), 0.05, 0.95)))
        for a in range(6)
        for i in range(10)
    ]
    assert len(Steelyard().posterior(table(rows)).average.variants) == 3


def test_answers_cut_at_the_ends_are_treated_as_censored(simulated):
    """Cut answers have less spread at the ends; treating them as censored improves the order of extreme items."""
    gains = []
    for seed in range(4):
        judgments, truth, _, _ = simulated("hard full", 6, seed=54 + seed)
        average = Steelyard().posterior(judgments).average
        _, _, plain, ends = (answer_of(one, one.latent) for one in average.variants)
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
    assert average.weights[3] < 0.3


def unlinked_blocks(table, rng, blocks=5, size=20, raters=3):
    """Blocks of items at different levels, each with raters of its own who hardly differ, and the true positions."""
    truth = rng.uniform(0.1, 0.9, blocks * size) + np.repeat(0.1 * rng.standard_normal(blocks), size)
    rows = []
    for rater in range(blocks * raters):
        block = np.arange(size) + size * (rater // raters)
        scores = np.clip(truth[block] + 0.04 * rng.standard_normal() + 0.28 * rng.standard_normal(size), 0, 1)
        rows += [(f"r{rater:02d}", f"i{at:03d}", "", float(y)) for at, y in zip(block, scores, strict=True)]
    return table(rows), truth


def test_where_no_rater_links_blocks_the_model_is_not_clearly_below_the_mean(table):
    gaps = []
    for seed in range(12):
        judgments, truth = unlinked_blocks(table, np.random.default_rng([61, seed]))
        positions = (
            Steelyard().posterior(judgments).position,
            DirectAssessment().fit(judgments).scale.position,
        )
        model, mean = (spearmanr(each, truth).statistic for each in positions)
        gaps.append(model - mean)
    assert np.mean(gaps) > -0.005


def test_the_first_variant_orders_items_as_their_means(table):
    judgments, _ = unlinked_blocks(table, np.random.default_rng(62))
    mean = Steelyard().posterior(judgments).average.variants[0]
    plain = DirectAssessment().fit(judgments).scale.position
    assert np.corrcoef(mean.latent, plain)[0, 1] > 0.999999
    assert mean.learnt.bias_variance < 1e-6


def test_large_data_and_few_raters_are_weighted_without_refits(simulated, table, monkeypatch):
    pair = [(f"r{a}", f"i{i}", "", (a + 2 * i + i * i % 3) / 20) for a in range(2) for i in range(6)]
    assert Steelyard().posterior(table(pair)).average.variants[0].parts.bias
    monkeypatch.setattr(averaging, "MOST_STACKED", 100)
    judgments, *_ = simulated("full", 8, seed=52)
    average = Steelyard().posterior(judgments).average
    assert average.variants[0] is average.bias_only
    assert average.weights[0] < 0.05
