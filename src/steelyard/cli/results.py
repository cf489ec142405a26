"""`steelyard import`: import answers that were collected elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from steelyard.cli.acting import record_act
from steelyard.cli.fit_options import with_records
from steelyard.cli.output import progress, remark
from steelyard.cli.reading_options import ReadingOptions
from steelyard.cli.studies import open_session
from steelyard.errors import BadRows, BadSetting, MissingColumn, RowMistakes
from steelyard.judgments.findings import counted
from steelyard.report.preference.answers import listed

if TYPE_CHECKING:
    from steelyard.study.collecting.files.import_results import Imported
    from steelyard.study.collecting.files.results_rows import Results
    from steelyard.study.definition.study import Study

NAMED = 3  # changed answers listed in the message


@with_records
def import_file(
    folder: Annotated[Path, typer.Argument(help="Folder of the study.")],
    results: Annotated[
        Path,
        typer.Argument(
            help="File of answers: results of an MTurk batch (CSV), or a judgment file whose kind is that of the study."
        ),
    ],
    condition: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Condition to which the answers belong, in a study with conditions."
        ),
    ] = "",
    include_rejected: Annotated[
        bool,
        typer.Option(
            "--include-rejected",
            help="Also import assignments that were rejected on MTurk. Default: only approved and submitted ones.",
        ),
    ] = False,
    *,
    reading: ReadingOptions,
) -> None:
    """Import answers that were collected elsewhere into a study.

    If the file has mistakes, nothing is imported. Answers that were imported before are skipped.
    """
    from steelyard.study.collecting.files.import_results import import_results  # optional dependencies

    session = open_session(folder)
    if session.study.arms and not condition:
        names = ", ".join(session.follower.arms)
        raise BadSetting("--condition", f"name the condition to which the answers belong: {names}.")
    arm = session.arm(condition)
    try:
        with progress("Reading"):
            rows = _read(results, arm.study, include_rejected, reading)
        with progress("Importing"):
            done = import_results(session, rows, condition)
        record_act(session.log, "imported", file=results.name, answers=done.answers, raters=done.raters)
    except BadRows as mistakes:
        raise BadRows(mistakes.source, sorted(mistakes.groups, key=_first_line)) from None
    taken = f"{counted(done.answers, 'answer')} of {counted(done.raters, 'rater')}"
    verb = "was" if done.repeated == 1 else "were"
    remark(f"Imported {taken}; {done.repeated:,} {verb} already in the study.")
    for note in done.notes:
        remark(note)
    if done.changed:
        remark(_changes(done, rows.unit))


def _first_line(mistakes: RowMistakes) -> int:
    """The first line with a mistake of this class, so that messages follow the order of the file."""
    return min(line or 0 for line, _ in mistakes.examples)


def _read(path: Path, study: Study, include_rejected: bool, reading: ReadingOptions) -> Results:
    from steelyard.study.collecting.files.results_rows import read_results  # optional dependencies

    try:
        return read_results(path, study.definition, study.items, include_rejected, reading.settings())
    except MissingColumn as missing:
        kind = study.definition.asking.way.kind
        remedy = f"Rename a column, or use a file with judgments of the kind {kind}, as in this study."
        raise missing.with_remedy(remedy) from None


def _changes(done: Imported, unit: str) -> str:
    """The answers that differ from those imported before, and what to do."""
    named = [f"rater {each.rater!r}, task {each.task} ({unit} {each.place})" for each in done.changed]
    return (
        f"Answers that differ from those imported before: {len(named):,}. The earlier answers were kept. "
        f"They are: {listed(named, NAMED)}. "
        "To use the new answers, create a new study and import the corrected file there."
    )
