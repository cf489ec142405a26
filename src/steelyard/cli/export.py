"""`steelyard export`: judgments, scale or raters of a study as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from steelyard.cli.output import AsJson, Output, write_table
from steelyard.cli.studies import open_watch


def export(
    folder: Annotated[Path, typer.Argument(help="The study's folder.")],
    what: Annotated[str, typer.Option(help="judgments, scale or raters.")] = "judgments",
    format: Annotated[
        str | None, typer.Option(help="csv, jsonl or parquet; else as the file is called.")
    ] = None,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Write a study's judgments, scale or raters."""
    from steelyard.study.exports import export_columns  # late: the study parts are an extra

    write_table(export_columns(open_watch(folder), what), output, as_json, format)
