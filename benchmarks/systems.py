"""Coverage and error of differences between systems on simulated ratings with known truth.

10 systems x 40 segments x 12 raters; systems 3 points apart, segments sd 10, system-by-segment sd 6, rater bias sd 8,
rater slope 1 + 0.25 z around 50 (0 in D), noise sd 12. A: every rater rates every output. B: each output is rated by 3
raters chosen at random. C: all outputs of a segment are rated by the same 3 raters. D: B without slopes. Errors are
compared with those of the crossed mixed model (as lme4 fits it) on the same data.

    python benchmarks/systems.py --designs ABCD --sets 200
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np

from steelyard import Judgments
from steelyard.models.crossed import Crossed
from steelyard.models.steelyard.model import Steelyard

SYSTEMS, SEGMENTS, RATERS, PER_OUTPUT = 10, 40, 12, 3
FIRST, SECOND = np.triu_indices(SYSTEMS, 1)
FAR = SECOND - FIRST >= 6


def simulate(design: str, number: int, seed: int):
    rng = np.random.default_rng([seed, " ABCD".index(design), number])
    truth = 40 + 3.0 * np.arange(SYSTEMS)
    segment, inter = rng.normal(0, 10, SEGMENTS), rng.normal(0, 6, (SYSTEMS, SEGMENTS))
    bias = rng.normal(0, 8, RATERS)
    slope = 1 + (0.0 if design == "D" else 0.25) * rng.normal(size=RATERS)
    outputs = truth[:, None] + segment[None, :] + inter
    asked = np.zeros((SYSTEMS, SEGMENTS, RATERS), bool)
    if design == "A":
        asked[:] = True
    elif design == "C":
        for at in range(SEGMENTS):
            asked[:, at, rng.choice(RATERS, PER_OUTPUT, replace=False)] = True
    else:
        for system in range(SYSTEMS):
            for at in range(SEGMENTS):
                asked[system, at, rng.choice(RATERS, PER_OUTPUT, replace=False)] = True
    noise = rng.normal(0, 12, (SYSTEMS, SEGMENTS, RATERS))
    scores = 50 + bias + slope * (outputs[:, :, None] - 50) + noise
    return judgments_of(scores[asked], *np.nonzero(asked)), truth, outputs.mean(1)


def judgments_of(score, system, segment, rater):
    columns = {
        "rater": [f"r{each:02}" for each in rater],
        "item": [f"{one:02}-{other:02}" for one, other in zip(system, segment, strict=True)],
        "system": [f"s{each:02}" for each in system],
        "segment": [f"g{each:02}" for each in segment],
        "score": score.tolist(),
    }
    ends = (float(score.min()) - 1.0, float(score.max()) + 1.0)
    return Judgments.from_columns("rating", columns, range=ends)


def one_set(number: int, design: str, seed: int):
    """Which intervals held, errors of ours, and of the crossed model; for new and for these segments."""
    judgments, new, these = simulate(design, number, seed)
    fit, crossed = Steelyard().fit(judgments), Crossed().fit(judgments).posterior.position
    by_target = []
    for target, truth in (("new", new), ("these", these)):
        differences = fit.differences("system", target=target)
        gap = truth[FIRST] - truth[SECOND]
        held = (differences.low <= gap) & (gap <= differences.high)
        by_target.append(
            (held, differences.estimate - gap, differences.error, crossed[FIRST] - crossed[SECOND] - gap)
        )
    return by_target


def report(design: str, sets: list) -> None:
    for at, target in enumerate(("new", "these")):
        held, off, error, other = (np.array([each[at][column] for each in sets]) for column in range(4))
        chance, far_chance = (some.mean(axis=1).std() / np.sqrt(len(sets)) for some in (held, held[:, FAR]))
        print(
            f"{design} {target:5} coverage {held.mean():.3f} (error {chance:.3f}), "
            f"far {held[:, FAR].mean():.3f} (error {far_chance:.3f}), "
            f"mean error {error.mean():.2f}, RMSE {np.sqrt(np.mean(off**2)):.3f}, "
            f"crossed {np.sqrt(np.mean(other**2)):.3f}"
        )
        if target == "new":
            gain = np.mean(off**2, axis=1) - np.mean(other**2, axis=1)
            reach = 1.96 * gain.std(ddof=1) / np.sqrt(len(gain))
            print(f"  squared error against the crossed model: {gain.mean():+.3f} +- {reach:.3f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--designs", default="ABCD")
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--seed", type=int, default=20261116)
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    with ProcessPoolExecutor(asked.workers) as pool:
        for design in asked.designs:
            work = partial(one_set, design=design, seed=asked.seed)
            report(design, list(pool.map(work, range(asked.sets), chunksize=5)))


if __name__ == "__main__":
    main()
