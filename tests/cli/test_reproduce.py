import csv

import pytest
from typer.testing import CliRunner

from steelyard.cli.main import app
from steelyard.errors import BadSetting, CannotWrite, UnknownName


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reproduced") / "new" / "folder"
    result = CliRunner().invoke(app, ["reproduce", "dras", "-o", str(folder)])
    assert result.exit_code == 0, result.output
    return folder, result


def test_the_report_and_its_lines_are_written_to_a_new_folder(written):
    folder, _ = written
    assert (folder / "report.html").read_text().lstrip().startswith("<!doctype html>")
    rows = list(csv.DictReader((folder / "claims.csv").read_text().splitlines()))
    assert len(rows) == 25
    assert set(rows[0]) == {"section", "where", "claim", "paper", "ours", "verdict", "why"}


def test_lines_go_to_stdout_and_the_place_of_the_report_to_stderr(written):
    folder, result = written
    assert result.stdout.splitlines()[-1].startswith("25 lines: 17 reproduced; 4 differs;")
    assert str(folder / "report.html") in result.stderr


def test_the_default_folder_is_named_after_the_paper(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(app, ["reproduce", "dras"]).exit_code == 0
    assert (tmp_path / "reproduce-dras" / "report.html").exists()


def test_another_paper_is_unknown(tmp_path):
    result = CliRunner().invoke(app, ["reproduce", "goldilock", "-o", str(tmp_path)])
    assert isinstance(result.exception, UnknownName)
    assert "Did you mean 'goldilocks'" in str(result.exception)


def test_a_folder_that_cannot_be_made_is_refused_before_the_work(tmp_path):
    (tmp_path / "file").write_text("")
    result = CliRunner().invoke(app, ["reproduce", "dras", "-o", str(tmp_path / "file")])
    assert isinstance(result.exception, CannotWrite)


def test_a_file_that_is_no_data_is_refused_before_the_work(tmp_path):
    (tmp_path / "other.csv").write_text("left,right\na,b\n")
    arguments = ["reproduce", "easl", "--data", str(tmp_path / "other.csv"), "-o", str(tmp_path)]
    assert isinstance(CliRunner().invoke(app, arguments).exception, BadSetting)
