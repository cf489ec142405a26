import csv
import io

import pytest
from typer.testing import CliRunner

from steelyard.cli.main import app

TABLE = """judge,obj1,obj2,win1,tie,win2
J1,A,B,38,2,2
J1,A,C,36,1,3
J1,B,C,30,1,9
J2,A,B,20,2,18
J2,A,C,36,3,1
J2,B,C,37,2,1
"""


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text(TABLE)
    return str(path)


def run(*arguments):
    return CliRunner().invoke(app, ["fit", *arguments, "--model", "bradley_terry"])


def test_a_table_of_counts_becomes_a_scale(table):
    rows = list(csv.DictReader(io.StringIO(run(table).stdout)))
    assert [row["item"] for row in rows] == ["A", "B", "C"]
    assert [row["count"] for row in rows] == ["162", "162", "160"]


def test_rater_effects_reference_and_order_are_options(table):
    result = run(
        table, "--ties", "davidson", "--rater-covariate", "rater", "--reference", "C", "--order", "--summary"
    )
    assert result.exit_code == 0, result.stderr
    assert "A:rater=J2" in result.stdout
    assert "order" in result.stdout
    assert "reference C" in result.stdout


def test_intervals_can_come_from_draws_of_the_raters(table):
    result = run(table, "--bootstrap", "20")
    assert result.exit_code == 0, result.stderr
    assert len(result.stdout.splitlines()) == 4


def test_a_mistake_is_one_message_with_its_remedy(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text("left,right,wins,ties,losses\nA,B,5,1,2\nW,A,5,0,0\nW,B,5,0,0\n")
    result = run(str(path))
    assert result.exit_code != 0
    text = result.stderr + str(result.exception)
    assert "penalty='firth'" in text
    assert run(str(path), "--penalty", "firth").exit_code == 0


def test_estimates_can_be_in_the_parametrisation_of_prefmod(table):
    plain, halved = (
        list(csv.DictReader(io.StringIO(run(table, "--coefficients", *options).stdout)))
        for options in ((), ("--parametrisation", "lambda"))
    )
    for row, half in zip(plain, halved, strict=True):
        factor = 1.0 if row["name"] == "tie" else 2.0
        assert float(row["estimate"]) == pytest.approx(factor * float(half["estimate"]))
    assert "Coefficients, lambda" in run(table, "--summary", "--parametrisation", "lambda").stdout
    assert "needs --summary or --coefficients" in str(run(table, "--parametrisation", "lambda").exception)


def test_a_covariate_may_have_the_name_of_its_column_in_the_file(table):
    by_judge = run(table, "--rater-covariate", "judge", "--summary")
    assert by_judge.exit_code == 0, by_judge.exception
    assert by_judge.stdout == run(table, "--rater-covariate", "rater", "--summary").stdout
