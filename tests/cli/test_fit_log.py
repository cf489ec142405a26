"""`steelyard fit` of logs in place."""

import csv
import io
from datetime import datetime

import pytest
from typer.testing import CliRunner

from steelyard import connect
from steelyard.cli.main import app
from steelyard.errors import SteelyardError
from tests.engines.logs import rankings, ratings, ratings_once, timed, votes, write_csv, write_parquet

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
    assert "<h3>Position bias" not in text
    assert "--order" not in text


def test_the_page_names_the_effects_in_its_table_and_how_to_add_the_position_bias(folder, tmp_path):
    page = tmp_path / "board.html"
    run(folder / "*.csv", "--model", "bradley_terry", "--page", page)
    text = page.read_text(encoding="utf-8")
    assert "<h3>Ties</h3>" in text
    assert "The position bias was not estimated; the option --order adds it." in text
    run(folder / "*.csv", "--model", "bradley_terry", "--order", "--page", page)
    text = page.read_text(encoding="utf-8")
    assert "<h3>Position bias and ties</h3>" in text
    assert "was not estimated" not in text
    assert ">0.000<" not in text


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


def refused(*arguments):
    """The message of a command that is refused."""
    mistake = run(*arguments).exception
    assert isinstance(mistake, SteelyardError), mistake
    return str(mistake)


LOGS = {"comparison": VOTES, "rating": ratings(), "ranking": rankings(20)}
WRONG = {
    "comparison": ["direct_assessment"],
    "rating": ["bradley_terry", "win_rate", "elo", "plackett_luce"],
    "ranking": ["bradley_terry", "elo", "direct_assessment"],
}


@pytest.mark.parametrize(("kind", "model"), [(kind, model) for kind in WRONG for model in WRONG[kind]])
def test_models_of_another_kind_are_refused_with_those_that_fit(kind, model, tmp_path):
    message = refused(write_csv(LOGS[kind], tmp_path / "log.csv"), "--in-place", "--model", model)
    assert f"the log has {kind} judgments" in message
    fitting = {"comparison": "bradley_terry", "rating": "direct_assessment", "ranking": "plackett_luce"}
    assert fitting[kind] in message.split("Models that fit these:")[1]
    assert model not in message.split("Models that fit these:")[1]


def test_messages_about_databases_name_options():
    assert refused("postgresql://localhost/votes").startswith("--log-table: choose the table")
    message = refused("postgresql://localhost/votes", "--log-table", "votes", "--since", "counts.parquet")
    assert message.startswith("--growing: ")
    assert "growing=" not in message


def test_a_database_that_cannot_be_opened_is_one_message():
    message = refused("postgresql://me:secret@127.0.0.1:1/votes", "--log-table", "votes")
    assert message.startswith("postgresql://127.0.0.1/votes: the database cannot be opened")
    assert "secret" not in message


def test_ratings_in_place_have_slices_and_a_warning_without(tmp_path):
    rows = [{**row, "question": ("warm", "dry")[at % 2]} for at, row in enumerate(ratings_once())]
    file = write_csv(rows, tmp_path / "ratings.csv")
    for model in ("direct_assessment", "steelyard"):
        sliced, exact = (
            run(file, "--by", "question", "--model", model, *in_place) for in_place in (("--in-place",), ())
        )
        assert "pooled" not in sliced.stderr
        columns = ("question", "item", "position", "low", "high")
        one, other = (
            sorted(tuple(row[name] for name in columns) for row in rows_of(each)) for each in (sliced, exact)
        )
        assert [row[:2] for row in one] == [row[:2] for row in other]
        assert [float(row[2]) for row in one] == pytest.approx([float(row[2]) for row in other])
    pooled = run(file, "--in-place", "--model", "direct_assessment")
    assert "The log has 2 questions (dry, warm), which are pooled into one scale." in pooled.stderr


MIXED = [
    {
        "rater": row["rater"],
        **{name: row.get(name, "") for name in ("item", "score", "left", "right", "outcome")},
    }
    for row in (*VOTES, *ratings_once())
]


def test_a_file_of_several_kinds_is_refused_in_place_unless_one_is_chosen(tmp_path):
    file = write_csv(MIXED, tmp_path / "mixed.csv")
    message = refused(file, "--in-place", "--penalty", "pseudo")
    assert f"comparison ({len(VOTES)} rows) and rating ({len(ratings_once())} rows)" in message
    assert "leave out --in-place" in message
    assert "--kind comparison" in message
    result = run(file, "--in-place", "--kind", "rating", "--model", "direct_assessment")
    assert len(rows_of(result)) == len({row["item"] for row in ratings_once()})
    assert "Left out" not in result.stderr


def test_a_folder_with_folders_of_several_kinds_names_them(tmp_path):
    for kind, rows in (("comparison", VOTES), ("rating", ratings())):
        (tmp_path / kind).mkdir()
        write_parquet(rows, tmp_path / kind / "judgments.parquet")
    message = refused(tmp_path)
    assert f"kind of judgment: {tmp_path / 'rating'}, {tmp_path / 'comparison'}." in message
    assert "steelyard export STUDY -o judgments.csv" in message
    assert len(rows_of(run(tmp_path, "--kind", "rating", "--model", "direct_assessment"))) == 20
    assert len(rows_of(run(tmp_path / "comparison", "--model", "win_rate"))) == 6


@pytest.mark.parametrize("rule", [("--suspicious",), ("--anonymous", "drop"), ("--repeated", "share")])
def test_rules_for_votes_need_single_votes_instead_of_stored_counts(rule, folder, tmp_path):
    message = refused(folder / "*.csv", "--since", tmp_path / "counts.parquet", *rule)
    assert message.startswith("--since: stored counts do not have single votes")


@pytest.mark.parametrize("model", ["elo", "trueskill"])
def test_models_of_the_order_refuse_stored_counts(model, tmp_path):
    file = write_csv(timed(VOTES), tmp_path / "votes.csv")
    message = refused(file, "--since", tmp_path / "counts.parquet", "--model", model)
    assert message.startswith("--since: stored counts keep no order of the comparisons")


def test_files_are_read_without_a_progress_bar_on_stdout(folder):
    with connect(folder / "*.csv") as log:
        ((shown,),) = log.engine.backend.con.execute(
            "SELECT current_setting('enable_progress_bar')"
        ).fetchall()
    assert not shown


def test_samples_of_bad_rows_have_iso_times(tmp_path):
    rows = [{**row, "at": datetime.fromisoformat(row["at"])} for row in timed(VOTES)]
    write_parquet([*rows, {**rows[0], "outcome": "B"}], tmp_path / "votes.parquet")
    text = run(tmp_path, "--model", "win_rate").stderr
    assert "at=2026-01-01T00:00:00+00:00" in text
    assert "datetime" not in text
