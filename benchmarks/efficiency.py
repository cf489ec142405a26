"""Answers that the Steelyard model saves, and coverage of its intervals, with simulated raters.

    python benchmarks/efficiency.py --repetitions 100 --seed 1 > efficiency.md
    python benchmarks/efficiency.py --only coverage --repetitions 40

Direct assessment uses single ratings. The model uses lists of five of the same items from the same raters: balanced
lists, and the lists of a study with `selection = "information"`. This study includes its audit slice and stops raters
early whose answers carry too little information. Prints Markdown. Intervals are 95% over repetitions (bootstrap).
"""

import argparse
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat

import numpy as np
from scipy.stats import spearmanr

from selection import make_session
from steelyard import Judgments
from steelyard.models.steelyard.answers import answer_of
from steelyard.models.steelyard.model import Steelyard
from steelyard.simulation.crowd_at_work import Crowd
from steelyard.simulation.reproduction.easl_rounds import run_round
from steelyard.simulation.scenarios import (
    SCENARIOS,
    answer_task,
    draw_raters,
    draw_truth,
    expected_answers,
    participation,
)

LIST_SIZE = 5
ROUNDS = 10
LEVELS = (3, 5, 10)
ATTEMPTS = 60  # a rater who has seen an item of the list is drawn again
SHOWN = ["full", "hard full", "iid", "bias+spam", "full+cmp", "full+contrast"]
COVERED = [
    ("full", "uniform"),
    ("hard full", "uniform"),
    ("iid", "uniform"),
    ("full", "skewed"),
    ("full", "bimodal"),
]


def balanced(items, size, rng):
    """One round: every item once, in random lists; other items fill the last list."""
    order = rng.permutation(items)
    short = -items % size
    if short:
        order = np.append(order, rng.choice(order[: items - size + short], short, replace=False))
    return order.reshape(-1, size)


def collect(scenario, truth, people, size, rng):
    """Ten rounds of balanced answers as judgments, with the round of each."""
    chances, seen = np.cumsum(participation(len(people))), np.zeros((len(people), len(truth)), dtype=bool)
    columns = {name: [] for name in ("rater", "item", "task", "score", "round")}
    for turn in range(ROUNDS):
        for page in balanced(len(truth), size, rng):
            for _ in range(ATTEMPTS):
                who = min(int(np.searchsorted(chances, rng.random())), len(people) - 1)
                if not seen[who, page].any():
                    break
            seen[who, page] = True
            score = answer_task(people[who], scenario, truth[page], float(truth.mean()), rng)
            columns["rater"] += [f"r{who}"] * len(page)
            columns["item"] += [f"i{at}" for at in page]
            columns["task"] += [f"{turn}:{page[0]}:{who}"] * len(page)
            columns["score"] += score.tolist()
            columns["round"] += [turn] * len(page)
    return Judgments.from_columns("rating", columns, (0.0, 1.0))


def until(judgments, answers):
    return judgments.where(lambda table: table.numbers["round"] < answers)


def places(judgments):
    return np.array([int(label[1:]) for label in judgments.items])


def mean_scores(judgments):
    table, size = judgments.table("rating"), len(judgments.items)
    count = np.bincount(table.codes["item"], minlength=size)
    return np.bincount(table.codes["item"], table.numbers["score"], minlength=size) / np.maximum(count, 1)


def world(name, shape, arguments, repetition):
    rng = np.random.default_rng([arguments.seed, repetition])
    truth = draw_truth(shape, arguments.items, rng)
    return SCENARIOS[name], truth, draw_raters(SCENARIOS[name], arguments.raters, rng), rng


METHODS = ("direct assessment", "mean", "bias only", "steelyard", "steelyard, information")


def curves(name, shape, arguments):
    """Spearman with the truth at 1 to 10 answers per item, of each method and repetition."""
    with ProcessPoolExecutor(arguments.workers) as pool:
        fixed = (repeat(each) for each in (name, shape, arguments))
        rows = list(pool.map(curves_once, *fixed, range(arguments.repetitions)))
    return {method: np.array([row[method] for row in rows]) for method in METHODS}


def curves_once(name, shape, arguments, repetition):
    scenario, truth, people, rng = world(name, shape, arguments, repetition)
    singles = collect(scenario, truth, people, 1, rng)
    lists = collect(scenario, truth, people, LIST_SIZE, rng)
    row = {method: [] for method in METHODS}
    for answers in range(1, ROUNDS + 1):
        some, true_positions = until(lists, answers), truth[places(lists)]
        posterior = Steelyard().posterior(some)
        simple = posterior.average.bias_only
        row["direct assessment"].append(
            spearman(mean_scores(until(singles, answers)), truth[places(singles)])
        )
        row["mean"].append(spearman(mean_scores(some), true_positions))
        row["bias only"].append(spearman(answer_of(simple, simple.latent), true_positions))
        row["steelyard"].append(spearman(posterior.position, true_positions))
    row["steelyard, information"] = chosen(scenario, truth, people, arguments.seed + repetition, rng)
    return row


