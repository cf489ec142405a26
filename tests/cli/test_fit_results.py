"""Results of `steelyard fit` other than the scale: coefficients, win probabilities, charts, summary."""

import json

import pytest

from tests.cli.test_commands import steelyard, table_of

VOTES = """rater,left,right,outcome,topic
r1,tea,milk,left,x
r1,milk,soup,left,x
r2,soup,tea,left,x
r2,tea,soup,tie,x
r3,tea,milk,right,y
r3,soup,milk,left,y
r4,tea,soup,left,y
r4,milk,soup,right,y
"""
RATINGS = "rater,item,score\nann,tea,20\nbob,tea,40\nann,soup,70\nbob,soup,75\n"


@pytest.fixture
def votes(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text(VOTES)
    return path


@pytest.fixture
def ratings(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(RATINGS)
    return path


def test_coefficients_are_a_table(votes):
    rows = table_of(steelyard("fit", votes, "--order", "--coefficients").stdout)
    assert [row["name"] for row in rows] == ["milk", "soup", "tea", "order", "tie"]
    assert list(rows[0]) == ["name", "estimate", "se", "z", "p", "low", "high", "errors"]


def test_coefficients_of_a_model_without_them_are_refused(ratings):
    message = steelyard("fit", ratings, "--coefficients", code=2).stderr
    assert "the model steelyard has no coefficients besides the positions" in message


def test_the_matrix_has_one_row_and_one_column_per_item(votes):
    done = steelyard("fit", votes, "--order", "--matrix")
    rows = table_of(done.stdout)
    assert [row["item"] for row in rows] == list(rows[0])[1:]
    assert rows[0][rows[0]["item"]] == ""
    first, second = rows[0]["item"], rows[1]["item"]
    assert float(rows[0][second]) + float(rows[1][first]) == pytest.approx(1.0)
    assert "Ties count one half." in done.stderr


def test_the_matrix_of_ratings_states_its_meaning(ratings):
    assert "has a higher position" in steelyard("fit", ratings, "--matrix").stderr


def test_clusters_have_positions_with_intervals(votes):
    rows = json.loads(steelyard("fit", votes, "--clusters", "--json").stdout)
    assert list(rows[0]) == ["cluster", "item", "position", "low", "high", "errors"]


def test_a_scale_states_the_type_of_its_errors(votes):
    clustered = table_of(steelyard("fit", votes).stdout)
    assert {row["errors"] for row in clustered} == {"clustered by rater (4)"}
    plain = table_of(steelyard("fit", votes, "--cluster", "none").stdout)
    assert {row["errors"] for row in plain} == {"independent judgments"}


def test_a_latex_table_has_clusters_and_states_its_errors_once(votes, tmp_path):
    steelyard("fit", votes, "-o", tmp_path / "plain.tex")
    plain = (tmp_path / "plain.tex").read_text()
    assert "& cluster" in plain
    assert "errors" not in plain.splitlines()[2]
    assert plain.count("% Standard errors: clustered by rater (4).") == 1
    assert "adjusted for the number of pairs by Holm's method." in plain
    steelyard("fit", votes, "-o", tmp_path / "t.tex", "--caption", "Drinks & soups", "--label", "tab:drinks")
    table = (tmp_path / "t.tex").read_text()
    assert table.startswith("\\begin{table}")
    assert "\\caption{Drinks \\& soups}\n\\label{tab:drinks}" in table
    assert "{\\footnotesize Standard errors: clustered by rater (4)." in table
    assert "spread: standard error of the position" in table


def test_a_markdown_table_states_its_errors_below(votes, tmp_path):
    steelyard("fit", votes, "-o", tmp_path / "scale.md")
    lines = (tmp_path / "scale.md").read_text().splitlines()
    assert lines[0].endswith("| count | cluster |")
    assert lines[6].startswith("Standard errors: clustered by rater (4). low and high")


@pytest.mark.parametrize("command", ["fit", "agreement", "compare"])
def test_captions_are_refused_for_other_tables_than_latex(votes, tmp_path, command):
    more = ("--gold", votes) if command == "compare" else ()
    for option in ("--caption", "--label"):
        refused = steelyard(command, votes, *more, "-o", tmp_path / "x.csv", option, "Drinks", code=2).stderr
        assert f"{option}: this option needs a LaTeX table. Write to a .tex file with -o." in refused


def test_a_summary_lists_effects_first_and_items_by_worth(votes):
    text = steelyard("fit", votes, "--order", "--summary").stdout
    lines = [line.split() for line in text.splitlines()]
    names = [line[0] for line in lines if line and line[0] in ("order", "tie", "soup", "milk", "tea")]
    assert names == ["order", "tie", "soup", "milk", "tea"]


@pytest.mark.parametrize("result", [(), ("--matrix",), ("--summary",)])
def test_a_chart_is_drawn_beside_the_table(votes, tmp_path, result):
    path = tmp_path / "chart.svg"
    assert steelyard("fit", votes, *result, "--plot", path).stdout
    assert path.read_text().startswith("<svg")


def test_groups_are_drawn_below_each_other_under_their_names(votes, tmp_path):
    path = tmp_path / "chart.svg"
    steelyard("fit", votes, "--by", "topic", "--penalty", "auto", "--plot", path)
    assert "topic=x" in path.read_text()
    assert "topic=y" in path.read_text()


def test_a_chart_that_cannot_be_written_is_refused_before_reading(tmp_path):
    message = steelyard("fit", tmp_path / "no.csv", "--plot", tmp_path / "chart.pdf", code=2).stderr
    assert "Known: svg, png, html, json" in message


def test_results_exclude_each_other(votes):
    message = steelyard("fit", votes, "--matrix", "--coefficients", code=2).stderr
    assert "--coefficients and --matrix: these options exclude each other" in message


MIXED = """rater,item,score,left,right,outcome
ann,tea,20,,,
bob,tea,30,,,
ann,soup,70,,,
bob,milk,45,,,
ann,,,soup,milk,left
bob,,,milk,tea,left
"""


def test_a_file_of_several_kinds_is_fitted_on_one_scale(tmp_path):
    path = tmp_path / "mixed.csv"
    path.write_text(MIXED)
    done = steelyard("fit", path, "--range", "0", "100")
    assert [row["item"] for row in table_of(done.stdout)] == ["soup", "milk", "tea"]
    assert "steelyard kinds=rating,comparison" in done.stderr
    one = steelyard("fit", path, "--range", "0", "100", "--kind", "rating")
    assert "judgments 4" in one.stderr
