"""`steelyard export`: judgments, scale or raters of a study as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from steelyard.cli.output import AsJson, Output, remark_on_fits, write_table
from steelyard.cli.studies import open_watch


def export(
    folder: Annotated[Path, typer.Argument(help="The study's folder.")],
    what: Annotated[str, typer.Option(help="judgments, scale, raters or answers.")] = "judgments",
    format: Annotated[
        str | None, typer.Option(help="csv, jsonl or parquet; else as the file is called.")
    ] = None,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Write a study's judgments, scale, raters, or answers as they were given."""
    from steelyard.study.results.exports import (  # the study parts are an extra
        export_columns,
        filled_in_by_raters,
    )  # late: the study parts are an extra

    watch = open_watch(folder)
    columns = export_columns(watch, what)
    write_table(columns, output, as_json, format, filled_in_by_raters(columns))
    if what == "scale":
        remark_on_fits(view.fit for view in watch.overview().views)
