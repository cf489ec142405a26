"""Simulated comparisons for the tests of the Bradley-Terry model."""

from __future__ import annotations

import numpy as np

from steelyard import Judgments


def simulate(items=8, rows=2000, seed=0, nu=0.6, order=0.0, raters=20, lean=0.0):
    """Judgments and the true log-worths, which sum to 0: Davidson ties, an order effect, raters who lean."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=items)
    truth -= truth.mean()
    left = rng.integers(0, items, rows)
    right = (left + rng.integers(1, items, rows)) % items
    rater = rng.integers(0, raters, rows)
    half = 0.5 * (truth[left] - truth[right] + order + lean * rng.normal(size=raters)[rater])
    weights = np.stack([np.exp(half), np.full(rows, nu), np.exp(-half)])
    shares = np.cumsum(weights / weights.sum(axis=0), axis=0)
    outcome = np.sum(rng.random(rows) > shares[:2], axis=0)
    names = np.array([f"i{at:05d}" for at in range(items)], dtype=object)
    columns = {
        "rater": np.array([f"r{at:03d}" for at in rater], dtype=object),
        "left": names[left],
        "right": names[right],
        "outcome": np.array(["left", "tie", "right"], dtype=object)[outcome],
    }
    return Judgments.from_columns("comparison", columns), truth


def table_of(rows):
    """Judgments from rows of (left, right, wins, ties, losses)."""
    made = [
        (left, right, outcome, count)
        for left, right, *counts in rows
        for outcome, count in zip(("left", "tie", "right"), counts, strict=True)
        if count
    ]
    names = ("left", "right", "outcome", "count")
    return Judgments.from_columns(
        "comparison", {name: [row[at] for row in made] for at, name in enumerate(names)}
    )
