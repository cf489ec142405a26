"""`information` against `balanced` on published ratings, with the same model afterwards.

    python benchmarks/replay_selection.py --data DIR --repetitions 20

Raters are split into halves as in replay.py, and the mean over one half is the reference. Raters of the other half
come at random. From the items that a rater has rated, a selection takes lists of up to five, until there are three
answers per item on average. With `information`, raters whose answers carry too little information are stopped
early, as in a study. The table has Spearman correlations with the reference, paired over the same splits, with 95%
intervals over splits of one data set.
"""

import argparse
from pathlib import Path

import numpy as np
from replay import fewer_raters, load, split
from scipy.stats import spearmanr

from steelyard import Steelyard
from steelyard.selection.balanced import Balanced
from steelyard.selection.early_stop import carries_too_little
from steelyard.selection.information import Information
from steelyard.selection.pool import Pool

LIST_SIZE = 5
ANSWERS = 3
REFIT_GROWTH = 1.2
SETS = [
    *(("asset", "meaning"), ("asset", "simplicity"), ("frtv_525high", None), ("frtv_625low", None)),
    *(("nflx_public", None), ("ws353", "set1"), ("ws353", "set2"), ("typ_colorsize", None)),
    *(("size_ratings", None), ("weight_ratings", None), ("gk1", None), ("gk2", None)),
]


def ask(judgments, pool_rows, fit, selection, rng):
    """Rows requested until there are three answers per item on average, or no rows are left."""
    table, size = judgments.table("rating"), len(judgments.items)
    rater, item = table.codes["rater"], table.codes["item"]
    left = {int(who): set(pool_rows[rater[pool_rows] == who].tolist()) for who in np.unique(rater[pool_rows])}
    count, asked, zeros = np.zeros(size, dtype=np.int64), [], np.zeros(size, dtype=np.int64)
    given = dict.fromkeys(left, 0)
    model, refitted = Steelyard(), 0
    belief = model.start(judgments.items)
    while len(asked) < ANSWERS * fit.sum() and any(left.values()):
        who = int(rng.choice([each for each, rows in left.items() if rows]))
        if selection.traits.learns and carries_too_little(
            belief, str(judgments.raters[who]), given[who], Information.traits.least_worth
        ):
            left[who] = set()
            continue
        rows = {int(item[row]): row for row in left[who]}
        allowed = np.isin(np.arange(size), list(rows))
        pool = Pool(np.where(fit, count, 10**6 * ~fit), zeros, 10**6, zeros, zeros, allowed)
        choice = selection.choose(pool, belief, 1, rng)[0]
        taken = [rows[at] for at in choice.items]
        left[who] -= set(taken)
        asked += taken
        given[who] += len(taken)
        count[list(choice.items)] += 1
        if selection.traits.learns and len(asked) >= max(REFIT_GROWTH * refitted, fit.sum()):
            belief, refitted = model.believe(judgments.items, rows_of(judgments, asked)), len(asked)
        elif selection.traits.learns:
            belief = model.update(belief, rows_of(judgments, taken))
    return asked


def rows_of(judgments, rows):
    return judgments.where(lambda _: np.array(rows, dtype=np.int64))


def compare(judgments, arguments):
    """Spearman and answers per item of each selection, one row per split."""
    found = []
    for repetition in range(arguments.repetitions):
        rng = np.random.default_rng([arguments.seed, repetition])
        some = fewer_raters(judgments, rng)
        gold, pool_rows = split(some, rng)
        fit = np.isfinite(gold)
        row = []
        for selection in (Balanced(LIST_SIZE), Information(LIST_SIZE)):
            asked = ask(
                some, pool_rows, fit, selection, np.random.default_rng([arguments.seed, repetition, 1])
            )
            position = Steelyard().posterior(rows_of(some, asked)).position
            row += [spearmanr(position[fit], gold[fit]).statistic, len(asked) / fit.sum()]
        found.append(row)
    return np.array(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    print(f"{arguments.repetitions} splits, seed {arguments.seed}, three answers per item.\n")
    print("| ratings | items | balanced | information | information - balanced | answers of information |")
    print("|---|---|---|---|---|---|")
    for name, question in SETS:
        judgments = load(arguments.data, name, question)
        found = compare(judgments, arguments)
        gap = found[:, 2] - found[:, 0]
        half = 1.96 * gap.std(ddof=1) / np.sqrt(len(gap))
        title = f"{name} {question or ''}".strip()
        means = f"{found[:, 0].mean():.3f} | {found[:, 2].mean():.3f}"
        change = f"{gap.mean():+.4f} ± {half:.4f} | {found[:, 3].mean():.2f}"
        print(f"| {title} | {len(judgments.items)} | {means} | {change} |", flush=True)


if __name__ == "__main__":
    main()
