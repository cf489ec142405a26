import numpy as np
import pytest

from steelyard.errors import NothingToTest
from steelyard.quality.agreement.intraclass import FORMS, intraclass, stepped_up
from steelyard.quality.agreement.variance_components import one_way_anova, variance_components
from tests.quality.agreement.tables import SHROUT_FLEISS_1979

PSYCH = {  # psych 2.2.9; Shrout & Fleiss (1979) print .17 .29 .71 / .44 .62 .91
    "ICC(1,1)": (0.165741768405476, -0.132932324874751, 0.722560062328121),
    "ICC(2,1)": (0.289763779527559, 0.018786513374712, 0.761084369648953),
    "ICC(3,1)": (0.714840714840715, 0.342464765033926, 0.94585825995536),
    "ICC(1,k)": (0.442797133679269, -0.88444215523812, 0.912415420340775),
    "ICC(2,k)": (0.620050547598989, 0.0711368153025034, 0.927232040167722),
    "ICC(3,k)": (0.90931554237707, 0.675674713816306, 0.985891678169062),
}


@pytest.mark.parametrize("form", FORMS)
def test_shrout_and_fleiss(form):
    icc = intraclass(SHROUT_FLEISS_1979).forms[form]
    assert (icc.value, icc.interval.low, icc.interval.high) == pytest.approx(PSYCH[form], abs=1e-10)


@pytest.mark.parametrize("form", FORMS)
def test_the_mixed_model_equals_the_mean_squares_on_complete_tables(form):
    found = variance_components(SHROUT_FLEISS_1979).forms[form]
    assert (found.value, found.interval.low, found.interval.high) == pytest.approx(PSYCH[form], abs=1e-4)


def test_missing_ratings_need_the_mixed_model():
    table = np.array(SHROUT_FLEISS_1979, dtype=float)
    table[1, 3] = table[2, 2] = np.nan
    with pytest.raises(NothingToTest, match="variance_components"):
        intraclass(table)
    found = variance_components(table)
    assert found.converged
    assert found.per_item == pytest.approx(6 / (4 / 4 + 2 / 3))
    assert found.mean_per_item == pytest.approx(22 / 6)


def test_variances_of_a_simulated_table_are_recovered_from_a_third_of_the_cells():
    rng = np.random.default_rng(4)
    table = (
        2.0 * rng.standard_normal((400, 1))
        + rng.standard_normal((1, 60))
        + 1.5 * rng.standard_normal((400, 60))
    )
    table[rng.random(table.shape) > 0.3] = np.nan
    found = variance_components(table)
    assert found.items == pytest.approx(4.0, rel=0.15)
    assert found.raters == pytest.approx(1.0, rel=0.4)
    assert found.residual == pytest.approx(2.25, rel=0.05)


def test_a_larger_panel_changes_only_the_mean_forms():
    four, ten = variance_components(SHROUT_FLEISS_1979), variance_components(SHROUT_FLEISS_1979, panel=10)
    assert ten.forms["ICC(2,1)"].value == four.forms["ICC(2,1)"].value
    assert ten.forms["ICC(2,k)"].value == pytest.approx(stepped_up(four.forms["ICC(2,1)"].value, 10))


def test_one_way_analysis_of_unequal_groups():
    anova = one_way_anova([[1, 2, None], [4, 5, 6], [9, None, None]])
    assert anova.per_item == pytest.approx((6 - (4 + 9 + 1) / 6) / 2)
    assert anova.within == pytest.approx((0.5 + 2.0) / 3)


@pytest.mark.parametrize("table", [[[1, 2]], [[1], [2]], [[1, None], [None, 2]]])
def test_too_few_ratings_are_refused(table):
    with pytest.raises(NothingToTest):
        variance_components(table)
