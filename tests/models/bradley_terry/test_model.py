import numpy as np
import pytest

from steelyard import BradleyTerry, Judgments
from steelyard.errors import DifferentTables, UnknownItem, UnknownName
from steelyard.judgments.counts import PairCounts
from steelyard.models.known import model_named
from tests.models.bradley_terry.simulating import simulate, table_of

SCALES = ["auto", "davidson", "rao_kupper", "half", "drop", "kept"]


def test_the_default_settings_recover_a_simulated_truth():
    judgments, truth = simulate(items=12, rows=6000, seed=1)
    fit = BradleyTerry().fit(judgments)
    z = (fit.posterior.position - truth) / fit.posterior.spread
    assert fit.converged
    assert np.all(np.abs(z) < 4.0)
    assert fit.coefficients()["tie"]["estimate"] == pytest.approx(np.log(0.6), abs=0.15)


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    held = []
    for seed in range(40):
        judgments, truth = simulate(items=6, rows=400, seed=seed)
        low, high = BradleyTerry(ties="davidson").fit(judgments).posterior.interval(0.95)
        held += ((low <= truth) & (truth <= high)).tolist()
    assert 0.90 <= np.mean(held) <= 0.99


@pytest.mark.parametrize("ties", SCALES)
def test_exchanging_every_outcome_mirrors_the_scale(ties):
    judgments, _ = simulate(seed=3)
    words = {"left": "right", "tie": "tie", "right": "left"}
    cells = {name: judgments.cells("comparison", name) for name in ("left", "right", "outcome")}
    cells["outcome"] = [words[word] for word in cells["outcome"]]
    mirrored = Judgments.from_columns("comparison", cells)
    one, other = BradleyTerry(ties=ties).fit(judgments), BradleyTerry(ties=ties).fit(mirrored)
    np.testing.assert_allclose(one.posterior.position, -other.posterior.position, atol=1e-8)


@pytest.mark.parametrize("ties", SCALES)
def test_the_order_of_rows_and_of_items_in_a_pair_does_not_matter(ties):
    judgments, _ = simulate(seed=4)
    words = {"left": "right", "tie": "tie", "right": "left"}
    cells = {name: judgments.cells("comparison", name)[::-1] for name in ("left", "right", "outcome")}
    turned = {"left": cells["right"], "right": cells["left"], "outcome": [words[w] for w in cells["outcome"]]}
    one = BradleyTerry(ties=ties).fit(judgments)
    other = BradleyTerry(ties=ties).fit(Judgments.from_columns("comparison", turned))
    np.testing.assert_allclose(one.posterior.position, other.posterior.position, atol=1e-9)
    assert one.deviance == pytest.approx(other.deviance)


def test_fitting_counts_equals_fitting_judgments():
    judgments, _ = simulate(seed=5)
    settings = {"ties": "davidson", "order": True, "rater_covariates": {"rater": ["order"]}}
    counts = PairCounts.of(judgments, by=("rater",))
    one, other = BradleyTerry(**settings).fit(judgments), BradleyTerry(**settings).fit(counts)
    np.testing.assert_allclose(one.theta, other.theta, atol=1e-10)
    assert one.deviance == pytest.approx(other.deviance)


def test_a_reference_item_changes_neither_worths_nor_deviance():
    judgments, _ = simulate(seed=6)
    plain, referenced = BradleyTerry(ties="davidson"), BradleyTerry(ties="davidson", reference="i00003")
    one, other = plain.fit(judgments), referenced.fit(judgments)
    assert one.worths() == pytest.approx(other.worths())
    assert one.deviance == pytest.approx(other.deviance)
    assert other.coefficients()["i00003"]["estimate"] == 0.0
    gap = one.coefficients()["i00001"]["estimate"] - one.coefficients()["i00003"]["estimate"]
    assert other.coefficients()["i00001"]["estimate"] == pytest.approx(gap)


def test_lambda_is_half_a_log_worth_and_the_tie_effect_is_the_same():
    fit = BradleyTerry(ties="davidson", order=True).fit(simulate(seed=7, order=0.4)[0])
    worth, half = fit.coefficients("log_worth"), fit.coefficients("lambda")
    assert half["order"]["estimate"] == pytest.approx(worth["order"]["estimate"] / 2)
    assert half["order"]["z"] == pytest.approx(worth["order"]["z"])
    assert half["tie"] == pytest.approx(worth["tie"])


