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
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from steelyard.judgments.conversions import convert
from steelyard.models.known import model_named
from steelyard.simulation.crowd_at_work import Crowd, answer_as
from steelyard.simulation.scenarios import SCENARIOS, draw_raters, draw_truth, participation
from steelyard.storage.memory import Memory
from steelyard.study.collecting.session import Session
from steelyard.study.definition.definition import define
from steelyard.study.definition.items import Item, Items
from steelyard.study.definition.study import Study

ROUNDS = 10
RATERS = 40
LIST_SIZE = 5
LISTS = {"protocol": "list", "list_size": LIST_SIZE, "update": "round"}
METHODS = {
    "direct assessment": {"protocol": "rating", "update": "round"},
    "random lists": LISTS,
    "EASL": {**LISTS, "model": "easl", "selection": "easl"},
    "TrueSkill ranking": {**LISTS, "model": "trueskill", "selection": "match_quality"},
    "Beta ranking": {**LISTS, "model": "beta_ranking", "selection": "match_quality"},
}
RANKINGS = ("trueskill", "beta_ranking")
MEAN = "easl"
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
    """Let raters answer, by participation, until the round is complete; a rater without further tasks leaves."""
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


def draw_items(shape, items, rng):
    if shape == "one-sided":
        return rng.uniform(*ONE_SIDED, items)
    return draw_truth(shape, items, rng)


class Estimates:
    """Positions after each round, each by folding the round's answers into a belief.

    MEAN is EASL's belief, whose mode is exactly the mean score. Lists that no model chose have every estimate.
    """

    def __init__(self, session, method):
        names = (MEAN, *RANKINGS) if method == "random lists" else (own_estimate(method),)
        self.ledger, self.position = session.ledger, 0
        self.models = {name: model_named(name) for name in names}
        self.beliefs = {name: model.start(self.ledger.items.ids) for name, model in self.models.items()}

    def take_round(self):
        fresh, self.position = self.ledger.judgments(0, self.position), self.ledger.log_position
        pairs = convert(fresh, to="comparison") if len(self.models) > 1 or MEAN not in self.models else None
        for name, model in self.models.items():
            self.beliefs[name] = model.update(self.beliefs[name], fresh if name == MEAN else pairs)
        return {name: belief.position for name, belief in self.beliefs.items()}


def own_estimate(method):
    own = METHODS[method].get("model")
    return own if own in RANKINGS else MEAN


def run_once(method, scenario, shape, items, seed):
    """The truth, and by estimate: Spearman and Pearson with it after each round, and the positions at the end."""
    rng = np.random.default_rng(seed)
    truth = draw_items(shape, items, rng)
    crowd = Crowd(SCENARIOS[scenario], tuple(draw_raters(SCENARIOS[scenario], RATERS, rng)), truth[None, :])
    session = make_session(method, items, seed)
    people = [session.join(str(at), "simulated") for at in range(RATERS)]
    estimates, rounds = Estimates(session, method), []
    for number in range(1, ROUNDS + 1):
        run_round(session, crowd, people, number * items, rng)
        rounds.append(estimates.take_round())
    curves = {
        name: [
            (spearmanr(each[name], truth).statistic, np.corrcoef(each[name], truth)[0, 1]) for each in rounds
        ]
        for name in rounds[0]
    }
    return truth, curves, rounds[-1]


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


def answers_needed(curve, target):
    """Answers per item at which a mean curve reaches a target, by linear interpolation."""
    if curve[0] >= target:
        return 1.0
    for at in range(1, len(curve)):
        if curve[at] >= target:
            return at + (target - curve[at - 1]) / (curve[at] - curve[at - 1])
    return float("inf")


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


def rescaled(position):
    """Positions stretched so that the lowest item is at 0 and the highest at 1."""
    return (position - position.min()) / (position.max() - position.min())


def error(position, truth):
    return float(np.sqrt(np.mean((position - truth) ** 2)))


def fifths(position):
    """Share of items in each fifth of the scale, those beyond its ends in the outer ones."""
    bins = np.clip((position * 5).astype(int), 0, 4)
    return np.bincount(bins, minlength=5) / len(position)


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
