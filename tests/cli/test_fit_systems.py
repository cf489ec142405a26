"""`steelyard fit` with systems, differences and clusters."""

import csv
import io
from pathlib import Path

import pytest

from tests.commands import finish

MQM = Path(__file__).parent.parent / "data" / "mqm_ende.rating.parquet"


def run(*arguments, code=0):
    done = finish(*arguments)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_a_scale_of_systems_names_its_target():
    done = run("fit", str(MQM), "--unit", "system", "--model", "direct_assessment")
    assert "target=new segments, new raters errors=clustered by rater (10) and segment (104)" in done.stderr
    assert "| systems 10 |" in done.stderr
    rows = table(done.stdout)
    assert len(rows) == 10
    assert rows[0]["item"] == "ONLINE-W"
    assert {row["errors"] for row in rows} == {"clustered by rater (10) and segment (104)"}
    assert {row["target"] for row in rows} == {"new segments, new raters"}
    these = run("fit", str(MQM), "--unit", "system", "--model", "direct_assessment", "--target", "these")
    assert "target=these segments" in these.stderr


def test_differences_have_errors_intervals_and_adjusted_p_values():
    options = ("--unit", "system", "--model", "crossed", "--set", "quantile=normal", "--differences")
    plain = table(run("fit", str(MQM), *options).stdout)
    holm = table(run("fit", str(MQM), *options, "--adjust", "holm").stdout)
    assert len(plain) == 45
    assert {(row["errors"], row["target"]) for row in plain} == {("model-based", "new segments, new raters")}
    assert float(plain[0]["error"]) == pytest.approx(0.520311751969048, rel=1e-3)  # lme4
    assert all(float(one["p"]) <= float(other["p"]) for one, other in zip(plain, holm, strict=True))
    assert float(plain[0]["low"]) < float(plain[0]["estimate"]) < float(plain[0]["high"])


def test_clusters_are_those_of_the_wmt_campaigns():
    options = ("--standardise", "rater", "--set", "divisor=n-1", "--adjust", "none", "--one-sided")
    done = run("fit", str(MQM), "--unit", "system", "--model", "direct_assessment", "--clusters", *options)
    groups = [row["cluster"] for row in table(done.stdout)]
    assert groups == ["1"] * 6 + ["2"] * 2 + ["3", "4"]


def test_an_unknown_target_is_refused():
    done = run("fit", str(MQM), "--unit", "system", "--target", "old", code=2)
    assert "old" in done.stderr
    assert "new" in done.stderr


def test_adjust_without_differences_is_refused():
    assert "--adjust" in run("fit", str(MQM), "--adjust", "holm", code=2).stderr


def opposed(folder):
    """Ratings in which one rater of five turns the scale round."""
    rows = ["rater,item,system,segment,score"]
    for at, rater in enumerate(("ann", "bob", "cat", "dan", "odd")):
        for system in (0, 1):
            for segment in range(12):
                score = 20 + 4 * segment + 6 * system + (segment * 7 + at * 3) % 5
                rows.append(
                    f"{rater},{system}-{segment},s{system},g{segment},{100 - score if at == 4 else score}"
                )
    file = folder / "opposed.csv"
    file.write_text("\n".join(rows) + "\n")
    return str(file)


def test_differences_without_flagged_raters_stand_beside_those_with_them(tmp_path):
    options = ("--unit", "system", "--model", "direct_assessment", "--range", "0", "100", "--differences")
    done = run("fit", opposed(tmp_path), *options, "--without-flagged")
    (row,) = table(done.stdout)
    assert float(row["estimate"]) == pytest.approx(-6.0 * 3 / 5)
    assert float(row["estimate_without"]) == pytest.approx(-6.0)
    assert {"error_without", "p_without", "changed"} <= set(row)
    assert "Flagged rater: odd (scale reversed?" in done.stderr
    assert "1 flagged rater gave 24 of 120 judgments" in done.stderr


def test_without_flagged_raters_says_so_where_nobody_is_flagged():
    options = ("--unit", "system", "--model", "direct_assessment", "--differences", "--without-flagged")
    done = run("fit", str(MQM), *options)
    assert "No rater is flagged" in done.stderr
    assert all(row["estimate"] == row["estimate_without"] for row in table(done.stdout))


def test_without_flagged_needs_differences():
    done = run("fit", str(MQM), "--without-flagged", code=2)
    assert "--without-flagged" in done.stderr
    assert "--differences" in done.stderr


@pytest.mark.parametrize("option", [("--target", "these"), ("--set", "target=these")])
def test_the_crossed_model_takes_its_target_from_either_option(option):
    done = run("fit", str(MQM), "--unit", "system", "--model", "crossed", *option)
    assert "target=these segments" in done.stderr
    positions = {row["item"]: float(row["position"]) for row in table(done.stdout)}
    assert positions["GPT4-5shot_with_refA"] == pytest.approx(
        -3.37485607602852, abs=1e-4
    )  # item dummies, REML


def test_the_crossed_model_is_refused_for_items():
    done = run("fit", str(MQM), "--model", "crossed", code=2)
    assert "--unit system" in done.stderr


@pytest.mark.parametrize(
    "options", [("--target", "these"), ("--target-raters", "these"), ("--one-sided",), ("--without-flagged",)]
)
def test_options_that_would_have_no_effect_are_refused(options):
    assert options[0] in run("fit", str(MQM), *options, code=2).stderr


def test_differences_and_clusters_say_how_p_values_were_adjusted():
    options = ("--unit", "system", "--model", "direct_assessment")
    plain = run("fit", str(MQM), *options, "--differences").stderr
    assert "p values are two-sided, not adjusted for the number of pairs." in plain
    assert (
        "two-sided, adjusted for the number of pairs by Holm’s method"
        in run("fit", str(MQM), *options, "--differences", "--adjust", "holm").stderr
    )
    assert (
        "two-sided p < 0.05, adjusted for the number of pairs by Holm’s method."
        in run("fit", str(MQM), *options, "--clusters").stderr
    )


def test_rank_sum_tests_are_named_with_their_own_target():
    options = (
        "--unit",
        "system",
        "--model",
        "direct_assessment",
        "--standardise",
        "rater",
        "--target",
        "these",
    )
    assert "rank-sum test" in run("fit", str(MQM), *options, "--differences").stderr
    assert "rank-sum test" in run("fit", str(MQM), *options, "--clusters").stderr
