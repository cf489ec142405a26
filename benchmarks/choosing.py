"""Choosing pairs to compare: how well positions are recovered from the same number of comparisons.

Items have positions U(0, width), or normal positions with the same spread, in units of the comparison noise:
P(first wins) = Phi(difference). A round has as many pairs as items; "per item" is the number of comparisons divided by
the number of items; several numbers are measured in one run. Every rule's comparisons are fitted by the same model,
Thurstone's, and compared with the truth: Spearman's correlation, the root mean squared error of centred positions, and
the coverage of 95% intervals of differences. CPU time per pair includes the belief that a rule needs.

    python benchmarks/choosing.py --items 16 50 --per-item 10 15 --repetitions 100 --seed 1
    python benchmarks/choosing.py --items 200 --per-item 10.5 --rules information balanced@15
    python benchmarks/choosing.py --items 50 --repetitions 0 --asap PATH/asap/python
    python benchmarks/choosing.py --repetitions 0 --cost 10000

The rule "asap" is the compiled version in asap.py. With --asap, rounds of its own code (gfxdisp/asap, needs NetworkX)
are timed beside rounds of `information`. With --cost, choosing among so many items is timed beside `match_quality`.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from asap import next_round
from choosing_cost import LEARNT, against_original, against_sampler, seconds_of
from scipy.special import ndtr
from scipy.stats import norm, spearmanr

from steelyard import Judgments, Thurstone, TrueSkill
from steelyard.selection.known import selection_named
from steelyard.selection.pool import Pool

HEADER = (
    "| items | positions | per item | rule | Spearman | RMSE | coverage | ms per pair | less the last rule |\n"
    "|---|---|---|---|---|---|---|---|---|"
)
MODELS = {"information": Thurstone(cluster="none"), "match_quality": TrueSkill(), "balanced": None}


@dataclass(frozen=True)
class World:
    """Items to compare, and what a rule has to recover."""

    items: int
    shape: str
    width: float

    def truth(self, rng):
        if self.shape == "uniform":
            return rng.uniform(0.0, self.width, self.items)
        return rng.normal(0.0, self.width / np.sqrt(12.0), self.items)


def judgments_of(outcomes, labels):
    won, lost = np.array(outcomes).T
    columns = {"left": labels[won], "right": labels[lost], "outcome": np.full(len(won), "left")}
    return Judgments.from_columns("comparison", columns)


def labels_of(items):
    return np.array([f"i{at:05}" for at in range(items)], dtype=object)


def chosen_by(name, truth, comparisons, rng):
    """Winner and loser of every comparison that a selection of Steelyard chose, and the CPU seconds of choosing."""
    items, labels = len(truth), labels_of(len(truth))
    rule = "pair_information" if name == "information" else name
    selection, model = selection_named(rule, size=2, least=2), MODELS[name]
    pool = pool_of(items)
    outcomes, pairs, seconds = [], [], 0.0
    belief = None if model is None else model.start(labels)
    while len(outcomes) < comparisons:
        start = time.process_time()
        if model is not None and outcomes:
            refit = getattr(model, "believe", None)
            fresh = judgments_of(outcomes if refit else outcomes[-len(pairs) :], labels)
            belief = refit(labels, fresh) if refit else model.update(belief, fresh)
        choices = selection.choose(pool, belief, min(items, comparisons - len(outcomes)), rng)
        seconds += time.process_time() - start
        pairs = [choice.items for choice in choices]
        outcomes += [answered(pair, truth, rng) for pair in pairs]
        pool = replace(
            pool, answers=pool.answers + np.bincount(np.ravel(pairs), minlength=items), linked=None
        )
    return outcomes, seconds


def answered(pair, truth, rng):
    """The two items, the winner first."""
    first, second = int(pair[0]), int(pair[1])
    return (first, second) if rng.random() < ndtr(truth[first] - truth[second]) else (second, first)


def chosen_by_asap(truth, comparisons, rng):
    """The same for ASAP, in its rounds of a spanning tree."""
    items, outcomes, seconds = len(truth), [], 0.0
    while len(outcomes) < comparisons:
        won, lost = np.array(outcomes, dtype=np.int64).reshape(-1, 2).T
        start = time.process_time()
        pairs = next_round(won, lost, items, rng)
        seconds += time.process_time() - start
        outcomes += [answered(pair, truth, rng) for pair in pairs[: comparisons - len(outcomes)]]
    return outcomes, seconds


def pool_of(items, answers=None):
    """A pool without limits, in which every item may be asked."""
    return Pool(
        np.zeros(items, dtype=np.int64) if answers is None else answers,
        np.zeros(items, dtype=np.int64),
        10**6,
        np.zeros(items, dtype=np.int64),
        np.arange(items),
        np.ones(items, dtype=bool),
        linked=np.arange(items) if answers is None else None,
    )


def chooser(name, items, outcomes):
    """A function that chooses so many tasks after these comparisons; the belief is estimated before."""
    labels, model = labels_of(items), MODELS[name]
    judgments = judgments_of(outcomes, labels)
    refit = getattr(model, "believe", None)
    belief = refit(labels, judgments) if refit else model.update(model.start(labels), judgments)
    rule = "pair_information" if name == "information" else name
    selection = selection_named(rule, size=2, least=2)
    pool = pool_of(items, np.bincount(np.ravel(outcomes), minlength=items))
    return lambda tasks, rng: selection.choose(pool, belief, tasks, rng)


def report_original(folder, items, seed):
    """CPU time per pair of ours and of ASAP's own code, after two and after five comparisons per item."""
    for per_item in (2, 5):
        rng = np.random.default_rng([seed, per_item])
        truth = World(items, "uniform", 4.0).truth(rng)
        outcomes = chosen_by("balanced", truth, per_item * items, rng)[0]

        def rounds(outcomes, rng=rng):
            return seconds_of(lambda: chooser("information", items, outcomes)(items, rng))

        against_original(folder, rounds, items, outcomes)