def test_no_item_has_an_interval_of_no_width():
    fit = BradleyTerry(ties="davidson", reference="i00000").fit(simulate(seed=8)[0])
    assert np.all(fit.scale.high - fit.scale.low > 0.05)


def test_one_pair_with_ties_is_saturated_and_says_so():
    fit = BradleyTerry().fit(table_of([("a", "b", 61, 24, 35)]))
    assert (fit.df_residual, fit.p_deviance, fit.p_pearson) == (0, None, None)
    assert fit.fit_test == "saturated: no test of fit"
    assert "saturated: no test of fit" in fit.summary()


def test_random_positions_shrink_to_nothing_where_raters_do_not_lean():
    judgments, _ = simulate(seed=9, rows=1500)
    fit = BradleyTerry(ties="davidson", order=True, rater_position="quadrature").fit(judgments)
    fixed = BradleyTerry(ties="davidson", order=True, table="raters").fit(judgments)
    assert fit.position_sd < 0.25
    assert fit.compare(fixed).p > 0.05


def test_random_positions_are_found_where_raters_lean():
    judgments, _ = simulate(seed=10, rows=4000, raters=40, lean=1.0)
    fit = BradleyTerry(ties="davidson", order=True, rater_position="quadrature").fit(judgments)
    assert fit.position_sd == pytest.approx(1.0, abs=4 * fit.position_sd_error)
    assert len(fit.raters) == 40


def test_fits_on_different_tables_are_not_compared():
    judgments, _ = simulate(seed=11)
    pooled = BradleyTerry(ties="davidson").fit(judgments)
    split = BradleyTerry(ties="davidson", rater_covariates=["rater"]).fit(simulate(seed=11, raters=2)[0])
    with pytest.raises(DifferentTables, match="table="):
        pooled.compare(split)
    with pytest.raises(DifferentTables, match="half"):
        pooled.compare(BradleyTerry(ties="half").fit(judgments))


def test_probabilities_add_up_and_lie_inside_their_intervals():
    fit = BradleyTerry(ties="davidson", order=True).fit(simulate(seed=12, order=0.5)[0])
    probabilities = fit.probabilities("i00000", "i00001")
    assert sum(p for p, _, _ in probabilities.values()) == pytest.approx(1.0)
    assert all(0 < low < p < high < 1 for p, low, high in probabilities.values())
    with pytest.raises(UnknownItem):
        fit.probabilities("i00000", "nobody")


def test_worths_differ_between_raters_where_the_model_lets_them():
    judgments, _ = simulate(seed=13, raters=2)
    fit = BradleyTerry(ties="davidson", rater_covariates=["rater"]).fit(judgments)
    assert fit.worths(rater="r000") != pytest.approx(fit.worths(rater="r001"))
    with pytest.raises(UnknownName, match="r009"):
        fit.worths(rater="r009")


def test_the_tie_effect_may_differ_between_groups():
    few, many = table_of([("a", "b", 30, 10, 20)]), table_of([("a", "b", 30, 40, 20)])
    both = Judgments.concat([few, many])
    group = ["few"] * len(few) + ["many"] * len(many)
    cells = {name: both.cells("comparison", name) for name in ("left", "right", "outcome", "count")}
    judgments = Judgments.from_columns("comparison", {**cells, "group": group})
    fit = BradleyTerry(ties="davidson", tie_by="group").fit(judgments)
    assert fit.coefficients()["tie:group=many"]["estimate"] == pytest.approx(np.log(4.0), abs=1e-6)


def test_an_item_covariate_beside_item_effects_is_aliased_and_named():
    judgments, _ = simulate(seed=14)
    values = {"size": {f"i{at:05d}": float(at) for at in range(8)}}
    fit = BradleyTerry(ties="davidson", item_covariates=values).fit(judgments)
    assert fit.aliased == ("size",)
    assert np.isnan(fit.coefficients()["size"]["estimate"])
    assert fit.df_residual == BradleyTerry(ties="davidson").fit(judgments).df_residual
    ridge = BradleyTerry(ties="davidson", item_covariates=values, penalty="ridge", prior_sd=1.0).fit(
        judgments
    )
    assert np.isfinite(ridge.posterior.position).all()


def test_standard_errors_by_rater_grow_where_raters_differ():
    judgments, _ = simulate(seed=15, rows=4000, raters=10, lean=1.5)
    model_based = (
        BradleyTerry(ties="davidson", order=True, cluster="none").fit(judgments).coefficients()["order"]["se"]
    )
    robust = BradleyTerry(ties="davidson", order=True, standard_errors="rater").fit(judgments)
    assert robust.coefficients()["order"]["se"] > 2.0 * model_based


