import json
import subprocess
import sys

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import xlogy
from scipy.stats import chi2
from typer.testing import CliRunner

from steelyard.cli.main import app
from steelyard.errors import SteelyardError

QUESTIONS = [
    "Is there a preference at all?",
    "How strong is the preference?",
    "Is there a tendency to tie?",
    "Do raters differ?",
    "Are raters consistent?",
    "Is there a position bias?",
]
# Dras (2015), Table 1: wins of the first, ties, wins of the second, of 40 answers to each pair by each judge.
TABLE_1 = {
    "J1": ((38, 0, 2), (36, 1, 3), (37, 1, 2), (39, 1, 0), (0, 2, 38), (3, 0, 37)),
    "J2": ((37, 2, 1), (36, 3, 1), (38, 1, 1), (37, 2, 1), (2, 2, 36), (1, 0, 39)),
    "J3": ((33, 4, 3), (33, 3, 4), (3, 3, 34), (4, 4, 32), (2, 4, 34), (1, 0, 39)),
    "J4": ((37, 2, 1), (39, 0, 1), (35, 3, 2), (34, 2, 4), (2, 2, 36), (3, 1, 36)),
}


def prefer(*arguments, input=None):
    """Run the command in this process and raise its errors."""
    done = CliRunner().invoke(app, ["prefer", *map(str, arguments)], input=input)
    if done.exception is not None:
        raise done.exception
    return done


def answers(*arguments, **settings):
    """Statistics and sentences of each answer in the JSON report."""
    report = json.loads(prefer(*arguments, "--json", **settings).stdout)
    assert [answer["question"] for answer in report["answers"]] == QUESTIONS
    return [answer["numbers"] for answer in report["answers"]], [
        " ".join(answer["sentences"]) for answer in report["answers"]
    ]


def pair(wins, ties, losses):
    rows = f"new,old,left,{wins}\nnew,old,tie,{ties}\nnew,old,right,{losses}\n"
    return "left,right,outcome,count\n" + rows


def binomial_limits(wins, losses):
    """Odds at which twice the binomial log-likelihood is 3.84 below its maximum."""

    def drop(log_odds):
        share = 1.0 / (1.0 + np.exp(-log_odds))
        top = xlogy(wins, wins / (wins + losses)) + xlogy(losses, losses / (wins + losses))
        return 2.0 * (top - xlogy(wins, share) - xlogy(losses, 1.0 - share)) - chi2.ppf(0.95, 1)

    middle = np.log(max(wins, 1e-9) / max(losses, 1e-9))
    low = np.exp(brentq(drop, middle - 20, middle)) if losses else np.exp(brentq(drop, -5, 30))
    return low, np.exp(brentq(drop, middle, middle + 20)) if losses else np.inf


@pytest.fixture
def table_1(tmp_path):
    path = tmp_path / "table1.csv"
    lines = [
        f"{judge},{first},{second},{outcome},{count}"
        for judge, cells in TABLE_1.items()
        for (first, second), cell in zip(("AB", "AC", "AD", "BC", "BD", "CD"), cells, strict=True)
        for outcome, count in zip(("left", "tie", "right"), cell, strict=True)
    ]
    path.write_text("judge,left,right,outcome,count\n" + "\n".join(lines) + "\n")
    return path


