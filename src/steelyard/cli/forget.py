"""`steelyard forget`: delete everything that a study stores about a rater."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from steelyard.cli.acting import record_act
from steelyard.cli.output import progress, remark
from steelyard.judgments.findings import counted

KEPT = (
    "Results that were computed before stay as they are: anchors of closed rounds, exported files, reports and "
    "backups. Delete the rater's rows there too."
)


def forget(
    folder: Annotated[Path, typer.Argument(help="Folder of the study.")],
    rater: Annotated[
        str, typer.Option(help="Id of the rater in exports, on Prolific, or in the file that was imported.")
    ],
    yes: Annotated[bool, typer.Option("--yes", help="Delete without asking for confirmation.")] = False,
) -> None:
    """Delete the answers and the identity of one rater from a study. This cannot be undone."""
    from steelyard.storage.database import open_database  # optional dependencies
    from steelyard.storage.forgetting import forget_rater, rater_with  # optional dependencies

    database = open_database(folder)
    wanted = rater_with(database, rater)
    if not yes:
        typer.confirm(
            f"Delete all answers and the identity of {wanted.id} ({wanted.name})?", abort=True, err=True
        )
    with progress("Deleting"):
        forgotten = forget_rater(database, wanted.id, time.time())
        record_act(database, "forgotten", wanted.id, answers=forgotten.answers, events=forgotten.events)
    deleted = f"{counted(forgotten.answers, 'answer')} and {counted(forgotten.events, 'event')}"
    remark(
        f"Deleted {deleted} of {forgotten.rater}, and their name, id and link. Tasks that other raters will receive: "
        f"{forgotten.reopened:,}."
    )
    remark(KEPT)
