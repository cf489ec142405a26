"""`steelyard reproduce`: reproduce a published comparison with simulated raters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from steelyard.cli.output import progress
from steelyard.errors import UnknownName

if TYPE_CHECKING:
    from steelyard.simulation.range_reproduction import Domain, Reproduced

PAPERS = ("goldilocks",)


def reproduce(
    paper: Annotated[str, typer.Argument(help=f"Paper to reproduce. One of: {', '.join(PAPERS)}.")],
    seed: Annotated[int, typer.Option(min=0, help="Random seed of items, raters and answers.")] = 0,
    repetitions: Annotated[int, typer.Option(min=1, help="Number of simulated studies per result.")] = 10,
) -> None:
    """Repeat a published comparison with simulated raters, and print it beside the published results."""
    from steelyard.simulation.range_reproduction import (  # optional dependencies
        AMBIGUITIES,
        DOMAINS,
        reproduce_grid,
    )
    from steelyard.simulation.range_reproduction import reproduce as run  # optional dependencies

    if paper not in PAPERS:
        raise UnknownName("paper", paper, PAPERS)
    rng = np.random.default_rng(seed)
    typer.echo("The raters are simulated. Only the figures from the paper come from human raters.")
    typer.echo("Simulated raters call items indistinguishable if their ranges overlap, which favours Range.")
    typer.echo(f"seed {seed} | repetitions {repetitions}")
    reproductions = [(domain, run(domain.scenario, repetitions, rng)) for domain in DOMAINS]
    typer.echo("\n" + distances_table(reproductions))
    typer.echo("\n" + lost_table(reproductions))
    with progress("Simulating", len(AMBIGUITIES)) as show:
        grid = reproduce_grid(DOMAINS[0].scenario, repetitions, rng, show)
    typer.echo("\n" + grid_table(grid))


def distances_table(reproductions: Sequence[tuple[Domain, Reproduced]]) -> str:
    """Return a table of Wasserstein distances to collected comparisons: Table 3, and simulated with standard error."""
    lines = [
        "Wasserstein distance to collected comparisons (<, indistinguishable, > one unit apart)",
        f"{'':10} {'':10} {'Range':>14} {'Direct':>14} {'Infer':>14}",
    ]
    for domain, each in reproductions:
        paper = " ".join(f"{value:14.3f}" for value in domain.distances)
        here = " ".join(map(_with_error, each.distances, each.errors))
        lines += [f"{domain.name:10} {'Table 3':10} {paper}", f"{'':10} {'simulated':10} {here}"]
    return "\n".join(lines)


def _with_error(value: float, error: float) -> str:
    return (f"{value:.3f} ± {error:.3f}" if np.isfinite(error) else f"{value:.3f}").rjust(14)


def lost_table(reproductions: Sequence[tuple[Domain, Reproduced]]) -> str:
    """Return a table of the shares of distinguished pairs called indistinguishable: section 4.7.2, and simulated."""
    lines = [
        "Distinguished pairs called indistinguishable",
        f"{'':10} {'':10} {'Range':>14} {'Direct':>14} {'Infer':>14}",
    ]
    for domain, each in reproductions:
        paper = " ".join(
            "not reported".rjust(14) if value is None else f"{value:14.1%}" for value in domain.lost
        )
        here = " ".join(f"{value:14.1%}" for value in each.lost)
        lines += [f"{domain.name:10} {'paper':10} {paper}", f"{'':10} {'simulated':10} {here}"]
    return "\n".join(lines)


def grid_table(grid: Sequence[Sequence[Reproduced]]) -> str:
    """Return a table of the order of the methods, and the share of repetitions with the published order."""
    from steelyard.simulation.range_reproduction import (  # optional dependencies
        AMBIGUITIES,
        CLAIMED,
        DISAGREEMENTS,
    )

    lines = [
        "Order of the mean distances, smallest first (R Range, D Direct, I Infer). * marks Range < Direct < Infer.",
        "Percentages: repetitions in which that order holds. Rows: ambiguity. Columns: disagreement.",
        f"{'':>6}" + "".join(f"{each:>14}" for each in DISAGREEMENTS),
    ]
    for ambiguity, row in zip(AMBIGUITIES, grid, strict=True):
        cells = [_cell(each, CLAIMED) for each in row]
        lines.append(f"{ambiguity:>6}" + "".join(f"{cell:>14}" for cell in cells))
    held = sum(each.order == CLAIMED for row in grid for each in row)
    lines.append(f"Range < Direct < Infer holds in {held} of {sum(map(len, grid))} cells.")
    return "\n".join(lines)


def _cell(each: Reproduced, claimed: Sequence[str]) -> str:
    star = "*" if each.order == tuple(claimed) else ""
    return f"{star}{'<'.join(name[0] for name in each.order)} {each.holds:4.0%}"
