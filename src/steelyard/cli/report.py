"""`steelyard report`: one page to read, keep and print."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from steelyard.cli.fit import KindOption, RangeOption, read_judgments
from steelyard.cli.fit_options import with_records
from steelyard.cli.output import remark_on_fits, write_text
from steelyard.cli.reading_options import ReadingOptions, remark_on_judgments
from steelyard.cli.studies import open_watch
from steelyard.judgments.table import Judgments
from steelyard.models.known import default_model, item_models, model_named

if TYPE_CHECKING:
    from steelyard.report.contents import ReportInput


@with_records
def report(
    source: Annotated[str, typer.Argument(help="A study's folder, or a file of judgments; - is stdin.")],
    *,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The HTML file to write; - is stdout.")
    ] = Path("report.html"),
    model: Annotated[
        str | None,
        typer.Option(
            help=f"For a file: one of {', '.join(item_models(built_in=True))}. If none is named, what suits it."
        ),
    ] = None,
    title: Annotated[str, typer.Option(help="For a file: what to call it.")] = "",
    range: RangeOption = None,
    kind: KindOption = None,
    reading: ReadingOptions,
) -> None:
    """Write a report that needs no network: the scale, the raters, and how it was made."""
    from steelyard.report.page import render_report  # charts are an extra

    if Path(source).is_dir():
        contents = _of_study(Path(source))
    else:
        judgments = read_judgments(source, kind, range, reading)
        contents = _of_file(judgments, source, model, title)
        remark_on_judgments(judgments, ("question",))
    write_text(render_report(contents), output)
    remark_on_fits(part.fit for part in contents.parts)


def _of_study(folder: Path) -> ReportInput:
    from steelyard.report.contents import report_of_study  # charts are an extra

    return report_of_study(open_watch(folder).overview(), time.time())


def _of_file(judgments: Judgments, file: str, model: str | None, title: str) -> ReportInput:
    from steelyard.report.contents import report_of_judgments  # charts are an extra

    named = title or ("Judgments" if file == "-" else Path(file).stem)
    chosen = model_named(default_model(judgments.kinds) if model is None else model)
    return report_of_judgments(judgments, chosen, named, time.time())
