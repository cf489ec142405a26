"""`steelyard check`: check a file of judgments, or the log of a study."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from steelyard.cli.command_line import refuse_for_study
from steelyard.cli.fit import FILE_HELP, KindOption, RangeOption, read_judgments
from steelyard.cli.fit_options import with_records
from steelyard.cli.output import TextOutput, check_place, progress, write_json, write_text
from steelyard.cli.reading_options import ReadingOptions
from steelyard.cli.studies import check_exists
from steelyard.errors import DamagedStudy
from steelyard.judgments.checks import check as check_judgments

if TYPE_CHECKING:
    from steelyard.storage.verifying import Verified


@with_records
def check(
    context: typer.Context,
    file: Annotated[
        str,
        typer.Argument(
            help=f"{FILE_HELP} Or the folder of a study, whose log of answers and events is verified."
        ),
    ],
    *,
    range: RangeOption = None,
    kind: KindOption = None,
    reading: ReadingOptions,
    output: TextOutput = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write counts and findings as JSON instead of text.")
    ] = False,
) -> None:
    """Check a file of judgments for mistakes, and report counts and unusual patterns.

    For the folder of a study, verify its log: every entry can be read, none is missing, and all counts agree.
    """
    check_place(output)
    check_exists(file)
    if Path(file).is_dir():
        refuse_for_study(context)
        _report_study(Path(file), output, as_json)
        return
    judgments = read_judgments(file, kind, range, reading)
    with progress("Checking"):
        report = check_judgments(judgments)
    if as_json:
        write_json(asdict(report), output)
    else:
        write_text("".join(f"{line}\n" for line in report.lines()), output)


def check_study(folder: Path) -> Verified:
    """Return the result of verifying the log of a study."""
    from steelyard.storage.database import open_database  # optional dependencies
    from steelyard.storage.verifying import verify  # optional dependencies
    from steelyard.study.definition.study import open_study  # optional dependencies
    from steelyard.study.log.changes import begun_with  # optional dependencies

    database = open_database(folder)
    try:
        begun = begun_with(database)
    except DamagedStudy:  # is found again below, where all damage is listed
        begun = {}
    with progress("Reading the log"):
        return verify(database, open_study(folder, begun))


def _report_study(folder: Path, output: Path | None, as_json: bool) -> None:
    """Write what was found in the log of a study; damage gives exit code 1."""
    result = check_study(folder)
    if as_json:
        write_json(asdict(result), output)
    else:
        write_text("".join(f"{line}\n" for line in result.lines()), output)
    if result.damage:
        raise typer.Exit(1)
