"""Where results and remarks go: numbers to stdout or a file, everything else to stderr."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from steelyard.judgments.writing import FORMATS, write_columns

Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", help="Write to this file instead of stdout.", show_default=False),
]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON instead of CSV.")]


def write_table(
    columns: Mapping[str, Sequence[Any]],
    output: Path | None,
    as_json: bool = False,
    format: str | None = None,
) -> None:
    """A table to stdout or a file: as the format says, else as the file's suffix says, else CSV."""
    if as_json:
        rows = [
            dict(zip(columns, row, strict=True)) for row in zip(*map(_plain, columns.values()), strict=True)
        ]
        write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n", output)
        return
    suffix = output.suffix.lstrip(".").lower() if output is not None else ""
    chosen = format or (suffix if suffix in FORMATS else "csv")
    if output is None or str(output) == "-":
        write_columns(columns, sys.stdout.buffer, chosen)
    else:
        write_columns(columns, output, chosen)


def write_text(text: str, output: Path | None) -> None:
    """Text to stdout or a file."""
    if output is None or str(output) == "-":
        typer.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")


def remark(text: str) -> None:
    """A line for the person at the terminal."""
    typer.echo(text, err=True)


@contextmanager
def progress(words: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """A bar on stderr that stays away when the work takes less than a second or nobody watches."""
    from rich.console import Console  # late: most commands never draw a bar
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty())
    with bar:
        task = bar.add_task(words, total=total)
        yield lambda done: bar.update(task, completed=done)


def _plain(values: Any) -> list[Any]:
    listed: list[Any] = values.tolist() if hasattr(values, "tolist") else list(values)
    return [None if isinstance(value, float) and math.isnan(value) else value for value in listed]
