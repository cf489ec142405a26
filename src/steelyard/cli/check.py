"""`steelyard check`: is a file of judgments sound, and what in it is worth a look?"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from steelyard.cli.fit import RangeOption, read_judgments
from steelyard.cli.fit_options import with_records
from steelyard.cli.output import Output, check_place, progress, write_json, write_text
from steelyard.cli.reading_options import ReadingOptions
from steelyard.judgments.checks import check as check_judgments


@with_records
def check(
    file: Annotated[str, typer.Argument(help="CSV, JSONL or Parquet file of judgments; - is stdin.")],
    *,
    range: RangeOption = None,
    kind: Annotated[
        str | None, typer.Option(help="The kind of judgment, where the columns leave it open.")
    ] = None,
    reading: ReadingOptions,
    output: Output = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write counts and findings as JSON instead of sentences.")
    ] = False,
) -> None:
    """Check a file of judgments: mistakes first, then what is worth a look."""
    check_place(output)
    judgments = read_judgments(file, kind, range, reading)
    with progress("Looking"):
        report = check_judgments(judgments)
    if as_json:
        write_json(asdict(report), output)
    else:
        write_text("".join(f"{line}\n" for line in report.lines()), output)
