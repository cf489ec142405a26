"""`steelyard import`: answers that were collected elsewhere, into the study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from steelyard.cli.answers import counted
from steelyard.cli.output import remark
from steelyard.cli.studies import open_session
from steelyard.errors import MissingColumn
from steelyard.judgments.read import read
from steelyard.judgments.table import Judgments


def import_file(
    folder: Annotated[Path, typer.Argument(help="The study's folder.")],
    results: Annotated[Path, typer.Argument(help="Results: MTurk's CSV, or any file of the study's kind.")],
) -> None:
    """Take the answers of a results file into the study, each once."""
    from steelyard.study.batches import import_results  # late: the study parts are an extra

    session = open_session(folder)
    known, kind = set(session.study.items.index), session.study.definition.asks.kind
    judgments = _answers(results, kind, known)
    shared = session.ledger.judgments().range
    if judgments.range is None and shared is not None:  # now a score outside is named with its line
        judgments = read(results, kind, items=known, range=shared)
    done = import_results(session, judgments)
    taken = f"{counted(done.answers, 'answer')} of {counted(done.raters, 'rater')}"
    verb = "was" if done.repeated == 1 else "were"
    remark(f"{taken} taken over, {done.repeated:,} {verb} there already.")


def _answers(results: Path, kind: str, known: set[str]) -> Judgments:
    try:
        return read(results, kind, items=known)
    except MissingColumn as missing:
        remedy = f"Rename a column, or give a file of the study's kind, which is {kind}."
        raise missing.with_remedy(remedy) from None
