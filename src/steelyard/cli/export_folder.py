"""`steelyard export --to`: the judgments of a study as a folder of Parquet files, which follows its log."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from steelyard.cli.output import progress, remark
from steelyard.errors import BadSetting
from steelyard.judgments.findings import counted

if TYPE_CHECKING:
    from steelyard.study.results.judgment_files import Written
    from steelyard.study.results.watch import Watch

SETTLE_SECONDS = 300.0  # raters rarely take back older answers
To = Annotated[
    Path | None,
    typer.Option(
        "--to",
        metavar="FOLDER",
        help="Write the judgments as Parquet files to this folder, for `steelyard fit FOLDER`. A later export to the "
        "same folder writes only new judgments, and replaces files whose judgments have changed.",
        show_default=False,
    ),
]
Follow = Annotated[
    bool, typer.Option("--follow", help="With --to: continue to write new judgments until interrupted.")
]
Every = Annotated[
    float,
    typer.Option(
        min=0.1, metavar="SECONDS", help="With --follow: time between two checks for new judgments."
    ),
]
Settle = Annotated[
    float | None,
    typer.Option(
        min=0.0,
        metavar="SECONDS",
        help="With --to: write only answers that are at least this old, and newer ones later. Raters can still take "
        "back newer answers, and a file whose answers have changed is replaced and must be read again. "
        f"Default: {SETTLE_SECONDS:g} with --follow, otherwise 0.",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class Following:
    """Folder to write, whether to continue, seconds between two looks, and the age from which answers are written."""

    to: Path
    follow: bool
    every: float
    settle: float | None


def refuse_without_folder(follow: bool, settle: float | None) -> None:
    """Raise `BadSetting` for options that need --to."""
    for name, used in (("--follow", follow), ("--settle", settle is not None)):
        if used:
            raise BadSetting(name, "this option needs --to FOLDER.")


def export_to_folder(watch: Watch, folder: Path, settings: Following) -> None:
    """Write the judgments of a study to a folder, once or until interrupted.

    Parameters
    ----------
    watch
        Results of the study.
    folder
        Folder of the study.
    settings
        Folder to write, and how long to continue.
    """
    from steelyard.study.results.judgment_files import JudgmentFiles  # optional dependencies

    files = JudgmentFiles(watch, settings.to, str(folder.resolve()))
    default = SETTLE_SECONDS if settings.follow else 0.0
    settle = default if settings.settle is None else settings.settle
    with suppress(KeyboardInterrupt):  # files are complete at any time
        with progress("Exporting"):
            remark(_sentence(files.update(time.time() - settle if settle else float("inf")), settings.to))
        while settings.follow:
            time.sleep(settings.every)
            made = files.update(time.time() - settle if settle else float("inf"))
            if made.judgments or made.replaced:
                remark(_sentence(made, settings.to))


def _sentence(made: Written, folder: Path) -> str:
    text = f"Wrote {counted(made.judgments, 'new judgment')} to {folder}."
    if not made.replaced:
        return text
    verb = "has" if made.replaced == 1 else "have"
    return f"{text} {counted(made.replaced, 'earlier file')} {verb} changed."
