"""Make the folders of `kept/` with the version of Steelyard that Python finds.

Run by hand, from the top of a checkout, with the version whose folders are to be kept:

    PYTHONPATH=/path/to/that/version/src python -m tests.compatibility.make OUTPUT [CASE ...]

It says which version that is, and `made_by.json` keeps it. Goldens come from the version before a change, so do not
run this to make a failing test pass: a difference that is wanted belongs into `renames.py`. Estimates that are listed
there are written for the folders that are kept, by the version that changed them, with

    python -m tests.compatibility.make --changed tests/compatibility/kept
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
import secrets
import shutil
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from unittest import mock

import duckdb
import numpy

import steelyard
from steelyard.storage.database import create_database
from steelyard.web.app import create_app
from tests.compatibility.beliefs import save_beliefs
from tests.compatibility.cases import CASES, Case
from tests.compatibility.outputs import (
    FORMATS,
    TABLES,
    batch,
    converted,
    copied,
    export,
    fit_name,
    fitted,
    rows_of,
    run,
    served,
)
from tests.compatibility.people import Clock
from tests.compatibility.plays import Play
from tests.compatibility.renames import CHANGED_ESTIMATES

SMALL_PAGES = 1024  # bytes: most tables of a small study fill one page each
LINKS = 2  # raters whose next task is kept


def make(target: Path, names: list[str]) -> None:
    """Write these cases below a folder."""
    for name in names:
        with tempfile.TemporaryDirectory() as work:
            make_case(name, CASES[name], target / name, Path(work))
        remark(f"{name}: {sum(1 for _ in (target / name).rglob('*'))} files")
    if {"list", "comparison", "ranking", "best_worst"} <= set(names):
        save_beliefs(target)
    made_by = {
        "steelyard": steelyard.__version__,
        "source": source_digest(),
        "duckdb": duckdb.__version__,
        "numpy": numpy.__version__,
    }
    (target / "made_by.json").write_text(json.dumps(made_by, indent=1) + "\n")


def source_digest() -> str:
    """A few digits of all Python files of the package."""
    package = Path(steelyard.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(str(path.relative_to(package)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def make_case(name: str, case: Case, target: Path, work: Path) -> None:
    """Write one case: the folder as it was answered, and what the version gives out of it."""
    folder, clock = work / "study", Clock()
    with clock.in_use(), _numbered_tokens(name):
        key = start_study(folder, case, work)
        case.play(Play(folder, create_app(folder), clock, key))
    shutil.rmtree(target, ignore_errors=True)
    keep(folder, target / "study")
    folder = copied(target / "study", work / "kept")
    clock.tick()
    links = links_of(folder)
    facts = {"now": clock.now, "owner_key": key, "links": links}
    (target / "facts.json").write_text(json.dumps(facts, indent=1) + "\n")
    golden = target / "golden"
    golden.mkdir()
    with clock.in_use():
        write_tables(folder, case, golden, work)
        transcripts = served(create_app(copied(folder, work / "served")), clock, links)
    (golden / "served.json").write_text(json.dumps(transcripts, ensure_ascii=False) + "\n", encoding="utf-8")


def write_tables(folder: Path, case: Case, golden: Path, work: Path) -> None:
    """Every table that commands make of a folder and of its judgments."""
    for what in TABLES:
        for form in FORMATS:
            (golden / f"{what}.{form}").write_bytes(export(folder, what, form))
    judgments = golden / "judgments.csv"
    for options in case.fits:
        (golden / fit_name(options)).write_bytes(fitted(judgments, options))
    if case.converted:
        (golden / "converted.csv").write_bytes(converted(judgments))
    for form in ("csv", "mturk-csv"):
        (golden / f"next_{form}.csv").write_bytes(batch(folder, form, work))


def write_changed(kept: Path) -> None:
    """Write the tables whose estimates were changed on purpose, as this version makes them of the kept folders."""
    for name, tables in CHANGED_ESTIMATES.items():
        changed = kept / name / "changed"
        shutil.rmtree(changed, ignore_errors=True)
        changed.mkdir()
        with tempfile.TemporaryDirectory() as work:
            folder = copied(kept / name / "study", Path(work) / "study")
            for what, form in itertools.product([table for table in tables if table in TABLES], FORMATS):
                (changed / f"{what}.{form}").write_bytes(export(folder, what, form))
        for options in CASES[name].fits:
            if fit_name(options).removesuffix(".csv") in tables:
                judgments = kept / name / "golden" / "judgments.csv"
                (changed / fit_name(options)).write_bytes(fitted(judgments, options))


def start_study(folder: Path, case: Case, work: Path) -> str:
    """The folder before its first answer; the owner's key."""
    items = work / "items.csv"
    items.write_text(case.items, encoding="utf-8", newline="")
    if not case.new:
        folder.mkdir()
        shutil.copy(items, folder)
        (folder / "study.toml").write_text(case.toml, encoding="utf-8")
        for name, text in case.files.items():
            (folder / name).write_text(text, encoding="utf-8")
        return create_database(folder)[1]
    _, remarks = run("new", str(folder), "--items", str(items), *case.new)
    study = folder / "study.toml"
    text = study.read_text(encoding="utf-8")
    for old, new in case.edits:
        assert old in text, (old, text)
        text = text.replace(old, new, 1)
    study.write_text(text, encoding="utf-8")
    return re.search(r"shown (?:this|only) once\)?: (\S+)", remarks.decode()).group(1)


def links_of(folder: Path) -> dict[str, str]:
    """The links of the first raters who have answered."""
    answered = "SELECT id, token FROM rater WHERE id IN (SELECT rater FROM answer) AND source != 'file'"
    return dict(rows_of(folder, f"{answered} ORDER BY number LIMIT {LINKS}"))


def keep(folder: Path, target: Path) -> None:
    """A copy of a folder that is in use, whose database is one small file without a journal beside it."""
    shutil.copytree(folder, target, ignore=shutil.ignore_patterns("study.db*"))
    with closing(sqlite3.connect(folder / "study.db", isolation_level=None)) as connection:
        connection.execute(f"PRAGMA page_size={SMALL_PAGES}")
        connection.execute("VACUUM INTO ?", [str(target / "study.db")])
    with closing(sqlite3.connect(target / "study.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")


def _numbered_tokens(name: str):
    """Tokens that are the same each time: these links and keys open nothing but these folders."""
    count = itertools.count()

    def token(size: int | None = None) -> str:
        return hashlib.sha256(f"{name} {next(count)}".encode()).hexdigest()[:32]

    return mock.patch.object(secrets, "token_urlsafe", token)


def remark(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def main() -> None:
    """Say which version is used, and write the cases that were named, or all."""
    is_change = sys.argv[1:2] == ["--changed"]
    if is_change:
        sys.argv.pop(1)
    if len(sys.argv) < 2 or set(sys.argv[2:]) - set(CASES):
        raise SystemExit(f"{__doc__}\nCases: {', '.join(CASES)}")
    remark(
        f"Steelyard {steelyard.__version__} of {Path(steelyard.__file__).parent}, source {source_digest()}"
    )
    target = Path(sys.argv[1])
    if is_change:
        write_changed(target)
        return
    target.mkdir(parents=True, exist_ok=True)
    make(target, sys.argv[2:] or list(CASES))


if __name__ == "__main__":
    main()
