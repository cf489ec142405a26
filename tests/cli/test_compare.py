import json

import pytest

from tests.cli.test_commands import anew, steelyard, table_of

ITEMS = [f"i{at}" for at in range(12)]
GOLD = "item,gold\n" + "".join(f"{item},{8 * at}\n" for at, item in enumerate(ITEMS))
RATINGS = "rater,item,score\n" + "".join(
    f"{rater},{item},{min(100, 8 * at + (at * each) % 7)}\n"
    for each, rater in enumerate(("ann", "bob", "cat"), start=3)
    for at, item in enumerate(ITEMS)
)


@pytest.fixture
def files(tmp_path):
    ratings, gold = tmp_path / "ratings.csv", tmp_path / "gold.csv"
    ratings.write_text(RATINGS)
    gold.write_text(GOLD)
    return ratings, gold


def value_of(rows, statistic, **wanted):
    for row in rows:
        if row["statistic"] == statistic and all(row[name] == value for name, value in wanted.items()):
            return float(row["value"])
    raise AssertionError(statistic)


def test_judgments_are_fitted_and_compared_with_gold(files):
    ratings, gold = files
    done = anew("compare", ratings, "--gold", gold, "--range", 0, 100, "--bootstrap", 100)
    rows = table_of(done.stdout)
    assert list(rows[0]) == [
        "scale",
        "against",
        "level",
        "statistic",
        "value",
        "low",
        "high",
        "of",
        "meaning",
    ]
    assert {row["scale"] for row in rows} == {"steelyard"}
    assert value_of(rows, "pearson") > 0.99
    assert 0 < value_of(rows, "rmse") < 5
    assert "bootstrap over 12 items" in done.stderr
    assert "steelyard | steelyard" in done.stderr  # the signature of the fit


def test_models_are_tested_against_each_other(files):
    ratings, gold = files
    asked = ("compare", ratings, "--gold", gold, "--range", 0, 100, "--bootstrap", 100)
    models = ("--models", "direct_assessment,easl")
    rows = table_of(steelyard(*asked, *models).stdout)
    assert [row["scale"] for row in rows if row["statistic"] == "pearson"] == ["direct_assessment", "easl"]
    done = steelyard(*asked, *models, "--differences", "--json")
    tests = json.loads(done.stdout)
    assert {row["statistic"] for row in tests} >= {"pearson", "kendall_tau_b", "rmse"}
    assert all((row["first"], row["second"]) == ("direct_assessment", "easl") for row in tests)
    assert "not adjusted" in done.stderr


def test_without_gold_every_two_scales_are_compared(files):
    ratings, _ = files
    models = "direct_assessment,easl,steelyard"
    rows = table_of(
        steelyard("compare", ratings, "--range", 0, 100, "--models", models, "--bootstrap", 100).stdout
    )
    pairs = [(row["scale"], row["against"]) for row in rows if row["statistic"] == "spearman"]
    assert pairs == [("direct_assessment", "easl"), ("direct_assessment", "steelyard"), ("easl", "steelyard")]


def test_a_scale_file_is_compared_without_fitting(files, tmp_path):
    ratings, gold = files
    scale = tmp_path / "scale.csv"
    steelyard("fit", ratings, "--range", 0, 100, "-o", scale)
    beside = table_of(steelyard("compare", scale, "--with", gold, "--bootstrap", 100).stdout)
    assert {(row["scale"], row["against"]) for row in beside} == {("scale", "gold")}
    both = steelyard("compare", scale, "--with", scale, "--gold", gold, "--same-scale", "--bootstrap", 100)
    rows = table_of(both.stdout)
    assert {row["scale"] for row in rows} == {"scale", "scale (2)"}
    assert value_of(rows, "coverage", scale="scale") > 0
    piped = steelyard("compare", "-", "--gold", gold, "--bootstrap", 100, input=scale.read_text())
    assert value_of(table_of(piped.stdout), "pearson") > 0.99
    refused = steelyard("compare", scale, "--gold", gold, "--models", "easl", code=2).stderr
    assert "scale.csv is a scale, but this needs a file of judgments" in refused


