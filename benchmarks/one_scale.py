"""Ratings and other kinds of judgment on one scale: gains, harm, coverage and cost.

    python benchmarks/one_scale.py added --seed 5000
    python benchmarks/one_scale.py halves --seed 6000
    python benchmarks/one_scale.py coverage --seed 7000
    python benchmarks/one_scale.py levels --seed 7500
    python benchmarks/one_scale.py cost --seed 8000
    python benchmarks/one_scale.py real FOLDER --seed 9000

150 items with positions uniform on [0, 1], 40 raters of a scenario, ratings in lists of 5. A simulated comparison is
slope (z_i - z_j) + .02 + f sqrt(2) noise N(0, 1), with a tie within .05. Differences are paired: the same answers, or
the same worlds. Intervals are 95% intervals of the mean over repetitions. `real` takes a folder of rating files.
"""

import argparse
import os
import time
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # CPU seconds would count idle threads

import numpy as np
from replay import load
from scipy.stats import spearmanr

from steelyard import Judgments, Steelyard
from steelyard.simulation.scenarios import (
    SCENARIOS,
    answer_task,
    draw_raters,
    draw_truth,
    expected_answers,
    participation,
)

ITEMS, RATERS, LIST = 150, 40, 5
TIE = 0.05
RANDOM = (0.45, 0.45, 0.10)  # left, right and tie of answers at random
COMPARISON_TIME = 0.6  # of a list rating, assumed
REAL = (
    ("asset", "meaning"),
    ("asset", "simplicity"),
    ("size_ratings", None),
    ("frtv_625low", None),
    ("ws353", "set2"),
    ("agh_tv", None),
)


class World:
    """Items and raters of one repetition."""

    def __init__(self, scenario, seed):
        self.rng, self.scenario = np.random.default_rng(seed), SCENARIOS[scenario]
        self.truth = draw_truth("uniform", ITEMS, self.rng)
        self.raters, self.share = draw_raters(self.scenario, RATERS, self.rng), participation(RATERS)

    def rater(self):
        at = self.rng.choice(RATERS, p=self.share)
        return at, self.raters[at]

    def groups(self, size, per_item):
        """Random groups of items, each item in `per_item` of them on average."""
        wanted, made = round(per_item * ITEMS / size), []
        while len(made) < wanted:
            order = self.rng.permutation(ITEMS)
            made += [order[at : at + size] for at in range(0, ITEMS - size + 1, size)]
        return made[:wanted]

    def other_quality(self, correlation):
        z = self.truth - self.truth.mean()
        e = self.rng.permutation(z)
        return 0.5 + correlation * z + np.sqrt(1.0 - correlation**2) * e

    def ratings(self, per_item):
        rows = []
        for task, items in enumerate(self.groups(LIST, per_item)):
            at, rater = self.rater()
            scores = answer_task(rater, self.scenario, self.truth[items], self.truth.mean(), self.rng)
            rows += [(at, item, float(score), f"l{task}") for item, score in zip(items, scores, strict=True)]
        return table("rating", rows, ("rater", "item", "score", "task"))

    def comparisons(self, per_item, f=1.0, quality=None, at_random=False):
        z, rows = self.truth if quality is None else quality, []
        for first, second in self.groups(2, 2 * per_item):
            at, rater = self.rater()
            gap = rater.slope * (z[first] - z[second]) + 0.02
            gap += f * np.sqrt(2.0) * rater.noise_sd * self.rng.standard_normal()
            outcome = "tie" if abs(gap) < TIE else "left" if gap > 0.0 else "right"
            if at_random:
                outcome = self.rng.choice(["left", "right", "tie"], p=RANDOM)
            elif rater.spam is not None:
                outcome = self.rng.choice(["left", "right"]) if rater.spam == "uniform" else "left"
            rows.append((at, first, second, outcome))
        return table("comparison", rows, ("rater", "left", "right", "outcome"))

    def perceived(self, rater, items):
        if rater.spam is not None:
            return self.rng.random(len(items))
        return rater.slope * self.truth[items] + rater.noise_sd * self.rng.standard_normal(len(items))

    def rankings(self, per_item, size=4):
        rows = []
        for task, items in enumerate(self.groups(size, per_item)):
            at, rater = self.rater()
            ranks = 1 + np.argsort(np.argsort(-self.perceived(rater, items)))
            rows += [(at, f"r{task}", item, float(rank)) for item, rank in zip(items, ranks, strict=True)]
        return table("ranking", rows, ("rater", "task", "item", "rank"))

    def choices(self, per_item, size=4):
        rows = []
        for task, items in enumerate(self.groups(size, per_item)):
            at, rater = self.rater()
            order = np.argsort(-self.perceived(rater, items))
            words = np.full(size, "none", dtype=object)
            words[order[0]], words[order[-1]] = "best", "worst"
            rows += [(at, f"b{task}", item, word) for item, word in zip(items, words, strict=True)]
        return table("best_worst", rows, ("rater", "task", "item", "choice"))

    def ranges(self, per_item):
        rows = []
        for task, items in enumerate(self.groups(LIST, per_item)):
            at, rater = self.rater()
            width = 0.02 + 0.3 * self.rng.random(LIST)
            scores = answer_task(rater, self.scenario, self.truth[items], self.truth.mean(), self.rng)
            scores = scores + 0.3 * width * self.rng.standard_normal(LIST)
            low, high = np.clip(scores - width / 2, 0, 1), np.clip(scores + width / 2, 0, 1)
            rows += [(at, i, lo, hi, f"g{task}") for i, lo, hi in zip(items, low, high, strict=True)]
        return table("range", rows, ("rater", "item", "low", "high", "task"))


