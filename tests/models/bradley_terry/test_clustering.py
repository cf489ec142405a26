"""Errors clustered by rater and segment; clustered.json has numbers of R 4.2.2 with sandwich 3.0-2."""

import json
from pathlib import Path

import numpy as np
import pytest

from steelyard import BradleyTerry, Judgments, read
from steelyard.errors import BadSetting, UnknownName
from steelyard.judgments.counts import PairCounts
from tests.models.bradley_terry.simulating import simulate

GOLDEN = json.loads((Path(__file__).parent / "clustered.json").read_text())
DATA = Path(__file__).parents[2] / "data"
WAYS = {"naive": "none", "rater": "rater", "segment": "segment", "two_way": "both"}


def bundled(name):
    return read(DATA / f"{name}.comparison.parquet")


def shares(rows):
    """Comparisons of a and b by rater: (rater, wins of a, wins of b)."""
    columns = {"rater": [], "left": [], "right": [], "outcome": [], "count": []}
    for rater, *counts in rows:
        for outcome, count in zip(("left", "right"), counts, strict=True):
            for name, value in zip(columns, (rater, "a", "b", outcome, count), strict=True):
                columns[name].append(value)
    return Judgments.from_columns("comparison", columns)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", GOLDEN)
def test_plain_errors_are_those_of_the_sandwich_package(name, way):
    wanted = GOLDEN[name]
    fit = BradleyTerry(ties="half", cluster=WAYS[way], few_clusters="plain").fit(bundled(name))
    assert fit.item.tolist() == wanted["items"]
    np.testing.assert_allclose(fit.posterior.position, wanted["position_sum_to_zero"], atol=1e-7)
    np.testing.assert_allclose(fit.posterior.spread, wanted["se_sum_to_zero"][way], atol=1e-7)
    differences = {(row["left"], row["right"]): row for row in fit.differences().rows()}
    for pair in wanted["pairs"]:
        row = differences[pair["a"], pair["b"]]
        assert row["estimate"] == pytest.approx(pair["difference"], abs=1e-7)
        assert row["error"] == pytest.approx(pair[f"se_{way}"], abs=1e-7)


def test_errors_are_clustered_by_rater_where_raters_repeat_and_the_signature_says_so():
    fit = BradleyTerry(ties="half").fit(bundled("tmo_video"))
    assert "errors=clustered by rater (18)" in fit.signature
    assert "Standard errors: clustered by rater (18)" in fit.summary()
    np.testing.assert_allclose(fit.posterior.spread, GOLDEN["tmo_video"]["se_sum_to_zero"]["rater"], rtol=0.1)
    assert fit.joint.freedom.max() <= 17.0


def test_errors_take_judgments_as_independent_where_nobody_repeats():
    rows = [("a", "b", "left"), ("b", "c", "left"), ("c", "a", "left"), ("a", "c", "left")]
    columns = {name: [row[at] for row in rows] for at, name in enumerate(("left", "right", "outcome"))}
    fit = BradleyTerry().fit(Judgments.from_columns("comparison", {"rater": list("wxyz"), **columns}))
    assert "errors=independent judgments" in fit.signature
    assert fit.clustering is None


def test_raters_who_agree_by_chance_do_not_make_errors_vanish():
    fit = BradleyTerry().fit(shares([("x", 6, 4), ("y", 3, 2), ("z", 9, 6)]))
    model = BradleyTerry(cluster="none").fit(shares([("x", 6, 4), ("y", 3, 2), ("z", 9, 6)]))
    assert np.all(fit.posterior.spread >= model.posterior.spread * (1.0 - 1e-9))
    assert any(remark.startswith("Only 3 raters") for remark in fit.remarks)
    difference = fit.difference("a", "b")
    assert difference.p > 0.1
    assert difference.low < 0.0 < difference.high


def test_many_raters_who_agree_by_chance_do_not_make_errors_vanish():
    rows = [(f"r{at:02d}", 6, 4) for at in range(12)]
    fit = BradleyTerry().fit(shares(rows))
    assert (
        fit.posterior.spread.min()
        > 0.2 * BradleyTerry(cluster="none").fit(shares(rows)).posterior.spread.min()
    )


def test_a_two_way_covariance_that_is_none_is_reported():
    plain = BradleyTerry(ties="half", cluster="both", few_clusters="plain").fit(bundled("tmo_video"))
    assert any("indefinite (1 negative" in remark for remark in plain.remarks)
    assert np.isfinite(plain.draws(50, np.random.default_rng(0))).all()
    guarded = BradleyTerry(ties="half", cluster="both").fit(bundled("tmo_video"))
    assert any(
        "at least the larger of the two one-way clustered variances" in remark for remark in guarded.remarks
    )
    assert np.linalg.eigvalsh(guarded.joint.covariance)[0] > -1e-12
    assert "errors=clustered by rater (18) and segment (5)" in guarded.signature


@pytest.mark.parametrize("cluster", ["rater", "segment", "both"])
def test_guarded_errors_of_few_clusters_are_at_least_the_models(cluster):
    judgments = bundled("pandalm")
    model = BradleyTerry(cluster="none").fit(judgments).joint.covariance
    covariance = BradleyTerry(cluster=cluster).fit(judgments).joint.covariance
    least = np.linalg.eigvalsh(covariance - model * (0.05 if cluster == "segment" else 1.0))[0]
    assert least > -1e-9 * np.trace(model)


