"""Rankings for the tests of Plackett-Luce: published tables, and simulated ones."""

from itertools import combinations

import numpy as np

from steelyard import Judgments

# 32 judges' ranks of four salad dressings A to D by tartness (Critchlow & Fligner 1991), as R's prefmod has them.
SALAD = {
    "1234": 2, "2134": 1, "2143": 2, "2314": 1, "3124": 2, "3142": 1, "3421": 1, "4123": 11, "4132": 6,
    "4213": 3, "4312": 1, "4321": 1,
}  # fmt: skip
# Davidson (1970), six brands of chocolate pudding: i, j, preferred i, preferred j, no preference.
PUDDING = (
    "1 2 19 22 16,1 3 16 19 12,2 3 19 19 10,1 4 18 23 13,2 4 23 19 9,3 4 19 20 15,1 5 13 19 18,2 5 16 20 12,"
    "3 5 16 15 17,4 5 17 14 16,1 6 18 21 12,2 6 22 20 12,3 6 13 18 10,4 6 14 19 18,5 6 11 21 12"
)
# Made up so that W always wins; its ties are left out.
ALWAYS_WINS = "W X 10 0,W Y 10 0,W Z 10 0,X Y 6 3,X Z 7 1,Y Z 5 4"


def salad():
    return ranked(
        [
            dict(zip("ABCD", map(int, ranks), strict=True))
            for ranks, times in SALAD.items()
            for _ in range(times)
        ]
    )


def pairs(table, outcomes=("left", "right", "tie")):
    rows = []
    for line in table.split(","):
        left, right, *counts = line.split()
        rows += [
            (left, right, outcome, float(n)) for outcome, n in zip(outcomes, counts, strict=len(counts) == 3)
        ]
    left, right, outcome, count = zip(*rows, strict=True)
    rater = ["everyone"] * len(rows)
    columns = {"rater": rater, "left": left, "right": right, "outcome": outcome, "count": count}
    return Judgments.from_columns("comparison", columns)


def ranked(rankings, counts=None):
    """Judgments of {item: rank} each, by a rater each."""
    rows = [(f"r{at}", item, rank, at) for at, ranks in enumerate(rankings) for item, rank in ranks.items()]
    rater, item, rank, number = zip(*rows, strict=True)
    columns = {"rater": rater, "task": rater, "item": item, "rank": rank}
    if counts is not None:
        columns["count"] = [counts[at] for at in number]
    return Judgments.from_columns("ranking", columns)


def simulate(theta, log_deltas, tasks, size, rng):
    """Rankings of `size` random items each, choices and ties by the model's own formula."""
    rankings = []
    for _ in range(tasks):
        left, ranks = rng.choice(len(theta), size, replace=False).tolist(), {}
        while left:
            sizes = range(1, min(len(log_deltas) + 1, len(left)) + 1)
            subsets = [chosen for d in sizes for chosen in combinations(left, d)]
            score = np.array([np.mean(theta[list(c)]) + [0.0, *log_deltas][len(c) - 1] for c in subsets])
            chance = np.exp(score - score.max())
            chosen = subsets[rng.choice(len(subsets), p=chance / chance.sum())]
            ranks |= dict.fromkeys((f"i{i:02}" for i in chosen), len(ranks) + 1)
            left = [i for i in left if i not in chosen]
        rankings.append(ranks)
    return ranked(rankings)
