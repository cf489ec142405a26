"""Where results and remarks go: numbers to stdout or a file, everything else to stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Annotated, Any

import typer

from steelyard.errors import CannotWrite, UnknownName
from steelyard.judgments.sheet import plain_cells
from steelyard.judgments.writing import FORMATS, write_columns, write_file
from steelyard.scales.fit import Fit

Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", help="Write to this file instead of stdout.", show_default=False),
]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON instead of CSV.")]
JSON = "json"  # one array of objects, to read at once; jsonl has a line per row
PATIENCE_SECONDS = 1.0  # work shorter than this shows no bar


def write_table(
    columns: Mapping[str, Sequence[Any]],
    output: Path | None,
    as_json: bool = False,
    format: str | None = None,
    foreign: Collection[str] = (),
) -> None:
    """A table to stdout or a file: JSON if asked for, else by the file's suffix, else CSV.

    In CSV, texts of `foreign` columns cannot become formulas of a spreadsheet.
    """
    chosen = table_format(output, as_json, format)
    if chosen == JSON:
        rows = zip(*map(plain_cells, columns.values()), strict=True)
        write_json([dict(zip(columns, row, strict=True)) for row in rows], output)
    elif _is_stdout(output):
        write_columns(columns, sys.stdout.buffer, chosen, foreign)
    else:
        write_columns(columns, str(output), chosen, foreign)


def table_format(output: Path | None, as_json: bool = False, format: str | None = None) -> str:
    """How a table will be written, and a refusal where it cannot be: ask before long work.

    >>> table_format(Path("scale.parquet")), table_format(None), table_format(Path("scale.csv"), as_json=True)
    ('parquet', 'csv', 'json')
    """
    check_place(output)
    if as_json:
        return JSON
    suffix = "" if output is None else output.suffix.lstrip(".").lower()
    chosen = format if format is not None else suffix if suffix else "csv"
    if chosen not in (*FORMATS, JSON):
        raise UnknownName("format", chosen, (*FORMATS, JSON), "" if format is not None else str(output))
    return chosen


def check_place(output: Path | None) -> None:
    """Refuse a file in a folder that is not there."""
    if not _is_stdout(output) and output is not None and not output.parent.is_dir():
        raise CannotWrite(str(output), f"there is no folder {output.parent}")


def write_json(value: Any, output: Path | None) -> None:
    """One JSON value to stdout or a file."""
    write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", output)


def write_text(text: str, output: Path | None) -> None:
    """Text to stdout or a file."""
    if output is None or _is_stdout(output):
        typer.echo(text, nl=False)
    else:
        write_file(text.encode(), output)


def _is_stdout(output: Path | None) -> bool:
    return output is None or str(output) == "-"


def remark(text: str) -> None:
    """A line for the person at the terminal."""
    typer.echo(text, err=True)


def remark_on_fits(fits: Iterable[Fit | None]) -> None:
    """How each fit was made; where there is none yet, that."""
    made = [fit for fit in fits if fit is not None]
    for fit in made:
        remark(fit.signature)
        for text in fit.remarks:
            remark(text)
    if not made:
        remark("There is no scale yet: nothing has been answered that one could be made of.")


@contextmanager
def progress(words: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """A bar on stderr that stays away when the work takes less than a second or nobody watches.

    Without a total the bar only says that the work goes on.
    """
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console  # most commands never draw a bar
    from rich.progress import (  # most commands never draw a bar
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    counted = () if total is None else (MofNCompleteColumn(),)
    columns = (TextColumn("{task.description}"), BarColumn(), *counted, TimeElapsedColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(words, total=total)

    def bar_text(done: int) -> str:
        return words if total is not None else f"{words} {done:,}"

    patience = Timer(PATIENCE_SECONDS, bar.start)
    patience.daemon = True
    patience.start()
    try:
        yield lambda done: bar.update(task, completed=done, description=bar_text(done))
    finally:
        patience.cancel()
        patience.join()  # else a bar that is just starting would stay on the screen
        bar.stop()
