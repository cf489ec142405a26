"""Odds of `steelyard prefer`: intervals agree with tests, and repeated answers of raters are clustered."""

import json

import numpy as np
import pytest

from tests.cli.test_prefer import answers, binomial_limits, pair, prefer


def by_raters(*raters):
    """A file of one pair with the wins, ties and losses of each rater."""
    lines = [
        f"r{at:02d},new,old,{outcome},{count}"
        for at, counts in enumerate(raters)
        for outcome, count in zip(("left", "tie", "right"), counts, strict=True)
        if count
    ]
    return "rater,left,right,outcome,count\n" + "\n".join(lines) + "\n"


def test_nine_wins_of_nine_have_odds_from_4_20_without_end():
    (first, second, *_), sentences = answers("-", input=pair(9, 0, 0))
    step = second["steps"][0]
    assert step["low"] == pytest.approx(binomial_limits(9, 0)[0], rel=1e-6) == pytest.approx(4.2035, abs=1e-3)
    assert step["high"] is None  # JSON has no infinity
    assert step["interval"] == "profile"
    assert first["tests"]["likelihood_ratio"]["statistic"] == pytest.approx(18.0 * np.log(2.0))
    assert "95% interval 4.20 to infinity" in sentences[1]


@pytest.mark.parametrize(
    "counts", [(5, 0, 0), (5, 3, 0), (4, 0, 1), (15, 2, 5), (14, 2, 5), (61, 24, 35), (12, 0, 3), (11, 0, 4)]
)
def test_the_interval_leaves_out_equal_odds_exactly_when_the_test_rejects(counts):
    (first, second, *_), _ = answers("-", input=pair(*counts))
    step = second["steps"][0]
    assert step["p"] == pytest.approx(first["tests"]["likelihood_ratio"]["p"], abs=1e-7)
    high = np.inf if step["high"] is None else step["high"]
    assert (step["low"] > 1.0 or high < 1.0) == (step["p"] < 0.05)


@pytest.mark.parametrize("seed", range(8))
def test_the_clustered_interval_agrees_with_the_clustered_test(seed):
    rng = np.random.default_rng(seed)
    wins = rng.binomial(10, rng.beta(6, 3, size=6))
    (first, second, *_), _ = answers("-", input=by_raters(*((w, 0, 10 - w) for w in wins)))
    step = second["steps"][0]["clustered"]
    assert (step["low"] > 1.0 or step["high"] < 1.0) == (step["p"] < 0.05)
    assert first["clustered"]["p"] == pytest.approx(step["p"])


def test_raters_who_agree_to_the_last_answer_do_not_make_a_preference_certain():
    """With three raters at 6:4, 3:2 and 9:6 the unguarded clustered error is 0 and its z is 6e11."""
    (first, second, *_), sentences = answers("-", input=by_raters((6, 0, 4), (3, 0, 2), (9, 0, 6)))
    clustered = first["clustered"]
    assert abs(clustered["t"]) < 1.2
    assert clustered["se"] == pytest.approx(np.sqrt(1 / 18 + 1 / 12))
    assert clustered["df"] <= 2.0
    step = second["steps"][0]["clustered"]
    assert step["high"] / step["low"] > 4.0
    assert "Test clustered by rater (3 raters)" in sentences[0]


def test_a_warning_names_how_many_raters_there_are_in_words_and_in_json():
    text = by_raters((6, 0, 4), (3, 0, 2), (9, 0, 6))
    assert "There are only 3 raters" in prefer("-", input=text).stdout
    warnings = json.loads(prefer("-", "--json", input=text).stdout)["warnings"]
    assert any("assume that the 30 answers of 3 raters are independent" in warning for warning in warnings)
    assert any("There are only 3 raters" in warning for warning in warnings)
    many = json.loads(prefer("-", "--json", input=by_raters(*[(6, 0, 4), (5, 0, 5)] * 8)).stdout)["warnings"]
    assert len(many) == 1
    assert "16 raters are independent" in many[0]
    one = json.loads(prefer("-", "--json", input=by_raters((6, 0, 4))).stdout)["warnings"]
    assert "10 answers of 1 rater" in one[0]


def test_raters_who_answered_once_are_not_clustered():
    text = "rater,left,right,outcome\n" + "\n".join(
        f"r{at},new,old,{'left' if at % 3 else 'right'}" for at in range(12)
    )
    (first, second, *_), _ = answers("-", input=text)
    assert first["clustered"] is None
    assert second["steps"][0]["clustered"] is None
    assert json.loads(prefer("-", "--json", input=text).stdout)["warnings"] == []


