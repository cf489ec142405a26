"""Simulate the set-up of Sakaguchi & Van Durme (2018): direct assessment, ranking aggregation and EASL.

150 items, lists of 5, 10 rounds of one answer per item each, 40 raters. Ranking aggregation (TrueSkill and bounded Beta
ranking) uses only the n (n - 1) / 2 pairwise outcomes of each list. It chooses lists by its own variance and match
quality. Every simulated answer passes through the session of a study; only the log is in memory.

    python benchmarks/easl_vs_da.py --repetitions 100 > table.md
    python benchmarks/easl_vs_da.py --repetitions 100 --shape one-sided > table.md
"""

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from steelyard.simulation.reproduction.easl_rounds import (
    LIST_SIZE,
    MEAN,
    METHODS,
    RANKINGS,
    RATERS,
    ROUNDS,
    World,
    answers_needed,
    correlations,
    fifths,
    own_estimate,
    rescaled,
    run_method,
)
from steelyard.simulation.scenarios import SCENARIOS, draw_truth
from steelyard.storage.memory import Memory

SHAPES = ("uniform", "skewed", "bimodal", "clustered", "one-sided")
ONE_SIDED = (0.6, 1.0)  # all items in the upper part of the scale: "only liberal propositions", section 5.2
# Spearman at 1, 2, 3, 5 and 10 answers per item, `full` on uniform items, from an independent prototype
# (100 repetitions; 95% interval of a curve about +-.005 to .009).
REFERENCE = {
    "direct assessment": {1: 0.725, 2: 0.835, 3: 0.879, 5: 0.922, 10: 0.959},
    "EASL": {1: 0.733, 2: 0.816, 3: 0.868, 5: 0.919, 10: 0.958},
}
# Answers per item for direct assessment's Spearman at 3 / 5 / 10, from the same prototype.
REFERENCE_NEEDED = {  # random lists, EASL, TrueSkill ranking, Beta ranking
    ("full", "uniform"): ("2.9 / 4.9 / 9.6", "3.4 / 5.3 / > 10", "4.8 / 7.1 / > 10", "5.5 / 8.8 / > 10"),
    ("iid", "uniform"): ("3.0 / 5.0 / 10.0", "3.5 / 5.5 / > 10", "7.0 / > 10 / > 10", "8.6 / > 10 / > 10"),
    ("full+cmp", "uniform"): ("2.4 / 3.9 / 7.7", "2.7 / 4.3 / 8.2", "3.8 / 5.5 / 8.9", "4.7 / 7.2 / > 10"),
    ("full", "skewed"): ("3.0 / 5.1 / > 10", "3.2 / 5.2 / > 10", "2.8 / 4.7 / 9.7", "3.0 / 4.7 / 9.1"),
}


def draw_items(shape, items, rng):
    if shape == "one-sided":
        return rng.uniform(*ONE_SIDED, items)
    return draw_truth(shape, items, rng)


def run_once(method, scenario, shape, items, seed):
    """The truth, and by estimate: Spearman and Pearson with it after each round, and the positions at the end."""
    truth = draw_items(shape, items, np.random.default_rng(seed))
    run = run_method(method, World(truth, SCENARIOS[scenario], seed), Memory)
    curves = {name: correlations(positions, truth) for name, positions in run.positions.items()}
    return truth, curves, {name: positions[-1] for name, positions in run.positions.items()}


def run_all(arguments):
    """Runs by method; all methods see the same people and items."""
    jobs = [
        (method, arguments.scenario, arguments.shape, arguments.items, arguments.seed + at)
        for method in METHODS
        for at in range(arguments.repetitions)
    ]
    with ProcessPoolExecutor(arguments.workers) as pool:
        runs = list(pool.map(run_once, *zip(*jobs, strict=True), chunksize=4))
    return {
        method: runs[at * arguments.repetitions : (at + 1) * arguments.repetitions]
        for at, method in enumerate(METHODS)
    }


def curves_of(runs, method, estimate=None):
    """Repetitions x rounds x (Spearman, Pearson)."""
    return np.array([curves[estimate or own_estimate(method)] for _, curves, _ in runs[method]])


def interval(values, signed=False):
    half = 1.96 * values.std(ddof=1) / np.sqrt(len(values))
    return f"{values.mean():+.3f} ± {half:.3f}" if signed else f"{values.mean():.3f} ± {half:.3f}"


def print_row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def print_head(title, *cells):
    print(f"\n### {title}\n")
    print_row(*cells)
    print("|" + "---|" * len(cells))


