"""Compare correlations and accuracies against gold with reference values of other programs.

    python benchmarks/gold_reference.py --reference FOLDER --data FOLDER

The reference is a file of cases, or a folder with `reference.json`; the data folder has the published ratings.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import polars as pl

from steelyard.maths.arrays import sum_by
from steelyard.quality.gold.correlations import pearson, spearman
from steelyard.quality.gold.pair_counts import pair_counts
from steelyard.quality.gold.tie_calibration import calibrate_ties, item_pairs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reference", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    asked = parser.parse_args()
    folder = asked.reference.is_dir()
    cases = json.loads((asked.reference / "reference.json" if folder else asked.reference).read_text())
    print(f"{'case':40} {'statistic':26} {'expected':>16} {'difference':>12}")
    failed = 0
    for case in cases:
        if case["statistic"].startswith("scores against a gold file"):
            computed = numbers_of(case, asked.data)
            for name, expected in case["expected"].items():
                gap = abs(computed[name] - expected)
                bad = not gap <= case["tolerance"].get(name, case["tolerance"]["default"])
                failed += bad
                mark = " FAILED" if bad else ""
                print(f"{case['name']:40} {name:26} {expected:16.10g} {gap:12.1e}{mark}")
    print(f"{failed} numbers outside their tolerance")


def numbers_of(case, data):
    given = case["input"]
    if "group" in given:
        return within_groups(*grouped_scores(given, data))
    return pooled(*pooled_scores(given, data))


def pooled_scores(given, data):
    if "file" not in given:
        return np.array(given["score"], dtype=float), np.array(given["gold"], dtype=float)
    means = pl.read_parquet(data / given["file"]).group_by("item").agg(pl.col("raw").mean())
    joined = means.join(pl.read_parquet(data / given["gold"]), on="item").sort("item")
    return joined["raw"].to_numpy().astype(float).round(12), joined["value"].to_numpy().astype(float)


def grouped_scores(given, data):
    table = pl.read_parquet(data / given["file"]).filter(
        *(pl.col(column) == value for column, value in given["filter"].items())
    )
    keys = ["item", "segment", *(["system"] if "system" in table.columns else [])]
    if "first rater" in given["score"]:
        table = table.sort("item", "rater").with_columns(is_first=pl.int_range(pl.len()).over("item") == 0)
        sides = (table.filter("is_first"), table.filter(~pl.col("is_first")))
    else:
        sides = (table.filter(pl.col("protocol") == "rankME"), table.filter(pl.col("protocol") == "likert"))
    scores, gold = (side.group_by(keys).agg(pl.col("raw").mean().round(9)) for side in sides)
    joined = scores.join(gold, on=keys, suffix="_gold").sort(keys)
    codes = [joined[name].rank("dense").to_numpy().astype(int) - 1 for name in keys[1:]]
    return (joined["raw"].to_numpy(), joined["raw_gold"].to_numpy(), *codes)


def pooled(score, gold):
    counts = pair_counts(score, gold)
    calibrated = calibrate_ties(item_pairs(score, gold))
    return {
        "n": len(score),
        "pearson": pearson(score, gold),
        "spearman": spearman(score, gold),
        "kendall_tau_b": counts.kendall_tau_b[0],
        "concordant": counts.concordant[0],
        "discordant": counts.discordant[0],
        "tied_gold_only": counts.tied_gold[0],
        "tied_score_only": counts.tied_scores[0],
        "tied_both": counts.tied_both[0],
        "pairwise_accuracy": counts.pairwise_accuracy[0],
        "acc_eq": counts.acc_eq[0],
        "acc_eq_calibrated": calibrated.accuracy,
        "tie_threshold": calibrated.threshold,
    }


def within_groups(score, gold, segment, system=None):
    counts = pair_counts(score, gold, segment)
    calibrated = calibrate_ties(item_pairs(score, gold, segment))
    tau = counts.kendall_tau_b
    numbers = {
        "segments": int(np.sum(counts.pairs > 0)),
        "pairs": counts.pairs.sum(),
        "acc_eq": np.nanmean(counts.acc_eq),
        "acc_eq_calibrated": calibrated.accuracy,
        "tie_threshold": calibrated.threshold,
        "mean_tau_b_where_defined": np.nanmean(tau),
        "segments_with_tau_b": int(np.isfinite(tau).sum()),
    }
    if system is not None:
        count = np.bincount(system)
        means = [np.round(sum_by(system, each) / count, 9) for each in (score, gold)]
        numbers["systems"] = len(count)
        numbers["system_pairwise_accuracy"] = pair_counts(*means).pairwise_accuracy[0]
    return numbers


if __name__ == "__main__":
    main()
