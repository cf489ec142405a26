"""Output of commands: results to stdout or a file, messages and progress to stderr."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Timer
from typing import Annotated, Any

import typer

from steelyard.errors import BadSetting, CannotWrite, UnknownName
from steelyard.judgments.sheet import plain_cells
from steelyard.judgments.writing import FORMATS, write_columns, write_file
from steelyard.maths import compiling
from steelyard.scales.fit import Fit
from steelyard.scales.table_text import as_latex, as_markdown, as_text

Output = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        help="File to write. The suffix sets the format of tables: .csv, .jsonl, .json, .parquet, .md (Markdown) or "
        ".tex (LaTeX). Default: stdout, as aligned text in a terminal and as CSV in a pipe. Use '-' for CSV on stdout.",
        show_default=False,
    ),
]
TextOutput = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        help="File to write: text, or JSON with --json. Default: stdout.",
        show_default=False,
    ),
]
Caption = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="Caption of a LaTeX table, for output to a .tex file. Default: no caption.",
        show_default=False,
    ),
]
Label = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Label of a LaTeX table, such as tab:scale, for output to a .tex file. Default: no label.",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Write the table as one JSON array.")]
CSV = "csv"
JSON = "json"  # one array of objects; jsonl has one object per line
TERMINAL = "text"  # aligned and rounded, for reading
MARKDOWN, LATEX = "md", "tex"
FOR_PAGES = (MARKDOWN, LATEX)  # formats for readers, in files
ROUNDED = (*FOR_PAGES, TERMINAL)  # formats with rounded numbers
TABLE_FORMATS = (*FORMATS, JSON, *FOR_PAGES)
PATIENCE_SECONDS = 1.0  # shorter work shows no progress bar


@dataclass(frozen=True, slots=True)
class TableText:
    """What a table for readers has beside its cells: sentences below it, and caption and label in LaTeX."""

    notes: tuple[str, ...] = ()
    caption: str | None = None
    label: str | None = None

    def check(self, output: Path | None, as_json: bool = False) -> None:
        """Raise an error for a caption or a label of a table that is not written as LaTeX."""
        for name in ("caption", "label"):
            if getattr(self, name) is not None and table_format(output, as_json) != LATEX:
                raise BadSetting(
                    f"--{name}", "this option needs a LaTeX table. Write to a .tex file with -o."
                )

    def written(self, columns: Mapping[str, Sequence[Any]], format: str) -> str:
        """Return a table in a format for readers."""
        if format == LATEX:
            return as_latex(columns, caption=self.caption, label=self.label, notes=self.notes)
        if format == MARKDOWN:
            return "\n".join([as_markdown(columns), *(f"\n{each}" for each in self.notes)])
        return as_text(columns)


NO_TEXT = TableText()


def write_table(
    columns: Mapping[str, Sequence[Any]],
    output: Path | None,
    as_json: bool = False,
    format: str | None = None,
    foreign: Collection[str] = (),
    text: TableText = NO_TEXT,
) -> None:
    """Write a table to stdout or a file.

    Parameters
    ----------
    columns
        Values of each column.
    output
        File to write. None is stdout: aligned text in a terminal, CSV in a pipe. `-` is stdout as CSV.
    as_json
        Whether to write JSON.
    format
        Format; None to use the suffix of the file.
    foreign
        Columns with text from users, which CSV must protect from being read as spreadsheet formulas.
    text
        Sentences, caption and label of a table in Markdown or LaTeX. Default: none.
    """
    chosen = _format_shown(output, as_json, format)
    if chosen in ROUNDED:
        shown = {name: plain_cells(cells) for name, cells in columns.items()}
        write_text(text.written(shown, chosen) + "\n", output)
    elif chosen == JSON:
        with progress("Writing"):
            rows = zip(*map(plain_cells, columns.values()), strict=True)
            write_json([dict(zip(columns, row, strict=True)) for row in rows], output)
    elif is_stdout(output):
        write_columns(columns, sys.stdout.buffer, chosen, foreign)
    else:
        with progress("Writing"):
            write_columns(columns, str(output), chosen, foreign)
        remark_on_file(output)


def write_explained(
    columns: Mapping[str, Sequence[Any]],
    sentences: Sequence[str],
    output: Path | None,
    as_json: bool = False,
    text: TableText = NO_TEXT,
) -> None:
    """Write a table whose rows are explained in sentences.

    The sentences are columns, which would be too wide for a terminal or a page. In a terminal, in Markdown and in LaTeX
    they follow the table. Below a LaTeX table without a caption they are comments.

    Parameters
    ----------
    columns
        Values of each column, with a column `statistic`.
    sentences
        Columns with sentences, the meaning first.
    output
        File to write. None is stdout: aligned text in a terminal, CSV in a pipe. `-` is stdout as CSV.
    as_json
        Whether to write JSON.
    text
        Caption and label of a table in LaTeX. Default: none.
    """
    chosen = _format_shown(output, as_json)
    if chosen not in ROUNDED:
        write_table(columns, output, as_json)
        return
    short = {name: plain_cells(cells) for name, cells in columns.items() if name not in sentences}
    explained = _explanations(columns, sentences)
    if chosen != TERMINAL:
        write_text(replace(text, notes=tuple(explained)).written(short, chosen) + "\n", output)
        return
    width = shutil.get_terminal_size().columns
    wrapped = [textwrap.fill(each, width, subsequent_indent="  ") for each in explained]
    write_text("\n".join([as_text(short), "", *wrapped, ""]), output)


def _explanations(columns: Mapping[str, Sequence[Any]], sentences: Sequence[str]) -> list[str]:
    """The sentences of the rows, once for all statistics that share them."""
    shared: dict[str, dict[str, None]] = {}
    for name, meaning, *others in zip(
        columns["statistic"], *(columns[each] for each in sentences), strict=True
    ):
        labelled = zip(sentences[1:], others, strict=True)
        text = " ".join([meaning, *(f"{label.capitalize()}: {cell}." for label, cell in labelled if cell)])
        shared.setdefault(text, {})[name] = None
    return [f"{'; '.join(names)}: {text}" for text, names in shared.items()]


def _format_shown(output: Path | None, as_json: bool, format: str | None = None) -> str:
    """The format of a table: aligned text where a terminal would show CSV."""
    chosen = table_format(output, as_json, format)
    readable = chosen == CSV and output is None and format is None and is_terminal()
    return TERMINAL if readable else chosen


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
    chosen = format if format is not None else suffix if suffix else CSV
    if chosen not in TABLE_FORMATS:
        raise UnknownName("format", chosen, TABLE_FORMATS, "" if format is not None else str(output))
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
        remark_on_file(output)


def remark_on_file(output: Path | None, missing: str = "") -> None:
    """Print that a file was written, and what it lacks; on stdout only the latter."""
    if not is_stdout(output):
        remark(f"Wrote {output}{missing}.")
    elif missing:
        remark(f"The output is{missing}.")


def is_stdout(output: Path | None) -> bool:
    """Whether output goes to stdout."""
    return output is None or str(output) == "-"


def is_terminal() -> bool:
    """Whether stdout is a terminal, where the signature on stderr is read together with the table."""
    return sys.stdout.isatty()


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


def remark_if_not_compiled() -> None:
    """Print that models run without compiled loops, if numba is not installed."""
    if not compiling.IS_COMPILED:
        remark(compiling.NOT_COMPILED)


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
