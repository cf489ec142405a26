"""`steelyard import`: answers that were collected elsewhere, into the study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from steelyard.cli.answers import counted
from steelyard.cli.fit_options import with_records
from steelyard.cli.output import remark
from steelyard.cli.reading_options import ReadingOptions
from steelyard.cli.studies import open_session
from steelyard.errors import BadSetting, MissingColumn
from steelyard.judgments.read import read
from steelyard.judgments.table import Judgments


@with_records
def import_file(
    folder: Annotated[Path, typer.Argument(help="The study's folder.")],
    results: Annotated[Path, typer.Argument(help="Results: MTurk's CSV, or any file of the study's kind.")],
    *,
    reading: ReadingOptions,
) -> None:
    """Take the answers of a results file into the study, each once."""
    from steelyard.study.batches import import_results  # late: the study parts are an extra

    if reading.repeats == "keep":
        raise BadSetting("--repeats", "a study takes each answer once. Use first, last, mean or refuse.")
    session = open_session(folder)
    known, kind = set(session.study.items.index), session.study.definition.asks.kind
    settings = _once(reading)
    judgments = _answers(results, kind, known, settings)
    shared = session.ledger.judgments().range
    if judgments.range is None and shared is not None:  # now a score outside is named with its line
        judgments = read(results, kind, items=known, range=shared, **settings)
    done = import_results(session, judgments)
    for finding in judgments.reading.of_rows():
        remark(finding.sentence)
    taken = f"{counted(done.answers, 'answer')} of {counted(done.raters, 'rater')}"
    verb = "was" if done.repeated == 1 else "were"
    remark(f"{taken} taken over, {done.repeated:,} {verb} there already.")


def _once(reading: ReadingOptions) -> dict[str, Any]:
    """The reading options, with repeated answers of every kind refused unless an option says which counts."""
    settings = reading.settings()
    return settings if reading.repeats is not None else {**settings, "repeats": "refuse"}


def _answers(results: Path, kind: str, known: set[str], settings: dict[str, Any]) -> Judgments:
    try:
        return read(results, kind, items=known, **settings)
    except MissingColumn as missing:
        remedy = f"Rename a column, or give a file of the study's kind, which is {kind}."
        raise missing.with_remedy(remedy) from None