def report_cost(items, seed):
    """CPU time per pair of information and of the sampler of match_quality among many items."""
    rng = np.random.default_rng([seed, items])
    truth = World(items, "uniform", 4.0).truth(rng)
    outcomes = chosen_by("balanced", truth, LEARNT * items, rng)[0]
    choosers = [chooser(name, items, outcomes) for name in ("information", "match_quality")]
    against_sampler(items, choosers, rng)


def measured(outcomes, truth):
    """Spearman, RMSE and coverage of differences of the model's estimates."""
    labels = labels_of(len(truth))
    fit = Thurstone(cluster="none").fit(judgments_of(outcomes, labels))
    at = [int(label[1:]) for label in fit.item]
    true = truth[at] - truth[at].mean()
    position = fit.posterior.position
    rows = [spearmanr(position, true).statistic, np.sqrt(np.mean((position - true) ** 2))]
    joint = getattr(fit.posterior, "joint", None)
    if joint is None:
        return [*rows, np.nan]
    first, second = np.triu_indices(len(true), 1)
    reach = norm.ppf(0.975) * np.sqrt(joint().variances(first, second))
    error = np.abs((position[first] - position[second]) - (true[first] - true[second]))
    return [*rows, float(np.mean(error <= reach))]


def repetition(rule, world, amounts, seed):
    """Scores after each number of comparisons per item in one run; every rule has the same truth."""
    rng = np.random.default_rng([seed, world.items])
    truth = world.truth(rng)
    name, _, own = rule.partition("@")
    counts = [round(float(own or amount) * world.items) for amount in amounts]
    choose = chosen_by_asap if name == "asap" else lambda *some: chosen_by(name, *some)
    outcomes, seconds = choose(truth, max(counts), rng)
    cost = 1000.0 * seconds / max(counts)
    fitted = {count: measured(outcomes[:count], truth) for count in set(counts)}
    return [[*fitted[count], cost] for count in counts]


def half_width(values):
    return float(norm.ppf(0.975) * np.std(values, ddof=1) / np.sqrt(len(values)))


def report(world, rules, options):
    """A row per number of comparisons and rule, and its paired difference from the last rule."""
    scores = {
        rule: np.array(
            [
                repetition(rule, world, options.per_item, options.seed + at)
                for at in range(options.repetitions)
            ]
        )
        for rule in rules
    }
    last = scores[rules[-1]]
    for at, per_item in enumerate(options.per_item):
        for rule, rows in scores.items():
            spearman, error, coverage, cost = rows[:, at].mean(axis=0)
            gaps = rows[:, at] - last[:, at]
            paired = ", ".join(f"{gaps[:, of].mean():+.4f} ± {half_width(gaps[:, of]):.4f}" for of in (0, 1))
            where = f"{world.items} | {world.shape} {world.width:g} | {per_item:g}"
            print(
                f"| {where} | {rule} | {spearman:.3f} | {error:.3f} | {coverage:.3f} | {cost:.3f} | {paired} |",
                flush=True,
            )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, nargs="+", default=[16, 50])
    parser.add_argument("--per-item", type=float, nargs="+", default=[10, 15])
    parser.add_argument("--width", type=float, default=4.0)
    parser.add_argument("--shape", choices=("uniform", "normal"), default="uniform")
    parser.add_argument(
        "--rules",
        nargs="+",
        default=["information", "balanced", "asap"],
        help="a name, or a name with its own comparisons per item: balanced@15",
    )
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--asap", type=Path, help="folder of asap_cpu.py, to time ASAP's own code")
    parser.add_argument("--cost", type=int, help="number of items, to time choosing among many items")
    options = parser.parse_args()
    if options.repetitions:
        print(HEADER)
        for items in options.items:
            report(World(items, options.shape, options.width), options.rules, options)
    if options.asap is not None:
        for items in options.items:
            report_original(options.asap, items, options.seed)
    if options.cost is not None:
        report_cost(options.cost, options.seed)


if __name__ == "__main__":
    main()
