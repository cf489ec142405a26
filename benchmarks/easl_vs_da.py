"""The set-up of Sakaguchi & Van Durme (2018), simulated: direct assessment, random lists and EASL.

150 items, lists of 5, 10 rounds of one answer per item each, 40 raters. Every simulated answer goes through
the session of a real study; only the log is in memory. Run:

    python benchmarks/easl_vs_da.py --repetitions 100 > table.md
"""

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from steelyard import DirectAssessment
from steelyard.storage.memory import Memory
from steelyard.study.definition import define
from steelyard.study.items import Item, Items
from steelyard.study.scenarios import SCENARIOS, draw_raters, draw_truth, participation
from steelyard.study.session import Session
from steelyard.study.simulate import Crowd, answer_as
from steelyard.study.study import Study

ROUNDS = 10
RATERS = 40
LIST_SIZE = 5
LISTS = {"protocol": "list", "list_size": LIST_SIZE, "update": "round"}
METHODS = {
    "direct assessment": {"protocol": "rating", "update": "round"},
    "random lists": LISTS,
    "EASL": {**LISTS, "model": "easl", "selection": "easl"},
}
# Spearman at 1, 2, 3, 5 and 10 answers per item, `full` on uniform items, from an independent prototype
# (100 repetitions; 95% interval of a curve about +-.005 to .009).
REFERENCE = {
    "direct assessment": {1: 0.725, 2: 0.835, 3: 0.879, 5: 0.922, 10: 0.959},
    "EASL": {1: 0.733, 2: 0.816, 3: 0.868, 5: 0.919, 10: 0.958},
}


def make_session(method, items, seed):
    table = {
        "title": "benchmark",
        "items": {"file": "none"},
        "questions": [{"text": "How much?"}],
        "seed": seed,
    }
    settings = {**table, "redundancy": ROUNDS, **METHODS[method]}
    everything = tuple(Item(str(at), "text", "x") for at in range(items))
    memory = Memory()
    return Session(Study(Path(), define(settings), Items(everything)), memory, memory, lambda: 0.0)


def run_round(session, crowd, people, answers_wanted, rng):
    """Raters come by participation until the round's answers are there; one who can do no more stays away."""
    weights = participation(len(people))
    present = np.ones(len(people), dtype=bool)
    while int(session.ledger.answered.sum()) < answers_wanted and present.any():
        share = np.where(present, weights, 0.0)
        at = int(rng.choice(len(people), p=share / share.sum()))
        assignment = session.next_task(people[at].id).assignment
        if assignment is None:
            present[at] = False
        else:
            session.accept(people[at].id, answer_as(crowd, at, assignment, session, rng))


def run_once(method, scenario, shape, items, seed):
    """Spearman and Pearson with the truth after each round."""
    rng = np.random.default_rng(seed)
    truth = draw_truth(shape, items, rng)
    crowd = Crowd(SCENARIOS[scenario], tuple(draw_raters(SCENARIOS[scenario], RATERS, rng)), truth[None, :])
    session = make_session(method, items, seed)
    people = [session.join(str(at), "simulated") for at in range(RATERS)]
    curve = []
    for number in range(1, ROUNDS + 1):
        run_round(session, crowd, people, number * items, rng)
        # EASL's mode is the mean score to the last digit, so one estimate serves all three.
        position = DirectAssessment().fit(session.ledger.judgments(0)).scale.position
        curve.append((spearmanr(position, truth).statistic, np.corrcoef(position, truth)[0, 1]))
    return curve


def run_all(scenario, shape, items, repetitions, first_seed, workers):
    """Curves by method: repetitions x rounds x (Spearman, Pearson); all methods see the same people and items."""
    jobs = [
        (method, scenario, shape, items, first_seed + at) for method in METHODS for at in range(repetitions)
    ]
    with ProcessPoolExecutor(workers) as pool:
        curves = list(pool.map(run_once, *zip(*jobs, strict=True), chunksize=4))
    return {
        method: np.array(curves[at * repetitions : (at + 1) * repetitions])
        for at, method in enumerate(METHODS)
    }


def print_table(curves, measure, name):
    print(f"\n### {name}\n")
    print("| answers per item | " + " | ".join(METHODS) + " | EASL - random lists |")
    print("|---|" + "---|" * (len(METHODS) + 1))
    for number in range(1, ROUNDS + 1):
        cells = [interval(curves[method][:, number - 1, measure]) for method in METHODS]
        gap = curves["EASL"][:, number - 1, measure] - curves["random lists"][:, number - 1, measure]
        print(f"| {number} | " + " | ".join(cells) + f" | {interval(gap, signed=True)} |")


def interval(values, signed=False):
    half = 1.96 * values.std(ddof=1) / np.sqrt(len(values))
    return f"{values.mean():+.3f} ± {half:.3f}" if signed else f"{values.mean():.3f} ± {half:.3f}"


def answers_needed(curve, target):
    """Answers per item at which a mean curve reaches a target, by linear interpolation."""
    if curve[0] >= target:
        return 1.0
    for at in range(1, len(curve)):
        if curve[at] >= target:
            return at + (target - curve[at - 1]) / (curve[at] - curve[at - 1])
    return float("inf")


def print_needed(curves):
    print("\n### Answers per item needed for direct assessment's Spearman at 3 / 5 / 10\n")
    base = curves["direct assessment"][:, :, 0].mean(axis=0)
    for method in ("random lists", "EASL"):
        mean = curves[method][:, :, 0].mean(axis=0)
        needed = [answers_needed(mean, base[at - 1]) for at in (3, 5, 10)]
        print(f"- {method}: " + " / ".join("> 10" if np.isinf(each) else f"{each:.1f}" for each in needed))


def print_agreement(curves):
    print("\n### Against the reference (Spearman, scenario full, uniform items)\n")
    print("| method | answers per item | here | reference | difference | intervals overlap |")
    print("|---|---|---|---|---|---|")
    for method, known in REFERENCE.items():
        for number, expected in known.items():
            values = curves[method][:, number - 1, 0]
            half = 1.96 * values.std(ddof=1) / np.sqrt(len(values))
            gap = values.mean() - expected
            held = "yes" if abs(gap) <= half + max(half, 0.005) else "no"
            print(f"| {method} | {number} | {values.mean():.3f} | {expected:.3f} | {gap:+.3f} | {held} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--items", type=int, default=150)
    parser.add_argument("--scenario", default="full", choices=list(SCENARIOS))
    parser.add_argument("--shape", default="uniform")
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=2)
    told = parser.parse_args()
    start = time.perf_counter()
    curves = run_all(told.scenario, told.shape, told.items, told.repetitions, told.seed, told.workers)
    print(
        f"Scenario `{told.scenario}`, {told.shape} items, {told.items} items, {RATERS} raters, lists of {LIST_SIZE};"
    )
    print(
        f"{told.repetitions} repetitions, seeds from {told.seed}; mean ± 95% interval. Raters are simulated."
    )
    print_table(curves, 0, "Spearman with the truth")
    print_table(curves, 1, "Pearson with the truth")
    print_needed(curves)
    if (told.scenario, told.shape, told.items) == ("full", "uniform", 150):
        print_agreement(curves)
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
