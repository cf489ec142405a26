"""`steelyard report`: write a report as one HTML page."""

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
    source: Annotated[
        str, typer.Argument(help="Folder of a study, or file of judgments. - reads from stdin.")
    ],
    *,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="HTML file to write; - writes to stdout.")
    ] = Path("report.html"),
    model: Annotated[
        str | None,
        typer.Option(
            help=f"For a file of judgments: model to fit. One of: {', '.join(item_models(built_in=True))}. "
            "Default: depends on the kind of judgment."
        ),
    ] = None,
    title: Annotated[
        str, typer.Option(help="For a file of judgments: title of the report. Default: the name of the file.")
    ] = "",
    range: RangeOption = None,
    kind: KindOption = None,
    reading: ReadingOptions,
) -> None:
    """Write a self-contained HTML report of the scale, the raters and the method."""
    from steelyard.report.page import render_report  # optional dependencies

    if Path(source).is_dir():
        contents = _of_study(Path(source))
    else:
        judgments = read_judgments(source, kind, range, reading)
        contents = _of_file(judgments, source, model, title)
        remark_on_judgments(judgments, ("question",))
    write_text(render_report(contents), output)
    remark_on_fits(part.fit for part in contents.parts)


def _of_study(folder: Path) -> ReportInput:
    from steelyard.report.contents import report_of_study  # optional dependencies

    return report_of_study(open_watch(folder).overview(), time.time())


def _of_file(judgments: Judgments, file: str, model: str | None, title: str) -> ReportInput:
    from steelyard.report.contents import report_of_judgments  # optional dependencies

    named = title or ("Judgments" if file == "-" else Path(file).stem)
    chosen = model_named(default_model(judgments.kinds) if model is None else model)
    return report_of_judgments(judgments, chosen, named, time.time())
