"""What Steelyard gives out of a study's folder, as bytes: exports, fits, batches, downloads, and tasks of raters."""

from __future__ import annotations

import shutil
import sqlite3
import sys
from contextlib import closing
from io import BytesIO, TextIOWrapper
from unittest import mock

from typer.main import get_command

from steelyard.cli.main import app as commands
from steelyard.web.app import create_app
from tests.compatibility.people import Clock, Owner, Person

TABLES = ("judgments", "answers", "raters", "scale")
DOWNLOADS = ("judgments", "raters", "scale")
FORMATS = ("csv", "jsonl", "parquet")
COMMANDS = get_command(commands)


def command(*arguments):
    """What a command writes to stdout."""
    return run(*arguments)[0]


def run(*arguments):
    """What a command writes to stdout and to stderr, in this process: a new one would take seconds to start."""
    streams = {
        name: TextIOWrapper(BytesIO(), "utf-8", newline="", write_through=True)
        for name in ("stdout", "stderr")
    }
    with mock.patch.multiple(sys, **streams):
        COMMANDS.main(list(arguments), "steelyard", standalone_mode=False)
    return tuple(stream.buffer.getvalue() for stream in streams.values())


def export(folder, what, form):
    """One table of a study, by `steelyard export`."""
    identities = ["--identities"] if what == "raters" else []  # earlier versions always wrote them
    return command("export", str(folder), "--what", what, "--format", form, *identities)


def fitted(judgments, options):
    """The numbers of a fit, as CSV."""
    return command("fit", str(judgments), *options)


def fit_name(options):
    """The name of a golden file for a fit with these options."""
    words = [word.removeprefix("--") for word in options if word != "--model"]
    return f"fit_{'_'.join(words)}.csv"


def converted(judgments):
    """The judgments as comparisons, by `steelyard convert`."""
    return command("convert", str(judgments), "--to", "comparison")


def batch(folder, form, beside):
    """The next tasks as a file, chosen in a copy of the folder."""
    copy = copied(folder, beside / f"next_{form}")
    return command("next", str(copy), "--tasks", "3", "--format", form)


def copied(folder, target):
    """A copy of a study's folder."""
    shutil.copytree(folder, target)
    return target


def downloads(app, clock, key):
    """Every file that the owner's page offers."""
    owner = Owner(app, clock, key)
    return {f"{what}.{form}": owner.download(what, form) for what in DOWNLOADS for form in FORMATS}


def served(app, clock, links):
    """Requests and replies of raters who come back by their links, and of a new one who answers a task."""
    transcripts = {}
    for name, token in links.items():
        person = Person(app, clock, seed=len(transcripts))
        person.open(f"/r/{token}")
        person.task()
        transcripts[name] = _without_link(person.transcript)
    person = Person(app, clock, seed=99)
    person.join("Newcomer")
    if person.task()["state"] == "task":
        person.work(1)
    transcripts["newcomer"] = person.transcript
    return transcripts


def _without_link(transcript):
    return [
        {**entry, "path": "/r/…" if entry["path"].startswith("/r/") else entry["path"]}
        for entry in transcript
    ]


def opened(folder, now):
    """The pages of the study in a folder, and their clock."""
    clock = Clock(now)
    with clock.in_use():
        return create_app(folder), clock


def rows_of(folder, statement):
    """Rows of a study's database."""
    with closing(sqlite3.connect(folder / "study.db")) as connection:
        return connection.execute(statement).fetchall()
