"""Ranks, and rank intervals from differences of positions."""

from __future__ import annotations

import numpy as np

from steelyard.maths.arrays import Codes, Vector
from steelyard.scales.joint import Joint

SPREAD_CLASSES = 16  # of items with like spreads, where there are very many


def ranks_of(position: Vector) -> Codes:
    """Rank of each item, 1 = most; equal positions share the best of their ranks.

    >>> ranks_of(np.array([0.2, 0.9, 0.2])).tolist()
    [2, 1, 2]
    """
    order = np.sort(-position)
    return (np.searchsorted(order, -position, side="left") + 1).astype(np.int64)


def rank_interval(joint: Joint, level: float = 0.95, part: Codes | None = None) -> tuple[Codes, Codes]:
    """Lowest and highest rank of each item that its differences from the others leave open.

    An item ranks below another when the interval of their difference excludes zero, and above likewise; every other
    order is possible. `part` numbers the parts that no judgment links: how they compare is unknown.

    >>> close = Joint(np.array([4.0, 3.9, 1.0]), 0.01 * np.eye(3))
    >>> low, high = rank_interval(close)
    >>> low.tolist(), high.tolist()
    ([1, 1, 3], [2, 2, 3])
    """
    first, second = np.triu_indices(len(joint.position), 1)
    error = np.sqrt(joint.variances(first, second))
    gap = joint.position[first] - joint.position[second]
    distinguished = np.abs(gap) > joint.quantiles(0.5 + level / 2.0, first, second) * error
    if part is not None:
        distinguished &= part[first] == part[second]
    upper, lower = (
        np.where(gap > 0, first, second)[distinguished],
        np.where(gap > 0, second, first)[distinguished],
    )
    size = len(joint.position)
    return 1 + np.bincount(lower, minlength=size), size - np.bincount(upper, minlength=size)


def rank_interval_of_many(
    position: Vector, spread: Vector, level: float = 0.95, part: Codes | None = None
) -> tuple[Codes, Codes]:
    """The same for very many items, whose errors count as independent.

    Items are sorted into classes of like spread, so that a class is counted by one search; an item is compared with
    the largest spread of the class, which makes its interval a little wider.
    """
    from scipy.special import ndtri  # SciPy is slow to import

    size, reach = len(position), float(ndtri(0.5 + level / 2.0))
    low, high = np.ones(size, dtype=np.int64), np.full(size, size, dtype=np.int64)
    parts = np.zeros(size, dtype=np.int64) if part is None else part
    for members in (np.flatnonzero(parts == each) for each in np.unique(parts)):
        for some in np.array_split(members[np.argsort(spread[members], kind="stable")], SPREAD_CLASSES):
            if not len(some):
                continue
            ordered = np.sort(position[some])
            far = reach * np.sqrt(spread[members] ** 2 + spread[some].max() ** 2)
            low[members] += len(some) - np.searchsorted(ordered, position[members] + far, side="right")
            high[members] -= np.searchsorted(ordered, position[members] - far, side="left")
    return low, high