def table(kind, rows, names):
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    for name in ("item", "left", "right", "rater"):
        if name in columns:
            columns[name] = [f"{name[0] if name == 'rater' else 'i'}{at:04d}" for at in columns[name]]
    return Judgments.from_columns(kind, columns, (0.0, 1.0) if kind in ("rating", "range") else None)


def placed(fit):
    """Positions of all items of the world, in their order; the middle if an item was not judged."""
    out = np.full(ITEMS, float(np.mean(fit.posterior.position)))
    out[[int(name[1:]) for name in fit.item]] = fit.posterior.position
    return out


def order(world, position):
    return float(spearmanr(world.truth, position)[0])


def z_scores(values):
    return (values - values.mean()) / values.std()


def wanted(arguments, name):
    """Whether a cell is computed: `--only` names a part of its name."""
    return arguments.only in name


def line(name, values, more=""):
    values = np.asarray(values)
    half = 1.96 * values.std(ddof=1) / np.sqrt(len(values))
    bounds = f"{values.mean():+.4f} ± {half:.4f} (lower bound {values.mean() - half:+.4f})"
    print(f"{name:<58} {bounds} {more}", flush=True)


def warned(fit):
    return any("disagree" in text for text in fit.remarks)


def added(arguments):
    for scenario in ("full", "hard full"):
        for mode in ("same", "random", "other"):
            for amount in (1, 5):
                name = f"{scenario}, 3 ratings + {amount} comparisons, {mode}"
                if not wanted(arguments, name):
                    continue
                gains, warnings, links = [], [], []
                for repetition in range(arguments.repetitions):
                    world = World(scenario, arguments.seed + repetition)
                    ratings = world.ratings(3)
                    quality = world.other_quality(0.6) if mode == "other" else None
                    both = ratings + world.comparisons(amount, 1.0, quality, mode == "random")
                    fit = Steelyard().fit(both)
                    alone = order(world, placed(Steelyard().fit(ratings)))
                    gains.append(order(world, placed(fit)) - alone)
                    warnings.append(warned(fit))
                    links.append(fit.kinds[0]["noise"])
                more = f"warned {np.mean(warnings):.2f}, noise of a comparison {np.median(links):.2f}"
                line(name, gains, more)


def halves(arguments):
    for scenario in ("full", "hard full"):
        for f in (1.0, 0.5):
            for answers in (3, 10):
                cell = f"{scenario}, f {f:g}, {answers} answers"
                if not wanted(arguments, cell):
                    continue
                apart, pure, spent = [], [], []
                for repetition in range(arguments.repetitions):
                    world = World(scenario, arguments.seed + repetition)
                    ratings, compared = world.ratings(answers / 2), world.comparisons(answers / 2, f)
                    joint = order(world, placed(Steelyard().fit(ratings + compared)))
                    scales = [z_scores(placed(Steelyard().fit(each))) for each in (ratings, compared)]
                    apart.append(joint - order(world, scales[0] + scales[1]))
                    seconds = answers / 2 * (1.0 + COMPARISON_TIME)
                    rated = order(world, placed(Steelyard().fit(world.ratings(seconds))))
                    only = world.comparisons(seconds / COMPARISON_TIME, f)
                    pure.append([rated, order(world, placed(Steelyard().fit(only)))])
                    spent.append(joint)
                better = np.mean(pure, axis=0).argmax()
                against = np.array(spent) - np.array(pure)[:, better]
                line(f"{cell}, joint - z-average", apart)
                name = ("ratings", "comparisons")[better]
                line(f"{cell}, joint - {name} at equal time", against)


