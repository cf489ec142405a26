"""Errors clustered by rater, against closed forms and written-out formulas."""

import numpy as np
import pytest
from scipy.linalg import sqrtm
from scipy.stats import f, t

from steelyard import BradleyTerry, read
from steelyard.errors import BadSetting


def pair(*raters):
    """One pair, judged by raters with these wins and losses."""
    return read(
        {
            "rater": [f"r{at:02d}" for at in range(len(raters))],
            "left": ["a"] * len(raters),
            "right": ["b"] * len(raters),
            "wins": [wins for wins, _ in raters],
            "losses": [losses for _, losses in raters],
        }
    )


def three_items(raters, seed, taste=0.8, answers=6):
    rng = np.random.default_rng(seed)
    columns = {"rater": [], "group": [], "left": [], "right": [], "wins": [], "losses": []}
    for rater in range(raters):
        own = np.array([0.4, 0.0, -0.4]) + taste * rng.standard_normal(3)
        for left, right in ((0, 1), (1, 2), (0, 2)):
            wins = rng.binomial(answers, 1.0 / (1.0 + np.exp(own[right] - own[left])))
            cells = (f"r{rater:02d}", "xy"[rater % 2], f"i{left}", f"i{right}", wins, answers - wins)
            for name, value in zip(columns, cells, strict=True):
                columns[name].append(value)
    return columns


def test_raters_who_agree_to_the_last_answer_leave_an_interval_with_width():
    """Three raters at 6:4, 3:2 and 9:6 have no variance between them; a plain clustered error would be 0."""
    fit = BradleyTerry().fit(pair((6, 4), (3, 2), (9, 6)))
    estimate = fit.clustered.estimate(np.array([1.0, -1.0]))
    assert estimate.clustered_se < 1e-6
    assert estimate.se == pytest.approx(np.sqrt(1 / 18 + 1 / 12))
    assert abs(estimate.t) < 1.2
    assert estimate.p > 0.3
    assert estimate.high - estimate.low > 1.5


def test_twenty_raters_who_agree_to_the_last_answer_leave_an_interval_with_width():
    estimate = BradleyTerry().fit(pair(*[(6, 4)] * 20)).clustered.estimate(np.array([1.0, -1.0]))
    assert estimate.clustered_se < 1e-6
    assert estimate.se > 0.5 * estimate.model_se
    assert abs(estimate.t) < 10.0


def test_raters_alike_have_one_degree_of_freedom_less_than_there_are_raters():
    """With equal answers CR2 of one proportion is the variance of the raters' own shares, by G - 1."""
    wins = np.array([8, 3, 6, 5, 9, 2, 7, 4, 6, 8, 1, 9])
    fit = BradleyTerry().fit(pair(*((w, 10 - w) for w in wins)))
    estimate = fit.clustered.estimate(np.array([1.0, -1.0]))
    assert estimate.df == pytest.approx(11.0)
    share = wins.mean() / 10
    by_hand = np.sqrt(np.var(wins / 10, ddof=1) / 12) / (share * (1 - share))  # delta method on the logit
    assert estimate.clustered_se == pytest.approx(by_hand, rel=1e-8)
    assert estimate.se == estimate.clustered_se
    assert estimate.p == pytest.approx(2 * t.sf(abs(estimate.t), 11))


def test_few_raters_use_the_larger_of_both_errors():
    apart = BradleyTerry().fit(pair((9, 1), (1, 9), (5, 5), (9, 1))).clustered.estimate(np.array([1.0, -1.0]))
    assert apart.se == apart.clustered_se > apart.model_se
    alike = BradleyTerry().fit(pair((6, 4), (5, 5), (6, 4), (6, 4))).clustered.estimate(np.array([1.0, -1.0]))
    assert alike.se == alike.model_se > alike.clustered_se