def chosen(scenario, truth, people, seed, rng):
    """Spearman at 1 to 10 answers per item of a study that chooses by information."""
    session = make_session({"selection": "information"}, len(truth), seed)
    raters = [session.join(str(at), "simulated") for at in range(len(people))]
    crowd, found = Crowd(scenario, tuple(people), truth[None, :]), []
    for answers in range(1, ROUNDS + 1):
        run_round(session, crowd, raters, answers * len(truth), rng)
        judgments = session.ledger.judgments(0)
        position = Steelyard().posterior(judgments).position
        found.append(spearman(position, truth[judgments.items.astype(int)]))
    return found


def spearman(one, other):
    return spearmanr(one, other).statistic


def needed(curve, level):
    """Answers per item at which a curve over 1, 2, ... reaches a level, linear in between; inf if never."""
    above = np.flatnonzero(curve >= level)
    if not len(above):
        return np.inf
    at = above[0]
    if at == 0:
        return 1.0
    return at + (level - curve[at - 1]) / (curve[at] - curve[at - 1])


def with_interval(statistic, repetitions, rng, times=500):
    """A statistic of repetitions, with its 95% bootstrap interval."""
    drawn = [statistic(rng.integers(0, repetitions, repetitions)) for _ in range(times)]
    low, high = np.quantile(drawn, [0.025, 0.975], method="inverted_cdf")
    return f"{limited(statistic(np.arange(repetitions)))} [{limited(low)}, {limited(high)}]"


def limited(number):
    return f"{number:.2f}" if np.isfinite(number) else f">{ROUNDS}"


def print_answers(arguments):
    print("\nAnswers per item that reach direct assessment at 3 / 5 / 10 (Spearman with the truth).\n")
    print("| scenario | direct assessment at 3/5/10 | estimate from lists | at 3 | at 5 | at 10 |")
    print("|---|---|---|---|---|---|")
    for name in arguments.scenarios:
        found = curves(name, "uniform", arguments)
        goal = found["direct assessment"]
        levels = "/".join(f"{goal[:, level - 1].mean():.3f}" for level in LEVELS)
        for method in METHODS[1:]:
            cells = []
            for level in LEVELS:

                def reach(chosen, curve=found[method], level=level, goal=goal):
                    return needed(curve[chosen].mean(axis=0), goal[chosen, level - 1].mean())

                cells.append(with_interval(reach, arguments.repetitions, np.random.default_rng(0)))
            print(f"| {name} | {levels} | {method} | {' | '.join(cells)} |", flush=True)
        if name == "iid":
            print_extra(found, arguments)


def print_extra(found, arguments):
    """Extra answers of the model against the mean of the same answers, in percent."""
    for level in (3, 5, 9):

        def extra(chosen, level=level):
            goal = found["mean"][chosen, level - 1].mean()
            return 100.0 * (needed(found["steelyard"][chosen].mean(axis=0), goal) / level - 1.0)

        percent = with_interval(extra, arguments.repetitions, np.random.default_rng(0))
        print(
            f"| iid | extra answers of steelyard against the mean at {level}, % | | {percent} | | |",
            flush=True,
        )


