"""Numbers from R, to the tolerance that each case states; golden.json names versions, functions and sources."""

import json
from pathlib import Path

import numpy as np
import pytest

from steelyard import BradleyTerry, read

GOLDEN = json.loads((Path(__file__).parent / "golden.json").read_text())
CASES = {case["name"]: case for case in GOLDEN["cases"]}


def judgments_of(case):
    table = GOLDEN["tables"][case["table"]]
    rows = [row for row in table["rows"] if case.get("only") in (None, row[0])]
    columns = {name: [row[at] for row in rows] for at, name in enumerate(table["columns"])}
    if "flag" in case:
        name, level = case["flag"]
        columns[name] = [float(judge == level) for judge in columns["judge"]]
    judgments = read(columns)
    if case.get("one_row_each"):
        counts = judgments.table("comparison").numbers["count"].astype(int)
        repeated = judgments.where(lambda table: np.repeat(np.arange(len(table)), counts))
        table = repeated.table("comparison")
        table.numbers["count"][:] = 1.0
        return repeated
    return judgments


def fit_of(case):
    return BradleyTerry(**{"cluster": "none", **case["settings"]}).fit(judgments_of(case))


@pytest.mark.parametrize("name", CASES)
def test_estimates_and_standard_errors_are_those_of_r(name):
    case = CASES[name]
    coefficients = fit_of(case).coefficients(case["parametrisation"])
    tolerance = case["tolerance"]
    for parameter, (estimate, se) in case["coefficients"].items():
        if estimate is not None:
            limit = tolerance.get("estimate", 1e-6)
            assert coefficients[parameter]["estimate"] == pytest.approx(estimate, abs=limit), parameter
        assert coefficients[parameter]["se"] == pytest.approx(se, abs=tolerance.get("se", 1e-5)), parameter


@pytest.mark.parametrize("name", [name for name in CASES if CASES[name]["numbers"]])
def test_deviance_likelihoods_and_degrees_of_freedom_are_those_of_r(name):
    case = CASES[name]
    fit = fit_of(case)
    for number, wanted in case["numbers"].items():
        limit = case["tolerance"].get("loglik", 1e-6 * max(1.0, abs(wanted)))
        assert getattr(fit, number) == pytest.approx(wanted, abs=limit), number


@pytest.mark.parametrize("name", [name for name in CASES if "worths" in CASES[name]])
def test_worths_are_those_of_r(name):
    assert fit_of(CASES[name]).worths() == pytest.approx(CASES[name]["worths"], abs=1e-6)


@pytest.mark.parametrize("name", [name for name in CASES if "centred" in CASES[name]])
def test_the_scale_has_the_positions_and_errors_that_sum_to_zero(name):
    fit = fit_of(CASES[name])
    spread = fit.standard_errors()
    for item, position in zip(fit.item, fit.posterior.position, strict=True):
        wanted, se = CASES[name]["centred"][item]
        assert position / 2 == pytest.approx(wanted, abs=1e-6)
        assert spread[item] / 2 == pytest.approx(se, abs=1e-5)


@pytest.mark.parametrize("name", [name for name in CASES if "quasi_variances" in CASES[name]])
def test_quasi_variances_are_those_of_qvcalc(name):
    quasi = fit_of(CASES[name]).quasi_variances()
    wanted = CASES[name]["quasi_variances"]
    assert dict(zip(quasi.item, quasi.variance, strict=True)) == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("adjust", ["none", "bonferroni", "holm", "bh", "single_step"])
def test_adjusted_p_values_are_those_of_multcomp(adjust):
    case = CASES["bt2_citations_pairwise_contrasts"]
    limit = 1e-4 if adjust == "single_step" else 1e-6  # multcomp integrates by quasi-Monte Carlo
    for row in fit_of(case).contrasts(adjust).rows():
        assert row["p"] == pytest.approx(
            case["contrasts"][adjust][f"{row['left']} - {row['right']}"], abs=limit
        )


def test_the_published_deviances_belong_to_exchanged_columns():
    """Dras (2015) prints 30.646 on 8 df and 221.22 on 9 df."""
    exchanged = {"table": "dras_table1_exchanged"}
    ties = fit_of({**exchanged, "settings": {"ties": "davidson"}})
    none = fit_of({**exchanged, "settings": {"ties": "kept"}})
    assert (round(ties.deviance, 3), ties.df_residual) == (30.646, 8)
    assert (round(none.deviance, 2), none.df_residual) == (221.22, 9)


def test_likelihood_ratios_are_those_of_r():
    """R 4.2.2, glm: ties against none 190.491120854271 on 1 df, Eq. 2 against one scale 173.412813451715 on 9."""
    table = judgments_of({"table": "dras_table1"})
    ties = BradleyTerry(ties="davidson").fit(table)
    ratio = ties.compare(BradleyTerry(ties="kept").fit(table))
    assert (ratio.chi_square, ratio.df) == (pytest.approx(190.491120854271, abs=1e-6), 1)
    split = BradleyTerry(ties="davidson", table="raters").fit(table)
    ratio = BradleyTerry(ties="davidson", rater_covariates=["rater"]).fit(table).compare(split)
    assert (ratio.chi_square, ratio.df) == (pytest.approx(173.412813451715, abs=1e-6), 9)
    assert ratio.p == pytest.approx(1.19977867817981e-32, rel=1e-6)


def test_the_random_position_effect_is_tested_on_its_boundary():
    """R 4.2.2, lme4 1.1-31: chi-square 0.732905271907271, p 0.195971547354031 (half a chi-square on 1 df)."""
    table = judgments_of({"table": "simulated"})
    settings = {"ties": "drop", "order": True}
    fits = [BradleyTerry(**settings, rater_position=way).fit(table) for way in ("laplace", "quadrature")]
    fixed = BradleyTerry(**settings, table="raters").fit(table)
    ratios = [fit.compare(fixed) for fit in fits]
    assert min(abs(ratio.chi_square - 0.732905271907271) for ratio in ratios) < 1e-4
    assert min(abs(ratio.p - 0.195971547354031) for ratio in ratios) < 1e-4
