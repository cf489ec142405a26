from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import spearmanr

from steelyard import DirectAssessment, Judgments, Rating
from steelyard.errors import NothingToFit
from steelyard.models.steelyard.model import Steelyard


def test_positions_are_nearer_the_truth_than_means(simulated):
    judgments, truth, _, _ = simulated("full", 5, seed=11)
    model, mean = Steelyard().fit(judgments).scale, DirectAssessment().fit(judgments).scale
    assert spearmanr(model.position, truth).statistic > spearmanr(mean.position, truth).statistic + 0.01


def test_with_identical_raters_the_model_is_as_good_as_the_mean(simulated):
    gaps = []
    for seed in range(4):
        judgments, truth, _, _ = simulated("iid", 3, seed=seed)
        model, mean = (
            Steelyard().posterior(judgments).position,
            DirectAssessment().fit(judgments).scale.position,
        )
        gaps.append(spearmanr(model, truth).statistic - spearmanr(mean, truth).statistic)
    assert np.mean(gaps) > -0.003


def test_rater_terms_are_recovered(simulated):
    judgments, _, _, people = simulated("full", 10, seed=12)
    fit = Steelyard().fit(judgments)
    honest = [(row, people[int(row["rater"][1:])]) for row in fit.raters]
    spammers = [row["spam"] for row, person in honest if person.spam and row["answers"] >= 15]
    honest = [(row, person) for row, person in honest if not person.spam and row["answers"] >= 15]
    assert min(spammers) > 0.8
    assert np.mean([row["spam"] for row, _ in honest]) < 0.1
    assert np.corrcoef([row["slope"] for row, _ in honest], [p.slope for _, p in honest])[0, 1] > 0.7
    assert np.corrcoef([row["noise"] for row, _ in honest], [p.noise_sd for _, p in honest])[0, 1] > 0.5
    assert np.mean([row["bias_low"] <= p.bias <= row["bias_high"] for row, p in honest]) > 0.75


def test_rater_rows_have_intervals_around_their_values(simulated):
    judgments, *_ = simulated("full", 3, seed=13)
    for row in Steelyard().fit(judgments).raters:
        for name in ("bias", "slope", "noise"):
            assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]
        assert 0.0 <= row["spam"] <= 1.0
        assert row["information"] >= 0.0


def test_everything_stays_inside_the_scale(simulated):
    judgments, *_ = simulated("hard full", 2, seed=14)
    scale = Steelyard().fit(judgments).scale
    for values in (scale.position, scale.low, scale.high):
        assert values.min() >= 0.0
        assert values.max() <= 1.0
    assert np.all(scale.low <= scale.position)
    assert np.all(scale.position <= scale.high)


def test_the_study_range_only_changes_units(simulated):
    judgments, *_ = simulated("full", 3, seed=15, items=50, raters=10)
    columns = {name: judgments.cells("rating", name).tolist() for name in ("rater", "item", "task", "score")}
    hundred = {**columns, "score": [100.0 * score for score in columns["score"]]}
    stretched = Steelyard().fit(Judgments.from_columns("rating", hundred, (0.0, 100.0)))
    plain = Steelyard().fit(judgments)
    np.testing.assert_allclose(stretched.scale.position, 100 * plain.scale.position, rtol=1e-6)
    np.testing.assert_allclose(stretched.scale.low, 100 * plain.scale.low, rtol=1e-6, atol=1e-6)
    assert stretched.raters[0]["bias"] == pytest.approx(100 * plain.raters[0]["bias"], rel=1e-6)
    assert stretched.raters[0]["slope"] == pytest.approx(plain.raters[0]["slope"], rel=1e-6)


def test_the_order_of_rows_does_not_matter(simulated):
    judgments, *_ = simulated("full", 3, seed=16, items=50, raters=10)
    backwards = judgments.where(lambda table: np.arange(len(table))[::-1])
    one, other = Steelyard().posterior(judgments), Steelyard().posterior(backwards)
    np.testing.assert_allclose(one.position, other.position, atol=0.02 * one.spread.mean() + 0.002)


def test_a_row_that_happened_twice_counts_like_two_rows(table):
    rows = [(f"r{a}", f"i{i}", "", (a + 2 * i) / 20) for a in range(5) for i in range(6)]
    twice = Steelyard().posterior(table(rows, count=[2.0] * len(rows)))
    once = Steelyard().posterior(table(rows))
    assert np.all(twice.spread < once.spread)
    np.testing.assert_allclose(twice.layout.count, 2 * once.layout.count)


