"""`steelyard import`: answers that were collected elsewhere, into the study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from steelyard.cli.answers import listed
from steelyard.cli.fit_options import with_records
from steelyard.cli.output import remark
from steelyard.cli.reading_options import ReadingOptions
from steelyard.cli.studies import open_session
from steelyard.errors import MissingColumn
from steelyard.judgments.findings import counted

if TYPE_CHECKING:
    from steelyard.study.collecting.files.import_results import Imported
    from steelyard.study.collecting.files.results_rows import Results
    from steelyard.study.definition.study import Study

NAMED = 3  # changed answers that are named one by one


@with_records
def import_file(
    folder: Annotated[Path, typer.Argument(help="The study's folder.")],
    results: Annotated[Path, typer.Argument(help="Results: MTurk's CSV, or any file of the study's kind.")],
    include_rejected: Annotated[
        bool, typer.Option("--include-rejected", help="Import assignments that were rejected on MTurk too.")
    ] = False,
    *,
    reading: ReadingOptions,
) -> None:
    """Import the answers of a results file into the study: all of them, each once, or none."""
    from steelyard.study.collecting.files.import_results import import_results  # the study parts are an extra

    session = open_session(folder)
    rows = _read(results, session.study, include_rejected, reading)
    done = import_results(session, rows)
    taken = f"{counted(done.answers, 'answer')} of {counted(done.raters, 'rater')}"
    verb = "was" if done.repeated == 1 else "were"
    remark(f"{taken} taken over, {done.repeated:,} {verb} there already.")
    for note in done.notes:
        remark(note)
    if done.changed:
        remark(_changes(done, rows.unit))


def _read(path: Path, study: Study, include_rejected: bool, reading: ReadingOptions) -> Results:
    from steelyard.study.collecting.files.results_rows import read_results  # the study parts are an extra

    try:
        return read_results(path, study.definition, study.items, include_rejected, reading.settings())
    except MissingColumn as missing:
        kind = study.definition.asking.way.kind
        remedy = f"Rename a column, or give a file of the study's kind, which is {kind}."
        raise missing.with_remedy(remedy) from None


def _changes(done: Imported, unit: str) -> str:
    """Which answers differ from what was imported before, and what to do."""
    named = [f"rater {each.rater!r}, task {each.task} ({unit} {each.place})" for each in done.changed]
    return (
        f"Answers that differ from those imported before: {len(named):,}. The first ones were kept. "
        f"They are: {listed(named, NAMED)}. "
        "To use the corrected ones, make a new study and import the corrected file there."
    )
