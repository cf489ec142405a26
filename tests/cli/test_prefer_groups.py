"""Whether a preference differs by a column of the raters."""

import json

import numpy as np
import pytest

from tests.cli.test_prefer import TABLE_1, prefer

PAIRS = ("AB", "AC", "AD", "BC", "BD", "CD")


def group_of(*arguments, **settings):
    """Statistics and sentences of the answer about a rater covariate."""
    report = json.loads(prefer(*arguments, "--json", **settings).stdout)["answers"]
    group_answer = next(
        answer for answer in report if answer["question"].startswith("Does the preference differ by")
    )
    return group_answer["numbers"], " ".join(group_answer["sentences"])


def grouped(expert, lay, raters=1):
    """One pair: experts and lay people with these wins and losses each."""
    lines = [
        f"{group}{at},{group},new,old,{outcome},{count}"
        for group, counts in (("expert", expert), ("lay", lay))
        for at in range(raters)
        for outcome, count in zip(("left", "right"), counts, strict=True)
        if count
    ]
    return "rater,group,left,right,outcome,count\n" + "\n".join(lines) + "\n"


def test_a_group_that_differs_is_found_with_estimate_error_z_and_p():
    """Closed form: difference of two log-odds, variance the sum of the four reciprocal counts."""
    numbers, words = group_of("-", "--rater-covariate", "group", input=grouped((80, 40), (35, 75)))
    effect = numbers["effects"][0]
    estimate = np.log(35 / 75) - np.log(80 / 40)
    se = np.sqrt(1 / 35 + 1 / 75 + 1 / 80 + 1 / 40)
    assert effect["name"] == "new:group=lay"
    assert (effect["estimate"], effect["se"]) == pytest.approx((estimate, se), abs=1e-6)
    assert effect["z"] == pytest.approx(estimate / se, abs=1e-5)
    assert effect["p"] < 1e-6
    assert numbers["ratio"]["df"] == 1
    assert "The preference differs by group: likelihood ratio" in words


def test_a_group_alike_is_not_shown_to_differ():
    numbers, words = group_of("-", "--rater-covariate", "group", input=grouped((40, 20), (41, 20)))
    assert numbers["ratio"]["p"] > 0.5
    assert "There is no evidence that the preference differs by group" in words


def test_one_judge_against_the_others_agrees_with_r(tmp_path):
    """R 4.2.2, glm: Dras's Table 1 with J3 against the rest, on the lambda scale."""
    path = tmp_path / "table1.csv"
    lines = [
        f"{judge},{'yes' if judge == 'J3' else 'no'},{a},{b},{o},{c}"
        for judge, cells in TABLE_1.items()
        for (a, b), cell in zip(PAIRS, cells, strict=True)
        for o, c in zip(("left", "tie", "right"), cell, strict=True)
    ]
    path.write_text("judge,third,left,right,outcome,count\n" + "\n".join(lines) + "\n")
    numbers, words = group_of(path, "--rater-covariate", "third", "--parametrisation", "lambda")
    effects = {effect["name"]: effect for effect in numbers["effects"]}
    expected = {
        "A:third=yes": (-1.97094758936897, 0.237006122705399, -8.31601971658295),
        "B:third=yes": (-1.26829346824383, 0.269407332585295, -4.70771695808349),
        "C:third=yes": (0.311758132864572, 0.267906073182654, 1.16368445538008),
    }
    for name, numbers_of_r in expected.items():
        effect = effects[name]
        assert (effect["estimate"], effect["se"], effect["z"]) == pytest.approx(numbers_of_r, abs=1e-4)
    assert numbers["clustered"] is None
    assert all(effect["clustered"] is None for effect in numbers["effects"])
    assert "a single rater" in words


def test_groups_of_raters_who_repeat_are_tested_by_rater():
    """CR2 errors of the difference between two groups of six raters each have about 10 degrees of freedom."""
    numbers, words = group_of("-", "--rater-covariate", "group", input=grouped((8, 4), (3, 8), raters=6))
    effect = numbers["effects"][0]
    assert effect["clustered"]["raters"] == 12
    assert effect["clustered"]["df"] == pytest.approx(10.0, abs=0.5)
    assert abs(effect["clustered"]["t"]) < 20.0
    assert numbers["clustered"]["raters"] == 12
    assert "clustered by rater (12 raters)" in words


def test_a_number_is_a_covariate_too():
    lines = [
        f"r{age},{age},new,old,{o},{c}"
        for age, wins in ((20, 9), (30, 8), (40, 6), (50, 4), (60, 2))
        for o, c in (("left", wins), ("right", 10 - wins))
    ]
    numbers, _ = group_of(
        "-", "--rater-covariate", "age", input="rater,age,left,right,outcome,count\n" + "\n".join(lines)
    )
    assert [effect["name"] for effect in numbers["effects"]] == ["new:age"]
    assert numbers["effects"][0]["z"] < -3.0


def test_a_group_that_always_prefers_one_item_is_tested_by_the_highest_likelihood():
    numbers, words = group_of("-", "--rater-covariate", "group", input=grouped((12, 0), (5, 7)))
    wins, losses, n = 17, 7, 24
    pooled = wins * np.log(wins / n) + losses * np.log(losses / n)
    own = 5 * np.log(5 / 12) + 7 * np.log(7 / 12)
    assert numbers["ratio"]["statistic"] == pytest.approx(2.0 * (own - pooled), abs=1e-5)
    assert np.isfinite(numbers["effects"][0]["estimate"])
    assert "Firth" in words


def test_a_column_that_the_file_has_not_is_refused():
    with pytest.raises(Exception, match="grup"):
        prefer("-", "--rater-covariate", "grup", input=grouped((8, 4), (3, 9)))


def test_a_column_with_one_value_cannot_be_tested_and_says_so():
    text = grouped((8, 4), (3, 9)).replace("lay,", "expert,")
    _, words = group_of("-", "--rater-covariate", "group", input=text)
    assert "The test cannot be computed" in words