def test_clusters_hold_every_item_once_and_part_what_differs_much():
    rows = [("a", "b", 55, 10, 45), ("a", "c", 95, 1, 3), ("b", "c", 94, 2, 4)]
    fit = BradleyTerry().fit(table_of(rows))
    assert fit.clusters() == (("a", "b"), ("c",))


def test_residuals_of_raters_point_at_the_one_who_answers_the_other_way():
    judgments, _ = simulate(seed=16, rows=3000, raters=6)
    cells = {name: judgments.cells("comparison", name) for name in ("rater", "left", "right", "outcome")}
    words = {"left": "right", "tie": "tie", "right": "left"}
    pairs = zip(cells["rater"], cells["outcome"], strict=True)
    cells["outcome"] = [words[word] if rater == "r002" else word for rater, word in pairs]
    fit = BradleyTerry(ties="davidson").fit(Judgments.from_columns("comparison", cells))
    rows = {row["rater"]: row["unusual"] for row in fit.residuals("rater")}
    assert min(rows, key=rows.get) == "r002"
    assert sum(row["deviance"] for row in fit.residuals("pair")) == pytest.approx(fit.deviance)


def test_bootstrap_by_rater_is_near_the_sandwich():
    judgments, _ = simulate(seed=17, rows=6000, raters=60, lean=1.0)
    collected = []
    fit = BradleyTerry(ties="davidson", order=True, standard_errors="rater").fit(judgments)
    drawn = fit.bootstrapped(200, np.random.default_rng(0), collected.append)
    np.testing.assert_allclose(drawn.posterior.spread, fit.posterior.spread, rtol=0.35)
    assert collected[-1] == 200
    assert np.all(drawn.scale.high > drawn.scale.low)


def test_a_summary_reads_like_one_of_r():
    text = (
        BradleyTerry(ties="davidson", cluster="none")
        .fit(simulate(seed=18)[0])
        .summary(parametrisation="lambda")
    )
    for words in (
        "Estimate",
        "Std. Error",
        "z value",
        "Pr(>|z|)",
        "Residual deviance",
        "degrees of freedom",
        "AIC",
    ):
        assert words in text


def test_settings_of_a_study_make_the_model():
    model = model_named("bradley_terry", ties="kept", rater_covariates=["rater"], order=True)
    assert model.varying == {"rater": ("items",)}
    with pytest.raises(UnknownName, match="davidson"):
        model_named("bradley_terry", ties="davidsen")


def test_items_may_be_called_like_effects():
    rows = [("a", "b", 5, 1, 3), ("b", "c", 4, 1, 2), ("a", "c", 6, 1, 2), ("c", "a", 2, 1, 3)]
    called = {"a": "order", "b": "tie", "c": "ghost"}
    plain = BradleyTerry(order=True).fit(table_of(rows))
    named = BradleyTerry(order=True).fit(table_of([(called[a], called[b], *n) for a, b, *n in rows]))
    position = dict(zip(named.item, named.posterior.position, strict=True))
    for item, at in zip(plain.item, plain.posterior.position, strict=True):
        assert position[called[item]] == pytest.approx(at, abs=1e-9)
    assert named.parameters == plain.parameters == 4


def test_under_a_ridge_an_effect_that_no_prior_holds_takes_all_that_it_can():
    # One pair, shown one way round: the order effect fits the counts alone, and the prior keeps the items equal.
    fit = BradleyTerry(order=True, penalty="ridge").fit(table_of([("a", "b", 6, 0, 2)]))
    assert fit.posterior.position == pytest.approx([0.0, 0.0], abs=1e-8)
    assert fit.coefficients()["order"]["estimate"] == pytest.approx(np.log(3.0), abs=1e-7)


def test_coefficients_are_gone_through_by_name_like_a_dict():
    coefficients = BradleyTerry().fit(simulate(4, 40, seed=3)[0]).coefficients()
    assert list(coefficients) == list(coefficients.name)
    assert len(coefficients) == len(coefficients.name)
    assert all(name in coefficients for name in coefficients)
    assert "nobody" not in coefficients
    assert {name: coefficients[name]["estimate"] for name in coefficients} == dict(
        zip(coefficients.name, coefficients.estimate.tolist(), strict=True)
    )
