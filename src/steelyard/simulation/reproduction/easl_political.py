"""Experiment 2 of Sakaguchi & Van Durme (2018): political spectrum. Figures 9 and 10, Table 1 and note 20."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from steelyard.maths.arrays import Vector
from steelyard.simulation.reproduction.claims import Check, Claim, near
from steelyard.simulation.reproduction.easl_data import AGREEMENT, TABLE_1, draw_political
from steelyard.simulation.reproduction.easl_experiments import (
    COMPARED,
    DA,
    EASL,
    RA,
    SHORT,
    Experiment,
    calibrated,
    run_experiment,
)
from steelyard.simulation.reproduction.easl_figures import (
    correlation_figure,
    histogram_figure,
    misplaced,
    positions_at,
    spread_ratio,
)
from steelyard.simulation.reproduction.easl_lexical import (
    MISPLACED,
    WHY_EASL,
    WHY_RA,
    agreement_claim,
    close_claim,
    faster_claim,
)
from steelyard.simulation.reproduction.easl_rounds import rescaled
from steelyard.simulation.reproduction.figures import Grid
from steelyard.simulation.reproduction.reproduction import Request, Section

STRONG = 0.9
ONE_SIDED = (0.6, 1.0)  # only liberal propositions
TABLE_TOLERANCE = 10.0  # points from 0 to 100
SAME = 2.0  # points between direct assessment and EASL
STAND_IN = (
    "The gold values of the authors may not be distributed. A stand-in of the same shape is used: 150 values in "
    "steps of 1/28 with many items at both ends. Pass the values with --data FILE (columns item and value)."
)


def political_steps(repetitions: int) -> int:
    """Return the number of steps of this part."""
    return repetitions * len(COMPARED) + one_sided_repetitions(repetitions) * 2


def one_sided_repetitions(repetitions: int) -> int:
    """Return the number of experiments with items on one side of the scale."""
    return max(repetitions // 2, 1)


def political_section(repetitions: int, gold: Vector | None, request: Request) -> Section:
    """Return experiment 2 with simulated raters, on the gold values if there are any.

    Parameters
    ----------
    repetitions
        Number of simulated experiments.
    gold
        Gold values from 0 to 1, or None for a stand-in.
    request
        Seed, log and progress.

    Returns
    -------
    Section
        Claims and figures.
    """
    draw: Callable[[np.random.Generator], Vector] = draw_political if gold is None else lambda rng: gold
    scenario = calibrated(draw, AGREEMENT["political"], request.rng(2))
    experiment = run_experiment(draw, scenario, COMPARED, repetitions, request)
    one_sided = run_experiment(
        lambda rng: rng.uniform(*ONE_SIDED, 150),
        scenario,
        (DA, RA),
        one_sided_repetitions(repetitions),
        request,
    )
    claims = (
        agreement_claim("Note 20", "political", experiment),
        *(_strong(method, experiment) for method in COMPARED),
        faster_claim("Section 5.2, Figure 9", RA, experiment, WHY_RA),
        faster_claim("Section 5.2, Figure 9", EASL, experiment, WHY_EASL),
        close_claim("Section 5.2", (4, 6), experiment, WHY_EASL),
        *(_fits(method, experiment) for method in (DA, EASL)),
        _narrow(experiment),
        _renormalised(one_sided),
        *_table_1(experiment),
    )
    source = STAND_IN if gold is None else f"The items have the {len(gold)} gold values of the file."
    text = (
        source,
        f"{repetitions} simulated experiments of 150 items, lists of 5 and 10 answers per item. Noise is set so "
        f"that two raters agree as in the paper (Spearman {AGREEMENT['political']}).",
    )
    figures = (
        correlation_figure(9, "political spectrum", experiment),
        histogram_figure(10, "political spectrum", experiment),
        _table_figure(experiment),
    )
    return Section("Experiment 2: political spectrum", text, claims, figures)


def _strong(method: str, experiment: Experiment) -> Claim:
    last = [float(experiment.mean_curve(method, measure)[-1]) for measure in (0, 1)]
    return Claim(
        "Figure 9",
        f"{SHORT[method]} reaches a correlation above 0.9.",
        "above 0.9",
        f"Spearman {last[0]:.3f}, Pearson {last[1]:.3f} at 10 answers per item",
        tuple(Check(each, low=STRONG) for each in last),
    )


def _fits(method: str, experiment: Experiment) -> Claim:
    value = misplaced(experiment, method)
    return Claim(
        "Figure 10",
        f"{SHORT[method]} fits the distribution of the oracle.",
        "fits",
        f"{value:.0%} of the items in another fifth of the scale than the truth (limit {MISPLACED:.0%})",
        (Check(value, high=MISPLACED),),
        because="Biased raters, spammers and the ends of the scale draw mean scores away from the ends.",
    )


def _narrow(experiment: Experiment) -> Claim:
    ratio = {method: spread_ratio(experiment, method) for method in COMPARED}
    return Claim(
        "Figure 10",
        "RA converges to a narrower range than the oracle, DA and EASL.",
        "narrower",
        "; ".join(f"{SHORT[method]} {each:.2f}" for method, each in ratio.items())
        + " times the spread of the truth",
        (Check(ratio[RA], high=min(1.0, ratio[DA], ratio[EASL])),),
    )


def _renormalised(experiment: Experiment) -> Claim:
    """Return the error of stretched ranking aggregation on items that are all on one side."""
    error = {
        method: float(
            np.mean(
                [
                    np.sqrt(np.mean((shown - truth) ** 2))
                    for shown, truth in zip(_stretched(experiment, method), experiment.truths, strict=True)
                ]
            )
        )
        for method in (DA, RA)
    }
    return Claim(
        "Section 5.2",
        "Renormalizing RA does not help if all items are on one side of the scale.",
        "does not help",
        f"root mean squared error {error[RA]:.3f} of renormalized RA, {error[DA]:.3f} of DA, items from 0.6 to 1",
        (Check(error[RA], low=error[DA]),),
    )


def _stretched(experiment: Experiment, method: str) -> list[Vector]:
    last = experiment.last(method)
    return [rescaled(each) for each in last] if method == RA else last


def _table_1(experiment: Experiment) -> list[Claim]:
    """Return one claim per row of Table 1."""
    gold = np.array([row[0] for row in TABLE_1]) / 100.0
    here = {method: positions_at(experiment, method, gold) for method in COMPARED}
    claims = []
    for at, (value, *published) in enumerate(TABLE_1):
        ours = [float(here[method][at]) for method in COMPARED]
        paper = [published[0], published[1], published[2]]
        checks = [near(one, other, TABLE_TOLERANCE) for one, other in zip(ours, paper, strict=True)]
        checks.append(near(ours[2], ours[0], SAME))
        claims.append(
            Claim(
                "Table 1",
                f"Statement with gold {value:g}: DA, RA and EASL (from 0 to 100).",
                "  ".join(f"{each:.1f}" for each in paper),
                "  ".join(f"{each:.1f}" for each in ours),
                tuple(checks),
                because=_why_row(ours, paper),
            )
        )
    return claims


def _why_row(ours: list[float], paper: list[float]) -> str:
    names = [
        name
        for name, one, other in zip(("DA", "RA", "EASL"), ours, paper, strict=True)
        if abs(one - other) > TABLE_TOLERANCE
    ]
    if not names:
        return f"EASL and DA differ by {abs(ours[2] - ours[0]):.1f} points."
    return (
        f"More than {TABLE_TOLERANCE:g} points away: {', '.join(names)}. One statement of the paper is compared "
        "with the mean of simulated items at its gold value, and simulated raters have no opinion about that "
        "statement."
    )


def _table_figure(experiment: Experiment) -> Grid:
    gold = np.array([row[0] for row in TABLE_1]) / 100.0
    here = [positions_at(experiment, method, gold) for method in COMPARED]
    head = ("gold", "DA, paper", "DA, here", "RA, paper", "RA, here", "EASL, paper", "EASL, here")
    rows = tuple(
        (
            f"{row[0]:g}",
            *(
                text
                for pair in zip(row[1:], (each[at] for each in here), strict=True)
                for text in map(_points, pair)
            ),
        )
        for at, row in enumerate(TABLE_1)
    )
    return Grid(
        "Table 1: positions beside the paper's",
        "From 0 (very conservative) to 100 (very liberal).",
        head,
        rows,
    )


def _points(value: float) -> str:
    return f"{value:.1f}"
