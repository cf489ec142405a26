"""`steelyard forget`: delete everything that a study stores about a rater."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from steelyard.cli.acting import record_act
from steelyard.cli.output import progress, remark
from steelyard.judgments.findings import counted

if TYPE_CHECKING:
    from steelyard.storage.forgetting import Forgotten, KeptCopy
    from steelyard.storage.location import Location

KEPT = (
    "Results that were computed before stay as they are: anchors of closed rounds, exported files, reports, backups, "
    "and on PostgreSQL the write-ahead log with its archive. Delete the rater's rows there too."
)


def forget(
    folder: Annotated[Path, typer.Argument(help="Folder of the study.")],
    rater: Annotated[
        str,
        typer.Option(
            help="Id of the rater in exports, on Prolific, or in the file that was imported. study:ID names the rater "
            "with this id in exports, if the same id names someone else elsewhere."
        ),
    ],
    yes: Annotated[bool, typer.Option("--yes", help="Delete without asking for confirmation.")] = False,
) -> None:
    """Delete the answers and the identity of one rater from a study. This cannot be undone."""
    from steelyard.storage.database import open_database  # optional dependencies
    from steelyard.storage.forgetting import (  # optional dependencies
        PSEUDONYM,
        forget_in_copies,
        forget_rater,
        rater_with,
    )

    database = open_database(folder)
    wanted = rater_with(database, rater)
    if not yes:
        typer.confirm(
            f"Delete all answers and the identity of {wanted.id} ({wanted.name})?", abort=True, err=True
        )
    now = time.time()
    with progress("Deleting"):
        forgotten = forget_rater(database, wanted.id, now)
        record_act(database, "forgotten", wanted.id, answers=forgotten.answers, events=forgotten.events)
    _report(forgotten)
    with progress("Deleting from old copies"):
        copies = forget_in_copies(folder, wanted, now)
    again = f"steelyard forget {folder} --rater {PSEUDONYM}{wanted.id}"
    left = [] if forgotten.erased else [_still_read(database.location, again)]
    left += [line for copy in copies if (line := _report_copy(copy, again))]
    for line in left:
        remark(line)
    remark(KEPT)
    if left:
        raise typer.Exit(1)


def _report(forgotten: Forgotten) -> None:
    """Report what was deleted from the study."""
    deleted = f"{counted(forgotten.answers, 'answer')} and {counted(forgotten.events, 'event')}"
    remark(
        f"Deleted {deleted} of {forgotten.rater}, and their name, id and link. Tasks that other raters will receive: "
        f"{forgotten.reopened:,}."
    )


def _report_copy(copy: KeptCopy, again: str) -> str:
    """Report what was deleted from an old database; return what to do if it still has the rater, or nothing."""
    place = copy.location
    if copy.problem:
        delete = f'the schema "{place.schema}" of that database' if place.url else f"the file {place.path}"
        return (
            f"Not deleted from the copy that steelyard move has kept. {copy.problem} Then run this command again: "
            f"{again}. Or delete {delete}."
        )
    if copy.forgotten is None:
        return ""
    remark(f"Also deleted from the copy that steelyard move has kept: {place.words}.")
    return "" if copy.forgotten.erased else _still_read(place, again)


def _still_read(place: Location, again: str) -> str:
    """Return that deleted rows are still in the files of a database, and what to do."""
    return (
        f"{place.words}: the deleted rows are still in the files of the database, because another process reads it, "
        f"such as an export or a backup. Run this command again when that process has ended: {again}"
    )
