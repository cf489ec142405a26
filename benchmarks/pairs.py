"""Pairs by match quality against balanced pairs: how well the order of the items is recovered.

python benchmarks/pairs.py --repetitions 20 --seed 1
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from steelyard.simulation.scenarios import SCENARIOS
from steelyard.simulation.simulate import Crowd, simulate
from steelyard.storage.memory import Memory
from steelyard.study.collecting.learning import fit_question
from steelyard.study.collecting.session import Session
from steelyard.study.definition.definition import define
from steelyard.study.definition.items import Item, Items
from steelyard.study.definition.study import Study


def recovered(selection: str, items: int, comparisons: int, scenario: str, seed: int) -> float:
    """Spearman correlation with the truth after so many comparisons of each item."""
    definition = define(
        {
            "title": "Pairs",
            "items": {"file": "items.csv"},
            "questions": [{"text": "Which has more of it?"}],
            "protocol": "comparison",
            "model": "trueskill",
            "selection": selection,
            "redundancy": comparisons,
            "seed": seed,
        }
    )
    store = Memory()
    made = Items(tuple(Item(f"i{at}", "text", f"Item {at}") for at in range(items)))
    session = Session(Study(Path("."), definition, made), store, store, lambda: 0.0)
    rng = np.random.default_rng(seed)
    crowd = Crowd.draw(session, SCENARIOS[scenario], 30, "uniform", rng)
    simulate(session, crowd, rng)
    scale = fit_question(session.ledger, 0).scale
    truth = crowd.truth[0][[made.index[str(item)] for item in scale.item]]
    return float(spearmanr(scale.position, truth).statistic)


def main() -> None:
    """Print a table row for each number of items."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--items", type=int, nargs="+", default=[16, 50, 200])
    parser.add_argument("--comparisons", type=int, default=14)
    parser.add_argument("--scenario", default="iid")
    told = parser.parse_args()
    print("| items | balanced | match_quality | match_quality - balanced |")
    print("|---|---|---|---|")
    for items in told.items:
        found = np.array(
            [
                [
                    recovered(name, items, told.comparisons, told.scenario, told.seed + at)
                    for name in ("balanced", "match_quality")
                ]
                for at in range(told.repetitions)
            ]
        )
        error = 1.96 * (found[:, 1] - found[:, 0]).std(ddof=1) / np.sqrt(told.repetitions)
        one, other = found.mean(axis=0)
        print(f"| {items} | {one:.3f} | {other:.3f} | {other - one:+.3f} ± {error:.3f} |", flush=True)


if __name__ == "__main__":
    main()
