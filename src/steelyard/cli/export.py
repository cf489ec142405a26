"""`steelyard export`: write judgments, scale, raters or answers of a study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from steelyard.cli.output import AsJson, Output, remark_on_fits, write_table
from steelyard.cli.studies import open_watch


def export(
    folder: Annotated[Path, typer.Argument(help="Folder of the study.")],
    what: Annotated[
        str, typer.Option(help="Table to write: judgments, scale, raters or answers.")
    ] = "judgments",
    format: Annotated[
        str | None,
        typer.Option(help="Format: csv, jsonl or parquet. Default: the suffix of the output file, or csv."),
    ] = None,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Write the judgments, scale, raters or original answers of a study."""
    from steelyard.study.results.exports import (  # optional dependencies
        export_columns,
        filled_in_by_raters,
    )

    watch = open_watch(folder)
    columns = export_columns(watch, what)
    write_table(columns, output, as_json, format, filled_in_by_raters(columns))
    if what == "scale":
        remark_on_fits(view.fit for view in watch.overview().views)
