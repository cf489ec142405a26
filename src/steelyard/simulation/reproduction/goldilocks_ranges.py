"""Study 3 of Chen, Weld & Zhang (2021): ranges, single values and comparisons. Table 3 and Figure 7."""

from __future__ import annotations

import numpy as np

from steelyard.quality.widths import Widths, compare_widths
from steelyard.simulation.range_scenarios import RangeDesign
from steelyard.simulation.reproduction.claims import Check, Claim, rounded
from steelyard.simulation.reproduction.figures import Clouds, Grid, Series
from steelyard.simulation.reproduction.goldilocks_three_ways import collect_three_ways
from steelyard.simulation.reproduction.range_distances import (
    AMBIGUITIES,
    CLAIMED,
    DISAGREEMENTS,
    DOMAINS,
    Domain,
    Reproduced,
    distances_of,
    reproduce_grid,
)
from steelyard.simulation.reproduction.reproduction import Request, Section
from steelyard.simulation.reproduction.sampled import shown_range, within_range

WORK = {  # median seconds of ranges, single values and comparisons for ten items (section 5.1)
    "toxicity": (592.5, 238.0, 502.0),
    "satiety": (429.5, 307.5, 513.5),
}
SAVED = {"toxicity": "0.20", "satiety": "0.48"}
WEAK = 0.01  # R squared
STRONG = 0.001  # p value
PLANTED = (
    "raters with ranges of mean width 0.15 who compare by the same widths. The paper does not report widths. This "
    "favours ranges."
)
WHY = (
    "The disagreement of simulated raters is that of Table 1, and the width of ranges is an assumption. The "
    "raters of the paper differed in other ways as well."
)


def ranges_steps() -> int:
    """Return the number of steps of this part."""
    return len(DOMAINS) + len(AMBIGUITIES)


def ranges_section(repetitions: int, request: Request) -> Section:
    """Return study 3 with simulated raters, and the grid of raters for which the order of Table 3 holds."""
    if request.make_log is None:
        raise TypeError("A simulated study needs a log.")
    rng = request.rng(3)
    claims: list[Claim] = []
    clouds = {}
    for domain in DOMAINS:
        studies = [
            collect_three_ways(domain.scenario, RangeDesign(), rng, request.make_log)
            for _ in range(repetitions)
        ]
        found = distances_of(studies)
        widths = [compare_widths(judgments) for judgments in studies]
        claims += [
            _order(domain, found),
            *_distances(domain, found),
            *_lost(domain, found),
            *_widths(domain, widths),
        ]
        clouds[domain.name] = _cloud(widths[0])
        request.step()
    claims += [_saved(name) for name in WORK]
    grid = reproduce_grid(DOMAINS[0].scenario, repetitions, rng, lambda done: request.step())
    figures = (
        Clouds(
            "Figure 7: widths of ranges and 95% intervals of single values",
            "One simulated study per domain. Lines are quadratic trends.",
            clouds,
            "position",
            "size",
        ),
        _grid_figure(grid),
    )
    text = (
        f"{repetitions} simulated studies with three arms and 8 groups of 10 items: 5 raters with ranges, 10 with "
        "single values, and 5 comparisons of each pair of a group. The grid below is drawn without arms. Our "
        "numbers are means of the simulated studies with 95% prediction intervals of one study. A number of "
        "the paper agrees if it is in that interval.",
        "Direct and Infer of Table 3 are whole multiples of 1/3600 in both domains. This follows from unit "
        "spacing, 10 raters, 5 people per comparison and 360 pairs. The paper states neither the spacing nor the "
        "5 people.",
    )
    return Section("Study 3: ranges (section 4.7)", text, tuple(claims), figures)


def _order(domain: Domain, found: Reproduced) -> Claim:
    steps = np.diff(found.drawn[:, 0].mean(axis=0))
    return Claim(
        "Table 3, H2-a, H2-b",
        f"{domain.name}: Range is closest to the collected comparisons, then Direct, then Infer.",
        " < ".join(CLAIMED),
        f"{' < '.join(found.order)}; this order in {found.holds:.0%} of the simulated studies",
        tuple(Check(float(step), low=0.0) for step in steps),
        PLANTED,
        because=WHY,
    )


