"""`steelyard check`: check a file of judgments."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from steelyard.cli.fit import FILE_HELP, KindOption, RangeOption, read_judgments
from steelyard.cli.fit_options import with_records
from steelyard.cli.output import Output, check_place, progress, write_json, write_text
from steelyard.cli.reading_options import ReadingOptions
from steelyard.judgments.checks import check as check_judgments


@with_records
def check(
    file: Annotated[str, typer.Argument(help=FILE_HELP)],
    *,
    range: RangeOption = None,
    kind: KindOption = None,
    reading: ReadingOptions,
    output: Output = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write counts and findings as JSON instead of text.")
    ] = False,
) -> None:
    """Check a file of judgments for mistakes, and report counts and unusual patterns."""
    check_place(output)
    judgments = read_judgments(file, kind, range, reading)
    with progress("Checking"):
        report = check_judgments(judgments)
    if as_json:
        write_json(asdict(report), output)
    else:
        write_text("".join(f"{line}\n" for line in report.lines()), output)