def test_the_covariance_is_cr2_written_out_row_by_row():
    """(I - H_gg)^-1/2 on every rater's weighted residuals, H the hat matrix of the weighted model."""
    columns = three_items(7, seed=3)
    columns["losses"][4] += 5  # raters are not alike
    fit = BradleyTerry(reference="i2").fit(read(columns))
    x = np.array(
        [
            [(left == i) - (right == i) for i in ("i0", "i1")]
            for left, right in zip(columns["left"], columns["right"], strict=True)
        ],
        dtype=float,
    )
    wins, losses = np.array(columns["wins"], float), np.array(columns["losses"], float)
    total = wins + losses
    place = np.array([fit.coefficients()[item]["estimate"] for item in ("i0", "i1")])
    share = 1.0 / (1.0 + np.exp(-x @ place))
    weight = total * share * (1.0 - share)
    root = np.sqrt(weight)
    bread = np.linalg.inv((x.T * weight) @ x)
    hat = root[:, None] * x @ bread @ x.T * root
    residual = (wins - total * share) / root
    raters = np.array(columns["rater"])
    meat = np.zeros((2, 2))
    for rater in np.unique(raters):
        own = np.flatnonzero(raters == rater)
        adjusted = np.linalg.inv(np.real(sqrtm(np.eye(len(own)) - hat[np.ix_(own, own)]))) @ residual[own]
        score = (x[own].T * root[own]) @ adjusted
        meat += np.outer(score, score)
    assert fit.clustered.covariance == pytest.approx(bread @ meat @ bread, rel=1e-8)


def test_an_effect_that_rests_on_one_rater_has_no_clustered_error():
    columns = three_items(6, seed=5)
    columns["group"] = ["one" if rater == "r00" else "rest" for rater in columns["rater"]]
    fit = BradleyTerry(rater_covariates=["group"], reference="i2").fit(read(columns))
    row = np.array([float(name == "i0:group=rest") for name in fit.design.names])
    assert fit.clustered.estimate(row) is None


def test_a_likelihood_ratio_has_its_correction_for_raters_beside_it_and_says_what_it_assumes():
    columns = three_items(12, seed=7, taste=1.0)
    own = BradleyTerry(rater_covariates=["group"]).fit(read(columns))
    shared = BradleyTerry(rater_covariates={"group": []}).fit(read(columns))
    ratio = own.compare(shared)
    assert ratio.assumes == "assumes that the 216 answers of 12 raters are independent"
    assert ratio.clustered.raters == 12
    assert ratio.clustered.p > ratio.p
    assert ratio.clustered.p == pytest.approx(
        f.sf(ratio.clustered.statistic, ratio.clustered.df, ratio.clustered.df_within)
    )
    assert own.aic_clustered > own.aic


def test_one_answer_per_rater_needs_no_correction():
    columns = {
        "rater": [f"r{at}" for at in range(30)],
        "left": ["a", "b", "c"] * 10,
        "right": ["b", "c", "a"] * 10,
        "outcome": ["left", "right", "left", "right", "left"] * 6,
    }
    fit = BradleyTerry(order=True).fit(read(columns))
    ratio = fit.compare(BradleyTerry(table="ordered").fit(read(columns)))
    assert ratio.assumes == ""
    assert ratio.clustered is None


def test_a_fit_with_random_effects_has_no_clustered_errors():
    fit = BradleyTerry(rater_items="random").fit(read(three_items(6, seed=9)))
    with pytest.raises(BadSetting, match="random effects"):
        _ = fit.clustered


def test_the_summary_says_what_aic_and_deviance_take_for_granted():
    printed = BradleyTerry().fit(read(three_items(12, seed=7))).summary()
    assert (
        "assume that the 216 answers of 12 raters are independent; AIC with a penalty for clusters" in printed
    )
    assert "Null deviance: " in printed
    assert "only between fits to the same judgments and the same table" in printed


def test_the_summary_without_clusters_has_no_clustered_aic():
    printed = BradleyTerry(cluster="none").fit(read(three_items(12, seed=7))).summary()
    assert "assume that the 216 answers of 12 raters are independent" in printed
    assert "clusters of raters" not in printed


def test_very_many_numbers_are_clustered_without_the_adjustment_of_each_rater(monkeypatch):
    fit = BradleyTerry(reference="i2").fit(read(three_items(12, seed=7)))
    close = fit.clustered.estimate(np.array([1.0, 0.0, 0.0]))
    monkeypatch.setattr("steelyard.models.bradley_terry.rater_variance.MOST_NUMBERS", 1)
    plain = BradleyTerry(reference="i2", standard_errors="rater").fit(read(three_items(12, seed=7)))
    rough = plain.clustered.estimate(np.array([1.0, 0.0, 0.0]))
    assert rough.clustered_se == pytest.approx(np.sqrt(12 / 11) * plain.coefficients()["i0"]["se"])
    assert rough.df == 11.0
    assert rough.clustered_se == pytest.approx(close.clustered_se, rel=0.05)
