"""CPU time per chosen pair: `information` against ASAP's own Python code, and against the sampler of `match_quality`.

`benchmarks/choosing.py` runs both with the options --asap and --cost.
"""

from __future__ import annotations

import sys
import time

import numpy as np

LEARNT = 4  # comparisons per item before pairs are chosen among many items
RUNS = 5  # of which the fastest counts
TASKS = (500, 5_000, 10_000)


def seconds_of(work):
    """CPU seconds of one call, and its result."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def original_round(folder, wins):
    """CPU milliseconds per pair of one round of ASAP's own code, after comparisons with these numbers of wins."""
    import networkx  # only its own code needs it

    if not hasattr(networkx, "from_numpy_matrix"):
        networkx.from_numpy_matrix = networkx.from_numpy_array  # renamed in NetworkX 3
    sys.path.insert(0, str(folder))
    import asap_cpu  # from the folder

    scheduler = asap_cpu.ASAP(len(wins), selective_eig=True)
    seconds, pairs = seconds_of(lambda: scheduler.run_asap(wins, mst_mode=True))
    return 1000.0 * seconds / len(pairs)


def against_original(folder, rounds, items, outcomes):
    """Print the CPU time of a round of ours, with its refit, and of ASAP's own code after the same comparisons."""
    wins = np.zeros((items, items), dtype=int)
    for won, lost in outcomes:
        wins[won, lost] += 1
    own = min(rounds(outcomes)[0] for _ in range(RUNS)) * 1000.0 / items
    theirs = original_round(folder, wins)
    print(
        f"{items} items after {len(outcomes)} comparisons: information {own:.3f} ms of CPU per pair, ASAP's own code "
        f"{theirs:.1f} ms, ratio 1/{theirs / own:.0f}",
        flush=True,
    )


def against_sampler(items, choosers, rng):
    """Print CPU microseconds per pair of both selections, by the number of tasks that are chosen at once."""
    print("| items | tasks | information, us per pair | match_quality, us per pair | ratio |")
    print("|---|---|---|---|---|")
    for tasks in TASKS:
        costs = [
            min(seconds_of(lambda choose=choose, tasks=tasks: choose(tasks, rng))[0] for _ in range(RUNS))
            for choose in choosers
        ]
        own, other = (1e6 * cost / tasks for cost in costs)
        print(f"| {items} | {tasks} | {own:.1f} | {other:.1f} | {own / other:.2f} |", flush=True)
