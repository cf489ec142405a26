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
from steelyard.errors import BadRows, BadSetting, MissingColumn, RowMistakes, UnknownName
from steelyard.judgments.files import read_file
from steelyard.judgments.findings import counted
from steelyard.judgments.sheet import Sheet
from steelyard.judgments.sources import HUMAN, MACHINE, SOURCES
from steelyard.judgments.table import Judgments
from steelyard.report.preference.answers import listed

if TYPE_CHECKING:
    from steelyard.study.collecting.files.import_results import Imported
    from steelyard.study.collecting.files.results_rows import Results
    from steelyard.study.collecting.session import Session
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
            metavar="NAME",
            help="Condition (arm) to which the answers belong. Required in a study with several conditions.",
        ),
    ] = "",
    protocol: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Protocol to which the answers belong, in a study with several protocols."
        ),
    ] = "",
    include_rejected: Annotated[
        bool,
        typer.Option(
            "--include-rejected",
            help="Also import assignments that were rejected on MTurk. Default: only approved and submitted ones.",
        ),
    ] = False,
    source: Annotated[
        str,
        typer.Option(
            metavar="human|machine",
            help="Who gave the answers. With machine, all rows are answers of machine judges, and scores may have any "
            "range. Default: the column source of the file, otherwise human.",
        ),
    ] = "",
    *,
    reading: ReadingOptions,
) -> None:
    """Import answers that were collected elsewhere into a study.

    If the file has mistakes, nothing is imported. Answers that were imported before are skipped. Answers of machine
    judges (metrics or language models) are stored apart from those of raters, and are never counted as such.
    """
    from steelyard.study.collecting.files.file_protocol import study_of_file  # optional dependencies

    if source not in ("", *SOURCES):
        raise UnknownName("value", source, SOURCES, where="--source")
    session = open_session(folder)
    if session.study.arms and not condition:
        names = ", ".join(session.follower.arms)
        raise BadSetting("--condition", f"name the condition to which the answers belong: {names}.")
    arm = session.arm(condition)
    try:
        with progress("Reading"):
            people, machine = _by_source(results, arm.study, reading, source)
            rows = None
            if len(people) > 0 or machine is None:
                rows = _read(people, study_of_file(arm.study, protocol), include_rejected, reading)
        if machine is not None:
            _import_machine(session, machine, results)
        if rows is not None:
            _import_people(session, rows, (condition, protocol), results)
    except BadRows as mistakes:
        raise BadRows(mistakes.source, sorted(mistakes.groups, key=_first_line)) from None


def _by_source(
    path: Path, study: Study, reading: ReadingOptions, source: str
) -> tuple[Sheet, Judgments | None]:
    """Return the rows of people, and the answers of machine judges."""
    from steelyard.study.collecting.files.import_machine import people_and_machine  # optional dependencies

    if source == HUMAN:
        return read_file(path), None
    return people_and_machine(path, study.items, reading.settings(), source == MACHINE)


def _import_machine(session: Session, machine: Judgments, path: Path) -> None:
    from steelyard.study.collecting.files.import_machine import import_machine  # optional dependencies

    with progress("Importing"):
        done = import_machine(session, machine)
    record_act(session.log, "imported", file=path.name, answers=done.rows, machine_judges=len(done.judges))
    judges = counted(len(done.judges), "machine judge")
    verb = "was" if done.repeated == 1 else "were"
    remark(
        f"Imported {counted(done.rows, 'row')} of {judges}; {done.repeated:,} {verb} already in the study."
    )


def _import_people(session: Session, rows: Results, asked: tuple[str, str], path: Path) -> None:
    """Import answers of people to the condition and the protocol with these names."""
    from steelyard.study.collecting.files.import_results import import_results  # optional dependencies

    with progress("Importing"):
        done = import_results(session, rows, *asked)
    record_act(session.log, "imported", file=path.name, answers=done.answers, raters=done.raters)
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


def _read(path: Sheet, study: Study, include_rejected: bool, reading: ReadingOptions) -> Results:
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
