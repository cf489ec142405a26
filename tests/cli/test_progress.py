"""Commands that can take more than a second show what they do on a terminal."""

import os
import pty
import re
from contextlib import contextmanager

import pytest
from typer.testing import CliRunner

from steelyard.cli import convert, export, fit, fitting, next, output, report, results, studies
from steelyard.cli.main import app

ITEMS = "id,text\n" + "".join(f"i{at},Item number {at}\n" for at in range(6))
RANKINGS = "rater,task,item,rank\nann,t1,tea,1\nann,t1,milk,2\n"


@pytest.fixture
def shown(monkeypatch):
    """The words of all progress bars of a command."""
    words = []

    @contextmanager
    def recorded(text, total=None):
        words.append(text)
        yield lambda done: None

    for module in (convert, export, fit, fitting, next, output, report, results, studies):
        monkeypatch.setattr(module, "progress", recorded)
    return words


@pytest.fixture
def study(tmp_path):
    items = tmp_path / "items.csv"
    items.write_text(ITEMS)
    folder = tmp_path / "study"
    run("new", folder, "--items", items)
    return folder


def run(*arguments):
    done = CliRunner().invoke(app, [str(each) for each in arguments])
    assert done.exit_code == 0, done.output


def test_next_import_and_export_show_progress(study, tmp_path, shown):
    run("next", study, "--tasks", "2", "-o", tmp_path / "tasks.csv")
    assert shown == ["Opening the study", "Choosing tasks", "Writing"]
    answers = tmp_path / "answers.csv"
    answers.write_text("rater,item,score\nann,i1,20\nann,i2,30\n")
    shown.clear()
    run("import", study, answers)
    assert shown[:3] == ["Opening the study", "Reading", "Importing"]
    shown.clear()
    run("export", study, "-o", tmp_path / "judgments.csv")
    assert shown == ["Opening the study", "Reading the answers", "Exporting", "Writing"]


def test_convert_shows_progress(tmp_path, shown):
    rankings = tmp_path / "rankings.csv"
    rankings.write_text(RANKINGS)
    run("convert", rankings, "-o", tmp_path / "pairs.csv")
    assert shown == ["Reading", "Converting", "Writing"]


def test_report_shows_progress(tmp_path, shown):
    ratings = tmp_path / "ratings.csv"
    ratings.write_text(
        "rater,item,score,condition\nann,tea,10,x\nann,soup,80,x\nbob,tea,20,y\nbob,soup,70,y\n"
    )
    run("report", ratings, "--range", 0, 100, "-o", tmp_path / "report.html")
    assert shown == [
        "Reading",
        "Fitting",
        "Making the report",
        "Comparing the conditions",
        "Writing the report",
    ]


def test_a_bar_appears_on_a_terminal_when_patience_ends(monkeypatch, capfd):
    ours, theirs = pty.openpty()
    monkeypatch.setattr(output, "PATIENCE_SECONDS", 0.0)
    with open(theirs, "w", closefd=False) as terminal:
        monkeypatch.setattr("sys.stderr", terminal)
        with output.progress("Importing"):
            wait_for_text(ours, "Importing")
    os.close(theirs)
    os.close(ours)


def wait_for_text(terminal, text):
    """Read from a terminal until the text appears, without escape sequences."""
    read = ""
    while text not in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", read):
        read += os.read(terminal, 4096).decode()