def test_a_single_pair_agrees_with_r_in_every_number():  # R 4.2.2; ModPref of Dras (2015)
    (first, second, third, fourth, fifth, _), sentences = answers("-", input=pair(61, 24, 35))
    assert first["tests"]["sign"]["p"] == pytest.approx(0.0103459130827288, rel=1e-9)
    assert first["tests"]["trinomial"]["p"] == pytest.approx(0.00905963444409032, rel=1e-9)
    assert second["steps"][0]["odds"] == pytest.approx(1.74285714285714, rel=1e-6)
    ends = binomial_limits(61, 35)
    assert (second["steps"][0]["low"], second["steps"][0]["high"]) == pytest.approx(ends, rel=1e-6)
    new = second["coefficients"][0]
    assert (new["name"], second["reference"], second["parametrisation"]) == ("new", "old", "log_worth")
    assert new["estimate"] == pytest.approx(2 * 0.277762901341948, abs=1e-6)
    assert new["se"] == pytest.approx(2 * 0.106024609400812, abs=1e-5)
    assert new["z"] == pytest.approx(2.6197965067893, abs=1e-4)
    assert third["tie"] == pytest.approx(-0.655057132483415, abs=1e-6)
    assert third["se"] == pytest.approx(0.230017139503259, abs=1e-5)
    assert fourth == fifth == {}
    assert "Of 120 answers, 61 prefer new, 35 prefer old and 24 are ties." in sentences[0]
    assert "p = 0.0103 (exact, n = 96)" in sentences[0]
    assert "new over old 1.74 to 1 (95% interval 1.16 to 2.67, p = 0.0076)" in sentences[1]
    assert "Raters tend to choose rather than to tie." in sentences[2]
    assert "does not identify raters" in sentences[3]


def test_ties_that_outnumber_wins_are_a_tendency_not_to_choose():  # Collins et al. (2005) as fitted by Dras
    (_, _, third, *_), sentences = answers("-", input=pair(83, 77, 39))
    assert third["tie"] == pytest.approx(0.302604294890562, abs=1e-6)
    assert "Raters tend to tie rather than to choose." in sentences[2]


def test_equal_counts_show_no_tendency_and_no_preference():
    (first, second, *_), sentences = answers("-", input=pair(40, 40, 40))
    assert first["tests"]["trinomial"]["p"] == 1.0
    assert second["steps"][0]["odds"] == pytest.approx(1.0)
    assert "There is no evidence of a tendency to tie or to choose." in sentences[2]


def test_several_items_and_raters_agree_with_r(table_1):  # R 4.2.2, prefmod 0.8-36, friedman.test
    (first, second, third, fourth, *_), sentences = answers(table_1)
    assert first["friedman"]["statistic"] == pytest.approx(10.2)
    assert first["friedman"]["p_chi2"] == pytest.approx(0.0169403735225339)
    assert first["equal_worths"]["df"] == 3
    assert "the asymptotic p = 0.0169 is unreliable with few raters" in sentences[0]
    assert second["order"] == ["A", "D", "B", "C"]
    assert second["steps"][0]["odds"] == pytest.approx(np.exp(2 * 0.4006711436), rel=1e-6)
    assert third["tie"] == pytest.approx(-1.831704365, abs=1e-6)
    assert (fourth["rater_terms"]["statistic"], fourth["rater_terms"]["df"]) == (
        pytest.approx(173.4128135, rel=1e-6),
        9,
    )
    assert [each["rater"] for each in fourth["set_aside"]] == ["J3"]
    assert "assume that the 960 answers of 4 raters are independent" in sentences[0]
    assert "ties counting half): J3" in sentences[3]


def test_the_likelihood_ratio_of_equal_worths_is_that_of_the_closed_form():
    """With equal counts of wins and losses for every pair and no ties, worths are equal and the ratio is 0."""
    lines = [f"{a},{b},{side},5" for a, b in ("ab", "bc", "ca") for side in ("left", "right")]
    (first, *_), sentences = answers("-", input="left,right,outcome,count\n" + "\n".join(lines))
    assert first["equal_worths"]["statistic"] == pytest.approx(0.0, abs=1e-8)
    assert first["equal_worths"]["p"] == pytest.approx(1.0)
    assert "There is no evidence of a preference among the items" in sentences[0]


def test_sentences_never_say_significant(table_1):
    printed = prefer(table_1).stdout
    assert "ignifican" not in printed
    assert all(question in printed for question in QUESTIONS)


