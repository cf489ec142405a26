"""Ranks, and rank intervals derived from differences of positions."""

from __future__ import annotations

import numpy as np

from steelyard.maths.arrays import Codes, Vector
from steelyard.scales.joint import Joint

SPREAD_CLASSES = 16  # classes of items with similar spreads


def ranks_of(position: Vector) -> Codes:
    """Return the rank of each item. The highest has rank 1, and equal positions share the better rank.

    >>> ranks_of(np.array([0.2, 0.9, 0.2])).tolist()
    [2, 1, 2]
    """
    order = np.sort(-position)
    return (np.searchsorted(order, -position, side="left") + 1).astype(np.int64)


def rank_interval(joint: Joint, level: float = 0.95, part: Codes | None = None) -> tuple[Codes, Codes]:
    """Return the best and worst rank of each item that its differences from the others allow.

    Two items are in a known order if the interval of their difference excludes zero. Every other order is
    possible.

    Parameters
    ----------
    joint
        Joint distribution of the positions.
    level
        Coverage of the interval of each difference.
    part
        Number of the linked part of each item. The order of items in different parts is unknown. None if all
        items are linked.

    Returns
    -------
    tuple of Codes
        Best and worst rank of each item.

    Examples
    --------
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
    """Return approximate rank intervals for many items, treating errors as independent.

    Items are grouped into classes with similar spreads, and each class is searched once. Every comparison uses
    the largest spread of the class, so intervals are slightly too wide.

    Parameters
    ----------
    position
        Position of each item.
    spread
        Standard deviation of each position.
    level
        Coverage of the interval of each difference.
    part
        Number of the linked part of each item, or None if all items are linked.

    Returns
    -------
    tuple of Codes
        Best and worst rank of each item.
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
