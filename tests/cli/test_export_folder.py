"""`steelyard export --to`: the judgments of a study as a folder of Parquet files."""

import csv
import io
import signal
import subprocess
import time

import duckdb
import pytest

from tests.commands import finish, fork, launch


def steelyard(*arguments, code=0):
    done = finish(*map(str, arguments), start=fork)
    assert done.returncode == code, done.stderr
    return done


def table_of(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def study(tmp_path):
    items = tmp_path / "items.csv"
    items.write_text("id,text\n" + "".join(f"i{at},Item {at}\n" for at in range(10)))
    folder = tmp_path / "study"
    steelyard("new", folder, "--items", items, "--protocol", "list", "--seed", 4)
    return folder


def count(folder):
    if not list(folder.glob("*.parquet")):
        return 0
    return duckdb.sql(f"SELECT count(*) FROM '{folder}/*.parquet'").fetchall()[0][0]


def test_a_folder_has_the_judgments_and_grows(study, tmp_path):
    folder = tmp_path / "judgments"
    assert "Wrote 0 new judgments" in steelyard("export", study, "--to", folder).stderr
    steelyard("simulate", study, "--raters", 4)
    exported = table_of(steelyard("export", study).stdout)
    assert (
        f"Wrote {len(exported)} new judgments to {folder}."
        in steelyard("export", study, "--to", folder).stderr
    )
    assert count(folder) == len(exported)
    assert len(list(folder.glob("*.parquet"))) == 1
    assert "Wrote 0 new judgments" in steelyard("export", study, "--to", folder).stderr


def test_a_folder_follows_the_log_until_interrupted(study, tmp_path):
    folder = tmp_path / "judgments"
    command = ["export", study, "--to", folder, "--follow", "--every", "0.1", "--settle", "0"]
    process = launch(*map(str, command), stderr=subprocess.PIPE, text=True)
    try:
        assert "Wrote 0 new judgments" in process.stderr.readline()
        steelyard("simulate", study, "--raters", 4)
        wanted = len(table_of(steelyard("export", study).stdout))
        while count(folder) < wanted:
            assert process.poll() is None
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0
    finally:
        process.kill()
        process.stderr.close()
        process.wait()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--follow",), "--follow: this option needs --to"),
        (("--settle", 5), "--settle: this option needs --to"),
        (("--to", "folder", "--what", "scale"), "--what"),
        (("--to", "folder", "--json"), "--json"),
    ],
)
def test_options_that_do_not_belong_together_are_refused(options, message, study):
    assert message in steelyard("export", study, *options, code=2).stderr


def test_a_study_in_a_file_is_not_read_in_place(study):
    assert "export STUDY --to FOLDER" in steelyard("fit", study, "--in-place", code=2).stderr
