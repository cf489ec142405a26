"""`steelyard import`: answers that were collected elsewhere, into the study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from steelyard.cli.output import remark
from steelyard.cli.studies import open_session
from steelyard.judgments.read import read


def import_file(
    folder: Annotated[Path, typer.Argument(help="The study's folder.")],
    results: Annotated[Path, typer.Argument(help="Results: MTurk's CSV, or any file of the study's kind.")],
) -> None:
    """Take the answers of a results file into the study, each once."""
    from steelyard.study.batches import import_results  # late: the study parts are an extra

    session = open_session(folder)
    known, kind = set(session.study.items.index), session.study.definition.asks.kind
    judgments = read(results, kind, items=known)
    shared = session.ledger.judgments().range
    if judgments.range is None and shared is not None:  # now a score outside is named with its line
        judgments = read(results, kind, items=known, range=shared)
    done = import_results(session, judgments)
    remark(f"{done.answers} answers of {done.raters} raters taken over, {done.repeated} were there already.")
