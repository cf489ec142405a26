"""Output of commands: results to stdout or a file, messages and progress to stderr."""

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
    typer.Option(
        "-o",
        "--output",
        help="File to write; its suffix sets the format of tables. Default: stdout.",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Write one JSON array instead of CSV.")]
JSON = "json"  # one array of objects; jsonl has one object per line
PATIENCE_SECONDS = 1.0  # shorter work shows no progress bar


def write_table(
    columns: Mapping[str, Sequence[Any]],
    output: Path | None,
    as_json: bool = False,
    format: str | None = None,
    foreign: Collection[str] = (),
) -> None:
    """Write a table to stdout or a file.

    Parameters
    ----------
    columns
        Values of each column.
    output
        File to write; None or `-` is stdout.
    as_json
        Whether to write JSON.
    format
        Format; None to use the suffix of the file, or CSV.
    foreign
        Columns with text from users, which CSV must protect from being read as spreadsheet formulas.
    """
    chosen = table_format(output, as_json, format)
    if chosen == JSON:
        rows = zip(*map(plain_cells, columns.values()), strict=True)
        write_json([dict(zip(columns, row, strict=True)) for row in rows], output)
    elif is_stdout(output):
        write_columns(columns, sys.stdout.buffer, chosen, foreign)
    else:
        write_columns(columns, str(output), chosen, foreign)


def table_format(output: Path | None, as_json: bool = False, format: str | None = None) -> str:
    """Return the format of a table, or raise an error if it cannot be written.

    Commands call this before long computations.

    Parameters
    ----------
    output
        File to write; None or `-` is stdout.
    as_json
        Whether to write JSON.
    format
        Format; None to use the suffix of the file, or CSV.

    Returns
    -------
    str
        Name of the format.

    Examples
    --------
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
    """Raise an error if the folder of the output file does not exist."""
    if not is_stdout(output) and output is not None and not output.parent.is_dir():
        raise CannotWrite(str(output), f"the folder {output.parent} does not exist")


def write_json(value: Any, output: Path | None) -> None:
    """Write a JSON value to stdout or a file."""
    write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", output)


def write_text(text: str, output: Path | None) -> None:
    """Write text to stdout or a file."""
    if output is None or is_stdout(output):
        typer.echo(text, nl=False)
    else:
        write_file(text.encode(), output)


def is_stdout(output: Path | None) -> bool:
    """Whether output goes to stdout."""
    return output is None or str(output) == "-"


def remark(text: str) -> None:
    """Print a message to stderr."""
    typer.echo(text, err=True)


def remark_on_fits(fits: Iterable[Fit | None]) -> None:
    """Print the signature and remarks of each fit, or that there is no scale yet."""
    made = [fit for fit in fits if fit is not None]
    for fit in made:
        remark(fit.signature)
        for text in fit.remarks:
            remark(text)
    if not made:
        remark("There is no scale yet, because there are no judgments to fit.")


@contextmanager
def progress(words: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on stderr if the work takes more than a second and stderr is a terminal.

    Without a total, the bar only shows that the work continues.
    """
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console  # slow to import, and rarely needed
    from rich.progress import (  # slow to import, and rarely needed
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
        patience.join()  # otherwise a bar that is just starting would stay on the screen
        bar.stop()
