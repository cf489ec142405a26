"""Tables as data frames and text."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest

from steelyard import BradleyTerry, DirectAssessment, Judgments, Rating, read
from steelyard.quality.raters import describe_raters
from steelyard.scales.table_text import as_html, as_latex, as_markdown, as_text
from steelyard.scales.tables import Rows, Tabular


@pytest.fixture(scope="module")
def fit():
    ratings = [Rating("ann", "a_b & c", 20), Rating("bob", "a_b & c", 40), Rating("ann", "soup", 70)]
    return DirectAssessment().fit(Judgments.of(ratings, range=(0, 100)))


def test_latex_escapes_text_and_sets_signs_as_mathematics(fit):
    lines = fit.scale.to_latex(digits=1).splitlines()
    assert lines[0] == r"\begin{tabular}{lrrrrrrrr}"
    assert lines[-1] == r"\end{tabular}"
    assert any(line.startswith(r"a\_b \& c & 30") for line in lines)
    assert as_latex({"difference": [-1.25]}, 2).splitlines()[4] == r"$-$1.25 \\"


def test_a_caption_and_a_label_make_a_table_of_the_tabular(fit):
    text = fit.scale.to_latex(caption="100% of items", label="tab:items")
    assert text.startswith(
        "\\begin{table}\n\\centering\n\\caption{100\\% of items}\n\\label{tab:items}\n\\begin{tabular}"
    )
    assert text.endswith("\\end{tabular}\n\\end{table}")


def test_small_p_values_are_written_as_a_bound():
    assert as_text({"p": [0.2, 1e-9, math.nan]}).split() == ["p", "0.200", "<0.001"]
    assert as_latex({"p": [1e-9]}).splitlines()[4] == r"$<$0.001 \\"
    assert "&lt;0.001" in as_html({"p": [1e-9]})


def test_whole_numbers_have_no_decimals_and_empty_cells_stay_empty():
    assert as_markdown({"n": [3, None, 4]}).splitlines()[2:] == ["| 3 |", "|  |", "| 4 |"]
    assert as_text({"n": [math.inf, 1.0]}).split() == ["n", "inf", "1"]
    assert as_text({"x": [-1e-9, 0.5]}).split() == ["x", "0.000", "0.500"]


def test_markdown_keeps_bars_and_line_breaks_inside_cells():
    assert as_markdown({"item": ["a|b\nc"]}).splitlines()[2] == r"| a\|b c |"


def test_html_escapes_text():
    assert "<script>" not in as_html({"item": ["<script>"]})


def test_a_short_display_states_how_many_rows_it_leaves_out():
    text = repr(Rows([{"n": at} for at in range(25)]))
    assert text.startswith("Rows: 25 rows")
    assert text.endswith("... and 15 more rows")


def test_scales_and_differences_have_a_short_display(fit):
    assert repr(fit.scale).startswith("Scale: 2 rows\nitem")
    assert fit.differences()._repr_html_().count("<tr>") == 2


def test_displays_name_the_type_of_standard_errors_and_the_target(fit):
    words = f"Standard errors: {fit.provenance.error_type}."
    results = (fit.scale.ordered(), fit.differences(), fit.clusters())
    assert all(repr(result).endswith(words) and words in result._repr_html_() for result in results)
    assert fit.summary().endswith(words)
    settings = {**fit.provenance.settings, "target": "new segments, new raters"}
    systems = replace(fit, provenance=replace(fit.provenance, settings=settings))
    assert repr(systems.differences()).endswith("Target: new segments, new raters.")


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_every_table_becomes_a_data_frame(fit, library):
    pytest.importorskip("pyarrow" if library == "arrow" else library)
    for table in (fit.scale, fit.differences(), Rows([{"rater": "ann", "bias": 1.0}])):
        frame = getattr(table, f"to_{library}")()
        names = frame.column_names if library == "arrow" else list(frame.columns)
        assert names == list(table.columns())


def test_rows_are_a_sequence_of_rows():
    rows = Rows([{"a": 1}, {"b": 2}])
    assert rows[1] == {"b": 2}
    assert rows == ({"a": 1}, {"b": 2})
    assert rows.columns() == {"a": [1, None], "b": [None, 2]}
    assert isinstance(rows[:1], Rows)
    assert np.array(rows.columns()["a"], dtype=object)[0] == 1


def test_records_are_a_tuple_and_a_table():
    judgments = Judgments.of([Rating("ann", "tea", 20), Rating("bob", "tea", 30), Rating("ann", "soup", 5)])
    habits = describe_raters(judgments)
    assert isinstance(habits, tuple)
    assert [row["rater"] for row in habits.rows()] == [each.rater for each in habits]
    assert habits.columns()["flags"] == ["; ".join(each.flags) for each in habits]


def test_clusters_are_a_tuple_of_groups_and_a_table(fit):
    clusters = fit.clusters()
    assert clusters == (("soup", "a_b & c"),)
    assert pickle.loads(pickle.dumps(clusters)).columns()["cluster"] == [1, 1]
    assert list(clusters.columns()) == ["cluster", "item", "position", "low", "high"]
    assert repr(clusters).startswith("Clusters: 2 rows")


def test_every_result_of_a_comparison_fit_is_a_table():
    counts = {"left": ["a", "a", "b"], "right": ["b", "c", "c"], "wins": [9, 7, 6], "losses": [3, 2, 4]}
    fit = BradleyTerry().fit(read(counts))
    assert list(fit.coefficients()) == ["a", "b", "c"]
    tables = (
        fit.coefficients(),
        fit.contrasts(),
        fit.quasi_variances(),
        fit.clusters(),
        fit.residuals(),
        fit.raters,
        fit.items,
    )
    for table in tables:
        assert isinstance(table, Tabular)
        assert len(table.rows()) == len(next(iter(table.columns().values()), []))
        assert table.to_markdown()
    assert fit.coefficients().rows()[0]["name"] == "a"
