"""Folders of studies that the version before made: they open, serve and export as they did."""

import json
from pathlib import Path

import duckdb
import pytest

import tests.commands  # noqa: F401 - processes beside the server start from one that has imported everything
from tests.compatibility.cases import CASES
from tests.compatibility.comparing import (
    check_same_shape,
    check_table,
    with_renames,
    without_added,
    without_links,
)
from tests.compatibility.outputs import (
    batch,
    converted,
    copied,
    downloads,
    export,
    fit_name,
    fitted,
    opened,
    rows_of,
    served,
)
from tests.compatibility.people import Clock
from tests.compatibility.renames import CHANGED_ESTIMATES, CHANGED_TASKS

KEPT = Path(__file__).parent / "kept"
MADE_BY = json.loads((KEPT / "made_by.json").read_text())
LOG = {  # columns of each table; the schema version of a study may grow when it is opened
    **dict.fromkeys(("task", "answer", "event", "lease"), "*"),
    "rater": "number, id, name, source, key, token, at",
    "study": "position, owner_key_hash, cookie_secret",
}
PER_PROTOCOL = ("rating", "list", "comparison", "comparison_list", "ranking", "best_worst", "range")
every_case = pytest.mark.parametrize("name", CASES)


@pytest.fixture
def folder(name, tmp_path):
    return copied(KEPT / name / "study", tmp_path / "study")


@pytest.fixture
def facts(name):
    return json.loads((KEPT / name / "facts.json").read_text())


def golden(name, file):
    return (KEPT / name / "golden" / file).read_bytes()


def check(name, table, form, now, file=None):
    file = file or f"{table}.{form}"
    before = golden(name, file)
    if file.partition(".")[0] in CHANGED_ESTIMATES.get(name, ()):
        check_same_shape(table, form, before, now)
        before = (KEPT / name / "changed" / file).read_bytes()
    elif file.partition(".")[0] in CHANGED_TASKS.get(name, ()):
        before = (KEPT / name / "changed" / file).read_bytes()
    check_table(table, form, before, now, MADE_BY["duckdb"] == duckdb.__version__)


def test_only_estimates_and_tasks_that_are_listed_were_changed():
    changed = {path.parts[-3:] for path in KEPT.glob("*/changed/*")}
    listed = (*CHANGED_ESTIMATES.items(), *CHANGED_TASKS.items())
    assert {(name, file.partition(".")[0]) for name, _, file in changed} == {
        (name, table) for name, tables in listed for table in tables
    }


@every_case
def test_the_owner_downloads_what_export_wrote_and_nothing_changes(name, folder, facts):
    before = {table: rows_of(folder, f"SELECT {columns} FROM {table}") for table, columns in LOG.items()}
    app, clock = opened(folder, facts["now"])
    with clock.in_use():
        files = downloads(app, clock, facts["owner_key"])
    for file, content in files.items():
        check(name, *file.split("."), content)
    # The newest event that defines the study holds a hash of its settings: another hash would log another event.
    after = {table: rows_of(folder, f"SELECT {columns} FROM {table}") for table, columns in LOG.items()}
    assert after == before


@every_case
def test_export_writes_what_it_wrote(name, folder, facts):
    # The owner's page offers the same tables but for the answers, and the test of its downloads has every format.
    tables = [("judgments", "csv")]
    if name in PER_PROTOCOL:
        tables += [("scale", "csv"), ("answers", "jsonl"), ("answers", "parquet")]
    with Clock(facts["now"]).in_use():
        for what, form in tables:
            check(name, what, form, export(folder, what, form))


@every_case
def test_exported_judgments_give_the_same_numbers(name):
    judgments = KEPT / name / "golden" / "judgments.csv"
    for options in CASES[name].fits:
        check(name, "fit", "csv", fitted(judgments, options), fit_name(options))
    if CASES[name].converted:
        check(name, "converted", "csv", converted(judgments))


@every_case
def test_the_next_tasks_are_the_same(name, facts, tmp_path):
    with Clock(facts["now"]).in_use():
        for form in ("csv", "mturk-csv") if name in PER_PROTOCOL else ("csv",):
            chosen = batch(KEPT / name / "study", form, tmp_path)
            check(name, "next", "csv", chosen, f"next_{form}.csv")


@every_case
def test_raters_are_served_the_same_and_can_go_on(name, folder, facts):
    app, clock = opened(folder, facts["now"])
    with clock.in_use():
        transcripts = served(app, clock, facts["links"])
        after = export(folder, "answers", "csv").splitlines(keepends=True)
    changed = "served" in CHANGED_TASKS.get(name, ())
    before = json.loads((KEPT / name / ("changed" if changed else "golden") / "served.json").read_bytes())
    for rater, transcript in before.items():
        assert without_added(without_links(transcripts[rater])) == with_renames(without_links(transcript))
    earlier = golden(name, "answers.csv").splitlines(keepends=True)
    assert len(after) > len(earlier)
    check(name, "answers", "csv", b"".join(after[: len(earlier)]))
