"""Analysis of deviance of nested models, with numbers of R."""

import pytest
from scipy.stats import chi2

from steelyard import BradleyTerry, anova
from steelyard.errors import BadSetting, DifferentTables
from tests.models.bradley_terry.test_golden import CASES, fit_of, judgments_of

SIMULATED = ("sim_llbt_ties", "sim_llbt_ties_order", "sim_llbt_ties_order_age_group")


@pytest.fixture(scope="module")
def simulated():
    return judgments_of(CASES["sim_bt_sandwich_rater"])


def test_deviances_and_tests_are_those_of_r():
    wanted = [CASES[name]["numbers"] for name in SIMULATED]
    table = anova(*(fit_of(CASES[name]) for name in SIMULATED)).columns()
    assert table["deviance"] == pytest.approx([each["deviance"] for each in wanted], abs=1e-6)
    assert table["df_residual"] == [each["df_residual"] for each in wanted]
    for at, (small, large) in enumerate([(0, 1), (1, 2)], start=1):
        change = wanted[small]["deviance"] - wanted[large]["deviance"]
        df = wanted[small]["df_residual"] - wanted[large]["df_residual"]
        assert table["chi_square"][at] == pytest.approx(change, abs=1e-6)
        assert table["df"][at] == df
        assert table["p"][at] == pytest.approx(chi2.sf(change, df), rel=1e-6)


def test_models_on_different_tables_are_evaluated_on_one():
    judgments = judgments_of(CASES["dras_table1_ties"])
    pooled = BradleyTerry(ties="davidson").fit(judgments)
    by_rater = BradleyTerry(ties="davidson", rater_covariates=["rater"]).fit(judgments)
    table = anova(by_rater, pooled).columns()
    split, full = CASES["dras_table1_judge_table_no_interaction"], CASES["dras_table1_subject_covariate_eq2"]
    assert table["model"] == ["items + tie", "items + items:rater + tie"]
    assert table["deviance"] == pytest.approx(
        [each["numbers"]["deviance"] for each in (split, full)], abs=1e-6
    )


def test_a_surface_of_item_covariates_is_nested_in_free_items():
    judgments = judgments_of(CASES["springall_davidson_free"])
    surface = CASES["bt2_springall_halfties_surface"]["settings"]["item_covariates"]
    plane = {name: surface[name] for name in ("flav", "gel")}
    fits = [
        BradleyTerry(item_effects=False, item_covariates=each).fit(judgments) for each in (plane, surface)
    ]
    table = anova(*fits, BradleyTerry().fit(judgments)).columns()
    assert table["df"] == [None, 3, 3]
    assert table["deviance"][2] == pytest.approx(
        CASES["springall_davidson_free"]["numbers"]["deviance"], abs=1e-6
    )


def test_the_clustered_test_is_that_of_compare(simulated):
    fits = [BradleyTerry(table="ordered").fit(simulated), BradleyTerry(order=True).fit(simulated)]
    table, ratio = anova(*fits), fits[1].compare(fits[0])
    assert table.columns()["p_clustered"][1] == ratio.clustered.p
    assert table.columns()["chi_square"][1] == pytest.approx(ratio.chi_square)
    assert any("independent" in note for note in table.notes)
    assert ratio.columns()["p_clustered"] == [ratio.clustered.p]


def test_a_random_effect_is_tested_on_the_boundary(simulated):
    fixed, random = (
        BradleyTerry(ties="drop", order=True, rater_position=way).fit(simulated)
        for way in ("none", "quadrature")
    )
    table = anova(fixed, random).columns()
    assert table["p"][1] == pytest.approx(chi2.sf(table["chi_square"][1], 1) / 2.0)
    assert table["model"][1].endswith("random position")


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ({"order": True}, {"rater_covariates": ["group"]}, "not nested"),
        ({}, {}, "same number of parameters"),
        ({"ties": "rao_kupper"}, {"ties": "davidson", "order": True}, "treat ties differently"),
        ({"ties": "drop", "link": "probit"}, {"ties": "drop", "order": True}, "different links"),
        ({"ties": "half"}, {"order": True}, "no likelihood"),
        ({"penalty": "firth"}, {"order": True}, "penalised"),
    ],
)
def test_models_that_cannot_be_compared_are_refused(simulated, one, other, reason):
    with pytest.raises(DifferentTables, match=reason):
        anova(BradleyTerry(**one).fit(simulated), BradleyTerry(**other).fit(simulated))


def test_fits_of_different_judgments_are_refused(simulated):
    others = simulated.where(lambda table: slice(1, None))
    with pytest.raises(DifferentTables, match="different judgments"):
        anova(BradleyTerry().fit(simulated), BradleyTerry(order=True).fit(others))


def test_one_fit_is_refused(simulated):
    with pytest.raises(BadSetting, match="two or more"):
        anova(BradleyTerry().fit(simulated))
