"""`information` against `balanced`, both with the Steelyard model, with simulated raters.

    python benchmarks/selection.py --repetitions 40 > selection.md

Every answer passes through the session of a study; only the log is in memory. The tables have

- Spearman correlation with the truth, by answers per item;
- coverage of 95% intervals for the expected answer of an average honest rater, over all items and by decile of true
  position, also at the time a reliability rule stops the study;
- predicted and actual reliability;
- the number of raters who were stopped early.
"""

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from easl_vs_da import interval
from scipy.stats import spearmanr

from steelyard import Steelyard
from steelyard.selection.early_stop import LEAST_ANSWERS
from steelyard.selection.stopping import predicted_reliability
from steelyard.simulation.crowd_at_work import Crowd
from steelyard.simulation.reproduction.easl_rounds import RATERS, ROUNDS, run_round
from steelyard.simulation.scenarios import SCENARIOS, draw_raters, draw_truth, expected_answers
from steelyard.storage.memory import Memory
from steelyard.study.collecting.session import Session
from steelyard.study.definition.items import Item, Items
from steelyard.study.definition.study import Study
from steelyard.study.definition.study_file import define

SHOWN = (1, 2, 3, 5, 7, 10)
STOP_AT = 0.95


def make_session(settings, items, seed):
    table = {
        "title": "benchmark",
        "items": {"file": "none"},
        "questions": [{"text": "How much?"}],
        "seed": seed,
    }
    definition = {
        **table,
        "protocol": "list",
        "redundancy": ROUNDS,
        "scale": {"low": 0, "high": 1},
        **settings,
    }
    everything = tuple(Item(str(at), "text", "x") for at in range(items))
    memory = Memory()
    return Session(Study(Path(), define(definition), Items(everything)), memory, memory, lambda: 0.0)


def measure(session, truth, expected):
    """Spearman, predicted and actual reliability, answers per item, and which intervals contain the truth."""
    fit = Steelyard().fit(session.ledger.judgments(0))
    scale = fit.scale
    actual = np.corrcoef(scale.position, expected)[0, 1]
    numbers = (
        spearmanr(scale.position, truth).statistic,
        predicted_reliability(scale.position, scale.spread**2),
        actual,
    )
    return (*numbers, session.ledger.answered.mean()), (scale.low <= expected) & (expected <= scale.high)


def run_once(name, scenario, shape, items, seed):
    """Run one study up to ten answers per item, or until it stops."""
    rng = np.random.default_rng(seed)
    truth = draw_truth(shape, items, rng)
    crowd = Crowd(SCENARIOS[scenario], tuple(draw_raters(SCENARIOS[scenario], RATERS, rng)), truth[None, :])
    expected = expected_answers(SCENARIOS[scenario], truth, rng)
    stop = {"stop": {"reliability": STOP_AT}} if name == "stopped" else {}
    settings = {} if name == "balanced" else {"selection": "information", **stop}
    session = make_session(settings, items, seed)
    people = [session.join(str(at), "simulated") for at in range(RATERS)]
    rows = []
    for answers in (ROUNDS,) if stop else SHOWN:
        run_round(session, crowd, people, answers * items, rng)
        rows.append(measure(session, truth, expected))
    return truth, rows, stopped_raters(session, crowd, people)


def stopped_raters(session, crowd, people):
    """For honest raters and for spammers: how many could have been stopped early, and how many were."""
    records = [session.ledger.rater(person.id) for person in people]
    known = np.array([len(record.answers) * 5 >= LEAST_ANSWERS for record in records])
    stopped_early = np.array([record.stopped_early for record in records])
    spams = np.array([rater.spam is not None for rater in crowd.raters])
    return [(int(np.sum(known & who)), int(np.sum(stopped_early & who))) for who in (~spams, spams)]


def run_all(arguments):
    jobs = [
        (name, arguments.scenario, arguments.shape, arguments.items, arguments.seed + at)
        for name in ("balanced", "information", "stopped")
        for at in range(arguments.repetitions)
    ]
    with ProcessPoolExecutor(arguments.workers) as pool:
        found = list(pool.map(run_once, *zip(*jobs, strict=True)))
    size = arguments.repetitions
    return {
        name: found[at * size : (at + 1) * size]
        for at, name in enumerate(("balanced", "information", "stopped"))
    }


def print_accuracy(found):
    print(
        "\n| answers per item | balanced | information | information - balanced | predicted - actual reliability |"
    )
    print("|---|---|---|---|---|")
    for at, answers in enumerate(SHOWN):
        columns = {
            name: np.array([rows[at][0] for _, rows, _ in found[name]])
            for name in ("balanced", "information")
        }
        gap = columns["information"][:, 0] - columns["balanced"][:, 0]
        off = columns["information"][:, 1] - columns["information"][:, 2]
        cells = [interval(columns[name][:, 0]) for name in ("balanced", "information")]
        print(f"| {answers} | {cells[0]} | {cells[1]} | {interval(gap, True)} | {interval(off, True)} |")


def print_coverage(found):
    print("\n| coverage | answers per item | all | " + " | ".join(map(str, range(1, 11))) + " |")
    print("|---|---|---|" + "---|" * 10)
    for name in ("balanced", "information", "stopped"):
        for at, answers in enumerate(SHOWN if name != "stopped" else ("when stopped",)):
            if answers in (1, 2):
                continue
            held = np.concatenate([rows[at][1] for _, rows, _ in found[name]])
            truth = np.concatenate([truth for truth, _, _ in found[name]])
            decile = np.clip((truth.argsort().argsort() * 10) // len(truth), 0, 9)
            cells = [f"{held[decile == tenth].mean():.3f}" for tenth in range(10)]
            print(f"| {name} | {answers} | {held.mean():.3f} | " + " | ".join(cells) + " |")
    stopped = np.array([rows[0][0] for _, rows, _ in found["stopped"]])
    print(f"\nStopped at a predicted reliability of {STOP_AT}: {interval(stopped[:, 3])} answers per item,")
    print(f"actual reliability {interval(stopped[:, 2])}.")


def print_stopped(found):
    (honest, of_them), (spammers, of_those) = np.sum(
        [counts for _, _, counts in found["information"]], axis=0
    )
    print(
        f"\nOf raters with {LEAST_ANSWERS} answers or more, {of_them} of {honest} honest ones and {of_those}"
    )
    print(f"of {spammers} spammers were stopped early before there were ten answers per item.")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=40)
    parser.add_argument("--items", type=int, default=150)
    parser.add_argument("--scenario", default="full", choices=list(SCENARIOS))
    parser.add_argument("--shape", default="uniform")
    parser.add_argument("--seed", type=int, default=5000)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    start = time.perf_counter()
    found = run_all(arguments)
    world = f"{arguments.shape} items, {arguments.items} items, {RATERS} raters"
    print(f"Scenario `{arguments.scenario}`, {world}, lists of 5;")
    print(f"{arguments.repetitions} repetitions, seeds from {arguments.seed}. Raters are simulated.")
    print_accuracy(found)
    print_coverage(found)
    print_stopped(found)
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
