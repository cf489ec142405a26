"""Pairs by match quality against balanced pairs: recovery of positions from the same number of comparisons.

Items are at U(0, width) in units of the comparison noise: P(left wins) = Phi(difference). Each round chooses as
many pairs as there are items. Match quality uses the TrueSkill belief after the previous rounds. Both sets of
comparisons are fitted with Bradley-Terry. They are compared with the truth by Spearman's correlation and, after
matching mean and spread, by the root mean squared error.

    python benchmarks/pairs.py --repetitions 60 --seed 1
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.stats import norm, spearmanr

from steelyard import BradleyTerry, Comparison, Judgments, TrueSkill
from steelyard.selection.known import selection_named
from steelyard.selection.pool import Pool

LABELS = np.array([f"i{at:03}" for at in range(1000)], dtype=object)


def compared(name: str, truth, per_item: int, rng: np.random.Generator):
    """Winner and loser of every comparison that this selection chose."""
    items = len(truth)
    selection, model = selection_named(name, size=2, least=2, linking=True), TrueSkill()
    belief = model.start(LABELS[:items])
    answers, paired, outcomes = np.zeros(items, dtype=np.int64), {}, []
    while len(outcomes) < items * per_item // 2:
        pool = Pool(
            answers,
            np.zeros(items, dtype=np.int64),
            per_item,
            np.zeros(items, dtype=np.int64),
            np.arange(items),
            np.ones(items, dtype=bool),
            paired=paired,
        )
        chosen = selection.choose(pool, belief, min(items, items * per_item // 2 - len(outcomes)), rng)
        fresh = [_answered(choice.items, truth, rng) for choice in chosen]
        for left, right in fresh:
            answers = answers + np.bincount([left, right], minlength=items)
            pair = (min(left, right), max(left, right))
            paired = {**paired, pair: paired.get(pair, 0) + 1}
        belief = model.update(belief, _judgments(fresh))
        outcomes += fresh
    return outcomes


def _answered(pair, truth, rng) -> tuple[int, int]:
    """The two items, the winner first."""
    left, right = pair
    return (left, right) if rng.random() < norm.cdf(truth[left] - truth[right]) else (right, left)


def _judgments(outcomes) -> Judgments:
    return Judgments.of([Comparison("rater", LABELS[won], LABELS[lost], "left") for won, lost in outcomes])


def recovered(name: str, items: int, per_item: int, width: float, seed: int) -> tuple[float, float]:
    """Spearman correlation and error of the positions that the comparisons of one selection give."""
    rng = np.random.default_rng([seed, items])
    truth = rng.uniform(0.0, width, items)
    fit = BradleyTerry(penalty="auto", cluster="none").fit(_judgments(compared(name, truth, per_item, rng)))
    position = np.zeros(items)
    position[[int(label[1:]) for label in fit.scale.item]] = fit.scale.position
    matched = truth.mean() + (position - position.mean()) * truth.std() / position.std()
    return float(spearmanr(position, truth).statistic), float(np.sqrt(np.mean((matched - truth) ** 2)))


def main() -> None:
    """Print a table row for each number of items."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--items", type=int, nargs="+", default=[16, 50, 200])
    parser.add_argument("--comparisons", type=int, nargs="+", default=[4, 14])
    parser.add_argument("--width", type=float, default=4.0)
    options = parser.parse_args()
    print("| items | comparisons per item | balanced | match_quality | difference in Spearman |")
    print("|---|---|---|---|---|")
    for items in options.items:
        for per_item in options.comparisons:
            print(row(items, per_item, options), flush=True)


def row(items: int, per_item: int, options: argparse.Namespace) -> str:
    """Spearman and error of both selections over all repetitions, and the paired difference with its 95% interval."""
    scores = np.array(
        [
            [
                recovered(name, items, per_item, options.width, options.seed + at)
                for name in ("balanced", "match_quality")
            ]
            for at in range(options.repetitions)
        ]
    )
    gap = scores[:, 1, 0] - scores[:, 0, 0]
    half = norm.ppf(0.975) * gap.std(ddof=1) / np.sqrt(len(gap))
    balanced, matched = (f"{spearman:.3f}, {error:.3f}" for spearman, error in scores.mean(axis=0))
    return f"| {items} | {per_item} | {balanced} | {matched} | {gap.mean():+.3f} ± {half:.3f} |"


if __name__ == "__main__":
    main()
