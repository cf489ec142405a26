"""`steelyard convert`: convert judgments to another kind."""

from __future__ import annotations

from typing import Annotated

import typer

from steelyard.cli.fit import File, KindOption, RangeOption, read_judgments
from steelyard.cli.fit_options import with_records
from steelyard.cli.output import AsJson, Output, progress, remark, table_format, write_table
from steelyard.cli.reading_options import ReadingOptions
from steelyard.judgments.conversions import conversions_of, losses
from steelyard.judgments.conversions import convert as convert_judgments
from steelyard.judgments.findings import counted
from steelyard.judgments.frames import to_columns
from steelyard.judgments.sources import together
from steelyard.judgments.table_kinds import known_kind


@with_records
def convert(
    file: File,
    *,
    to: Annotated[
        str,
        typer.Option(help="Kind to convert to: comparison or ranking."),
    ] = "comparison",
    tie_width: Annotated[
        float,
        typer.Option(
            help="For ratings: largest difference between two scores of a page that counts as a tie."
        ),
    ] = 0.0,
    range: RangeOption = None,
    kind: KindOption = None,
    reading: ReadingOptions,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Convert judgments to comparisons or rankings, and report what information is lost.

    Comparisons are made from rankings, best-worst choices and ratings; rankings from ratings and comparisons. Only
    ratings made on one page (same rater and task) can be converted.
    """
    table_format(output, as_json)
    judgments = read_judgments(file, kind, range, reading)
    conversions_of(judgments, to)
    with progress("Converting"):
        converted = convert_judgments(judgments, to, tie_width)
        columns = to_columns(together(converted), known_kind(to))
    write_table(columns, output, as_json)
    rows = counted(len(converted), f"{known_kind(to)} row")
    remark(f"Converted {counted(len(judgments), 'row')} to {rows}.")
    for finding in judgments.reading.of_rows():
        remark(finding.sentence)
    for sentence in losses(judgments, to):
        remark(f"Lost, {sentence}")
