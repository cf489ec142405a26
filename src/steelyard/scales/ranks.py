"""Ranks and rank intervals from joint draws of positions."""

from __future__ import annotations

import numpy as np

from steelyard.maths.arrays import Codes, Matrix, Vector

DRAWS = 1000
DRAWN_CELLS = 2e7  # draws x items: caps the work where there are very many items


def draws_for(items: int) -> int:
    """How many draws rank intervals are read from: 1,000, fewer for very many items, never under 100."""
    return int(np.clip(DRAWN_CELLS / max(items, 1), 100, DRAWS))


def ranks_of(position: Vector) -> Codes:
    """Rank of each item, 1 = most; equal positions share the best of their ranks.

    >>> ranks_of(np.array([0.2, 0.9, 0.2])).tolist()
    [2, 1, 2]
    """
    order = np.sort(-position)
    return (np.searchsorted(order, -position, side="left") + 1).astype(np.int64)


def rank_interval(draws: Matrix, level: float = 0.95, part: Codes | None = None) -> tuple[Codes, Codes]:
    """Lowest and highest rank that each item takes in the middle `level` of the draws (rows are draws).

    `part` numbers the parts that no judgment links. How parts compare is unknown, so an item may rank above or below
    all items of the other parts: only its rank within its own part comes from the draws.

    >>> low, high = rank_interval(np.array([[4.0, 3.0, 2.0, 1.0]]), part=np.array([0, 0, 1, 1]))
    >>> low.tolist(), high.tolist()
    ([1, 2, 1, 2], [3, 4, 3, 4])
    """
    if part is not None and draws.size:
        size = np.bincount(part)
        above = (np.cumsum(size) - size)[part]  # parts in turn, the first on top: ranks less those above it
        reach = float(np.ptp(draws)) + 1.0
        lowest, highest = rank_interval(draws - reach * part, level)
        return lowest - above, highest - above + len(part) - size[part]
    ranks = np.apply_along_axis(ranks_of, 1, draws) if draws.size else np.empty(draws.shape, dtype=np.int64)
    if not draws.shape[1]:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    tail = (1.0 - level) / 2.0
    low = np.quantile(ranks, tail, axis=0, method="inverted_cdf")
    high = np.quantile(ranks, 1.0 - tail, axis=0, method="inverted_cdf")
    return low.astype(np.int64), high.astype(np.int64)
