"""Time of drawing partners by match quality: the sampler against a scan, 2,000 tasks among 100,000 items.

The scan uses NumPy: match quality with every candidate, then a draw by cumulative sums (pairs) or by Gumbel keys
(groups). Both draw all tasks. The time of the sampler includes sorting the items into cells. The table also has
the time of the whole selection, including heads. CPU time of one process.

    python benchmarks/partners.py
"""

import argparse
import time
from types import SimpleNamespace

import numpy as np

from steelyard.maths.sampling import weighted_sample
from steelyard.selection.match_quality import GAMMA, MatchQuality, match_quality
from steelyard.selection.partners import NOBODY, MatchBelief, fill
from steelyard.selection.pool import Pool

TARGET = 100.0
SHAPES = ("fresh", "half known", "converged", "clustered", "extreme variances")


def make_belief(shape, items, rng):
    even = rng.random(items)
    position, variance = {
        "fresh": (np.full(items, 0.5), np.full(items, 1 / 12)),
        "half known": (even, rng.uniform(0.01, 1 / 12, items)),
        "converged": (even, 1e-4 * rng.uniform(0.5, 1.5, items)),
        "clustered": (
            rng.choice([0.12, 0.3, 0.5, 0.7, 0.88], items) + 0.03 * rng.standard_normal(items),
            rng.uniform(0.001, 0.01, items),
        ),
        "extreme variances": (even, 10.0 ** rng.uniform(-8, -1, items)),
    }[shape]
    return SimpleNamespace(position=position, variance=variance)


def by_scan(belief, heads, candidates, size, rng):
    position, variance = belief.position[candidates], belief.variance[candidates]
    groups = np.empty((len(heads), size), dtype=np.int64)
    for row, head in enumerate(heads):
        quality = match_quality(belief.position[head], belief.variance[head], position, variance)
        if size == 2:
            reached = np.cumsum(quality)
            drawn = np.searchsorted(reached, rng.random() * reached[-1], side="right")
        else:
            drawn = weighted_sample(quality, size - 1, rng)
        groups[row, 0], groups[row, 1:] = head, candidates[drawn]
    return groups


def by_sampler(belief, heads, candidates, size, rng):
    groups = np.full((len(heads), size), NOBODY)
    groups[:, 0] = heads
    return fill(MatchBelief(belief.position, belief.variance, GAMMA), groups, candidates, rng)


def by_selection(belief, tasks, size, rng):
    items = len(belief.position)
    once, zeros = np.ones(items, dtype=np.int64), np.zeros(items, dtype=np.int64)
    pool = Pool(once, zeros, 10, zeros, zeros, np.ones(items, dtype=bool), linked=zeros)
    return MatchQuality(size).choose(pool, belief, tasks, rng)


def seconds(draw, repetitions=1):
    """Median CPU time of a draw."""
    taken = []
    for _ in range(repetitions):
        start = time.process_time()
        draw()
        taken.append(time.process_time() - start)
    return float(np.median(taken))


def measure(shape, items, tasks, size, rng):
    belief = make_belief(shape, items, rng)
    heads = np.argsort(-belief.variance + 1e-9 * rng.random(items))[:tasks]
    candidates = np.setdiff1d(np.arange(items), heads)
    sampler = seconds(lambda: by_sampler(belief, heads, candidates, size, rng), 5)
    selection = seconds(lambda: by_selection(belief, tasks, size, rng), 3)
    scan = seconds(lambda: by_scan(belief, heads, candidates, size, rng))
    return scan, sampler, selection


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--tasks", type=int, default=2_000)
    parser.add_argument("--sizes", type=int, nargs="+", default=[2, 5])
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    print(f"{arguments.tasks} tasks among {arguments.items} items\n")
    print("| belief | items a task | scan, s | sampler, s | scan / sampler | whole selection, s |")
    print("|---|---|---|---|---|---|")
    ratios = []
    for size in arguments.sizes:
        for shape in SHAPES:
            scan, sampler, selection = measure(shape, arguments.items, arguments.tasks, size, rng)
            ratios.append(scan / sampler)
            print(f"| {shape} | {size} | {scan:.2f} | {sampler:.4f} | {ratios[-1]:.0f} | {selection:.3f} |")
    held = "held" if min(ratios) >= TARGET else "missed"
    print(f"\nSmallest ratio {min(ratios):.0f}; at least {TARGET:.0f} wanted: {held}.")


if __name__ == "__main__":
    main()
