"""`steelyard check`: is a file of judgments sound, and what in it is worth a look?"""

from __future__ import annotations

from typing import Annotated

import typer

from steelyard.cli.fit import Range, read_judgments
from steelyard.judgments.checks import check as check_judgments


def check(
    file: Annotated[str, typer.Argument(help="CSV, JSONL or Parquet file of judgments; - is stdin.")],
    range: Range = None,
    kind: Annotated[
        str | None, typer.Option(help="The kind of judgment, where the columns leave it open.")
    ] = None,
) -> None:
    """Check a file of judgments: mistakes first, then what is worth a look."""
    for line in check_judgments(read_judgments(file, kind, range)).lines():
        typer.echo(line)