def test_ratings_without_raters_can_be_fitted():
    columns = {"item": ["a", "a", "b", "b"], "score": [0.2, 0.3, 0.7, 0.9]}
    fit = Steelyard().fit(Judgments.from_columns("rating", columns, (0.0, 1.0)))
    assert fit.scale.position[0] < fit.scale.position[1]
    assert fit.raters == ()


def test_no_ratings_are_an_error():
    with pytest.raises(NothingToFit):
        Steelyard().fit(Judgments({}, {}))


def test_disagreement_distinguishes_ambiguous_items_from_clear_ones():
    rng = np.random.default_rng(17)
    rows = [
        Rating(f"r{a}", f"i{i}", float(np.clip(0.5 + (0.3 if i < 5 else 0.05) * rng.standard_normal(), 0, 1)))
        for a in range(20)
        for i in range(10)
    ]
    posterior = Steelyard().posterior(Judgments.of(rows, range=(0, 1)))
    assert posterior.disagreement[:5].min() > 1.3 * posterior.disagreement[5:].max()
    np.testing.assert_array_equal(posterior.too_few_answers, posterior.spread)


def rated_up_to_the_ends(raters=24, items=40, seed=5):
    """Ratings cut at the ends, items with noise of their own; and what is left of each after known rater terms."""
    rng = np.random.default_rng(seed)
    position, noise = np.linspace(-0.1, 1.5, items), rng.uniform(0.03, 0.25, items)
    bias, slope = 0.08 * rng.standard_normal((raters, 1)), 1.0 + 0.15 * rng.standard_normal((raters, 1))
    line = 0.5 + slope * (position - 0.5) + bias
    scores = np.clip(line + noise * rng.standard_normal((raters, items)), 0.0, 1.0)
    rows = [
        Rating(f"r{a:02d}", f"i{i:02d}", float(scores[a, i])) for a in range(raters) for i in range(items)
    ]
    return Judgments.of(rows, range=(0, 1)), scores, scores - np.clip(line, 0.0, 1.0)


def test_disagreement_follows_the_residuals_also_with_many_answers_at_an_end():
    judgments, scores, left = rated_up_to_the_ends()
    posterior = Steelyard().fit(judgments).posterior
    assert posterior.fullest.solution.has_ends
    assert np.corrcoef(posterior.disagreement, left.std(axis=0, ddof=1))[0, 1] > 0.9
    agreed = scores.std(axis=0) == 0.0
    assert agreed.any()
    assert posterior.disagreement[agreed].max() <= posterior.disagreement.min() + 1e-12


def test_disagreement_of_an_item_with_one_answer_is_that_of_all_items():
    judgments, _, _ = rated_up_to_the_ends()
    once = judgments + Judgments.of([Rating("r00", "once", 0.4)], range=(0, 1))
    found = {row["item"]: row["disagreement"] for row in Steelyard().fit(once).items}
    others = [value for item, value in found.items() if item != "once"]
    assert min(others) < found["once"] < max(others)


def test_the_signature_shows_whether_it_converged(simulated):
    judgments, *_ = simulated("full", 3, seed=18)
    assert "| converged in " in Steelyard().fit(judgments).signature


def test_importing_steelyard_imports_neither_numba_nor_scipy():
    code = "import sys, steelyard.models.steelyard.model; print({'numba', 'scipy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_rows_of_items_are_in_the_order_of_the_scale_with_their_sources_of_uncertainty():
    rows = [Rating(f"r{at}", item, score) for item, given in WHY.items() for at, score in enumerate(given)]
    fit = Steelyard().fit(Judgments.of(rows, range=(0, 100)))
    rows = {row["item"]: row for row in fit.items}
    assert [row["item"] for row in fit.items] == list(fit.scale.item) == list(WHY)
    assert [row["position"] for row in fit.items] == fit.scale.position.tolist()
    assert rows["disputed"]["disagreement"] > rows["clear"]["disagreement"]
    assert rows["rare"]["too_few_answers"] > rows["clear"]["too_few_answers"]


WHY = {
    "rare": [50, 52],
    "disputed": [10, 90, 20, 85, 15, 95, 10, 88, 12, 91],
    "clear": [49, 51, 50, 50, 48, 52, 50, 51, 49, 50],
    "high": [80, 82, 79, 81, 80, 78, 83, 80, 79, 81],
}