def test_systems_and_segments_come_from_either_file(tmp_path):
    rows = [(f"{system}{at}", system, at) for system in "wxyz" for at in range(6)]
    ratings, gold, by_output = tmp_path / "r.csv", tmp_path / "g.csv", tmp_path / "o.csv"
    ratings.write_text(
        "rater,item,system,segment,score\n"
        + "".join(
            f"{rater},{item},{system},{at},{10 * 'wxyz'.index(system) + at * each}\n"
            for each, rater in enumerate(("ann", "bob"), start=1)
            for item, system, at in rows
        )
    )
    gold.write_text("item,value\n" + "".join(f"{item},{'wxyz'.index(s) + at / 10}\n" for item, s, at in rows))
    by_output.write_text(
        "system,segment,value\n" + "".join(f"{s},{at},{'wxyz'.index(s) + at / 10}\n" for _, s, at in rows)
    )
    asked = ("compare", ratings, "--models", "direct_assessment", "--bootstrap", 100)
    here, there = (table_of(steelyard(*asked, "--gold", path).stdout) for path in (gold, by_output))
    assert {row["level"] for row in here} == {"item", "segment", "system"}
    assert here == there
    systems = table_of(steelyard(*asked, "--gold", by_output, "--unit", "system").stdout)
    assert {row["level"] for row in systems} == {"system"}
    assert value_of(systems, "pearson") == pytest.approx(1)


def test_missing_items_are_said(files, tmp_path):
    ratings, _ = files
    some = tmp_path / "some.csv"
    some.write_text(
        "item,human\n" + "".join(f"{item},{at}\n" for at, item in enumerate(ITEMS[:6])) + "other,3\n"
    )
    done = steelyard(
        "compare", ratings, "--range", 0, 100, "--gold", some, "--gold-column", "human", "--bootstrap", 100
    )
    assert (
        "6 of 12 items of the scale 'steelyard' are left out, because not all other files have them"
        in done.stderr
    )
    assert (
        "1 of 7 items of the scale 'gold' is left out, because not all other files have it: other."
        in done.stderr
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "nothing to compare the scale with"),
        (("--models", "easl"), "two or more names"),
        (("--models", "eas,easl"), "Did you mean 'easl'"),
        (("--gold-column", "x"), "needs --gold"),
        (("--models", "easl,steelyard", "--differences"), "needs --gold"),
        (("--gold", "GOLD", "--differences"), "only one scale"),
        (("--gold", "GOLD", "--unit", "word"), "Unknown unit 'word'"),
        (("--gold", "none.csv"), "no such file"),
    ],
)
def test_mistakes_are_one_message(files, options, words):
    ratings, gold = files
    given = [gold if each == "GOLD" else each for each in options]
    assert words in steelyard("compare", ratings, "--range", 0, 100, *given, code=2).stderr


@pytest.mark.parametrize("suffix", ["svg", "png", "html"])
def test_a_chart_is_drawn_beside_the_table(files, tmp_path, suffix):
    ratings, gold = files
    chart = tmp_path / f"chart.{suffix}"
    asked = ("compare", ratings, "--range", 0, 100, "--gold", gold, "--bootstrap", 100)
    assert table_of(steelyard(*asked, "--plot", chart).stdout)
    content = chart.read_bytes()
    assert content.startswith({"svg": b"<svg", "png": b"\x89PNG", "html": b"<!DOCTYPE html>"}[suffix])
    assert "format" in steelyard(*asked, "--plot", tmp_path / "chart.doc", code=2).stderr
    assert "does not exist" in steelyard(*asked, "--plot", tmp_path / "no" / "chart.svg", code=2).stderr


def test_an_assumed_range_and_the_way_to_other_settings_are_said(files, tmp_path):
    ratings, gold = files
    done = steelyard("compare", ratings, "--gold", gold, "--bootstrap", 100)
    assert "range" in done.stderr.split("steelyard | ")[0]
    won = tmp_path / "won.csv"
    won.write_text("rater,left,right,outcome\nann,i0,i1,left\nann,i1,i2,left\n")
    refused = steelyard("compare", won, "--gold", gold, code=2).stderr
    assert "write a scale with steelyard fit" in refused
