from __future__ import annotations

import numpy as np
from scipy.stats import spearmanr

from steelyard.models.steelyard.features import features_of
from steelyard.models.steelyard.model import Steelyard


def column(judgments, values):
    return dict(zip(judgments.items, np.asarray(values).tolist(), strict=True))


def test_a_good_machine_score_saves_answers(simulated):
    judgments, truth, _, _ = simulated("full", 1, seed=21)
    score = truth + 0.1 * np.random.default_rng(1).standard_normal(len(truth))
    with_score = Steelyard(features={"score": column(judgments, score)}).posterior(judgments)
    without = Steelyard().posterior(judgments)
    assert (
        spearmanr(with_score.position, truth).statistic > spearmanr(without.position, truth).statistic + 0.08
    )


def test_a_useless_machine_score_costs_nothing(simulated):
    losses = []
    for seed in range(5):
        judgments, truth, _, _ = simulated("full", 3, seed=seed)
        noise = np.random.default_rng(100 + seed).standard_normal(len(truth))
        useless = Steelyard(features={"score": column(judgments, noise)}).posterior(judgments).position
        plain = Steelyard().posterior(judgments).position
        losses.append(spearmanr(plain, truth).statistic - spearmanr(useless, truth).statistic)
    assert np.mean(losses) < 0.003


def test_the_sign_and_unit_of_a_score_do_not_matter(simulated):
    judgments, truth, _, _ = simulated("full", 2, seed=22, items=50, raters=10)
    one = Steelyard(features={"score": column(judgments, truth)}).posterior(judgments)
    other = Steelyard(features={"score": column(judgments, 7 - 300 * truth)}).posterior(judgments)
    np.testing.assert_allclose(one.position, other.position, atol=1e-6)


def system_means(position, system):
    return np.array([position[system == name].mean() for name in np.unique(system)])


def test_a_score_biased_toward_one_system_does_not_move_systems(simulated):
    judgments, truth, _, _ = simulated("full", 3, seed=23)
    system = np.array(["a", "b", "c"])[np.arange(len(truth)) % 3]
    biased = truth + np.where(system == "a", 5.0, 0.0)
    systems = {"system": column(judgments, system)}
    plain = Steelyard(features=systems).posterior(judgments).position
    with_score = (
        Steelyard(features={**systems, "score": column(judgments, biased)}).posterior(judgments).position
    )
    np.testing.assert_allclose(system_means(with_score, system), system_means(plain, system), atol=0.01)
    assert spearmanr(with_score, truth).statistic > spearmanr(plain, truth).statistic


def test_a_score_that_is_constant_within_systems_has_no_effect(simulated):
    judgments, _, _, _ = simulated("full", 3, seed=24, items=60, raters=10)
    system = np.array(["a", "b", "c"])[np.arange(60) % 3]
    by_system = np.where(system == "a", 9.0, 1.0)
    systems = {"system": column(judgments, system)}
    features = features_of({**systems, "score": column(judgments, by_system)}, judgments.items)
    assert features.score_names == ()


def test_systems_named_by_the_judgments_are_used(table):
    rng = np.random.default_rng(25)
    rows = [
        (f"r{a}", f"i{i:02d}", "", float(np.clip(0.3 + 0.4 * (i % 2) + 0.1 * rng.standard_normal(), 0, 1)))
        for a in range(3)
        for i in range(40)
    ]
    system = ["odd" if int(row[1][1:]) % 2 else "even" for row in rows]
    fit = Steelyard().fit(table(rows, system=system))
    assert "features=system" in fit.signature
    effect = fit.posterior.average.fullest.learnt.regression.effects[0]
    assert np.ptp(effect) > 0.3


def test_an_item_without_ratings_gets_the_position_that_its_features_predict(simulated):
    judgments, truth, _, _ = simulated("full", 3, seed=26)
    seen = judgments.where(lambda table: table.codes["item"] != 0)
    with_score = Steelyard(features={"score": column(judgments, truth)}).posterior(seen)
    assert abs(with_score.position[0] - truth[0]) < 0.1
    assert with_score.spread[0] > np.median(with_score.spread)


def test_missing_values_and_labels_are_accepted():
    items = np.array(["a", "b", "c", "d"], dtype=object)
    features = features_of({"score": {"a": 1.0, "b": 3.0}, "kind": {"a": "x", "b": "y", "c": "x"}}, items)
    np.testing.assert_allclose(features.scores[:, 0], [-np.sqrt(2), np.sqrt(2), 0.0, 0.0])
    assert features.levels[0].tolist() == [0, 1, 0, 2]
