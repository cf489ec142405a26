"""Table 3 of Chen, Weld & Zhang (CSCW 2021) with simulated raters, and the conditions under which its order holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Matrix, Vector
from steelyard.quality.relations import (
    collected_relations,
    direct_relations,
    inferred_relations,
    lost_pairs,
    range_relations,
    wasserstein,
)
from steelyard.simulation.range_scenarios import RangeDesign, RangeScenario, simulate_ranges

METHODS = {"Range": range_relations, "Direct": direct_relations, "Infer": inferred_relations}
CLAIMED = tuple(METHODS)  # in the order of the paper, smallest distance first
AMBIGUITIES = (0.02, 0.05, 0.1, 0.2, 0.4)
DISAGREEMENTS = (0.02, 0.05, 0.1, 0.2, 0.4)


@dataclass(frozen=True, slots=True)
class Domain:
    """One row of Table 3 with the shares of section 4.7.2, and the scenario of its raters.

    The disagreement is the standard error of Table 1 (semantic) times sqrt(10). The ambiguity is an assumption,
    because the paper does not report widths.

    Attributes
    ----------
    name
        Name of the domain in the paper.
    distances
        Distances of the methods in Table 3.
    lost
        Shares of lost pairs of the methods; None if the paper does not report them.
    scenario
        Scenario of the simulated raters.
    """

    name: str
    distances: tuple[float, float, float]
    lost: tuple[float | None, float | None, float | None]
    scenario: RangeScenario


DOMAINS = (
    Domain("toxicity", (0.332314, 0.366944, 0.450556), (0.221, None, 0.435), RangeScenario(0.15, 0.232)),
    Domain("satiety", (0.424352, 0.449444, 0.597222), (0.309, None, 0.681), RangeScenario(0.15, 0.202)),
)


@dataclass(frozen=True, eq=False)
class Reproduced:
    """Results of the reproduction by method, averaged over repetitions.

    Attributes
    ----------
    distances
        Mean distance of each method.
    errors
        Standard errors of the distances; infinite after one repetition.
    lost
        Mean share of lost pairs of each method.
    holds
        Share of repetitions in which Range < Direct < Infer.
    drawn
        Distances (0) and lost shares (1) of each method: repetitions x 2 x methods.
    """

    distances: Vector
    errors: Vector
    lost: Vector
    holds: float
    drawn: Matrix

    @property
    def order(self) -> tuple[str, ...]:
        """The methods, smallest distance first."""
        return tuple(CLAIMED[at] for at in np.argsort(self.distances, kind="stable"))


def reproduce(
    scenario: RangeScenario, repetitions: int, rng: np.random.Generator, design: RangeDesign | None = None
) -> Reproduced:
    """Return the three distances to collected comparisons, over several simulated studies.

    Parameters
    ----------
    scenario
        How raters see the items.
    repetitions
        Number of simulated studies.
    rng
        Source of randomness.
    design
        Numbers of groups, items and raters. By default, those of the paper.

    Returns
    -------
    Reproduced
        Means over the repetitions, with standard errors.
    """
    chosen = RangeDesign() if design is None else design
    return distances_of([simulate_ranges(scenario, chosen, rng) for _ in range(repetitions)])


def distances_of(studies: Sequence[Judgments]) -> Reproduced:
    """Return the three distances to collected comparisons in studies with ranges, ratings and comparisons."""
    drawn, repetitions = np.array([_distances(judgments) for judgments in studies]), len(studies)
    distances, lost = drawn[:, 0], drawn[:, 1]
    spread = np.std(distances, axis=0, ddof=1) if repetitions > 1 else np.full(len(METHODS), np.inf)
    holds = np.all(np.diff(distances, axis=1) > 0, axis=1)
    return Reproduced(
        distances.mean(axis=0),
        spread / np.sqrt(repetitions),
        lost.mean(axis=0),
        float(holds.mean()),
        drawn,
    )


def reproduce_grid(
    scenario: RangeScenario,
    repetitions: int,
    rng: np.random.Generator,
    show: Callable[[int], None] = lambda done: None,
) -> list[list[Reproduced]]:
    """Return the distances for all combinations of ambiguity and disagreement.

    Parameters
    ----------
    scenario
        Scenario with all other settings.
    repetitions
        Number of simulated studies per combination.
    rng
        Source of randomness.
    show
        Function that receives the number of completed rows.

    Returns
    -------
    list of list of Reproduced
        One row per ambiguity, one column per disagreement.
    """
    rows: list[list[Reproduced]] = []
    for ambiguity in AMBIGUITIES:
        cells = (replace(scenario, ambiguity=ambiguity, disagreement=each) for each in DISAGREEMENTS)
        rows.append([reproduce(cell, repetitions, rng) for cell in cells])
        show(len(rows))
    return rows


def _distances(judgments: Judgments) -> Sequence[list[float]]:
    """Return distances and lost shares by method in one study."""
    collected = collected_relations(judgments)
    relations_by_method = [method(judgments) for method in METHODS.values()]
    distances = [wasserstein(collected, relations).mean for relations in relations_by_method]
    return distances, [lost_pairs(collected, relations).share for relations in relations_by_method]
