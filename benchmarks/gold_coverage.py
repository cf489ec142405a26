"""Coverage of the intervals and level of the paired tests of `steelyard compare`, with simulated scales.

Positions and gold are normal with correlation .5 or .9. With `levels`, gold is rounded to five levels, so that it has
ties. With `segments`, items are outputs of five systems for each segment, and both position and gold contain an effect
of the segment, which makes items of a segment alike. With `heavy tails`, positions and gold of an item are multiplied
by a common random factor, so that both have a t distribution with 4 degrees of freedom. The true value of each
statistic is computed from 400,000 items (segments: 80,000). The table has, for every design and number of units,

- the share of 95% intervals that contain the true value, among intervals that exist, and
- the share of paired tests of two equally good scales with p at most .05 (Pearson and tau-b).

    python benchmarks/gold_coverage.py --repetitions 300 --seed 2000
    python benchmarks/gold_coverage.py --repetitions 300 --seed 2000 --design "heavy tails"

`--table within` does the same for the statistics within segments, with gold of five levels. `--table speed` measures
the time for large files.

    python benchmarks/gold_coverage.py --table within --repetitions 500 --seed 3000
    python benchmarks/gold_coverage.py --table speed
"""

import argparse
import time

import numpy as np

from steelyard.maths.arrays import object_cells
from steelyard.quality.gold import ItemValues, against_gold
from steelyard.quality.gold.paired_scales import compare_within
from steelyard.quality.gold.resampling import MOST_ITEMS
from steelyard.quality.gold.segments import TESTED, estimate_within

SHOWN = (
    "pearson",
    "spearman",
    "kendall_tau_b",
    "pairwise_accuracy",
    "acc_eq",
    "slope",
    "residual_sd",
    "rmse",
)
NORMAL = ("continuous", "five levels", "segments")
DESIGNS = (*NORMAL, "heavy tails")
SIZES = (8, 15, 40)
SYSTEMS = 5
MANY = 400_000
RESAMPLES = 300


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=400)
    parser.add_argument("--seed", type=int, default=2000)
    parser.add_argument("--design", choices=DESIGNS)
    parser.add_argument("--table", choices=("items", "within", "speed"), default="items")
    asked = parser.parse_args()
    {"items": items_table, "within": within_table, "speed": speed_table}[asked.table](asked)


def items_table(asked):
    rng = np.random.default_rng(asked.seed)
    print(
        "| gold | r | units | "
        + " | ".join(f"`{name}`" for name in SHOWN)
        + " | test of `pearson` | of `kendall_tau_b` |"
    )
    print("|---|---|---|" + "---|" * (len(SHOWN) + 2))
    for design in NORMAL if asked.design is None else (asked.design,):
        for correlation in (0.5, 0.9):
            truth = true_values(design, correlation, np.random.default_rng(asked.seed + 1))
            for size in SIZES:
                held = {name: [] for name in SHOWN}
                rejected = {"pearson": [], "kendall_tau_b": []}
                for _ in range(asked.repetitions):
                    one_study(design, correlation, size, truth, held, rejected, rng)
                cells = [f"{np.mean(held[name]):.3f}" if held[name] else "" for name in SHOWN]
                tests = [f"{np.mean(each):.3f}" for each in rejected.values()]
                print(f"| {design} | {correlation:g} | {size} | {' | '.join([*cells, *tests])} |", flush=True)


