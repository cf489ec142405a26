import csv
import io
import json
import os
import pty
import subprocess
from pathlib import Path
from threading import Event

import pytest

from steelyard.cli import output
from steelyard.cli.output import progress, table_format, write_table, write_text
from steelyard.errors import CannotWrite, UnknownName
from steelyard.judgments.files import read_file
from steelyard.scales.table_text import as_text
from tests.cli.test_commands import steelyard
from tests.commands import PATIENCE, launch

COLUMNS = {"item": ["tea", "soup"], "position": [0.5, float("nan")]}
RATINGS = "rater,item,score,question\nann,tea,20,warm\nbob,tea,40,warm\nann,soup,70,\n"


@pytest.fixture
def ratings(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(RATINGS)
    return path


@pytest.mark.parametrize("suffix", ["xlsx", "txt", "tsv"])
def test_a_suffix_that_nobody_knows_is_refused_and_nothing_is_written(tmp_path, suffix):
    path = tmp_path / f"scale.{suffix}"
    with pytest.raises(UnknownName, match=r"Known: csv, jsonl, parquet, json, md, tex\."):
        write_table(COLUMNS, path)
    assert not path.exists()


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_the_suffix_says_the_format(tmp_path, suffix):
    write_table(COLUMNS, tmp_path / f"scale.{suffix}")
    sheet = read_file(tmp_path / f"scale.{suffix}")
    assert sheet.columns["item"].tolist() == ["tea", "soup"]


def test_a_json_file_holds_json(tmp_path):
    write_table(COLUMNS, tmp_path / "scale.json")
    assert json.loads((tmp_path / "scale.json").read_text()) == [
        {"item": "tea", "position": 0.5},
        {"item": "soup", "position": None},
    ]


def test_what_is_told_goes_before_the_suffix(tmp_path):
    write_table(COLUMNS, tmp_path / "scale.dat", format="csv")
    assert (tmp_path / "scale.dat").read_text().startswith("item,position")


def test_a_file_without_a_suffix_and_stdout_are_csv():
    assert table_format(Path("scale")) == table_format(Path("-")) == table_format(None) == "csv"


def test_a_folder_that_is_not_there_is_one_message(tmp_path):
    for write in (write_table, lambda _, path: write_text("words", path)):
        with pytest.raises(CannotWrite, match="cannot be written"):
            write(COLUMNS, tmp_path / "missing" / "scale.csv")


def test_a_folder_in_the_place_of_the_file_is_one_message(tmp_path):
    (tmp_path / "scale.csv").mkdir()
    with pytest.raises(CannotWrite, match="directory"):
        write_table(COLUMNS, tmp_path / "scale.csv")


def test_fit_refuses_a_place_it_cannot_write_to_before_it_reads(ratings, tmp_path):
    message = steelyard("fit", tmp_path / "nothing.csv", "-o", tmp_path / "scale.xlsx", code=2).stderr
    assert "unknown format 'xlsx'" in message
    message = steelyard("fit", ratings, "--model", "easl", "-o", tmp_path / "no" / "scale.csv", code=2).stderr
    assert "no does not exist" in message


def test_fit_says_that_rows_without_a_group_are_fitted_apart(ratings):
    done = steelyard("fit", ratings, "--by", "question", "--model", "easl")
    assert "1 row has no question. It is fitted separately" in done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert {(row["question"], row["item"]) for row in rows} == {("warm", "tea"), ("", "soup")}
    assert done.stderr.count("range 0 to 100") == 2


def test_check_writes_json_and_files(ratings, tmp_path):
    report = json.loads(steelyard("check", ratings, "--json").stdout)
    assert (report["items"], report["raters"], report["judgments"]) == (2, 2, {"rating": 3})
    assert report["findings"][0]["name"] == "raters with one answer"
    assert report["findings"][0]["ids"] == ["bob"]
    assert steelyard("check", ratings, "-o", tmp_path / "report.txt").stdout == ""
    assert (tmp_path / "report.txt").read_text().startswith("3 rating judgments\n")


class Terminal(io.StringIO):
    def __init__(self):
        super().__init__()
        self.drawn = Event()

    def isatty(self):
        return True

    def write(self, text):
        self.drawn.set()
        return super().write(text)


def watched(monkeypatch, patience):
    """A terminal in the place of stderr; pytest puts its own there after the fixtures."""
    stream = Terminal()
    monkeypatch.setattr(output, "PATIENCE_SECONDS", patience)
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    return stream


def test_short_work_shows_no_bar(monkeypatch):
    terminal = watched(monkeypatch, patience=3600.0)
    with progress("Reading", 3) as show:
        show(1)
    assert terminal.getvalue() == ""


def test_long_work_shows_a_bar(monkeypatch):
    terminal = watched(monkeypatch, patience=0.05)
    with progress("Reading", 3) as show:
        show(1)
        assert terminal.drawn.wait(PATIENCE)
    assert "Reading" in terminal.getvalue()
    assert "1/3" in terminal.getvalue()


def test_a_bar_waits_for_a_second():
    assert output.PATIENCE_SECONDS == 1.0


def test_where_nobody_watches_nothing_is_drawn(capsys, monkeypatch):
    monkeypatch.setattr(output, "Timer", None)  # calling it to draw later would be an error
    with progress("Reading") as show:
        show(1)
    assert capsys.readouterr().err == ""


def test_a_mistake_takes_the_bar_away(monkeypatch):
    terminal = watched(monkeypatch, patience=0.0)
    with pytest.raises(KeyError), progress("Reading"):
        assert terminal.drawn.wait(PATIENCE)
        raise KeyError
    assert terminal.getvalue().endswith("\x1b[?25h\r\x1b[1A\x1b[2K")


def test_a_command_names_the_files_that_it_wrote(tmp_path):
    scale, chart, text = tmp_path / "scale.csv", tmp_path / "scale.svg", tmp_path / "check.txt"
    fitted = steelyard("fit", "-", "-o", scale, "--plot", chart, input=RATINGS).stderr
    assert f"Wrote {scale}." in fitted.splitlines()
    assert f"Wrote {chart}." in fitted.splitlines()
    assert steelyard("check", "-", "-o", text, input=RATINGS).stderr == f"Wrote {text}.\n"
    assert "Wrote" not in steelyard("fit", "-", "-o", "-", input=RATINGS).stderr


def test_a_summary_has_its_signature_once(tmp_path):
    done = steelyard("fit", "-", "--summary", input=RATINGS)
    assert done.stdout.count("| seed ") == 1
    assert "| seed " not in done.stderr
    assert "| seed " in steelyard("fit", "-", "--summary", "-o", tmp_path / "s.txt", input=RATINGS).stderr


def in_a_terminal(*arguments):
    """What a command writes to a terminal on stdout."""
    ours, theirs = pty.openpty()
    with open(theirs, "wb", closefd=False) as terminal:
        command = launch(*map(str, arguments), stdout=terminal, stderr=subprocess.DEVNULL)
    command.wait()
    os.close(theirs)
    written = b""
    try:
        while part := os.read(ours, 65536):
            written += part
    except OSError:  # Linux reports the end of a terminal as an error
        pass
    os.close(ours)
    return written.decode().replace("\r\n", "\n")


def test_a_terminal_shows_an_aligned_and_rounded_table(ratings):
    lines = in_a_terminal("fit", ratings, "--model", "direct_assessment").splitlines()
    assert lines[0].split() == [
        "item",
        "position",
        "spread",
        "low",
        "high",
        "rank",
        "rank_low",
        "rank_high",
        "count",
    ]
    assert len({len(line) for line in lines}) == 1
    assert lines[1].split()[:2] == ["soup", "70"]
    assert "," not in lines[1]


def test_a_terminal_shows_csv_or_json_on_request(ratings):
    assert in_a_terminal("fit", ratings, "--model", "direct_assessment", "-o", "-").startswith(
        "item,position"
    )
    assert json.loads(in_a_terminal("fit", ratings, "--model", "direct_assessment", "--json"))


def test_tables_are_written_as_latex_and_markdown(ratings, tmp_path):
    steelyard("fit", ratings, "--model", "direct_assessment", "-o", tmp_path / "scale.tex")
    steelyard("fit", ratings, "--model", "direct_assessment", "-o", tmp_path / "scale.md")
    assert (
        (tmp_path / "scale.tex")
        .read_text()
        .startswith("\\begin{tabular}{lrrrrrrrrr}\n\\toprule\nitem & position")
    )
    assert (tmp_path / "scale.md").read_text().startswith("| item | position |")


def test_the_end_of_an_escape_sequence_does_not_reach_the_terminal():
    assert as_text({"item": ["a\x1b[2J", "b\nc"]}).splitlines() == ["item", "a�[2J", "b c"]
