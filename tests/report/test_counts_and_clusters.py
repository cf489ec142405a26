"""What a report says about raters, repeated answers and few clusters, for tables without some of these."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from steelyard import BradleyTerry, DirectAssessment, Goldilocks, read
from steelyard.judgments.checks import check
from steelyard.quality.raters import describe_raters
from steelyard.report.contents import report_of_judgments
from steelyard.report.parts.agreement import AgreementPart, CoverageRow
from steelyard.report.parts.comparisons import effects_beside_many_items
from steelyard.report.preference.answering import answer_all
from tests.report.test_page import AT

TABLE_1 = Path(__file__).parents[2] / "examples" / "preferences" / "table_1.csv"


@pytest.fixture(scope="module")
def table_1():
    return read(TABLE_1)


def test_effects_of_ties_have_degrees_of_freedom_of_the_clusters(table_1):
    tie = BradleyTerry().fit(table_1).coefficients()["tie"]
    assert tie["z"] < -10.0
    assert 0.0005 < tie["p"] < 0.01


def test_fit_and_prefer_report_the_same_test_of_ties(table_1):
    fitted = BradleyTerry().fit(table_1).coefficients()["tie"]
    (answer,) = [each for each in answer_all(table_1, np.random.default_rng(0)) if "tie" in each.question]
    assert answer.numbers["clustered"].p == pytest.approx(fitted["p"], rel=1e-9)
    assert answer.numbers["clustered"].t == pytest.approx(fitted["z"], rel=1e-9)


def test_the_methods_paragraph_states_the_correction_for_few_clusters(table_1):
    methods = report_of_judgments(table_1, BradleyTerry(), "", AT).collection.methods
    assert "fewer than 10 clusters" in methods.paragraph
    assert any(each.startswith("Bell") for each in methods.references)
    plain = report_of_judgments(table_1, BradleyTerry(few_clusters="plain"), "", AT).collection.methods
    assert "fewer than 10 clusters" not in plain.paragraph


def test_raters_of_a_table_of_counts_are_compared_by_their_counts(table_1):
    agreement = {each.rater: each.agreement for each in describe_raters(table_1)}
    assert min(agreement, key=agreement.__getitem__) == "J3"
    assert agreement["J1"] > 0.8
    assert "960 comparison judgments in a table of counts" in list(check(table_1).lines())


def test_a_file_without_raters_has_no_rater_in_its_report():
    scores = {"item": ["tea", "tea", "soup", "soup"], "score": [10, 20, 60, 70]}
    made = report_of_judgments(read(scores, range=(0, 100)), DirectAssessment(), "", AT)
    assert made.collection.methods.paragraph.startswith("The file has 4 rating judgments about 2 items.")
    assert dict(made.collection.facts())["Raters"] == "not named"
    assert "raters 0" in made.method.signatures[0].signature
    assert "rater" not in made.sections[0].scale.sentences[0]


def test_a_report_of_ranges_shows_how_wide_each_rater_draws_them():
    rows = [
        (rater, item, 40 - half, 40 + half) for rater, half in (("ann", 5), ("bob", 20)) for item in "abcd"
    ]
    ranges = read(
        dict(zip(("rater", "item", "low", "high"), map(list, zip(*rows, strict=True)), strict=True)),
        range=(0, 100),
    )
    part = report_of_judgments(ranges, Goldilocks(), "", AT).sections[0].raters
    assert "Width" in [column.title for column in part.columns()]
    assert {row.rater: row.width_habit for row in part.rows} == {"ann": 0.25, "bob": 4.0}


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [(0.6, 0.8, "too narrow"), (0.93, 0.99, "wider than necessary"), (0.85, 0.95, "does not differ")],
)
def test_coverage_has_a_verdict_in_words(low, high, words):
    row = CoverageRow(0.9, "", (low + high) / 2.0, low, high, 200)
    part = AgreementPart((), (), None, (), (row,), (), (), "", ())
    assert words in part.coverage_verdict


def test_effects_beside_very_many_items_are_those_of_the_full_covariance(table_1):
    fit = BradleyTerry(cluster="none").fit(table_1)
    (tie,) = effects_beside_many_items(fit)
    full = fit.coefficients()["tie"]
    assert tie.name == "tie"
    for field, name in (("estimate", "estimate"), ("error", "se"), ("low", "low"), ("high", "high")):
        assert getattr(tie, field) == pytest.approx(full[name], rel=1e-6)