def test_raters_who_contradict_themselves_or_prefer_a_side_are_named(tmp_path):
    rng = np.random.default_rng(2)
    items = "abcdefg"
    lines = []
    for rater in ("ann", "bob", "guesser"):
        for one in items:
            for other in items[items.index(one) + 1 :]:
                left, right = (one, other) if rng.random() < 0.5 else (other, one)
                sure = "left" if left < right else "right"
                outcome = "left" if rater == "guesser" or rng.random() < 0.1 else sure
                lines.append(f"{rater},{left},{right},{outcome}")
    path = tmp_path / "c.csv"
    path.write_text("rater,left,right,outcome\n" + "\n".join(lines) + "\n")
    *_, consistency, position = answers(path)[1]
    no_evidence = "There is no evidence of fewer circular triads than with random answers"
    unadjusted = "for these raters; the p values listed are not adjusted: guesser"
    assert f"{no_evidence} (Holm-adjusted p > 0.05) {unadjusted}" in consistency
    assert "guesser (100% left of " in position
    assert "no rater judged the same pair twice" in consistency


def test_position_bias_has_odds_an_interval_and_a_test_clustered_by_rater():
    rng = np.random.default_rng(4)
    lines = []
    for rater in range(30):
        for one, other in (("a", "b"), ("b", "c"), ("c", "a")) * 2:
            left, right = (one, other) if rng.random() < 0.5 else (other, one)
            lines.append(f"r{rater},{left},{right},{'left' if rng.random() < 0.7 else 'right'}")
    numbers, sentences = answers("-", input="rater,left,right,outcome\n" + "\n".join(lines) + "\n")
    odds = numbers[-1]["odds"]
    assert numbers[-1]["decided"] == 180
    assert odds["low"] < 7 / 3 < odds["high"]
    assert odds["clustered"]["low"] > 1.0
    assert (
        "There is a position bias: between two items of equal worth, odds of the item on the left"
        in sentences[-1]
    )
    assert "on the scale of log-odds; 0 is no bias" in sentences[-1]


def test_position_bias_needs_no_raters_but_both_orders(table_1):
    _, sentences = answers(table_1)
    assert sentences[-1] == "This cannot be tested: no pair was shown in both orders and decided."
    both = "left,right,outcome,count\na,b,left,60\nb,a,left,55\na,b,right,40\nb,a,right,45\n"
    _, sentences = answers("-", input=both)
    assert "The left item was preferred in 57% of 200 decided answers" in sentences[-1]


def test_the_odds_of_many_items_are_summarised():
    rng = np.random.default_rng(5)
    names = [f"m{at:02d}" for at in range(30)]
    lines = [
        f"{one},{other},{'left' if rng.random() < 0.6 else 'right'}"
        for one in names
        for other in names
        if one != other
    ]
    (_, second, *_), sentences = answers("-", input="left,right,outcome\n" + "\n".join(lines) + "\n")
    assert len(second["steps"]) == 29
    assert sentences[1].startswith("Odds of the first items: ")
    assert sentences[1].count(" to 1 (95% interval") == 4
    assert "of 29 pairs have p < 0.05" in sentences[1]


def test_repeats_are_reported_with_the_raters_who_changed_most():
    lines = [f"ann,a,b,left,{at}\nbob,a,b,{'left' if at % 2 else 'right'},{at}" for at in range(4)]
    printed = prefer("-", input="rater,left,right,outcome,round\n" + "\n".join(lines)).stdout
    assert (
        "6 repeats by 2 raters. In 3 (50%) the answer changed, and in 3 of them the preference was" in printed
    )
    assert "Raters who changed the largest share of answers: bob 3 of 3." in printed
    assert "Add a segment column to distinguish outputs." in printed