def covered(fit, expected):
    """Whether each interval holds the target; without ratings after the affine map that predicts it best."""
    at = [int(name[1:]) for name in fit.item]
    low, high = fit.posterior.interval(0.95)
    target = expected[at]
    if fit.provenance.range is None:
        slope, shift = np.polyfit(fit.posterior.position, target, 1)
        low, high = shift + slope * low, shift + slope * high
    out = np.full(ITEMS, np.nan)
    out[at] = (low <= target) & (target <= high)
    return out


def coverage(arguments):
    designs = {
        "ratings": lambda w, n: w.ratings(n),
        "comparisons": lambda w, n: w.comparisons(n),
        "rankings of 4": lambda w, n: w.rankings(n),
        "best-worst of 4": lambda w, n: w.choices(n),
        "ranges": lambda w, n: w.ranges(n),
        "ratings and comparisons": lambda w, n: w.ratings(n / 2) + w.comparisons(n / 2),
        "ratings and rankings": lambda w, n: w.ratings(n / 2) + w.rankings(n / 2),
        "ratings and best-worst": lambda w, n: w.ratings(n / 2) + w.choices(n / 2),
        "all five": lambda w, n: (
            w.ratings(n / 5) + w.comparisons(n / 5) + w.rankings(n / 5) + w.choices(n / 5) + w.ranges(n / 5)
        ),
    }
    for scenario in ("full", "hard full"):
        for name, answers in designs.items():
            for amount in (2, 5, 10):
                if not wanted(arguments, f"{scenario}, {name}, {amount} answers"):
                    continue
                inside, orders, on_slider = [], [], []
                for repetition in range(arguments.repetitions):
                    world = World(scenario, arguments.seed + repetition)
                    fit = Steelyard().fit(answers(world, amount))
                    expected = expected_answers(world.scenario, world.truth, np.random.default_rng(1), 1000)
                    # Judgments without a unit are about true positions, and do not see the ends of a slider.
                    target = world.truth if fit.provenance.range is None else expected
                    inside.append(covered(fit, target)[np.argsort(world.truth)])
                    on_slider.append(np.nanmean(covered(fit, expected)))
                    orders.append(order(world, placed(fit)))
                deciles = np.nanmean(np.array(inside).reshape(len(inside), 10, -1), axis=(0, 2))
                means = np.nanmean(inside, axis=1)
                half = 1.96 * means.std(ddof=1) / np.sqrt(len(means))
                print(
                    f"{scenario}, {name}, {amount} answers: coverage {means.mean():.3f} ± {half:.3f}, deciles "
                    f"{deciles.min():.3f} to {deciles.max():.3f}, of expected answers on a slider "
                    f"{np.mean(on_slider):.3f}, Spearman {np.mean(orders):.3f}",
                    flush=True,
                )


def cost(arguments):
    for amount in (4, 10):
        ratios, seconds = [], []
        for repetition in range(arguments.repetitions):
            world = World("full", arguments.seed + repetition)
            mixed, plain = world.ratings(amount / 2) + world.comparisons(amount / 2), world.ratings(amount)
            times = []
            for judgments in (mixed, plain):
                start = time.process_time()
                _ = Steelyard().fit(judgments).posterior.position
                times.append(time.process_time() - start)
            if repetition:
                ratios.append(times[0] / times[1])
                seconds.append(times)
        joint, alone = np.median(seconds, axis=0)
        print(
            f"{amount} answers per item: joint {joint:.3f} s, ratings {alone:.3f} s, ratio {np.median(ratios):.1f}"
        )


def in_levels(ratings, cuts):
    rows = ratings.table("rating")
    level = np.searchsorted(cuts, rows.numbers["score"]) / len(cuts)
    return replace(ratings, tables={"rating": replace(rows, numbers={"score": level})})


def expected_levels(world, cuts, raters=1500):
    scenario, rng, size = world.scenario, np.random.default_rng(1), (raters, 1)
    slope = np.exp(scenario.slope_sd * rng.standard_normal(size))
    noise = scenario.base_noise * np.exp(scenario.noise_spread * rng.standard_normal(size))
    each = (raters, ITEMS)
    shift = scenario.bias_sd * rng.standard_normal(size) + scenario.offset_sd * rng.standard_normal(each)
    answers = 0.5 + slope * (world.truth - 0.5) + shift + noise * rng.standard_normal(each)
    return np.searchsorted(cuts, answers).mean(axis=0) / len(cuts)