def print_coverage(arguments):
    print("\nShare of 95% intervals that hold the expected answer: all, and by decile of true position.\n")
    print("| scenario, items | answers | all | " + " | ".join(str(at) for at in range(1, 11)) + " |")
    print("|---|---|---|" + "---|" * 10)
    for name, shape in COVERED:
        held = {answers: [] for answers in (3, 5, 7, 10)}
        for repetition in range(arguments.repetitions):
            scenario, truth, people, rng = world(name, shape, arguments, repetition)
            lists = collect(scenario, truth, people, LIST_SIZE, rng)
            at = places(lists)
            expected = expected_answers(scenario, truth, rng, 2000)[at]
            decile = (np.argsort(np.argsort(truth)) * 10 // len(truth))[at]
            for answers, rows in held.items():
                low, high = Steelyard().posterior(until(lists, answers)).interval(0.95)
                inside = (low <= expected) & (expected <= high)
                rows.append([inside.mean(), *(inside[decile == tenth].mean() for tenth in range(10))])
        for answers, rows in held.items():
            cells = " | ".join(f"{share:.3f}" for share in np.mean(rows, axis=0))
            print(f"| {name}, {shape} | {answers} | {cells} |", flush=True)


def machine_score(truth, correlation, rng):
    """A score of exactly this correlation with the truth."""
    standard = (truth - truth.mean()) / truth.std()
    noise = rng.standard_normal(len(truth))
    noise = noise - noise.mean() - standard * np.mean(noise * standard)
    return correlation * standard + np.sqrt(1.0 - correlation**2) * noise / noise.std()


def print_features(arguments):
    print("\nScenario full with a machine score: answers per item that reach direct assessment at 5.\n")
    print(
        "| correlation with the truth | answers | change in Spearman at 3 against no score |\n|---|---|---|"
    )
    found, goal = {}, []
    for repetition in range(arguments.repetitions):
        scenario, truth, people, rng = world("full", "uniform", arguments, repetition)
        singles = collect(scenario, truth, people, 1, rng)
        lists = collect(scenario, truth, people, LIST_SIZE, rng)
        goal.append(spearman(mean_scores(until(singles, 5)), truth[places(singles)]))
        for correlation in (None, 0.0, 0.8, 0.9):
            scores = None if correlation is None else machine_score(truth, correlation, rng)
            column = (
                None if scores is None else {"score": {f"i{at}": float(s) for at, s in enumerate(scores)}}
            )
            model = Steelyard(features=column)
            correlations = [
                spearman(model.posterior(until(lists, n)).position, truth[places(lists)])
                for n in (1, 2, 3, 4)
            ]
            found.setdefault(correlation, []).append(correlations)
    found = {correlation: np.array(rows) for correlation, rows in found.items()}
    for correlation, rows in found.items():

        def reach(chosen, rows=rows):
            return needed(rows[chosen].mean(axis=0), np.mean(np.array(goal)[chosen]))

        gap = (rows - found[None])[:, 2]
        answers = with_interval(reach, arguments.repetitions, np.random.default_rng(0))
        change = f"{gap.mean():+.4f} ± {1.96 * gap.std() / np.sqrt(len(gap)):.4f}"
        print(f"| {'none' if correlation is None else correlation} | {answers} | {change} |", flush=True)


def large(items, raters, rng):
    """Three answers per item in lists of five, scenario full without spammers, as coded judgments."""
    from steelyard.judgments.coding import Vocabulary
    from steelyard.judgments.table import Table
    from steelyard.judgments.table_kinds import KINDS

    item = np.concatenate([rng.permutation(items) for _ in range(3)])
    pages = len(item) // LIST_SIZE
    who = rng.choice(raters, pages, p=participation(raters))
    rater, task = np.repeat(who, LIST_SIZE), np.repeat(np.arange(pages), LIST_SIZE)
    truth, bias = rng.random(items), 0.1 * rng.standard_normal(raters)
    slope, noise = (
        np.exp(0.25 * rng.standard_normal(raters)),
        0.15 * np.exp(0.3 * rng.standard_normal(raters)),
    )
    score = 0.5 + slope[rater] * (truth[item] - 0.5) + bias[rater] + 0.1 * rng.standard_normal(pages)[task]
    score = np.clip(np.round(score + noise[rater] * rng.standard_normal(len(item)), 2), 0.0, 1.0)
    labels = {"item": items, "rater": raters, "task": pages}
    words = {name: Vocabulary(np.arange(size).astype(object)) for name, size in labels.items()}
    table = Table(KINDS["rating"], {"rater": rater, "item": item, "task": task}, {"score": score})
    return Judgments({"rating": table}, words, (0.0, 1.0))


def print_cost(arguments):
    print("\nOne refit: positions, spreads and intervals; compiled beforehand, one thread, best of three.\n")
    print("| items | ratings | CPU seconds | of these intervals | peak memory, GB |\n|---|---|---|---|---|")
    Steelyard().posterior(large(100, 10, np.random.default_rng(0)))
    for items, raters, times in ((150, 40, 3), (10_000, 200, 3), (1_000_000, 5_000, 1)):
        judgments = large(items, raters, np.random.default_rng(arguments.seed))
        best = (np.inf, np.inf)
        for _ in range(times):
            start = time.process_time()
            posterior = Steelyard().posterior(judgments)
            between = time.process_time()
            posterior.position, posterior.spread, posterior.interval(0.95)
            end = time.process_time()
            best = min(best, (end - start, end - between))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(f"| {items:,} | {3 * items:,} | {best[0]:.3f} | {best[1]:.3f} | {peak:.2f} |", flush=True)


PARTS = {"answers": print_answers, "coverage": print_coverage, "features": print_features, "cost": print_cost}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--items", type=int, default=150)
    parser.add_argument("--raters", type=int, default=40)
    parser.add_argument("--scenarios", nargs="+", default=SHOWN, choices=list(SCENARIOS))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", nargs="+", default=list(PARTS), choices=list(PARTS))
    arguments = parser.parse_args()
    runs = f"{arguments.repetitions} repetitions, seed {arguments.seed}"
    print(f"{arguments.items} items, {arguments.raters} raters, {runs}, lists of {LIST_SIZE}.")
    for part in arguments.only:
        PARTS[part](arguments)


if __name__ == "__main__":
    main()
