"""`steelyard import`: answers that were collected elsewhere, into the study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from steelyard.cli.output import remark
from steelyard.cli.studies import open_session


def import_file(
    folder: Annotated[Path, typer.Argument(help="The study's folder.")],
    results: Annotated[Path, typer.Argument(help="Results: MTurk's CSV, or any file of ratings.")],
) -> None:
    """Take the answers of a results file into the study, each once."""
    from steelyard.judgments.read import read  # late, like all that a study needs
    from steelyard.study.batches import import_results

    session = open_session(folder)
    known = set(session.study.items.index)
    judgments = read(results, "rating", items=known)
    if judgments.range is None:
        scale = session.study.definition.scale
        judgments = read(results, "rating", range=(scale.low, scale.high), items=known)
    done = import_results(session, judgments)
    remark(f"{done.answers} answers of {done.raters} raters taken over, {done.repeated} were there already.")