def levels(arguments):
    for scenario in ("full", "hard full"):
        for name, cuts in {"even": (0.2, 0.4, 0.6, 0.8), "skewed": (0.5, 0.7, 0.8, 0.9)}.items():
            for amount in (3, 10):
                cell = f"{scenario}, {name} cuts, {amount} answers"
                if not wanted(arguments, cell):
                    continue
                gains, inside = [], []
                for repetition in range(arguments.repetitions):
                    world = World(scenario, arguments.seed + repetition)
                    ratings = in_levels(world.ratings(amount), cuts)
                    numbers, ordered = (model.fit(ratings) for model in (Steelyard(), Steelyard(levels=5)))
                    gains.append(order(world, placed(ordered)) - order(world, placed(numbers)))
                    expected = expected_levels(world, cuts)
                    inside.append([np.nanmean(covered(fit, expected)) for fit in (numbers, ordered)])
                cover = np.mean(inside, axis=0)
                more = f"coverage {cover[1]:.3f}, as numbers {cover[0]:.3f}"
                line(f"{cell}, levels - numbers", gains, more)


def derived(judgments, rng, rated=2, compared=3):
    """Gold positions, `rated` ratings per item, and `compared` comparisons per item made from other raters' ratings."""
    rows = judgments.table("rating")
    rater, item, score = rows.codes["rater"], rows.codes["item"], rows.numbers["score"]
    part = rng.permutation(np.arange(len(judgments.raters)) % 4)[rater]
    gold_rows = part < 2
    count = np.bincount(item[gold_rows], minlength=len(judgments.items))
    gold = np.bincount(item[gold_rows], score[gold_rows], len(count)) / np.maximum(count, 1)
    shuffled = rng.permutation(np.flatnonzero(part == 2))
    place = np.zeros(len(count), dtype=int)
    kept = []
    for at in shuffled:
        if place[item[at]] < rated:
            place[item[at]] += 1
            kept.append(at)
    others = np.flatnonzero(part == 3)
    by_rater = {who: others[rater[others] == who] for who in np.unique(rater[others])}
    by_rater = {who: some for who, some in by_rater.items() if len(some) > 1}
    names = list(by_rater)
    weight = np.array([len(by_rater[who]) for who in names], dtype=float)
    made = []
    while names and len(made) < compared * len(count):
        some = by_rater[names[rng.choice(len(names), p=weight / weight.sum())]]
        one, other = rng.choice(some, 2, replace=False)
        gap = score[one] - score[other]
        outcome = "tie" if abs(gap) < 0.02 else "left" if gap > 0 else "right"
        made.append((rater[one], item[one], item[other], outcome))
    ratings = table("rating", [(rater[at], item[at], score[at]) for at in kept], ("rater", "item", "score"))
    return (
        np.where(count >= 3, gold, np.nan),
        ratings,
        table("comparison", made, ("rater", "left", "right", "outcome")),
    )


def on_all(fit, size):
    out = np.full(size, float(np.mean(fit.posterior.position)))
    out[[int(name[1:]) for name in fit.item]] = fit.posterior.position
    return out


def real(arguments):
    for name, question in REAL:
        judgments = load(arguments.folder, name, question)
        gains, apart, warnings = [], [], []
        for repetition in range(arguments.repetitions):
            rng = np.random.default_rng(arguments.seed + repetition)
            gold, ratings, compared = derived(judgments, rng)
            if not len(compared):
                break
            usable, size = np.isfinite(gold), len(gold)
            fit = Steelyard().fit(ratings + compared)
            positions = [on_all(each, size) for each in (fit, *map(Steelyard().fit, (ratings, compared)))]
            average = z_scores(positions[1]) + z_scores(positions[2])
            scores = [
                spearmanr(gold[usable], each[usable])[0] for each in (positions[0], positions[1], average)
            ]
            gains.append(scores[0] - scores[1])
            apart.append(scores[0] - scores[2])
            warnings.append(warned(fit))
        more = f"warned {np.mean(warnings):.2f}"
        line(f"{name} {question or ''}: joint - ratings", gains, more)
        line(f"{name} {question or ''}: joint - z-average", apart)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("study", choices=("added", "halves", "coverage", "levels", "cost", "real"))
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--only", default="", help="part of the names of the cells to compute; default all")
    arguments = parser.parse_args()
    globals()[arguments.study](arguments)


if __name__ == "__main__":
    main()
