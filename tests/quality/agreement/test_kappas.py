import numpy as np
import pytest

from steelyard.errors import BadSetting, NothingToTest, UnknownName
from steelyard.quality.agreement.kappas import (
    cohen_kappa,
    cohen_kappa_of_counts,
    fleiss_kappa,
    fleiss_kappa_of_counts,
    fleiss_over_items,
    light_kappa,
)
from tests.quality.agreement.tables import FLEISS_TEXTBOOK

COHEN_1968 = 200 * np.array([[0.44, 0.07, 0.09], [0.05, 0.2, 0.05], [0.01, 0.03, 0.06]])
COHEN_WEIGHTS = np.array([[0, 1, 3], [1, 0, 6], [3, 6, 0]])


def test_cohens_example_with_given_weights():
    """Cohen (1968) prints .492 and .348; the errors are those of statsmodels 0.15.0."""
    plain, weighted = cohen_kappa_of_counts(COHEN_1968), cohen_kappa_of_counts(COHEN_1968, COHEN_WEIGHTS)
    assert plain.kappa == pytest.approx(0.491525423728813, abs=1e-12)
    assert weighted.kappa == pytest.approx(0.347826086956522, abs=1e-12)
    assert plain.error == pytest.approx(0.0510018155760779, abs=1e-12)
    assert weighted.error == pytest.approx(0.075504015254823, abs=1e-12)


def test_weights_depend_on_the_categories_that_are_declared():
    first, second = [1, 2, 5, 5], [1, 5, 5, 2]
    used = cohen_kappa(first, second, "linear")
    declared = cohen_kappa(first, second, "linear", categories=[1, 2, 3, 4, 5])
    assert used.categories == (1, 2, 5)
    assert declared.categories == (1, 2, 3, 4, 5)
    assert used.kappa != declared.kappa


def test_quadratic_kappa_of_a_two_way_table_by_hand():
    # Two categories: all weights are equal, so that weighted and plain kappa agree.
    counts = np.array([[20, 5], [10, 15]])
    for weights in ("quadratic", "none"):
        assert cohen_kappa_of_counts(counts, weights).kappa == pytest.approx(0.4)


def test_missing_ratings_are_left_out_and_single_categories_are_undefined():
    assert cohen_kappa([1, 2, None, 1], [1, 2, 2, float("nan")]).items == 2
    assert np.isnan(cohen_kappa([1, 1], [1, 1]).kappa)
    assert cohen_kappa([1, 1], [1, 1]).interval.method == "none: the statistic is undefined"


def test_light_is_the_mean_over_pairs():
    table = np.array([[1, 1, 2], [2, 2, 2], [3, 3, 3], [1, 2, 1]])
    pairs = [
        cohen_kappa(table[:, i].tolist(), table[:, j].tolist()).kappa for i, j in ((0, 1), (0, 2), (1, 2))
    ]
    assert light_kappa(table) == pytest.approx(np.mean(pairs))


def test_fleiss_textbook_table():
    """The widely reprinted table of 10 items and 14 ratings, kappa .210; digits from irr 0.84.1."""
    found = fleiss_kappa_of_counts(FLEISS_TEXTBOOK)
    assert found.kappa == pytest.approx(0.209930704421955, abs=1e-12)
    assert found.error_null == pytest.approx(0.0169650692243931, abs=1e-12)
    assert (found.observed, found.expected) == pytest.approx((0.378021978021978, 0.212755102040816))
    assert found.category_kappas == pytest.approx(
        [0.201282051282051, 0.0796703296703297, 0.171597633136095, 0.0303813833225598, 0.507656695156695]
    )


def test_fleiss_counts_the_values_of_a_table():
    table = [[1, 1, 1], [2, 2, 3], [3, 3, 3], [2, 2, 2]]
    counts = [[3, 0, 0], [0, 2, 1], [0, 0, 3], [0, 3, 0]]
    assert fleiss_kappa(table).kappa == pytest.approx(fleiss_kappa_of_counts(counts).kappa)
    assert fleiss_kappa(table).categories == (1.0, 2.0, 3.0)


@pytest.mark.parametrize("table", [[[1, 1], [1, None]], [[1, 2], [None, None], [3, None]]])
def test_fleiss_needs_equally_many_ratings(table):
    with pytest.raises(NothingToTest, match="level nominal"):
        fleiss_kappa(table)


def test_one_category_is_undefined():
    assert np.isnan(fleiss_kappa([[1, 1], [1, 1]]).kappa)


def test_few_items_have_a_jackknife_and_many_a_bootstrap():
    rng = np.random.default_rng(0)
    few = fleiss_over_items(FLEISS_TEXTBOOK, rng)
    many = fleiss_over_items(FLEISS_TEXTBOOK * 5, rng)
    assert few.method == "jackknife over items"
    assert many.method == "bootstrap over items, 1,000 samples"
    for interval in (few, many):
        assert interval.low < 0.2099 < interval.high


def test_mistakes_are_named():
    with pytest.raises(UnknownName, match="quadratic"):
        cohen_kappa([1], [2], "square")
    with pytest.raises(BadSetting, match="not among them"):
        cohen_kappa([1], [9], categories=[1, 2])
    with pytest.raises(BadSetting, match="3 x 3"):
        cohen_kappa_of_counts(COHEN_1968, np.ones((2, 2)))