def within_table(asked):
    rng = np.random.default_rng(asked.seed)
    print(
        "| r | segments | "
        + " | ".join(f"`{name}`" for name in TESTED)
        + " | test of `kendall_tau_b` | of `acc_eq` |"
    )
    print("|---|---|" + "---|" * (len(TESTED) + 2))
    for correlation in (0.5, 0.9):
        truth = {
            each.statistic: each.value for each in within(correlation, MANY // SYSTEMS, 1, rng)[0].estimates
        }
        for size in SIZES:
            held, p = {name: [] for name in TESTED}, {name: [] for name in TESTED}
            for _ in range(asked.repetitions):
                made = within(correlation, size, 2, rng)
                for each in made[0].estimates:
                    if each.statistic in held and np.isfinite(each.interval.low):
                        inside = each.interval.low <= truth[each.statistic] <= each.interval.high
                        held[each.statistic].append(inside)
                for each in compare_within(tuple(made), RESAMPLES, rng):
                    p[each.statistic].append(each.p <= 0.05)
            cells = [f"{np.mean(held[name]):.3f}" for name in TESTED]
            cells += [f"{np.mean(p[name]):.3f}" for name in TESTED[:2]]
            print(f"| {correlation:g} | {size} | {' | '.join(cells)} |", flush=True)


def within(correlation, size, count, rng):
    """Statistics within segments of scales of equal quality against gold of five levels."""
    scales, gold = draw("segments", correlation, size, count, rng)
    levels, segment = np.clip(np.round(gold.value), -2, 2), np.arange(len(gold)) // SYSTEMS
    return [estimate_within(each.value, levels, segment, rng) for each in scales]


def speed_table(asked):
    print("| items | segments | seconds |")
    print("|---|---|---|")
    for items, design in (
        (10_000, "continuous"),
        (100_000, "continuous"),
        (1_000_000, "continuous"),
        (1_000_000, "segments"),
    ):
        units = items // SYSTEMS if design == "segments" else items
        scales, gold = draw(design, 0.5, units, 1, np.random.default_rng(asked.seed))
        start = time.process_time()
        against_gold(scales, gold)
        segments = f"{units:,}" if design == "segments" else ""
        print(f"| {items:,} | {segments} | {time.process_time() - start:.1f} |", flush=True)


def one_study(design, correlation, size, truth, held, rejected, rng):
    scales, gold = draw(design, correlation, size, 2, rng)
    result = against_gold(scales, gold, same_scale=True, resamples=RESAMPLES, rng=rng)
    for row in result.statistics:
        if (
            row["scale"] == "a"
            and row["level"] == "item"
            and row["statistic"] in held
            and np.isfinite(row["low"])
        ):
            held[row["statistic"]].append(row["low"] <= truth[row["statistic"]] <= row["high"])
    for row in result.differences:
        if row["level"] == "item" and row["statistic"] in rejected:
            rejected[row["statistic"]].append(row["p"] <= 0.05)


def true_values(design, correlation, rng):
    units = MANY if design != "segments" else MANY // SYSTEMS
    scales, gold = draw(design, correlation, units, 1, rng)
    result = against_gold(scales, gold, same_scale=True, resamples=2, rng=rng)
    return {row["statistic"]: row["value"] for row in result.statistics if row["level"] == "item"}


def draw(design, correlation, units, count, rng):
    """Scales of equal quality, and gold."""
    items = units * (SYSTEMS if design == "segments" else 1)
    segment = np.arange(items) // SYSTEMS if design == "segments" else None

    def noise():
        own = rng.standard_normal(items)
        return own if segment is None else (own + rng.standard_normal(units)[segment]) / np.sqrt(2)

    common = noise()
    # Each scale has the wanted correlation with gold, and its own error.
    gold = common
    scales = [correlation * common + np.sqrt(1 - correlation**2) * noise() for _ in range(count)]
    if design == "heavy tails":  # t with 4 degrees of freedom
        stretch = np.sqrt(4.0 / rng.chisquare(4, items))
        gold, scales = stretch * gold, [stretch * each for each in scales]
    if design == "five levels":
        gold = np.clip(np.round(gold), -2, 2)
    ids = object_cells(f"i{at}" for at in range(items))
    labels = None if segment is None else object_cells(f"s{at}" for at in segment)
    named = [ItemValues(name, ids, each, segment=labels) for name, each in zip("ab", scales, strict=False)]
    return named, ItemValues("gold", ids, gold, segment=labels)


if __name__ == "__main__":
    assert max(SIZES) * SYSTEMS <= MOST_ITEMS
    main()
