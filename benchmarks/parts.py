"""Coverage of differences between items of parts that no rater links, with and without the errors of their levels.

    python benchmarks/parts.py --repetitions 20 --seed 9000

Every part has its own items and raters. Items have standard deviation 0.15 around the level of their part, biases 0.1
and noise 0.12, on a scale from 0 to 1.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

from steelyard import Judgments, Steelyard

ITEM_SD, BIAS_SD, NOISE_SD = 0.15, 0.1, 0.12
HEADER = (
    "| parts | items | raters | answers per item | sd of levels | inside a part | between parts, without | with |\n"
    "|---|---|---|---|---|---|---|---|"
)
WORLDS = [(5, 20, 5, 3, 0.0), (5, 20, 5, 3, 0.15), (5, 20, 3, 2, 0.15), (2, 20, 5, 3, 0.15)]


def drawn(parts, items, raters, answers, level_sd, rng):
    """Ratings of all parts, and the true position of each item by its id."""
    rows, truth = [], {}
    for part in range(parts):
        position = 0.5 + rng.normal(0.0, level_sd) + rng.normal(0.0, ITEM_SD, items)
        bias = rng.normal(0.0, BIAS_SD, raters)
        for at in range(items):
            truth[f"p{part}i{at:02}"] = position[at]
            for rater in rng.choice(raters, answers, replace=False):
                score = position[at] + bias[rater] + rng.normal(0.0, NOISE_SD)
                rows.append((f"p{part}r{rater}", f"p{part}i{at:02}", float(np.clip(score, 0.0, 1.0))))
    rater, item, score = zip(*rows, strict=True)
    columns = {"rater": np.array(rater, object), "item": np.array(item, object), "score": np.array(score)}
    return Judgments.from_columns("rating", columns, range=(0.0, 1.0)), truth


def coverage(fit, truth):
    """Share of 95% intervals of differences that contain the truth: inside a part, and between parts."""
    rows = fit.differences()
    gap = np.array([truth[left] - truth[right] for left, right in zip(rows.left, rows.right, strict=True)])
    inside = np.array([left[:2] == right[:2] for left, right in zip(rows.left, rows.right, strict=True)])
    covered = (rows.low <= gap) & (gap <= rows.high)
    return covered[inside].mean(), covered[~inside].mean()


def repetition(world, seed):
    judgments, truth = drawn(*world, np.random.default_rng(seed))
    fit = Steelyard().fit(judgments)
    without = replace(fit.posterior)
    without.__dict__["levels"] = None  # a cached property
    inside, between = coverage(fit, truth)
    return inside, coverage(replace(fit, posterior=without), truth)[1], between


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(HEADER)
    for world in WORLDS:
        rows = [repetition(world, [options.seed, at]) for at in range(options.repetitions)]
        cells = [*map(str, world), *(f"{share:.3f}" for share in np.mean(rows, axis=0))]
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
