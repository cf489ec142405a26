import numpy as np
import pytest

from steelyard import BradleyTerry, Comparison, Judgments, Rating
from steelyard.errors import (
    BadSetting,
    NothingToFit,
    NoTies,
    OnlyTies,
    Separated,
    TooFewItems,
    TooFewLevels,
    Unconnected,
    UnknownItem,
    UnknownName,
)
from steelyard.judgments.counts import PairCounts
from tests.models.bradley_terry.simulating import simulate, table_of

RING = [("a", "b", 5, 1, 3), ("b", "c", 4, 1, 2), ("a", "c", 6, 1, 2)]


def test_ratings_are_no_comparisons():
    with pytest.raises(NothingToFit, match="comparison"):
        BradleyTerry().fit(Judgments.of([Rating("ann", "tea", 3)]))


def test_no_pair_is_too_few_items():
    counts = PairCounts.of(table_of(RING))
    alone = type(counts)(
        counts.items[:1], counts.places[:1], counts.left, counts.right, counts.counts, {}, True
    )
    with pytest.raises(TooFewItems, match="at least 2 items"):
        BradleyTerry().fit(alone)


def test_one_rater_has_no_rater_effects():
    rows = [Comparison("ann", "a", "b", "left"), Comparison("ann", "b", "a", "left")]
    with pytest.raises(TooFewLevels, match="'ann'"):
        BradleyTerry(rater_covariates=["rater"]).fit(Judgments.of(rows))
    with pytest.raises(TooFewLevels, match="rater"):
        BradleyTerry(standard_errors="rater").fit(Judgments.of(rows))


def test_a_tie_effect_needs_ties():
    rows = [(left, right, wins, 0, losses) for left, right, wins, _, losses in RING]
    with pytest.raises(NoTies, match="ties='drop'"):
        BradleyTerry(ties="davidson").fit(table_of(rows))
    assert "tie" not in BradleyTerry().fit(table_of(rows)).coefficients().name


def test_only_ties_say_nothing():
    with pytest.raises(OnlyTies):
        BradleyTerry().fit(table_of([("a", "b", 0, 5, 0)]))


def test_unconnected_groups_are_named_with_remedies():
    rows = [*RING, ("x", "y", 3, 1, 4)]
    with pytest.raises(Unconnected, match=r"'?a'?.*'?x'?.*penalty='ridge'"):
        BradleyTerry().fit(table_of(rows))
    apart = BradleyTerry(unconnected="apart").fit(table_of(rows))
    assert "2 parts of the items: a, b, c (3); x, y (2)" in apart.summary()
    numbers = {(row["left"], row["right"]): row["se"] for row in apart.contrasts().rows()}
    assert numbers["a", "b"] > 0
    assert numbers["a", "x"] != numbers["a", "x"]
    assert BradleyTerry(penalty="ridge", prior_sd=1.0).fit(table_of(rows)).converged
    assert BradleyTerry(penalty="pseudo").fit(table_of(rows)).converged


def test_an_item_that_always_wins_is_named_with_remedies():
    rows = [*RING, ("w", "a", 5, 0, 0), ("w", "b", 5, 0, 0)]
    with pytest.raises(
        Separated, match=r"of w would be infinite, because it never .* a comparison\..*penalty='firth'"
    ):
        BradleyTerry().fit(table_of(rows))
    for penalty in ("firth", "ridge", "pseudo"):
        fit = BradleyTerry(penalty=penalty).fit(table_of(rows))
        assert fit.converged
        assert max(fit.worths(), key=fit.worths().get) == "w"


def test_separation_by_an_order_effect_is_found_and_named():
    rows = [("a", "b", 5, 1, 0), ("b", "c", 4, 1, 0), ("c", "a", 6, 1, 0)]
    with pytest.raises(Separated, match="order"):
        BradleyTerry(order=True).fit(table_of(rows))


def test_separation_within_one_rater_is_found():
    rows = [Comparison("ann", "a", "b", "left"), Comparison("ann", "b", "a", "left")]
    rows += [Comparison("bob", "a", "b", "left"), Comparison("bob", "b", "a", "right")]
    with pytest.raises(Separated, match="rater=bob"):
        BradleyTerry(rater_covariates=["rater"]).fit(Judgments.of(rows))


def test_separation_that_nobody_looked_for_is_found_by_its_variances(monkeypatch):
    monkeypatch.setattr("steelyard.models.bradley_terry.connectivity.LARGEST_PROGRAM", 0)
    rows = [("a", "b", 5, 1, 0), ("b", "c", 4, 1, 0), ("c", "a", 6, 1, 0)]
    with pytest.raises(Separated, match="order"):
        BradleyTerry(order=True).fit(table_of(rows))


