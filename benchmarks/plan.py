"""Planned answers per item against those that a fresh study needed for its target, in simulated studies.

A pilot is simulated from a scenario and planned from. A fresh study, with other items and raters of the same scenario,
then grows until it reaches the target: by its own predicted reliability, which ends real studies, and by its
correlation with the simulated truth. Single studies differ by chance, so the plan is also compared with what fresh
studies need on average. Two fresh studies of the same world show how close any plan can be: the error of their mean is
about |log(a / b)| / sqrt(2), where a and b are the answers that they needed.

    python benchmarks/plan.py --seeds 1000 1100
"""

import argparse
import math
import time
from dataclasses import replace

import numpy as np

from steelyard.planning.curves import Curve
from steelyard.planning.designs import collect, make_design
from steelyard.planning.pilots import world_of_pilot
from steelyard.planning.search import Searching, search
from steelyard.planning.targets import Reliability, fitted
from steelyard.planning.worlds import draw_world, stated_world
from steelyard.selection.stopping import predicted_reliability

CASES = (("full", 0.95), ("hard full", 0.9))  # scenario and target, in turn
TURNS = (2, 3, 4, 6, 8, 11, 16, 22, 30)


def fresh_need(design, drawn, target, rng):
    """Answers per item that a fresh study needed by its predicted reliability, and by the truth."""
    collected = collect(design, drawn, min(TURNS[-1], design.most_answers), rng)
    levels = []
    for turn in TURNS:
        judgments = collected.first(turn)
        scale = fitted(design, judgments).scale
        unit = 0.01
        own = predicted_reliability(unit * scale.position, (unit * scale.spread) ** 2)
        levels.append((target.level(own), target.measure(design, judgments, drawn)))
        if min(levels[-1]) > target.wanted_level + 0.3:
            break
    turns = np.array(TURNS[: len(levels)], dtype=float)
    return [Curve(turns, np.array([row])).needed(target.wanted_level) for row in zip(*levels, strict=True)]


def average_need(case, options):
    """Answers per item at which the average of fresh studies reaches the target."""
    scenario, wanted = case
    design = make_design(options.protocol, options.items, options.raters)
    settings = Searching(options.average, 10_000 + options.seeds[0])
    return search(design, stated_world(scenario, "uniform"), Reliability(wanted), settings).needed


def one_pilot(seed, options):
    """Planned answers, their interval, those needed by both definitions, and those of a second study by the truth."""
    scenario, wanted = CASES[seed % len(CASES)]
    rng, target = np.random.default_rng(seed), Reliability(wanted)
    world = stated_world(scenario, "uniform")
    pilot = make_design(options.protocol, options.pilot_items, options.raters)
    design = make_design(options.protocol, options.items, options.raters)
    seen = draw_world(world, pilot.items, pilot.raters, rng)
    answers = collect(pilot, seen, options.pilot_answers, rng)
    planned = (math.nan,) * 3
    if not options.only_fresh:
        estimated = world_of_pilot(answers.judgments, same_raters=options.same_raters)
        plan = search(design, estimated, target, Searching(options.repetitions, seed))
        planned = (plan.needed, plan.low, plan.high)
    needs = []
    for _ in range(2):
        fresh = draw_world(world, design.items, design.raters, rng)
        if options.same_raters:
            fresh = replace(fresh, raters=seen.raters, weight=seen.weight)
        needs.append(fresh_need(design, fresh, target, rng))
    return (*planned, *needs[0], needs[1][1])


def floor(name, one, other):
    """Row of the error that a plan would have which knew the mean of the logarithms of what studies need."""
    near = np.expm1(np.abs(np.log(one / other)) / math.sqrt(2.0))
    return (
        f"| {name} | {len(near)} | 1.00 | {100 * np.median(near):.0f}% | {100 * np.mean(near <= 0.3):.0f}% | "
        f"{100 * np.quantile(near, 0.8):.0f}% | |"
    )


def summary(name, planned, needed, low, high):
    ratio = planned / needed
    near = np.abs(ratio - 1.0)
    held = (low <= needed) & (needed <= high)
    return (
        f"| {name} | {len(ratio)} | {np.median(ratio):.2f} | {100 * np.median(near):.0f}% | "
        f"{100 * np.mean(near <= 0.3):.0f}% | {100 * np.quantile(near, 0.8):.0f}% | {100 * held.mean():.0f}% |"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs=2, default=(1000, 1100))
    parser.add_argument("--protocol", default="list")
    parser.add_argument("--items", type=int, default=150)
    parser.add_argument("--raters", type=int, default=40)
    parser.add_argument("--pilot-items", type=int, default=100)
    parser.add_argument("--pilot-answers", type=int, default=4)
    parser.add_argument("--repetitions", type=int, default=16)
    parser.add_argument("--same-raters", action="store_true", help="the raters of the pilot take part again")
    parser.add_argument(
        "--only-fresh", action="store_true", help="no plans: only how far two studies are apart"
    )
    parser.add_argument("--average", type=int, default=24, help="fresh studies for the average")
    options = parser.parse_args()
    rows, start = [], time.process_time()
    average = [average_need(case, options) for case in CASES]
    print(
        "average need:",
        *(f"{name} {need:.2f}" for (name, _), need in zip(CASES, average, strict=True)),
        flush=True,
    )
    for seed in range(*options.seeds):
        rows.append((*one_pilot(seed, options), average[seed % len(CASES)], seed % len(CASES)))
        print(seed, *(f"{each:.2f}" for each in rows[-1][:-1]), flush=True)
    used = slice(3, None) if options.only_fresh else [0, *range(3, len(rows[0]))]
    table = np.array(rows)
    table = table[np.isfinite(table[:, used]).all(axis=1)]
    print(
        f"{len(rows) - len(table)} of {len(rows)} left out: target not reached. CPU {time.process_time() - start:.0f} s"
    )
    print(
        "| needed by | pilots | planned / needed, median | error, median | within 30% | 80% of errors below | "
        "in the 80% interval |"
    )
    print("|---|---|---|---|---|---|---|")
    names = {3: "one study, predicted reliability", 4: "one study, truth", 6: "average of studies, truth"}
    for part, label in (
        (slice(None), "all"),
        *((table[:, -1] == at, case[0]) for at, case in enumerate(CASES)),
    ):
        some = table[part]
        for at, name in () if options.only_fresh else names.items():
            print(summary(f"{label}: {name}", some[:, 0], some[:, at], some[:, 1], some[:, 2]))
        print(floor(f"{label}: one study, truth, by a perfect plan", some[:, 4], some[:, 5]))


if __name__ == "__main__":
    main()