def _distances(domain: Domain, found: Reproduced) -> list[Claim]:
    return [
        Claim(
            "Table 3",
            f"{domain.name}: Wasserstein distance of {method}.",
            f"{published:.3f}",
            shown_range(found.drawn[:, 0, at]),
            (within_range(published, found.drawn[:, 0, at]),),
            PLANTED,
            because=WHY,
        )
        for at, (method, published) in enumerate(zip(CLAIMED, domain.distances, strict=True))
    ]


def _lost(domain: Domain, found: Reproduced) -> list[Claim]:
    return [
        Claim(
            "Section 4.7.2",
            f"{domain.name}: share of distinguished pairs that {method} calls indistinguishable.",
            f"{published:.3f}",
            shown_range(found.drawn[:, 1, at]),
            (within_range(published, found.drawn[:, 1, at]),),
            PLANTED,
            because=WHY,
        )
        for at, (method, published) in enumerate(zip(CLAIMED, domain.lost, strict=True))
        if published is not None
    ]


def _widths(domain: Domain, widths: list[Widths]) -> tuple[Claim, ...]:
    gap = np.array([each.test.difference for each in widths])
    p = np.array([each.test.p for each in widths])
    square = np.array([0.0 if each.correlation is None else each.correlation.r**2 for each in widths])
    return (
        Claim(
            "Section 4.7.3, Figure 7",
            f"{domain.name}: ranges are narrower than 95% intervals of single values, p < 0.001.",
            "narrower, p < 0.001",
            f"{shown_range(gap)}; median p {np.median(p):.1e}",
            (Check(float(np.median(gap)), high=0.0), Check(float(np.median(p)), high=STRONG)),
            PLANTED,
            because=WHY,
        ),
        Claim(
            "Section 4.7.3, RQ3",
            f"{domain.name}: widths and disagreement are hardly correlated, R squared below 0.01.",
            "below 0.01",
            f"median {np.median(square):.4f}",
            (Check(float(np.median(square)), high=WEAK),),
            "ambiguity and disagreement of items that are drawn independently.",
            because="Items differ in both, and chance alone gives R squared of this size with so few items.",
        ),
    )


def _saved(name: str) -> Claim:
    ranges, single, comparisons = WORK[name]
    share = 1.0 - ranges / (single + comparisons)
    return Claim(
        "Section 5.1",
        f"{name}: ranges take less time than single values and comparisons together.",
        f"{SAVED[name]} saved",
        f"1 - {ranges:g} / ({single:g} + {comparisons:g}) = {share:.3f}",
        (rounded(share, SAVED[name]),),
        note="Computed from the median times that the paper prints.",
    )


def _cloud(widths: Widths) -> tuple[Series, ...]:
    named = {"width of ranges": widths.widths, "95% interval": widths.intervals}
    return tuple(
        Series(name, tuple(zip(each.position.tolist(), each.size.tolist(), strict=True)))
        for name, each in named.items()
    )


def _grid_figure(grid: list[list[Reproduced]]) -> Grid:
    held = sum(each.order == CLAIMED for row in grid for each in row)
    rows = tuple(
        (f"{ambiguity:g}", *(_cell(each) for each in row))
        for ambiguity, row in zip(AMBIGUITIES, grid, strict=True)
    )
    return Grid(
        "Where the order of Table 3 holds",
        "Rows: mean width of ranges. Columns: standard deviation between raters. Cells: order of the mean "
        "distances (R Range, D Direct, I Infer), and the share of simulated studies with R<D<I. The order of the "
        f"paper holds in {held} of {sum(map(len, grid))} cells.",
        ("ambiguity", *(f"{each:g}" for each in DISAGREEMENTS)),
        rows,
    )


def _cell(each: Reproduced) -> str:
    star = " *" if each.order == CLAIMED else ""
    return f"{'<'.join(name[0] for name in each.order)} {each.holds:.0%}{star}"
