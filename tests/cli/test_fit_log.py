"""`steelyard fit` of logs in place."""

import csv
import io

import pytest
from typer.testing import CliRunner

from steelyard.cli.main import app
from tests.engines.logs import votes, write_csv

pytest.importorskip("ibis")
VOTES = votes(300)


@pytest.fixture
def folder(tmp_path):
    write_csv(VOTES[:100], tmp_path / "a.csv")
    write_csv([*VOTES[100:], {**VOTES[0], "outcome": "B"}], tmp_path / "b.csv")
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(app, ["fit", *map(str, arguments)])


def rows_of(result):
    return list(csv.DictReader(io.StringIO(result.stdout)))


def test_a_pattern_of_files_is_counted_in_place_and_bad_rows_are_reported(folder, tmp_path):
    whole = write_csv(VOTES, tmp_path / "whole.txt")
    result, exact = run(folder / "*.csv"), run(whole)
    for row, other in zip(rows_of(result), rows_of(exact), strict=True):
        assert row["item"] == other["item"]
        assert row["errors"] == other["errors"]
        for name in ("position", "spread", "low", "high", "rank_low", "rank_high", "count"):
            assert float(row[name]) == pytest.approx(float(other[name]), rel=1e-9)
    assert "Left out 1 row with an unknown outcome of 301" in result.stderr
    assert "outcome='B'" in result.stderr


def test_strict_refuses_rows_that_cannot_be_used(folder):
    result = run(folder / "*.csv", "--strict")
    assert result.exit_code != 0
    assert "Cannot use 1 row with an unknown outcome" in str(result.stderr) + str(result.exception)


def test_slices_have_scales_of_their_own(folder):
    rows = rows_of(run(folder / "*.csv", "--by", "language", "--order", "--model", "bradley_terry"))
    assert {row["language"] for row in rows} == {"de", "en"}
    assert {"rank_low", "rank_high", "low", "high"} <= set(rows[0])


def test_a_model_without_counts_fits_the_distinct_judgments(folder):
    rows = rows_of(run(folder / "*.csv", "--model", "plackett_luce"))
    assert len(rows) == 6


def test_options_that_need_judgments_in_memory_are_refused(folder):
    result = run(folder / "*.csv", "--where", "language=de")
    assert "--where" in str(result.stderr) + str(result.exception)
    assert result.exit_code != 0


def test_new_files_are_added_to_stored_statistics(folder, tmp_path):
    stored, slices = tmp_path / "counts.parquet", ("--by", "language", "--model", "bradley_terry")
    run(folder / "a.csv", "--since", stored, *slices)
    rows = rows_of(run(folder / "*.csv", "--since", stored, *slices))
    whole = rows_of(run(folder / "*.csv", *slices))
    assert [float(row["position"]) for row in rows] == pytest.approx(
        [float(row["position"]) for row in whole]
    )
    assert [row["count"] for row in rows] == [row["count"] for row in whole]


def test_the_leaderboard_page_has_a_table_effects_and_a_win_matrix_per_slice(folder, tmp_path):
    page = tmp_path / "board.html"
    run(folder / "*.csv", "--by", "language", "--order", "--model", "bradley_terry", "--page", page)
    text = page.read_text(encoding="utf-8")
    for words in (
        "language=de",
        "language=en",
        "Win matrix",
        "Position bias",
        "Left out 1 row",
        "outcome=&#39;B&#39;",
    ):
        assert words in text
    assert text.count("<h3>Win matrix</h3>") == 2
    assert "<script" not in text


def test_a_model_without_coefficients_has_a_page_with_its_scale(folder, tmp_path):
    page = tmp_path / "board.html"
    run(folder / "*.csv", "--model", "win_rate", "--page", page)
    text = page.read_text(encoding="utf-8")
    assert "m0" in text
    assert "Position bias, ties" not in text


def test_labels_are_escaped_on_the_page(tmp_path):
    rows = [{**row, "left": f"<b>{row['left']}", "right": f"<b>{row['right']}"} for row in VOTES]
    page = tmp_path / "board.html"
    run(write_csv(rows, tmp_path / "votes.csv"), "--in-place", "--page", page)
    assert "&lt;b&gt;m0" in page.read_text(encoding="utf-8")
    assert "<b>m0" not in page.read_text(encoding="utf-8")


def test_suspicious_votes_are_reported_and_left_out(tmp_path):
    bot = [{**row, "rater": "bot", "outcome": "left"} for row in votes(40)]
    file = write_csv([*VOTES, *bot], tmp_path / "votes.csv")
    result = run(file, "--in-place", "--one-sided-raters", "drop")
    assert "40 votes of 1 rater with nearly always the same answer. They are left out." in result.stderr
    whole = run(write_csv(VOTES, tmp_path / "sound.csv"), "--in-place")
    assert [row["position"] for row in rows_of(result)] == [row["position"] for row in rows_of(whole)]


def test_a_bootstrap_of_raters_works_in_place(folder):
    result = run(folder / "*.csv", "--model", "bradley_terry", "--bootstrap", 20, "--seed", 3)
    assert "bootstrap of raters (20 draws)" in result.stderr
    assert len(rows_of(result)) == 6


def test_slices_by_month_need_only_a_column_of_times(tmp_path):
    rows = [{**vote, "at": f"2026-0{1 + at % 2}-15 10:00:00"} for at, vote in enumerate(VOTES)]
    write_csv(rows, tmp_path / "votes.csv")
    rows = rows_of(run(tmp_path / "*.csv", "--by", "month", "--model", "bradley_terry"))
    assert {row["month"] for row in rows} == {"2026-01", "2026-02"}
