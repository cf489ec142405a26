"""Replay published ratings: the Steelyard model against plain means and against the bias-only model.

    python benchmarks/replay.py --data DIR --repetitions 25 --seed 1 > replay.md

In each repetition the raters are split into halves. The mean of each item over one half is the reference, for
items with three raters in this half and two in the other. The other half is replayed. Raters come repeatedly in
random order and give up to 20 of their ratings to the items with the fewest ratings so far. This continues until
every item has r = 1..8 ratings, or all ratings of the pool, as long as nine in ten items have r. The table has
Spearman correlations with the reference, on the same splits for all methods. Intervals are 95% over splits of one
data set.
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

import steelyard
from steelyard.models.steelyard.answers import answer_of
from steelyard.models.steelyard.model import Steelyard

MOST = 8
A_TURN = 20
MOST_RATERS = 600
ENOUGH = 0.9  # share of items that must have so many ratings in the pool
METHODS = ("mean", "bias only", "steelyard")
SETS = [
    *(("asset", question) for question in ("meaning", "simplicity", "fluency")),
    *(
        (name, None)
        for name in ("frtv_525high", "frtv_625low", "frtv_625high", "agh_tv", "nflx_public", "vqeg_hd3")
    ),
    *(("ws353", question) for question in ("set1", "set2")),
    *((name, None) for name in ("typ_colordesc", "typ_colorsize", "size_ratings", "weight_ratings")),
    *((name, None) for name in ("gk1", "gk2", "gk3", "gk4", "gk5", "ncaa64", "jester5k")),
]


def load(folder, name, question):
    """The ratings of one question, without tasks and repeated answers, scores on 0..1."""
    judgments = steelyard.read(folder / f"{name}.rating.parquet", "rating", range=(0.0, 1.0), bad_rows="drop")
    if question is not None:
        judgments = dict(judgments.by("question"))[question]
    table = judgments.table("rating")
    codes = {column: table.codes[column] for column in ("rater", "item")}
    bare = replace(table, codes=codes, numbers={"score": table.numbers["score"]})
    _, first = np.unique(codes["rater"] * len(judgments.items) + codes["item"], return_index=True)
    words = {column: judgments.vocabularies[column] for column in ("rater", "item")}
    return replace(judgments, tables={"rating": bare.where(np.sort(first))}, vocabularies=words).compact()


def fewer_raters(judgments, rng):
    raters = len(judgments.raters)
    if raters <= MOST_RATERS:
        return judgments
    kept = np.isin(np.arange(raters), rng.choice(raters, MOST_RATERS, replace=False))
    return judgments.where(lambda table: kept[table.codes["rater"]]).compact()


def split(judgments, rng):
    """Reference of each item that has one, and the rows of the pool."""
    table, raters, items = judgments.table("rating"), len(judgments.raters), len(judgments.items)
    for_gold = np.isin(np.arange(raters), rng.permutation(raters)[: raters // 2])[table.codes["rater"]]
    item, score = table.codes["item"], table.numbers["score"]
    golds, pools = (np.bincount(item[some], minlength=items) for some in (for_gold, ~for_gold))
    gold = np.bincount(item[for_gold], score[for_gold], minlength=items) / np.maximum(golds, 1)
    fit = (golds >= 3) & (pools >= 2)
    return np.where(fit, gold, np.nan), np.flatnonzero(~for_gold & fit[item])


def replay(judgments, pool, fit, rng):
    """Rows used when every item has 1, 2, ... ratings, or all ratings of the pool."""
    table = judgments.table("rating")
    rater, item = table.codes["rater"], table.codes["item"]
    left = {who: pool[rater[pool] == who] for who in np.unique(rater[pool])}
    count, answered, snapshots = np.zeros(len(fit), dtype=int), [], []
    available = np.bincount(item[pool], minlength=len(fit))
    order = rng.permutation(list(left))
    while any(len(rows) for rows in left.values()):
        for who in order:
            rows = left[who]
            if not len(rows):
                continue
            chosen = np.lexsort((rng.random(len(rows)), count[item[rows]]))[:A_TURN]
            count[item[rows[chosen]]] += 1
            answered.append(rows[chosen])
            left[who] = np.delete(rows, chosen)
            while np.all(count[fit] >= np.minimum(len(snapshots) + 1, available[fit])):
                if np.mean(available[fit] > len(snapshots)) < ENOUGH:
                    return snapshots
                snapshots.append(np.concatenate(answered))
                if len(snapshots) == MOST:
                    return snapshots
    return snapshots


def estimates(judgments):
    table, size = judgments.table("rating"), len(judgments.items)
    count = np.bincount(table.codes["item"], minlength=size)
    posterior = Steelyard().posterior(judgments)
    simple = posterior.average.bias_only
    return {
        "mean": np.bincount(table.codes["item"], table.numbers["score"], minlength=size)
        / np.maximum(count, 1),
        "bias only": answer_of(simple, simple.latent),
        "steelyard": posterior.position,
    }


def curves(judgments, arguments):
    """Spearman with the reference at 1..8 ratings: methods x repetitions x ratings, NaN beyond the pool."""
    found = np.full((len(METHODS), arguments.repetitions, MOST), np.nan)
    for repetition in range(arguments.repetitions):
        rng = np.random.default_rng([arguments.seed, repetition])
        some = fewer_raters(judgments, rng)
        gold, pool = split(some, rng)
        fit = np.isfinite(gold)
        for at, rows in enumerate(replay(some, pool, fit, rng)):
            positions = estimates(some.where(lambda table, rows=rows: rows))
            for method, name in enumerate(METHODS):
                found[method, repetition, at] = spearmanr(positions[name][fit], gold[fit]).statistic
    return found


def needed(curve, level):
    above = np.flatnonzero(curve >= level)
    if not len(above):
        return np.inf
    at = above[0]
    return 1.0 if at == 0 else at + (level - curve[at - 1]) / (curve[at] - curve[at - 1])


def gap(one, other):
    """Mean paired difference and the half width of its 95% interval."""
    difference = one - other
    return difference.mean(), 1.96 * difference.std(ddof=1) / np.sqrt(len(difference))


def ratio(found, answers):
    """Answers that the model needs to reach the mean's Spearman correlation, relative to the mean.

    It uses the repetitions whose pool has enough answers to every item, and is NaN if these are fewer than half. Beyond
    this number, the curve continues with the changes in the remaining repetitions.
    """
    complete = np.isfinite(found[0, :, answers - 1])
    if complete.mean() < 0.5:
        return np.nan
    mean, model = found[0, complete], found[2, complete]
    curve = [model[:, at].mean() for at in range(answers)]
    for at in range(answers, MOST):
        left = np.isfinite(model[:, at])
        if left.any():
            curve.append(curve[-1] + np.mean(model[left, at] - model[left, at - 1]))
    return needed(np.array(curve), mean[:, answers - 1].mean()) / answers


def print_row(name, judgments, found):
    at_three = found[:, np.isfinite(found[0, :, 2]), 2]
    correlations = [f"{values.mean():.3f}" for values in at_three]
    against = [gap(at_three[2], at_three[other]) for other in (0, 1)]
    at_five = found[:, np.isfinite(found[0, :, 4]), 4]
    against_at_five = gap(at_five[2], at_five[0]) if at_five.shape[1] > 1 else (np.nan, np.nan)
    shown = [f"{mean:+.4f} ± {half:.4f}" for mean, half in (against[0], against_at_five, against[1])]
    bound = against[1][0] - against[1][1]
    ratios = [ratio(found, answers) for answers in (3, 5)]
    cells = [name, len(judgments.items), len(judgments.raters), *correlations, *shown, f"{bound:+.4f}"]
    print("| " + " | ".join([*map(str, cells), *(f"{r:.2f}" for r in ratios)]) + " |", flush=True)
    return [bound, *ratios]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--repetitions", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sets", nargs="+", help="names of data sets (default: all)")
    arguments = parser.parse_args()
    print(f"{arguments.repetitions} repetitions, seed {arguments.seed}.\n")
    print(
        "| data | items | raters | mean@3 | bias only@3 | steelyard@3 | against mean@3 | against mean@5 |"
        " against bias only@3 | 95% bound | answers for mean@3 / 3 | for mean@5 / 5 |\n" + "|---" * 12 + "|"
    )
    rows = []
    for name, question in SETS:
        if arguments.sets is None or name in arguments.sets:
            judgments = load(arguments.data, name, question)
            label = name if question is None else f"{name} {question}"
            rows.append(print_row(label, judgments, curves(judgments, arguments)))
    bound, three, five = np.array(rows).T
    print(f"\nMedian ratio at 3: {np.nanmedian(three):.3f}, at 5: {np.nanmedian(five):.3f}.")
    print(f"Lowest paired bound against bias only at 3: {bound.min():+.4f}.")


if __name__ == "__main__":
    main()
