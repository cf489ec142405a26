"""Pearson's and Spearman's correlation, and the regression of gold on scores."""

from __future__ import annotations

import numpy as np

from steelyard.maths.arrays import Vector


def pearson(scores: Vector, gold: Vector) -> float:
    """Return Pearson's correlation; NaN if scores or gold are all equal.

    >>> round(pearson(np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 4.0])), 3)
    0.929
    """
    x, y = scores - scores.mean(), gold - gold.mean()
    size = float(np.sqrt(np.sum(x**2) * np.sum(y**2)))
    if np.ptp(scores) == 0.0 or np.ptp(gold) == 0.0 or size == 0.0:
        return np.nan
    return float(np.clip(np.sum(x * y) / size, -1.0, 1.0))


def spearman(scores: Vector, gold: Vector) -> float:
    """Return Spearman's correlation: Pearson's correlation of the ranks, in which ties share their mean rank.

    >>> round(spearman(np.array([1.0, 2.0, 2.0]), np.array([1.0, 3.0, 4.0])), 3)
    0.866
    """
    return pearson(mean_ranks(scores), mean_ranks(gold))


def mean_ranks(values: Vector) -> Vector:
    """Return the rank of each value from 1, lowest first. Equal values share the mean of their ranks.

    >>> mean_ranks(np.array([10.0, 30.0, 10.0])).tolist()
    [1.5, 3.0, 1.5]
    """
    _, code, count = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(count) - (count - 1.0) / 2.0)[code.reshape(-1)])


def regression(scores: Vector, gold: Vector) -> tuple[float, float]:
    """Return slope and intercept of the least-squares regression of gold on scores; NaN if scores are all equal.

    A slope of 1 and an intercept of 0 mean that scores predict gold without rescaling. A slope below 1 means that
    scores are spread too widely.

    >>> regression(np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 5.0]))
    (2.0, 1.0)
    """
    centred = scores - scores.mean()
    if np.ptp(scores) == 0.0:
        return np.nan, np.nan
    slope = float(np.sum(centred * gold) / np.sum(centred**2))
    return slope, float(gold.mean() - slope * scores.mean())
