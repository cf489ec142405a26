import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.errors import BadSetting, NothingToTest, UnknownName
from steelyard.quality.agreement.krippendorff import LEVELS, alpha_over_items, krippendorff_alpha
from steelyard.quality.agreement.paired_values import alpha_over_pairs
from tests.quality.agreement.tables import KRIPPENDORFF_2011, SHROUT_FLEISS_1979

PUBLISHED = {  # Krippendorff (2011) prints .743 .815 .849 .797; more digits from the package krippendorff 0.9.0
    "nominal": 0.743421052631579,
    "ordinal": 0.815387503754881,
    "interval": 0.849107142857143,
    "ratio": 0.797402774711612,
}
COMPLETE = {  # the table of Shrout & Fleiss, by the same package
    "nominal": -0.0648148148148149,
    "ordinal": 0.10905941323898,
    "interval": 0.147307850390464,
    "ratio": 0.0819512786137573,
}


def alpha_by_definition(table, level):
    """Alpha by loops over all pairs of ratings, without coincidences."""
    rows = [[value for value in row if not np.isnan(value)] for row in table]
    rows = [row for row in rows if len(row) > 1]
    pooled = [value for row in rows for value in row]
    frequency = {value: pooled.count(value) for value in pooled}

    def distance(one, other):
        if level == "nominal":
            return float(one != other)
        if level == "interval":
            return (one - other) ** 2
        if level == "ratio":
            return 0.0 if one == other else ((one - other) / (one + other)) ** 2
        low, high = sorted((one, other))
        between = sum(times for value, times in frequency.items() if low <= value <= high)
        return (between - (frequency[one] + frequency[other]) / 2) ** 2

    observed = sum(
        distance(row[i], row[j]) / (len(row) - 1)
        for row in rows
        for i in range(len(row))
        for j in range(len(row))
        if i != j
    )
    expected = sum(distance(one, other) for one in pooled for other in pooled) / (len(pooled) - 1)
    return float("nan") if expected == 0 else 1 - observed / expected


@pytest.mark.parametrize("level", LEVELS)
def test_published_values_with_missing_ratings(level):
    assert krippendorff_alpha(KRIPPENDORFF_2011, level) == pytest.approx(PUBLISHED[level], abs=1e-12)


@pytest.mark.parametrize("level", LEVELS)
def test_complete_tables_divide_by_the_number_of_other_ratings(level):
    assert krippendorff_alpha(SHROUT_FLEISS_1979, level) == pytest.approx(COMPLETE[level], abs=1e-12)


TABLES = st.lists(
    st.lists(st.sampled_from([float("nan"), 0.0, 1.0, 2.0, 4.0, 7.5]), min_size=3, max_size=3),
    min_size=1,
    max_size=6,
)


@pytest.mark.parametrize("level", LEVELS)
@given(table=TABLES)
def test_alpha_equals_its_definition_for_any_table(level, table):
    expected = alpha_by_definition(np.array(table), level)
    assert krippendorff_alpha(table, level) == pytest.approx(expected, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "table", [[[2, 2], [2, 2]], [[0.1, 0.1], [0.1, 0.1]], [[1, None], [None, 2]], np.empty((0, 3))]
)
def test_alpha_is_undefined_without_disagreement_to_expect(level, table):
    assert np.isnan(krippendorff_alpha(table, level))


def test_perfect_agreement_is_one_and_opposite_raters_are_below_zero():
    assert krippendorff_alpha([[1, 1], [5, 5], [3, 3]], "ordinal") == 1.0
    assert krippendorff_alpha([[1, 5], [5, 1]], "interval") < 0.0


def test_texts_are_nominal_only():
    table = [["cat", "cat"], ["dog", "cat"], ["dog", "dog"], ["cat", None]]
    assert krippendorff_alpha(table, "nominal") == pytest.approx(
        alpha_by_definition(np.array([[0, 0], [1, 0], [1, 1], [0, np.nan]]), "nominal")
    )
    with pytest.raises(BadSetting, match="Use nominal"):
        krippendorff_alpha(table, "interval")


def test_mistakes_are_named():
    with pytest.raises(BadSetting, match="negative values"):
        krippendorff_alpha([[-1, 2], [1, 2]], "ratio")
    with pytest.raises(UnknownName, match="Did you mean 'ordinal'"):
        krippendorff_alpha([[1, 2]], "ordinals")
    with pytest.raises(BadSetting, match="one row per item"):
        krippendorff_alpha([1, 2, 3], "interval")
    with pytest.raises(NothingToTest, match="no two different values"):
        alpha_over_pairs([[1, 1]], "interval", np.random.default_rng(0))


@pytest.mark.parametrize(
    ("level", "low", "high"),  # resampled items, made with short NumPy from the definition
    [("nominal", 0.4194, 1.0), ("ordinal", 0.4485, 1.0), ("interval", 0.4280, 1.0)],
)
def test_bootstrap_over_items(level, low, high):
    found = alpha_over_items(KRIPPENDORFF_2011, level, np.random.default_rng(5), 5000)
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.018)
    assert found.method == "bootstrap over items, 5,000 samples"


@pytest.mark.parametrize(
    ("level", "low", "high", "sd"),  # from kripp.boot's algorithm, 100,000 draws; the deviations are exact
    [
        ("nominal", 0.615131578947369, 0.871710526315789, 0.0662483993430216),
        ("ordinal", 0.658208170621808, 0.933337088214679, 0.0711241937159216),
        ("interval", 0.715625, 0.947767857142857, 0.0610709281864769),
    ],
)
def test_bootstrap_of_hayes_and_krippendorff(level, low, high, sd):
    found = alpha_over_pairs(KRIPPENDORFF_2011, level, np.random.default_rng(0))
    assert (found.pairs, found.cells) == (60, 17)
    assert found.sd == pytest.approx(sd, abs=1e-12)
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high), abs=1e-3)
    assert found.interval.method.endswith("exact")


def test_draws_agree_with_the_exact_distribution():
    table = np.array(KRIPPENDORFF_2011, dtype=float)
    exact = alpha_over_pairs(table, "interval", np.random.default_rng(0))
    uneven = table + 1e-4 * np.sqrt(table)  # not on a grid, so pairs are drawn
    drawn = alpha_over_pairs(uneven, "interval", np.random.default_rng(0), 20_000)
    assert drawn.interval.method.endswith("20,000 draws")
    assert drawn.interval.low == pytest.approx(exact.interval.low, abs=0.02)
    assert drawn.sd == pytest.approx(exact.sd, rel=0.01)