def test_settings_that_do_not_go_together_are_refused():
    with pytest.raises(BadSetting, match="probit"):
        BradleyTerry(ties="davidson", link="probit")
    with pytest.raises(BadSetting, match="above 0"):
        BradleyTerry(penalty="ridge", prior_sd=0.0)
    with pytest.raises(BadSetting, match="list of columns"):
        BradleyTerry(rater_covariates="rater")
    with pytest.raises(BadSetting, match="item covariates"):
        BradleyTerry(item_effects=False)


def test_unknown_references_columns_and_levels_are_named():
    judgments, _ = simulate(seed=1, raters=2)
    with pytest.raises(UnknownItem, match="nobody"):
        BradleyTerry(reference="nobody").fit(judgments)
    with pytest.raises(UnknownName, match="age"):
        BradleyTerry(rater_covariates=["age"]).fit(judgments)
    with pytest.raises(UnknownName, match="r009"):
        BradleyTerry(rater_covariates=["rater"], reference_levels={"rater": "r009"}).fit(judgments)
    with pytest.raises(UnknownName, match="colour"):
        BradleyTerry(rater_covariates={"rater": ["colour"]}).fit(judgments)


LOPSIDED = [
    [*RING, ("w", "a", 5, 0, 0)],
    [*RING, ("x", "y", 3, 1, 4)],
    [("a", "b", 0, 5, 0)],
    [("a", "b", 1, 0, 0)],
    [("a", "b", 3, 2, 0)],
]


@pytest.mark.parametrize("rows", LOPSIDED)
def test_an_automatic_penalty_is_pseudo_where_estimates_would_be_infinite(rows):
    fit = BradleyTerry(penalty="auto").fit(table_of(rows))
    plain = BradleyTerry(penalty="pseudo").fit(table_of(rows))
    assert fit.converged
    assert fit.posterior.position.tolist() == plain.posterior.position.tolist()
    assert "penalty=pseudo" in fit.signature


def test_an_automatic_penalty_is_none_where_none_is_needed():
    fit = BradleyTerry(penalty="auto").fit(table_of(RING))
    assert fit.posterior.position.tolist() == BradleyTerry().fit(table_of(RING)).posterior.position.tolist()
    assert "penalty" not in fit.signature


def test_a_penalty_that_leaves_an_effect_infinite_is_refused_too():
    rows = [("a", "b", 5, 0, 0), ("b", "c", 4, 0, 0), ("c", "a", 6, 0, 0)]
    for penalty in ("ridge", "pseudo", "auto"):
        with pytest.raises(Separated, match=r"order.*penalty='firth'"):
            BradleyTerry(order=True, penalty=penalty).fit(table_of(rows))


def test_counts_of_zero_are_nothing_to_fit():
    columns = {"left": ["a"], "right": ["b"], "outcome": ["left"], "count": [0]}
    with pytest.raises(NothingToFit, match="count of 0"):
        BradleyTerry().fit(Judgments.from_columns("comparison", columns))


def test_covariates_that_are_no_finite_numbers_are_refused():
    with pytest.raises(BadSetting, match="item 'b' is not a finite number"):
        BradleyTerry(item_covariates={"length": {"a": 1.0, "b": float("nan"), "c": 2.0}}).fit(table_of(RING))
    columns = {
        "left": ["a", "b"],
        "right": ["b", "a"],
        "outcome": ["left", "left"],
        "age": [1.0, float("inf")],
    }
    with pytest.raises(BadSetting, match="age: some values are not finite"):
        BradleyTerry(contest_covariates=["age"]).fit(Judgments.from_columns("comparison", columns))


def test_few_raters_behind_clustered_errors_are_remarked_on():
    judgments, _ = simulate(seed=1, raters=3)
    assert "too small" in BradleyTerry(standard_errors="rater").fit(judgments).summary()


@pytest.mark.parametrize("factor", [1e-5, 1e-3, 1e4])
def test_estimates_do_not_depend_on_the_scale_of_counts(factor):
    rows = [("a", "b", 3, 2, 1), ("b", "c", 4, 1, 2), ("c", "a", 2, 1, 3)]
    scaled = [(left, right, *(factor * count for count in counts)) for left, right, *counts in rows]
    plain, other = (BradleyTerry(cluster="none").fit(table_of(each)) for each in (rows, scaled))
    assert other.converged
    np.testing.assert_allclose(other.posterior.position, plain.posterior.position, rtol=0, atol=1e-9)