def print_table(runs, measure, name):
    print_head(name, "answers per item", *METHODS, "EASL - random lists")
    curves = {method: curves_of(runs, method)[:, :, measure] for method in METHODS}
    for at in range(ROUNDS):
        cells = [interval(curves[method][:, at]) for method in METHODS]
        gap = curves["EASL"][:, at] - curves["random lists"][:, at]
        print_row(at + 1, *cells, interval(gap, signed=True))


def print_same_lists(runs):
    """Compare estimates from the same answers to the same random lists, used as scores or as outcomes."""
    print_head(
        "Spearman of three estimates from the same random lists", "answers per item", "mean score", *RANKINGS
    )
    for at in (1, 2, 3, 5, 10):
        print_row(
            at,
            *(interval(curves_of(runs, "random lists", each)[:, at - 1, 0]) for each in (MEAN, *RANKINGS)),
        )


def needed(mean, targets):
    counts = [answers_needed(mean, target) for target in targets]
    return " / ".join("> 10" if np.isinf(each) else f"{each:.1f}" for each in counts)


def print_needed(runs, scenario, shape):
    """Print answers needed, also for the levels of the reference's direct assessment."""
    known = REFERENCE_NEEDED.get((scenario, shape))
    levels = [REFERENCE["direct assessment"][at] for at in (3, 5, 10)]
    same = (scenario, shape) == ("full", "uniform")
    title = "Answers per item needed for direct assessment's Spearman at 3 / 5 / 10"
    extra = ["reference"] * bool(known) + [f"here, for its levels {levels}"] * same
    print_head(title, "method", "here", *extra)
    base = curves_of(runs, "direct assessment")[:, :, 0].mean(axis=0)
    for at, method in enumerate(list(METHODS)[1:]):
        mean = curves_of(runs, method)[:, :, 0].mean(axis=0)
        cells = ([known[at]] if known else []) + ([needed(mean, levels)] if same else [])
        print_row(method, needed(mean, base[[2, 4, 9]]), *cells)


def print_agreement(runs):
    print_head(
        "Against the reference (Spearman, scenario full, uniform items)",
        *("method", "answers per item", "here", "reference", "difference", "intervals overlap"),
    )
    for method, known in REFERENCE.items():
        for number, expected in known.items():
            values = curves_of(runs, method)[:, number - 1, 0]
            half = 1.96 * values.std(ddof=1) / np.sqrt(len(values))
            gap = values.mean() - expected
            held = "yes" if abs(gap) <= half + max(half, 0.005) else "no"
            print_row(method, number, f"{values.mean():.3f}", f"{expected:.3f}", f"{gap:+.3f}", held)


def error(position, truth):
    return float(np.sqrt(np.mean((position - truth) ** 2)))


def print_range(runs):
    print_head(
        "Range of the positions after ten answers per item",
        *("method", "spread / true spread", "lowest", "highest", "items in each fifth of the scale, %"),
        *("error", "error when rescaled to [0, 1]"),
    )
    estimates = {"truth": [(truth, truth) for truth, _, _ in runs["random lists"]]}
    for method in METHODS:
        estimates[method] = [(last[own_estimate(method)], truth) for truth, _, last in runs[method]]
    for name, pairs in estimates.items():
        shares = np.mean([fifths(position) for position, _ in pairs], axis=0)
        print_row(
            name,
            interval(np.array([position.std() / truth.std() for position, truth in pairs])),
            f"{np.mean([position.min() for position, _ in pairs]):.3f}",
            f"{np.mean([position.max() for position, _ in pairs]):.3f}",
            " ".join(f"{100 * share:.0f}" for share in shares),
            interval(np.array([error(position, truth) for position, truth in pairs])),
            interval(np.array([error(rescaled(position), truth) for position, truth in pairs])),
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--items", type=int, default=150)
    parser.add_argument("--scenario", default="full", choices=list(SCENARIOS))
    parser.add_argument("--shape", default="uniform", choices=SHAPES)
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    start = time.perf_counter()
    runs = run_all(arguments)
    world = f"{arguments.shape} items, {arguments.items} items, {RATERS} raters"
    print(f"Scenario `{arguments.scenario}`, {world}, lists of {LIST_SIZE};")
    print(
        f"{arguments.repetitions} repetitions, seeds from {arguments.seed}; mean ± 95% interval. Raters are simulated."
    )
    print_table(runs, 0, "Spearman with the truth")
    print_table(runs, 1, "Pearson with the truth")
    print_needed(runs, arguments.scenario, arguments.shape)
    print_same_lists(runs)
    print_range(runs)
    if (arguments.scenario, arguments.shape, arguments.items) == ("full", "uniform", 150):
        print_agreement(runs)
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
