"""Speed of models that learn one comparison at a time, compared with trueskill, openskill and evalica.

    pip install trueskill openskill evalica
    python benchmarks/online.py > online.md

CPU time of this process, smallest of several runs. Comparisons are simulated: 100 items, a fifth of them ties.
- Updates per second from coded arrays: the time of `update(belief, judgments)` once ids are integers. The packages
  receive their own objects, made beforehand, and only their updates are timed.
- Elo from string columns to ratings: the time includes encoding and the conversion of outcome labels to evalica's enum,
  the only input that evalica accepts.
- The first call in a new process, without and with compiled code in the cache.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time

import evalica
import numpy as np
import openskill.models
import trueskill

from steelyard import BetaRanking, Elo, Judgments, TrueSkill
from steelyard.maths.arrays import object_cells
from steelyard.models.online.steps import sorted_items

ITEMS = 100
RUNS = 5
SLOW = 2_000  # updates of packages written in Python
LABELS = object_cells(["left", "right", "tie"])

COLD = """
import sys, time
import numpy as np
from steelyard import Judgments, {model}
outcome = np.array(["left", "right", "tie"] * 40, dtype=object)
columns = {{"left": np.array(["a", "b"] * 60, dtype=object), "right": np.array(["c", "d"] * 60, dtype=object)}}
judgments = Judgments.from_columns("comparison", {{**columns, "outcome": outcome}})
wall, cpu = time.perf_counter(), time.process_time()
{model}().fit(judgments)
print(time.perf_counter() - wall, time.process_time() - cpu)
"""


def simulate(size, seed):
    """String columns of comparisons."""
    rng = np.random.default_rng(seed)
    names, worth = object_cells([f"model-{at:03d}" for at in range(ITEMS)]), rng.standard_normal(ITEMS)
    left = rng.integers(ITEMS, size=size)
    right = (left + 1 + rng.integers(ITEMS - 1, size=size)) % ITEMS
    gap = worth[left] - worth[right] + rng.logistic(size=size)
    outcome = np.where(np.abs(gap) < 0.55, 2, np.where(gap > 0, 0, 1))
    return {"left": names[left], "right": names[right], "outcome": LABELS[outcome]}


def least(work, runs=RUNS):
    """Smallest CPU time of several runs."""
    times = []
    for _ in range(runs):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


def ours_per_second(model, judgments):
    belief = model.start(sorted_items(judgments)[0])
    return len(judgments) / least(lambda: model.update(belief, judgments))


def games_of(columns):
    """Winner, loser, and whether it was a tie."""
    rows = zip(*(columns[name][:SLOW].tolist() for name in ("left", "right", "outcome")), strict=True)
    sides = [
        (right, left, outcome) if outcome == "right" else (left, right, outcome)
        for left, right, outcome in rows
    ]
    return [(winner, loser, outcome == "tie") for winner, loser, outcome in sides]


def trueskill_per_second(columns, backend):
    environment = trueskill.TrueSkill(0.5, np.sqrt(1 / 12), 0.1, 0.0, 0.1, backend=backend)
    games = games_of(columns)

    def work():
        ratings = dict.fromkeys(columns["left"].tolist(), environment.create_rating())
        for winner, loser, drawn in games:
            ratings[winner], ratings[loser] = trueskill.rate_1vs1(
                ratings[winner], ratings[loser], drawn, env=environment
            )

    return SLOW / least(work, 3)


def openskill_per_second(columns, name):
    model = getattr(openskill.models, name)()
    games = games_of(columns)

    def work():
        ratings = {item: model.rating() for item in dict.fromkeys(columns["left"].tolist())}
        for winner, loser, drawn in games:
            rated = model.rate([[ratings[winner]], [ratings[loser]]], ranks=[1, 1] if drawn else [1, 2])
            (ratings[winner],), (ratings[loser],) = rated

    return SLOW / least(work, 3)


def our_elo(columns):
    return Elo(k=4.0).fit(Judgments.from_columns("comparison", columns)).posterior.position


def their_elo(columns):
    winner = {"left": evalica.Winner.X, "right": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    winners = list(map(winner.__getitem__, columns["outcome"].tolist()))
    return evalica.elo(columns["left"], columns["right"], winners, k=4.0).scores


def cold(model):
    """Wall and CPU seconds of a first fit: with an empty cache of compiled code, and with a filled cache."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        script = [sys.executable, "-c", COLD.format(model=model)]
        runs = [subprocess.run(script, env=environment, check=True, capture_output=True) for _ in range(2)]
    return [tuple(map(float, run.stdout.split())) for run in runs]


def show_updates(columns):
    judgments = Judgments.from_columns("comparison", columns)
    package = trueskill_per_second(columns, "scipy"), trueskill_per_second(columns, None)
    print("| updates per second | | times `trueskill` |\n|---|---|---|")
    for model in (TrueSkill(), BetaRanking(), Elo()):
        speed = ours_per_second(model, judgments)
        print(f"| steelyard {model.name} | {speed:,.0f} | {speed / max(package):,.0f} |")
    for name, speed in zip(("trueskill, scipy backend", "trueskill, own backend"), package, strict=True):
        print(f"| {name} | {speed:,.0f} | {speed / max(package):.2g} |")
    for name in ("ThurstoneMostellerFull", "BradleyTerryFull", "PlackettLuce"):
        speed = openskill_per_second(columns, name)
        print(f"| openskill {name} | {speed:,.0f} | {speed / max(package):.2g} |")


def show_elo(columns):
    theirs = their_elo(columns).sort_index().to_numpy()
    assert np.allclose(our_elo(columns), theirs, rtol=1e-12)
    coded = least(lambda: Judgments.from_columns("comparison", columns))
    ours, evalicas = least(lambda: our_elo(columns)), least(lambda: their_elo(columns))
    print(f"\n| Elo of {len(columns['left']):,} comparisons from strings | CPU s |\n|---|---|")
    print(f"| steelyard, of which encoding {coded:.3f} | {ours:.3f} |\n| evalica | {evalicas:.3f} |")
    print(f"\nSteelyard takes 1/{evalicas / ours:.2f} of evalica's time; ratings agree to 1e-12.")


def show_cold():
    print(
        "\n| first fit in a new process | nothing compiled: wall s | CPU s | compiled before: wall s | CPU s |"
    )
    print("|---|---|---|---|---|")
    for model in ("TrueSkill", "BetaRanking", "Elo"):
        print(f"| {model} | {' | '.join(f'{seconds:.2f}' for run in cold(model) for seconds in run)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    columns = simulate(arguments.rows, arguments.seed)
    show_updates(columns)
    show_elo(columns)
    show_cold()


if __name__ == "__main__":
    main()
