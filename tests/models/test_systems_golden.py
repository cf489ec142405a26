"""Systems of WMT 2023 English-German against R's lme4 and sandwich, and SciPy's rank-sum test."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from steelyard import read
from steelyard.models.crossed import Crossed
from steelyard.models.direct_assessment import DirectAssessment
from steelyard.quality.paired_segments import compare_on_segments

DATA = Path(__file__).parent.parent / "data"
GOLDEN = json.loads((DATA / "mqm_ende.json").read_text())


@cache
def ratings():
    return read(DATA / "mqm_ende.rating.parquet")


def expected(case):
    return GOLDEN[f"{case}_mqm_ende"]["expected"]


def by_pair(differences, column):
    values = zip(differences.left, differences.right, getattr(differences, column), strict=True)
    return {(str(left), str(right)): value for left, right, value in values}


def wanted(pairs, column):
    return {(pair["a"], pair["b"]): pair[column] for pair in pairs}


def positions(fit):
    return dict(zip(map(str, fit.item), fit.posterior.position, strict=True))


@pytest.mark.parametrize(("case", "rater_system"), [("lme4", False), ("lme4_rater_system", True)])
def test_the_crossed_model_agrees_with_lme4(case, rater_system):
    golden = expected(case)
    fit = Crossed(rater_system=rater_system, quantile="normal").fit(ratings())
    assert positions(fit) == pytest.approx(
        dict(zip(golden["systems"], golden["means"], strict=True)), abs=1e-4
    )
    assert by_pair(fit.differences(), "error") == pytest.approx(wanted(golden["pairs"], "se"), rel=1e-3)
    assert fit.reml_criterion == pytest.approx(golden["reml_criterion"], abs=1e-4)
    variances = {name.replace("Residual", "residual"): value for name, value in golden["variances"].items()}
    assert fit.variances == pytest.approx(variances, rel=0.005, abs=1e-4)
    assert fit.converged


@pytest.mark.parametrize(
    ("raters", "column"), [("new", "se_two_way"), ("these", "se_segment")], ids=["two-way", "segment"]
)
def test_means_of_systems_have_the_clustered_errors_of_sandwich(raters, column):
    golden = expected("clustered_ols")
    fit = DirectAssessment().fit(ratings())
    errors = by_pair(fit.differences("system", raters=raters), "error")
    assert errors == pytest.approx(wanted(golden["pairs"], column), abs=1e-9)
    means = dict(zip(golden["systems"], golden["means"], strict=True))
    assert positions(fit.systems()) == pytest.approx(means, abs=1e-9)


def test_means_on_these_segments_agree_with_item_dummies():
    golden = expected("these_segments")
    plain = DirectAssessment().fit(ratings())
    errors = by_pair(plain.differences("system", target="these"), "error")
    assert errors == pytest.approx(wanted(golden["pairs"], "rater_cluster_se"), abs=1e-8)
    mixed = Crossed(target="these", quantile="normal").fit(ratings())
    means = dict(zip(golden["systems"], golden["reml_means"], strict=True))
    assert positions(mixed) == pytest.approx(means, abs=1e-4)
    assert by_pair(mixed.differences(), "error") == pytest.approx(
        wanted(golden["pairs"], "reml_se"), rel=1e-3
    )
    assert mixed.variances["rater"] == pytest.approx(golden["var_rater"], rel=0.005)


@pytest.mark.parametrize(
    ("divisor", "column"), [("n-1", "z_means_sample_sd"), ("n", "z_means_population_sd")]
)
def test_mean_z_scores_of_systems_agree(divisor, column):
    golden = expected("wmt_z")
    fit = DirectAssessment(standardise="rater", divisor=divisor).fit(ratings()).systems()
    assert positions(fit) == pytest.approx(
        dict(zip(golden["systems"], golden[column], strict=True)), abs=1e-9
    )


def test_z_scored_systems_are_clustered_as_in_wmt():
    golden = expected("wmt_z")
    fit = DirectAssessment(standardise="rater", divisor="n-1").fit(ratings())
    clusters = fit.clusters("system", adjust="none", one_sided=True)
    assert [list(group) for group in clusters] == golden["clusters_best_first"]
    for adjust, column in (("none", "p_two_sided"), ("holm", "p_holm"), ("bh", "p_bh")):
        differences = by_pair(fit.differences("system", adjust=adjust), "p")
        assert differences == pytest.approx(wanted(golden["pairs"], column), rel=1e-6)


@pytest.mark.parametrize(("adjust", "column"), [("none", "p"), ("holm", "p_holm"), ("bh", "p_bh")])
def test_adjusted_p_values_of_the_crossed_model_agree(adjust, column):
    golden = expected("multiplicity")
    differences = by_pair(Crossed(quantile="normal").fit(ratings()).differences(adjust=adjust), "p")
    for pair, p in wanted(golden["pairs"], column).items():
        assert differences[pair] == pytest.approx(p, abs=0.001)
        if p < 1e-3:
            assert np.log10(differences[pair]) == pytest.approx(np.log10(p), rel=0.01)


def test_paired_segments_agree_with_bootstrap_and_sign_flips():
    golden = expected("paired_segments")
    tolerance = GOLDEN["paired_segments_mqm_ende"]["tolerance"]
    rng = np.random.default_rng(1)
    for pair in golden["pairs"][:6]:
        result = compare_on_segments(ratings(), pair["a"], pair["b"], rng)
        assert result.segments == pair["segments"]
        for name in ("difference", "se_t", "se_bootstrap_exact", "p_t"):
            assert getattr(result, name) == pytest.approx(pair[name], abs=1e-9)
        limits = (pair["bootstrap_lower"], pair["bootstrap_upper"])
        assert (result.low, result.high) == pytest.approx(
            limits, abs=tolerance["bootstrap limits (10,000 draws)"]
        )
        assert result.p_sign_flip == pytest.approx(
            pair["p_sign_flip"], abs=tolerance["p_sign_flip (10,000 flips)"]
        )
