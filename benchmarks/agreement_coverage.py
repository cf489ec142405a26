"""Coverage of the 95% intervals of statistics of agreement, by simulation.

    python benchmarks/agreement_coverage.py [--samples 300] [--seed 1] [--only ratings]

Each design draws items and raters anew. The target is the value of the same statistic for the same number of raters and
very many items, averaged over panels of raters: the interval should cover it for new raters and new items. For
Krippendorff's alpha, whose default interval is about the same raters, a second target has the raters of the sample.
The table has one row per statistic: the share of samples whose interval covers the target, the mean width, and the
share of samples without an interval.
"""

import argparse
from collections import defaultdict

import numpy as np

from steelyard import Judgments
from steelyard.quality.agreement import AgreementSettings, agreement_of

PANELS, MANY_ITEMS = 20, 150


def ratings(items, raters, per_item=None, points=False, repeats=1, rng=None, bias=None):
    """Ratings with standard deviations of 1 for items, 0.4 for raters and 0.8 for error."""
    bias = 0.4 * rng.standard_normal(raters) if bias is None else bias
    who = np.array([rng.permutation(raters)[: per_item or raters] for _ in range(items)])
    item = np.repeat(np.arange(items), who.shape[1])
    rater = who.ravel()
    own = rng.standard_normal(items)[item] + bias[rater]
    if repeats > 1:
        own = own + 0.5 * rng.standard_normal(len(own))
        item, rater, own = (np.tile(each, repeats) for each in (item, rater, own))
    score = own + 0.8 * rng.standard_normal(len(own))
    score = np.clip(np.round(3 + score), 1, 5) if points else np.round(50 + 15 * score, 3)
    columns = {"rater": [f"r{at}" for at in rater], "item": [f"i{at}" for at in item], "score": score}
    if repeats > 1:
        columns["probe"] = np.repeat([0, 1], len(own) // 2)
    return Judgments.from_columns("rating", columns)


def comparisons(items, raters, per_pair, rng):
    """Comparisons of random pairs, each by several raters, with logistic noise."""
    worth = 1.5 * rng.standard_normal(2 * items)
    rows = []
    for at in range(items):
        for who in rng.permutation(raters)[:per_pair]:
            gap = worth[2 * at] - worth[2 * at + 1] + rng.logistic()
            rows.append((f"r{who}", f"i{2 * at}", f"i{2 * at + 1}", "left" if gap > 0 else "right"))
    return Judgments.from_columns(
        "comparison", dict(zip(("rater", "left", "right", "outcome"), zip(*rows, strict=True), strict=True))
    )


def rankings(items, raters, rng):
    """Rankings of sets of five items, each by all raters."""
    rows = []
    for at in range(items):
        quality = rng.standard_normal(5)
        for who in range(raters):
            rank = 1 + np.argsort(np.argsort(-quality - 0.8 * rng.standard_normal(5)))
            rows += [(f"r{who}", f"t{at}", f"i{at}-{each}", int(rank[each])) for each in range(5)]
    return Judgments.from_columns(
        "ranking", dict(zip(("rater", "task", "item", "rank"), zip(*rows, strict=True), strict=True))
    )


def best_worst(items, raters, rng):
    """Best-worst choices of random tuples of four, twice as many tuples as items, each by five raters."""
    quality, rows = rng.standard_normal(items), []
    for at in range(2 * items):
        shown = rng.choice(items, 4, replace=False)
        for who in rng.permutation(raters)[:5]:
            seen = quality[shown] + 0.8 * rng.standard_normal(4)
            words = {int(np.argmax(seen)): "best", int(np.argmin(seen)): "worst"}
            rows += [
                (f"r{who}", f"t{at}", f"i{each}", words.get(place, "none"))
                for place, each in enumerate(shown)
            ]
    return Judgments.from_columns(
        "best_worst", dict(zip(("rater", "task", "item", "choice"), zip(*rows, strict=True), strict=True))
    )


DESIGNS = {
    "ratings, 10 items x 3 raters": (ratings, {"items": 10, "raters": 3}),
    "ratings, 20 items x 5 raters": (ratings, {"items": 20, "raters": 5}),
    "ratings, 50 items x 10 raters": (ratings, {"items": 50, "raters": 10}),
    "ratings, 60 items, 4 of 12 raters each": (ratings, {"items": 60, "raters": 12, "per_item": 4}),
    "points, 30 items x 2 raters": (ratings, {"items": 30, "raters": 2, "points": True}),
    "points, 40 items x 5 raters": (ratings, {"items": 40, "raters": 5, "points": True}),
    "repeats, 15 items x 6 raters x 2": (ratings, {"items": 15, "raters": 6, "repeats": 2}),
    "comparisons, 40 pairs, 5 of 15 raters": (comparisons, {"items": 40, "raters": 15, "per_pair": 5}),
    "rankings, 15 sets x 6 raters": (rankings, {"items": 15, "raters": 6}),
    "best-worst, 30 items, 5 of 12 raters": (best_worst, {"items": 30, "raters": 12}),
}


def values_of(judgments, settings, rng):
    return {row.statistic: row for row in agreement_of(judgments, settings, rng).statistics}


def targets(make, design, rng):
    """Mean values over panels of raters, with many items."""
    many = {**design, "items": 60 if make is best_worst else MANY_ITEMS}
    found = defaultdict(list)
    for _ in range(PANELS):
        for name, row in values_of(make(**many, rng=rng), AgreementSettings(draws=100), rng).items():
            if row.value is not None:
                found[name].append(row.value)
    return {name: float(np.mean(values)) for name, values in found.items()}


def simulate(name, samples, rng):
    make, design = DESIGNS[name]
    target = targets(make, design, rng)
    inside, width, without = defaultdict(int), defaultdict(list), defaultdict(int)
    for _ in range(samples):
        for statistic, row in values_of(make(**design, rng=rng), AgreementSettings(draws=400), rng).items():
            if row.low is None or statistic not in target:
                without[statistic] += 1
                continue
            inside[statistic] += row.low <= target[statistic] <= row.high
            width[statistic].append(row.high - row.low)
    for statistic in target:
        made = samples - without[statistic]
        share = inside[statistic] / made if made else float("nan")
        mean_width = np.mean(width[statistic]) if made else float("nan")
        print(
            f"| {name} | {statistic} | {target[statistic]:.3f} | {share:.3f} | {mean_width:.2f} "
            f"| {without[statistic] / samples:.2f} |",
            flush=True,
        )


def simulate_alpha(name, samples, rng):
    """Alpha with each of its intervals, for the same raters and for new raters."""
    make, design = DESIGNS[name]
    target = targets(make, design, rng)["Krippendorff's alpha (interval)"]
    covered = defaultdict(int)
    for _ in range(samples):
        bias = 0.4 * rng.standard_normal(design["raters"])
        judgments = ratings(**design, rng=rng, bias=bias)
        chosen = AgreementSettings(statistics=("alpha",), levels=("interval",), draws=400)
        many = ratings(**{**design, "items": 1_000}, rng=rng, bias=bias)
        same = next(iter(values_of(many, chosen, rng).values())).value
        for interval in ("items", "raters", "pairs"):
            settings = AgreementSettings(
                statistics=("alpha",), levels=("interval",), draws=400, alpha_interval=interval
            )
            (row,) = values_of(judgments, settings, rng).values()
            if row.low is not None:
                covered[interval, "same"] += row.low <= same <= row.high
                covered[interval, "new"] += row.low <= target <= row.high
    for interval in ("items", "raters", "pairs"):
        shares = [covered[interval, raters] / samples for raters in ("same", "new")]
        print(f"| {name} | {interval} | {shares[0]:.3f} | {shares[1]:.3f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    chosen = [name for name in DESIGNS if asked.only in name]
    print(
        "| design | statistic | target | coverage | mean width | without interval |\n|---|---|---:|---:|---:|---:|"
    )
    for name in chosen:
        simulate(name, asked.samples, np.random.default_rng(asked.seed))
    print("\n| design | interval of alpha | same raters | new raters |\n|---|---|---:|---:|")
    for name in [each for each in chosen if each.startswith("ratings")]:
        simulate_alpha(name, asked.samples, np.random.default_rng(asked.seed + 1))


if __name__ == "__main__":
    main()
