"""Clustered errors of models that share their arithmetic, held against each other and against sums by hand."""

import numpy as np
import pytest

from steelyard import BestWorst as Choice
from steelyard import BradleyTerry, Comparison, Judgments, PlackettLuce, Ranking, Rating
from steelyard.models.best_worst import BestWorstScaling
from steelyard.models.direct_assessment import DirectAssessment
from steelyard.models.win_rate import WinRate
from tests.models.bradley_terry.simulating import simulate

PLAIN = {"few_clusters": "plain"}


def segmented(**settings):
    """Comparisons with four segments."""
    judgments, _ = simulate(**settings)
    names = ("rater", "left", "right", "outcome")
    columns = {name: judgments.cells("comparison", name) for name in names}
    rng = np.random.default_rng(3)
    count = len(columns["rater"])
    return Judgments.from_columns(
        "comparison", {**columns, "segment": [f"s{at}" for at in rng.integers(0, 4, count)]}
    )


@pytest.mark.parametrize("few_clusters", ["plain", "guarded"])
@pytest.mark.parametrize("cluster", ["auto", "rater", "segment", "both", "none"])
def test_plackett_luce_of_comparisons_has_the_errors_of_bradley_terry(cluster, few_clusters):
    judgments = segmented(items=5, rows=600, seed=1, raters=6)
    settings = {"cluster": cluster, "few_clusters": few_clusters}
    ranked = PlackettLuce(pseudo=0.0, **settings).fit(judgments)
    paired = BradleyTerry(ties="davidson", **settings).fit(judgments)
    np.testing.assert_allclose(ranked.joint.covariance, paired.joint.covariance, atol=1e-8)
    assert ranked.provenance.settings["errors"] == str(paired.provenance.settings["errors"])
    if cluster != "none":
        np.testing.assert_allclose(ranked.joint.freedom, paired.joint.freedom, rtol=1e-5)
        assert ranked.ties[0].standard_error == pytest.approx(paired.coefficients()["tie"]["se"], rel=1e-5)


@pytest.mark.parametrize("cluster", ["rater", "none"])
def test_best_worst_tasks_of_two_have_half_the_errors_of_bradley_terry(cluster):
    judgments = segmented(items=4, rows=400, seed=2, raters=5, nu=0.0)
    table = judgments.table("comparison")
    cells = {name: judgments.cells("comparison", name) for name in ("rater", "left", "right", "outcome")}
    chosen = []
    for at in range(len(table)):
        pair = (cells["left"][at], cells["right"][at])
        best, worst = pair if cells["outcome"][at] == "left" else pair[::-1]
        chosen.append(Choice(cells["rater"][at], f"t{at}", pair, best, worst))
    settings = {"cluster": cluster, **PLAIN}
    fitted = BestWorstScaling(method="model", pseudo=0.0, **settings).fit(Judgments.of(chosen))
    paired = BradleyTerry(ties="drop", **settings).fit(judgments)
    np.testing.assert_allclose(fitted.joint.covariance, paired.joint.covariance / 4.0, atol=1e-8)


def test_win_rates_of_two_items_have_the_clustered_error_of_a_proportion():
    rows = [
        Comparison(f"r{r}", "a", "b", "left" if at < wins else "right")
        for r, wins in enumerate((9, 5, 2))
        for at in range(10)
    ]
    fit = WinRate(cluster="rater", **PLAIN).fit(Judgments.of(rows))
    residual = np.array([9, 5, 2]) - 10 * 16 / 30
    wanted = np.sqrt(3 / 2 * np.sum(residual**2)) / 30
    np.testing.assert_allclose(fit.posterior.spread, wanted)
    assert fit.joint.variances(np.array([0]), np.array([1]))[0] == pytest.approx(4 * wanted**2)
    assert "errors=clustered by rater (3)" in fit.signature
    low, high = fit.posterior.interval(0.95)
    assert np.all(
        (low >= 0.0) & (high <= 1.0) & (low < fit.posterior.position) & (high > fit.posterior.position)
    )


@pytest.mark.parametrize("average", ["pooled", "opponents"])
def test_win_rates_of_a_few_raters_are_not_surer_than_those_of_independent_comparisons(average):
    judgments = segmented(items=4, rows=200, seed=8, raters=3)
    free, bound = (WinRate(average=average, cluster=cluster).fit(judgments) for cluster in ("none", "auto"))
    assert np.all(bound.posterior.spread >= free.posterior.spread * (1 - 1e-9))
    assert any(remark.startswith("Only 3 raters") for remark in bound.remarks)


def test_rankings_of_raters_who_answer_once_are_not_clustered():
    once = Judgments.of([Ranking(f"r{a}", "t", {"x": 1 + a % 2, "y": 2 - a % 2, "z": 3}) for a in range(6)])
    assert "errors=independent judgments" in PlackettLuce().fit(once).signature
    again = once + Judgments.of([Ranking("r0", "u", {"x": 1, "y": 2, "z": 3})])
    assert "errors=clustered by rater (6)" in PlackettLuce().fit(again).signature


@pytest.mark.parametrize("method", ["counting", "model"])
def test_best_worst_choices_name_their_error_type(method):
    rows = [
        Choice(
            f"r{r}", f"t{t}", tuple("abcd"), "abcd"[(r + t) % 2], "abcd"[2 + t % 2], {"segment": f"s{t % 3}"}
        )
        for r in range(4)
        for t in range(6)
    ]
    for cluster, words in (
        ("segment", "segment (3)"),
        ("both", "rater (4) and segment (3)"),
        ("auto", "rater (4)"),
    ):
        fit = BestWorstScaling(method=method, cluster=cluster).fit(Judgments.of(rows))
        assert f"errors=clustered by {words}" in fit.signature
        assert np.all(fit.posterior.spread > 0.0)
    assert (
        "errors=independent judgments"
        in BestWorstScaling(method=method, cluster="none").fit(Judgments.of(rows)).signature
    )


def test_systems_of_direct_assessment_are_clustered_as_the_setting_says():
    rng = np.random.default_rng(0)
    rows = [
        Rating(f"r{r}", f"{s}{j}", float(rng.normal(50 + 5 * r, 10)), {"system": s, "segment": f"g{j}"})
        for s in "xy"
        for j in range(12)
        for r in range(11)
    ]
    judgments = Judgments.of(rows)
    words = {
        "none": "independent judgments",
        "rater": "clustered by rater (11)",
        "segment": "clustered by segment (12)",
    }
    for cluster, error_words in words.items():
        assert f"errors={error_words}" in DirectAssessment(cluster=cluster).fit(judgments).systems().signature
    both = DirectAssessment(cluster="both").fit(judgments).systems(target="these")
    assert "errors=clustered by rater (11) and segment (12)" in both.signature
