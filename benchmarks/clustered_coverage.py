"""Coverage and width of clustered Bradley-Terry intervals with four raters, and coverage of rank intervals.

Differences: simulated raters have tastes of their own. Their log-worths are normal around common ones (sd 0.5) with the
standard deviation `--taste`. The table has the coverage of 95% intervals of all differences, with default settings and
with `cluster="none"`. Width is the median length of the intervals divided by the length from the true covariance, which
is that of the estimates over all repetitions. Raters answer equally often, or the first gives 70% of all answers.

Ranks: items have log-worths with a standard deviation of 0.1, 0.2 or 1. Comparisons come from twelve raters without
tastes, or each from another rater. The table has the share of items whose interval contains the true rank, the mean
width, and the mean width with the counting rule, which orders items whose own intervals do not overlap.

    python benchmarks/clustered_coverage.py --repetitions 300 --seed 2000
"""

import argparse

import numpy as np

from steelyard import BradleyTerry, Judgments

SIZES = ((8, 60), (10, 60), (10, 120))  # items, comparisons per rater on average
RATERS = 4
UNEVEN = 0.7
ITEM_SDS = (0.1, 0.2, 1.0)
RANKED = (10, 1500)  # items, comparisons


def comparisons(own, sizes, rng):
    """Judgments of raters with these log-worths (raters x items); `sizes` has the number of each rater."""
    rater = np.repeat(np.arange(len(sizes)), sizes)
    items = own.shape[1]
    left = rng.integers(0, items, len(rater))
    right = (left + rng.integers(1, items, len(rater))) % items
    won = rng.random(len(rater)) < 1.0 / (1.0 + np.exp(own[rater, right] - own[rater, left]))
    names = np.array([f"i{at:02d}" for at in range(items)], dtype=object)
    columns = {
        "rater": np.array([f"r{at}" for at in rater], dtype=object),
        "left": names[left],
        "right": names[right],
        "outcome": np.where(won, "left", "right").astype(object),
    }
    return Judgments.from_columns("comparison", columns)


def differences(items, per, uneven, taste, repetitions, rng):
    """Coverage and relative width with default settings and without clusters."""
    whole = per * RATERS
    sizes = [per] * RATERS
    if uneven:
        sizes = [round(UNEVEN * whole)] + [round((1.0 - UNEVEN) * whole / (RATERS - 1))] * (RATERS - 1)
    errors, reaches = [], {"auto": [], "none": []}
    for _ in range(repetitions):
        truth = rng.normal(0.0, 0.5, items)
        judgments = comparisons(truth + taste * rng.standard_normal((RATERS, items)), sizes, rng)
        first, second = np.triu_indices(items, 1)
        for cluster, reach in reaches.items():
            found = BradleyTerry(penalty="auto", cluster=cluster).fit(judgments).differences()
            reach.append((found.high - found.low) / 2.0)
        errors.append(found.estimate - (truth[first] - truth[second]))
    gap = np.array(errors)
    wanted = 1.96 * gap.std(axis=0)
    return {
        cluster: (np.mean(np.abs(gap) <= np.array(reach)), np.median(np.array(reach) / wanted))
        for cluster, reach in reaches.items()
    }


def ranks(item_sd, raters, repetitions, rng):
    """Coverage of rank intervals, their mean width and that of the counting rule on single positions."""
    items, rows = RANKED
    hits, width, counted = [], [], []
    for _ in range(repetitions):
        truth = rng.normal(0.0, item_sd, items)
        sizes = np.full(raters, rows // raters)
        scale = BradleyTerry(penalty="auto").fit(comparisons(np.tile(truth, (raters, 1)), sizes, rng)).scale
        order = np.argsort(scale.item.astype(str))
        low, high = scale.rank_low[order], scale.rank_high[order]
        true = 1 + np.sum(truth[None, :] > truth[:, None], axis=1)
        hits.append((low <= true) & (true <= high))
        width.append(np.mean(high - low))
        below, above = scale.low[order], scale.high[order]
        upper, lower = (
            np.sum(below[None, :] > above[:, None], axis=1),
            np.sum(above[None, :] < below[:, None], axis=1),
        )
        counted.append(np.mean(items - 1 - upper - lower))
    return np.mean(hits), np.mean(width), np.mean(counted)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=300)
    parser.add_argument("--seed", type=int, default=2000)
    parser.add_argument("--taste", type=float, default=0.5)
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    print("items  per rater  answers   coverage  width  coverage (none)  width (none)")
    for items, per in SIZES:
        for uneven in (False, True):
            found = differences(items, per, uneven, arguments.taste, arguments.repetitions, rng)
            words = "70% of one" if uneven else "even"
            (auto, wide), (none, narrow) = found["auto"], found["none"]
            print(f"{items:5}  {per:9}  {words:10} {auto:7.3f}  {wide:5.2f}  {none:15.3f}  {narrow:12.2f}")
    print("item sd  raters  rank coverage  mean width  mean width (counting)")
    for item_sd in ITEM_SDS:
        for raters in (12, RANKED[1]):
            hit, wide, counted = ranks(item_sd, raters, arguments.repetitions, rng)
            print(f"{item_sd:7g}  {raters:6}  {hit:13.3f}  {wide:10.2f}  {counted:21.2f}")


if __name__ == "__main__":
    main()