@pytest.mark.parametrize("reference", [None, "i00000", "i00003"])
def test_the_reference_item_makes_no_difference_to_guarded_errors(reference):
    judgments, _ = simulate(items=5, rows=300, seed=4, raters=4)
    fit = BradleyTerry(reference=reference).fit(judgments)
    np.testing.assert_allclose(
        fit.posterior.spread, BradleyTerry().fit(judgments).posterior.spread, rtol=1e-7
    )


@pytest.mark.parametrize(
    "settings", [{}, {"ties": "half"}, {"ties": "drop"}, {"ties": "rao_kupper", "order": True}]
)
def test_counted_pairs_give_the_errors_of_their_judgments(settings):
    judgments, _ = simulate(items=6, rows=900, seed=5, raters=7, order=0.3)
    counted = BradleyTerry(**settings).fit(PairCounts.of(judgments, ("rater",)))
    whole = BradleyTerry(**settings).fit(judgments)
    assert counted.provenance.settings["errors"] == whole.provenance.settings["errors"]
    np.testing.assert_allclose(counted.joint.covariance, whole.joint.covariance, atol=1e-9)
    np.testing.assert_allclose(counted.joint.freedom, whole.joint.freedom, rtol=1e-5)


def test_every_way_to_ask_for_a_difference_gives_the_same_error_and_p():
    fit = BradleyTerry(ties="half", reference="hateren06").fit(bundled("tmo_video"))
    row = next(row for row in fit.differences().rows() if row["right"] == "hateren06")
    one = fit.difference(row["left"], "hateren06")
    contrast = next(each for each in fit.contrasts().rows() if each["right"] == "hateren06")
    coefficient = fit.coefficients()[row["left"]]
    assert one.df is not None
    for error, p in ((one.se, one.p), (contrast["se"], contrast["p"]), (coefficient["se"], coefficient["p"])):
        assert error == pytest.approx(row["error"])
        assert p == pytest.approx(row["p"])
    assert (one.low, coefficient["low"]) == pytest.approx((row["low"], row["low"]))


def test_a_line_is_drawn_exactly_where_every_pair_across_it_differs():
    fit = BradleyTerry(ties="half").fit(bundled("tmo_video"))
    groups = fit.clusters()
    p = {frozenset((row["left"], row["right"])): row["p"] for row in fit.differences(adjust="holm").rows()}
    order = [item for group in groups for item in group]
    assert order == fit.scale.ordered().item.tolist()
    lines = set(np.cumsum([len(group) for group in groups])[:-1].tolist())
    for at in range(1, len(order)):
        parted = all(p[frozenset((a, b))] < 0.05 for a in order[:at] for b in order[at:])
        assert parted == (at in lines)


def test_single_step_p_values_of_ten_items_lie_between_unadjusted_and_bonferroni():
    fit = BradleyTerry(cluster="none").fit(simulate(items=10, rows=1500, seed=6)[0])
    plain, single, most = (fit.contrasts(adjust).p for adjust in ("none", "single_step", "bonferroni"))
    assert np.all((plain <= single) & (single <= most))


def test_single_step_falls_back_to_holm_where_the_covariance_is_singular():
    fit = BradleyTerry(ties="half", cluster="both", few_clusters="plain").fit(bundled("tmo_video"))
    contrasts = fit.contrasts("single_step")
    assert contrasts.adjust == "holm"
    assert any("singular" in note for note in contrasts.notes)


def test_standard_errors_that_are_chosen_win_over_automatic_clusters():
    fit = BradleyTerry(ties="half", standard_errors="rater").fit(bundled("tmo_video"))
    assert fit.clustering is None
    assert "errors=sandwich by rater (CR0)" in fit.signature
    with pytest.raises(BadSetting, match="choose one"):
        BradleyTerry(cluster="rater", standard_errors="rater")


def test_clusters_that_nothing_names_are_refused():
    judgments, _ = simulate(items=4, rows=200, raters=1)
    with pytest.raises(BadSetting, match="at least two raters"):
        BradleyTerry(cluster="rater").fit(judgments)
    with pytest.raises(BadSetting, match="at least two segments"):
        BradleyTerry(cluster="segment").fit(judgments)
    with pytest.raises(UnknownName, match="raters"):
        BradleyTerry(cluster="raters")


def test_very_many_parameters_are_not_clustered_and_a_note_says_so(monkeypatch):
    monkeypatch.setattr("steelyard.models.clusters.MOST_PARAMETERS", 4)
    fit = BradleyTerry().fit(simulate(items=8, rows=400)[0])
    assert "errors=independent judgments" in fit.signature
    assert any("too many for clustered errors" in remark for remark in fit.remarks)


def test_raters_with_effects_of_their_own_are_not_clusters_too():
    fit = BradleyTerry(rater_covariates=["rater"]).fit(simulate(items=4, rows=900, seed=7, raters=3)[0])
    assert fit.clustering is None
