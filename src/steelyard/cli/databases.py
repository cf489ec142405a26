"""`steelyard backup`, `restore`, `move` and `migrate`: the database of a study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from steelyard.cli.acting import record_act
from steelyard.cli.output import progress, remark

Folder = Annotated[Path, typer.Argument(help="Folder of the study.")]


def backup(
    folder: Folder,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Archive to write, as in backups/study.tar.gz.")
    ],
) -> None:
    """Write a study and its answers to one archive, also while the study is running."""
    from steelyard.storage.backups import back_up  # optional dependencies
    from steelyard.storage.database import open_database  # optional dependencies

    with progress("Writing the backup"):
        record_act(
            open_database(folder), "backed_up", file=output.name
        )  # before, so that the copy contains it
        position = back_up(folder, output)
    remark(
        f"Wrote {output}, with the log of the study up to entry {position:,}. To restore it: "
        f"steelyard restore {output} FOLDER"
    )


def restore(
    archive: Annotated[Path, typer.Argument(help="Archive that steelyard backup wrote.")],
    folder: Annotated[Path, typer.Argument(help="Folder to create for the study.")],
) -> None:
    """Create a study from a backup, and verify its log."""
    from steelyard.cli.check import check_study  # avoids a cycle
    from steelyard.storage.backups import restore as restore_files  # optional dependencies

    with progress("Restoring"):
        restore_files(archive, folder)
    for line in check_study(folder).lines():
        remark(line)
    remark(f"Restored {folder}. For PostgreSQL, run: steelyard move {folder} --to postgresql://...")


def move(
    folder: Folder,
    to: Annotated[
        str,
        typer.Option(
            help="Address of a PostgreSQL database, as in postgresql://user@host/name, or sqlite for study.db."
        ),
    ],
) -> None:
    """Move the answers of a study from study.db to PostgreSQL or back, and compare both copies.

    Stop the server first. The old database is kept under another name.
    """
    from steelyard.storage.copying import move_study  # optional dependencies
    from steelyard.storage.database import open_database  # optional dependencies

    with progress("Moving"):
        old = move_study(folder, "" if to == "sqlite" else to)
        record_act(open_database(folder), "moved", to="sqlite" if old.url else "postgresql")
    kept = f"schema {old.schema}" if old.url else str(old.path)
    remark(
        f"Moved {folder}. The copy is equal to the original, which is kept as {kept}. Delete the original when you no "
        "longer need it. It has the answers and identities of all raters."
    )


def migrate(folder: Folder) -> None:
    """Update the database of a study that an earlier version of Steelyard created. No answer is changed."""
    from steelyard.storage.database import migrate_database  # optional dependencies

    before, after = migrate_database(folder)
    if before == after:
        remark(
            f"{folder}: the tables of the database are current (schema version {after}). Nothing was changed."
        )
    else:
        remark(
            f"{folder}: the tables of the database were updated from schema version {before} to {after}. No answer was "
            "changed."
        )