def test_by_reports_each_value_separately_and_item_selects_items(table_1, tmp_path):
    rows = table_1.read_text().splitlines()
    path = tmp_path / "two.csv"
    path.write_text(
        "\n".join([rows[0] + ",question", *(f"{row},warm" for row in rows[1:]), "J1,A,B,tie,9,cold"])
    )
    report = json.loads(prefer(path, "--by", "question", "--json").stdout)
    assert [group["question"] for group in report] == ["warm", "cold"]
    assert "all 9 answers are ties" in report[1]["answers"][0]["sentences"][0]
    assert "--by question" in prefer(path).stderr
    (first, *_), _ = answers(path, "--item", "A", "--item", "D")
    assert first["tally"] == {"first": "A", "second": "D", "wins": 113, "ties": 8, "losses": 39}


def test_an_item_that_always_wins_has_odds_by_firths_penalty():
    (first, second, *_), sentences = answers("-", input=pair(12, 0, 0))
    assert first["tests"]["sign"]["p"] == pytest.approx(2.0**-11)
    assert second["steps"][0]["odds"] == pytest.approx(
        12.5 / 0.5
    )  # closed form: half a win added to each side
    assert "The odds below are finite because they use Firth's penalty." in sentences[1]


def test_one_rater_unlike_nine_is_found_though_raters_keep_an_order_without_exception():
    lines = ["rater,left,right,outcome"]
    for rater in range(10):
        for one, other in ((a, b) for a in range(5) for b in range(a + 1, 5)):
            odd = (rater + one + 2 * other) % 11 == 0
            lines.append(f"r{rater},s{one},s{other},{'left' if odd ^ (rater == 7) else 'right'}")
    (*_, fourth, _, _), sentences = answers("-", input="\n".join(lines))
    assert "The likelihood ratio test of rater-specific worths cannot be computed" in sentences[3]
    assert [each["rater"] for each in fourth["set_aside"]] == ["r7"]
    assert "approximate for" in sentences[3]


@pytest.mark.parametrize(
    ("text", "more", "message"),
    [
        (pair(0, 12, 0), (), "all 12 answers are ties"),
        (pair(1, 2, 3), ("--item", "new"), "no two items are compared here"),
        (pair(1, 2, 3), ("--item", "now"), "Did you mean 'new'"),
        (pair(1, 2, 3), ("--by", "colour"), "Unknown column 'colour'"),
        (
            "rater,item,score\nann,tea,20\n",
            (),
            "a file of comparison judgments needs the columns 'left', 'right', 'outcome'",
        ),
        ("left,right,outcome,count\n", (), "only a header line"),
        ("left,right,outcome,count\na,b,left,0\n", (), "no two items are compared here"),
        ("rater,left,right,outcome\nann,a,b,better\n", (), "outcome 'better' is unknown"),
    ],
)
def test_input_that_cannot_be_tested_gives_one_message(text, more, message):
    with pytest.raises(SteelyardError, match=message):
        prefer("-", *more, input=text)


def test_a_mistake_ends_the_command_with_code_2_and_nothing_on_stdout():
    command = [sys.executable, "-m", "steelyard", "prefer", "-"]
    done = subprocess.run(command, input=pair(0, 12, 0), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Preference: all 12 answers are ties.")


def test_answers_go_to_a_file_and_not_to_a_missing_folder(tmp_path):
    prefer("-", "-o", tmp_path / "told.txt", input=pair(6, 2, 3))
    assert (tmp_path / "told.txt").read_text().startswith(QUESTIONS[0])
    with pytest.raises(SteelyardError, match="does not exist"):
        prefer("-", "-o", tmp_path / "none" / "told.txt", input=pair(6, 2, 3))


def test_unconnected_items_are_named_once(tmp_path):
    path = tmp_path / "apart.csv"
    path.write_text("rater,left,right,outcome\nr1,a,b,left\nr2,c,d,right\n")
    report = CliRunner().invoke(app, ["prefer", str(path)]).stdout
    assert report.count("no judgment connects these 2 groups of items: a, b; c, d.") == 1
    assert report.count("for the reason given above.") == 2