def test_several_items_have_a_test_clustered_by_rater(tmp_path):
    rng = np.random.default_rng(3)
    lines = []
    for rater in range(12):
        own = np.array([0.3, 0.0, -0.3]) + rng.standard_normal(3)
        for left, right in ((0, 1), (1, 2), (0, 2)):
            wins = rng.binomial(8, 1.0 / (1.0 + np.exp(own[right] - own[left])))
            lines += [f"r{rater},i{left},i{right},{o},{c}" for o, c in (("left", wins), ("right", 8 - wins))]
    text = "rater,left,right,outcome,count\n" + "\n".join(lines)
    (first, *_), sentences = answers("-", input=text)
    assert first["equal_worths_clustered"]["raters"] == 12
    assert first["equal_worths_clustered"]["p"] > first["equal_worths"]["p"]
    assert "clustered by rater (12 raters): F = " in sentences[0]


def test_an_item_that_always_wins_among_three_is_tested_by_the_highest_likelihood():
    """a beats b and c always, b and c draw level: 2 (log 1 - log 1/2) for each of 12 answers with a."""
    lines = ["a,b,left,6", "a,c,left,6", "b,c,left,5", "b,c,right,5"]
    (first, second, *_), sentences = answers("-", input="left,right,outcome,count\n" + "\n".join(lines))
    assert first["equal_worths"]["statistic"] == pytest.approx(24.0 * np.log(2.0), abs=1e-5)
    assert first["equal_worths"]["df"] == 2
    assert second["most_to_least"]["high"] is None
    assert "Intervals come from the profile likelihood without the penalty." in sentences[1]


def test_lambda_is_half_the_log_odds_as_dras_prints_it(tmp_path):
    """Dras (2015), ModPref: o1 .2778 (.1060), z 2.620, p .0088; g1 -.6551 (.2300), z -2.848, p .0044."""
    (_, second, *_), sentences = answers("-", "--parametrisation", "lambda", input=pair(61, 24, 35))
    assert second["parametrisation"] == "lambda"
    rows = {row["name"]: row for row in second["coefficients"]}
    new, tie = rows["new"], rows["tie"]
    assert (new["estimate"], new["se"]) == pytest.approx((0.277762901341948, 0.106024609400812), abs=1e-6)
    assert (new["z"], new["p"]) == pytest.approx((2.6197965067893, 0.00879822501542753), abs=1e-6)
    assert (tie["estimate"], tie["se"]) == pytest.approx((-0.655057132483415, 0.230017139503259), abs=1e-6)
    assert np.exp(2 * new["low"]) == pytest.approx(second["steps"][0]["low"], rel=1e-6)
    assert "new 0.2778 (SE 0.1060, z = 2.62, p = 0.0088)" in sentences[1]
    assert "tie -0.6551 (SE 0.2300, z = -2.85, p = 0.0044)" in sentences[1]


def test_an_unknown_parametrisation_is_refused_with_the_ones_there_are():
    with pytest.raises(Exception, match="lambda"):
        prefer("-", "--parametrisation", "lamda", input=pair(6, 2, 3))


def test_ties_are_tested_by_the_likelihood_ratio_and_the_null_deviance_is_given(tmp_path):
    """R 4.2.2, glm: dropping g1 from Dras's Table 1 costs 190.491120854271 on 1 df."""
    table = {
        "AB": (145, 8, 7),
        "AC": (144, 7, 9),
        "AD": (113, 8, 39),
        "BC": (114, 9, 37),
        "BD": (6, 10, 144),
        "CD": (8, 1, 151),
    }
    lines = [
        f"{a},{b},{o},{c}"
        for (a, b), counts in table.items()
        for o, c in zip(("left", "tie", "right"), counts, strict=True)
    ]
    (_, second, third, *_), sentences = answers("-", input="left,right,outcome,count\n" + "\n".join(lines))
    assert third["no_tie_effect"]["statistic"] == pytest.approx(190.491120854271, abs=1e-5)
    assert third["no_tie_effect"]["df"] == 1
    assert "190.49 on 1 df" in sentences[2]
    counts = np.array(list(table.values()), dtype=float)
    tied = counts[:, 1].sum() / counts.sum()
    shares = np.array([(1 - tied) / 2, tied, (1 - tied) / 2])
    totals = counts.sum(axis=1, keepdims=True)
    null = 2.0 * np.sum(counts * np.log(counts / (totals * shares)))
    assert second["null_deviance"] == pytest.approx(null, rel=1e-9)
    assert second["df_null"] == 11
    assert f"null deviance = {null:.2f} on 11 df" in sentences[1]


def test_the_tie_interval_agrees_with_the_tie_test():
    for ties in (16, 24, 40):
        (_, _, third, *_), _ = answers("-", input=pair(61, ties, 35))
        assert (third["low"] > 0.0 or third["high"] < 0.0) == (third["no_tie_effect"]["p"] < 0.05)
