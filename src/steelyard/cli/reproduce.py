"""`steelyard reproduce`: repeat a published study and compare its numbers with those of Steelyard."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Annotated

import typer

from steelyard.cli.output import progress, write_table, write_text
from steelyard.errors import CannotWrite, UnknownName

NAMES = ("easl", "dras", "goldilocks")
PAGE, TABLE = "report.html", "claims.csv"


def reproduce(
    paper: Annotated[str, typer.Argument(help=f"Paper to reproduce. One of: {', '.join(NAMES)}.")],
    full: Annotated[
        bool,
        typer.Option("--full", help="Simulate more studies. This takes up to an hour instead of minutes."),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FOLDER",
            help=f"Folder for {PAGE} (the report) and {TABLE} (its lines). It is created if necessary. "
            "Default: reproduce-PAPER.",
            show_default=False,
        ),
    ] = None,
    data: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="For easl only: data that cannot be distributed with Steelyard. These are the gold values of the "
            "political statements (columns item and value), ratings, or rankings of systems. Can be repeated. "
            "Default: simulated data of the same shape, as the report states.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of items, raters and answers.")] = 0,
    repetitions: Annotated[
        int | None,
        typer.Option(min=1, help="Number of simulated studies per result, instead of the default."),
    ] = None,
) -> None:
    """Repeat a published study, and report each published number beside the number from Steelyard, with a verdict.

    Numbers that follow from published data are computed from it. All others come from simulated raters; no human raters
    are involved.
    """
    from steelyard.report.reproduction.page import claim_columns, render_reproduction, summary_line
    from steelyard.simulation.reproduction.papers import PAPERS  # optional dependencies
    from steelyard.simulation.reproduction.reproduction import Request  # optional dependencies
    from steelyard.storage.memory import Memory  # optional dependencies

    if paper not in PAPERS:
        raise UnknownName("paper", paper, NAMES)
    folder = _folder(paper, output)
    asked = Request(seed, full, repetitions, tuple(data or ()), Memory)
    with progress(f"Reproducing {paper}", PAPERS[paper].steps(asked)) as show:
        done = count(1)
        request = Request(seed, full, repetitions, tuple(data or ()), Memory, lambda: show(next(done)))
        reproduction = PAPERS[paper].run(request)
    columns = claim_columns(reproduction)
    for claim, verdict, why in zip(columns["claim"], columns["verdict"], columns["why"], strict=True):
        typer.echo(f"{verdict}: {claim}" + (f" {why}" if why else ""))
    typer.echo(summary_line(reproduction))
    write_table(columns, folder / TABLE)
    write_text(render_reproduction(reproduction), folder / PAGE)


def _folder(paper: str, output: Path | None) -> Path:
    folder = Path(f"reproduce-{paper}") if output is None else output
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise CannotWrite(str(folder), str(problem)) from problem
    return folder
