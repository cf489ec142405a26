"""`steelyard simulate`: answer a study with simulated raters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from steelyard.cli.output import progress, remark
from steelyard.cli.studies import open_session
from steelyard.errors import UnknownName
from steelyard.judgments.findings import counted
from steelyard.simulation.scenarios import SCENARIOS


def simulate(
    folder: Annotated[Path, typer.Argument(help="Folder of the study.")],
    raters: Annotated[int, typer.Option(min=1, help="Number of simulated raters.")] = 30,
    scenario: Annotated[
        str,
        typer.Option(help=f"How raters differ. One of: {', '.join(SCENARIOS)}. Quote names with a space."),
    ] = "full",
    items: Annotated[
        str, typer.Option(help="Distribution of true positions: uniform, skewed, bimodal or clustered.")
    ] = "uniform",
    truth: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column of the items file with the true positions. Default: drawn from the distribution of --items.",
        ),
    ] = None,
    tasks: Annotated[
        int | None, typer.Option(min=1, help="Largest number of tasks to answer. Default: no limit.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of raters, true positions and answers.")] = 0,
) -> None:
    """Answer a study with simulated raters, through the same interface as real raters."""
    from steelyard.simulation.crowd_at_work import Crowd  # optional dependencies
    from steelyard.simulation.crowd_at_work import simulate as run  # optional dependencies
    from steelyard.simulation.truth_column import read_truth  # optional dependencies

    if scenario not in SCENARIOS:
        raise UnknownName("scenario", scenario, tuple(SCENARIOS))
    session = open_session(folder)
    rng = np.random.default_rng(seed)
    crowd = Crowd.draw(session, SCENARIOS[scenario], raters, items, rng)  # type: ignore[arg-type]
    if truth is not None:
        crowd = replace(crowd, truth=read_truth(session.study, truth))
    with progress("Answering", tasks) as show:
        done = run(session, crowd, rng, tasks, show)
    counts = f"{counted(done, 'task')} answered | {counted(raters, 'rater')}"
    positions = f"items {items}" if truth is None else f"positions of column {truth}"
    remark(f"{counts} | scenario {scenario} | {positions} | seed {seed}")
    if session.study.definition.training is not None:
        failed = sum(record.attempts > 0 and not record.trained for record in session.ledger.raters.values())
        remark(f"{counted(failed, 'rater')} did not pass the training and got no tasks.")
