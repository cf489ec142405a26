"""Power and false positives of the comparison of arms, on simulated studies with two arms.

    python benchmarks/arms.py [--studies 100] [--null 200] [--raters 30] [--items 100] [--judged 33]

Each study has two arms with different raters and the same items. In the second arm, all differences between raters
(bias, slope, noise) are multiplied by a factor, which is chosen so that the disagreement about an item, after answers
are clipped to the scale, is smaller by the stated share. A difference is found if the permutation test of disagreement
has p < 0.05 and the difference has the right sign. The last columns state how often the sentence of the report names
the better, or the worse, arm. Answers are simulated directly, without pages.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from steelyard.quality.arms import ArmAnswers, ArmsSettings, compare_arms
from steelyard.quality.arms.measures import noise_of
from steelyard.simulation.scenarios import SCENARIOS, Scenario, answer_task, closer, draw_raters, draw_truth

REDUCTIONS = (0.10, 0.15, 0.20, 0.25, 0.30, 0.40)
PERMUTATIONS = 999
MANY_RATERS, HALVINGS = 300, 8  # to find the factor
HEADINGS = (
    "less disagreement",
    "studies",
    "found",
    "wrong direction",
    "median ratio",
    "better arm named",
    "worse arm named",
)


@dataclass(frozen=True)
class Design:
    """Size of a simulated study: raters per arm, items, and items that each rater judges."""

    raters: int
    items: int
    judged: int
    scenario: Scenario


def simulated_arm(
    name: str, truth: np.ndarray, factor: float, design: Design, rng: np.random.Generator
) -> ArmAnswers:
    """Return the answers of one arm."""
    judged, position = np.zeros((design.raters, design.items)), np.zeros((design.raters, design.items))
    for at, drawn in enumerate(draw_raters(design.scenario, design.raters, rng)):
        rater, scenario = closer(drawn, design.scenario, factor)
        for item in rng.permutation(design.items)[: design.judged]:
            judged[at, item] = 1.0
            position[at, item] = answer_task(rater, scenario, truth[[item]], 0.5, rng)[0]
    nothing = np.full(design.raters, np.nan)
    names = tuple(f"{name}-{at}" for at in range(design.raters))
    keys = tuple(f"item-{at}" for at in range(design.items))
    return ArmAnswers(
        name, "rating", names, keys, judged, position, np.zeros((design.raters, 2)), nothing, nothing
    )


def factor_for(reduction: float, design: Design, seed: int) -> float:
    """Return the factor of all differences between raters that reduces the disagreement by this share."""
    many = Design(MANY_RATERS, design.items, design.items, design.scenario)

    def disagreement(factor: float) -> float:
        rng = np.random.default_rng(seed)
        arm = simulated_arm("many", draw_truth("uniform", many.items, rng), factor, many, rng)
        return float(np.sqrt(noise_of(arm, np.ones((1, MANY_RATERS)))[0]))

    low, high, whole = 0.0, 1.0, disagreement(1.0)
    for _ in range(HALVINGS if reduction else 0):
        middle = (low + high) / 2.0
        low, high = (low, middle) if disagreement(middle) > (1.0 - reduction) * whole else (middle, high)
    return high


@dataclass
class Counts:
    """Studies in which the test and the sentence stated a difference, and the ratios of disagreement."""

    found: int = 0
    wrong: int = 0
    named: int = 0
    misnamed: int = 0
    covered: int = 0
    ratios: tuple[float, ...] = ()


def run(reduction: float, studies: int, design: Design, seed: int) -> Counts:
    """Return the counts of many studies with one size of the effect."""
    counts, factor = Counts(), factor_for(reduction, design, seed)
    for study in range(studies):
        rng = np.random.default_rng((seed, round(1000 * reduction), study))
        truth = draw_truth("uniform", design.items, rng)
        arms = [
            simulated_arm("first", truth, 1.0, design, rng),
            simulated_arm("second", truth, factor, design, rng),
        ]
        compared = compare_arms(arms, ArmsSettings(PERMUTATIONS, seed=study))
        disagreement = compared.by_name("disagreement")
        assert disagreement is not None
        (contrast,) = disagreement.contrasts
        counts.ratios += (contrast.effect,)
        counts.covered += contrast.low <= 1.0 - reduction <= contrast.high
        counts.found += contrast.is_clear and contrast.effect < 1.0
        counts.wrong += contrast.is_clear and contrast.effect > 1.0
        counts.named += compared.best == "second"
        counts.misnamed += compared.best == "first"
    return counts


def main() -> None:
    """Print the table of one design."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--studies", type=int, default=100, help="Studies per size of the effect.")
    parser.add_argument("--null", type=int, default=200, help="Studies without a difference.")
    parser.add_argument("--raters", type=int, default=30, help="Raters per arm.")
    parser.add_argument("--items", type=int, default=100)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--judged", type=int, default=0, help="Items that each rater judges. Default: all.")
    parser.add_argument("--scenario", default="bias", choices=tuple(SCENARIOS), help="How raters differ.")
    chosen = parser.parse_args()
    judged = chosen.judged or chosen.items
    design = Design(chosen.raters, chosen.items, judged, SCENARIOS[chosen.scenario])
    size = f"{chosen.raters} raters per arm, {chosen.items} items, {judged} judged by each"
    print(f"{size}; scenario {chosen.scenario}\n")
    print(f"| {' | '.join(HEADINGS)} |\n|{'---|' * len(HEADINGS)}")
    for reduction in (0.0, *REDUCTIONS):
        studies = chosen.studies if reduction else chosen.null
        got = run(reduction, studies, design, chosen.seed)
        cells = (f"{reduction:.0%}", studies, got.found, got.wrong, f"{np.median(got.ratios):.2f}")
        print("|", " | ".join(str(each) for each in (*cells, got.named, got.misnamed)), "|", flush=True)


if __name__ == "__main__":
    main()
