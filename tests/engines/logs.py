"""Small logs of votes, ratings and rankings, as files."""

import csv
from datetime import UTC, datetime, timedelta

import numpy as np

WORTHS = {f"m{at}": worth for at, worth in enumerate((1.0, 0.6, 0.2, -0.2, -0.6, -1.0))}
LANGUAGES = ("de", "en")


def votes(rows=600, raters=25, seed=1):
    """Simulated votes with ties, a left effect and two languages."""
    rng = np.random.default_rng(seed)
    names = list(WORTHS)
    made = []
    for _ in range(rows):
        left, right = rng.choice(names, 2, replace=False)
        gap = WORTHS[left] - WORTHS[right] + 0.2
        shares = np.exp([gap / 2, -0.5, -gap / 2])
        outcome = rng.choice(["left", "tie", "right"], p=shares / shares.sum())
        made.append(
            {
                "rater": f"r{int(raters * rng.random() ** 2)}",
                "left": str(left),
                "right": str(right),
                "outcome": str(outcome),
                "language": str(rng.choice(LANGUAGES)),
                "length": int(rng.integers(0, 3)),
            }
        )
    return made


def ratings(rows=400, raters=12, items=20, seed=2):
    rng = np.random.default_rng(seed)
    return [
        {
            "rater": f"r{rng.integers(raters)}",
            "item": f"i{(item := int(rng.integers(items)))}",
            "score": int(np.clip(round(rng.normal(30 + 2 * item, 15)), 0, 100)),
        }
        for _ in range(rows)
    ]


def rankings(tasks=150, raters=20):
    """Rankings of four of six items, some with ties, by raters who rank several times."""
    rng, made = np.random.default_rng(9), []
    worth = np.array([1.0, 0.7, 0.3, 0.0, -0.5, -1.0])
    for task in range(tasks):
        items = rng.choice(6, 4, replace=False)
        order = items[np.argsort(-(worth[items] + rng.gumbel(size=4)))]
        ranks = [1, 2, 2, 4] if rng.random() < 0.2 else [1, 2, 3, 4]
        made += [
            {"rater": f"r{task % raters}", "task": f"t{task}", "item": f"m{item}", "rank": rank}
            for item, rank in zip(order.tolist(), ranks, strict=True)
        ]
    return made


def bad_rankings(ranked):
    """Rows that cannot be used: without an item, with a rank that is no number, and an item ranked twice."""
    first = ranked[0]
    return [{**first, "item": ""}, {**first, "rank": "best"}, {**ranked[5]}]


def suspicious(rows):
    """The votes, votes without a rater, repeated votes, and votes of a rater who always prefers left."""
    nameless = [{**row, "rater": " "} for row in rows[:7]]
    always = [{**row, "rater": "bot", "outcome": "left"} for row in rows[:25]]
    return [*rows, *nameless, *rows[10:15], *always]


def timed(rows):
    """The rows, each an hour after the one before."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    return [{**row, "at": (start + timedelta(hours=at)).isoformat()} for at, row in enumerate(rows)]


def ratings_once(raters=30, items=10):
    """One rating at most of each rater and item."""
    return list({(row["rater"], row["item"]): row for row in ratings(900, raters, items)}.values())


def write_csv(rows, path):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def columns_of(rows):
    return {name: [row[name] for row in rows] for name in rows[0]}


def write_parquet(rows, path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table(columns_of(rows)), path)
    return path


def bad_votes(vote):
    """Rows that cannot be used: two unknown outcomes, no left item, and an item compared with itself."""
    return [
        {**vote, "outcome": "A"},
        {**vote, "outcome": ""},
        {**vote, "left": ""},
        {**vote, "right": f" {vote['left']} "},
    ]
