"""Readable NumPy version of `kernel.py` that enumerates every subset. Tests compare the two."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from steelyard.maths.arrays import Codes, Matrix, Vector
from steelyard.models.plackett_luce.rankings import Rankings


def likelihood(rankings: Rankings, orders: Codes, parameters: Vector) -> tuple[float, Vector, Matrix]:
    """Return log-likelihood, gradient and information at log-worths and log tie parameters.

    A choice of the subset C from the remaining items S has probability f(C) / sum over subsets T of f(T), where
    f(T) = delta_|T| (product of the worths of T)^(1/|T|) and |T| is one of `orders`. log f(T) is linear in the
    parameters, with the row x_T of `_design`. The gradient is therefore x_C - E x_T, and the information Cov x_T.

    Parameters
    ----------
    rankings
        Distinct rankings with their weights.
    orders
        Sizes of ties, the first of which is 1.
    parameters
        Log-worths, then log tie parameters.

    Returns
    -------
    tuple
        Log-likelihood, gradient and information matrix.
    """
    value, gradient = 0.0, np.zeros(len(parameters))
    information = np.zeros((len(parameters), len(parameters)))
    for left, chosen, weight in _choices(rankings):
        design = _design(left, orders, rankings.items, len(parameters))
        rows = np.array(list(design.values()))
        score = rows @ parameters
        probability = np.exp(score - np.logaddexp.reduce(score))
        mean = probability @ rows
        value += weight * (design[chosen] @ parameters - np.logaddexp.reduce(score))
        gradient += weight * (design[chosen] - mean)
        information += weight * ((rows.T * probability) @ rows - np.outer(mean, mean))
    return float(value), gradient, information


def _choices(rankings: Rankings) -> Iterator[tuple[list[int], tuple[int, ...], float]]:
    """Yield the remaining items, the indices of the chosen ones, and the weight of each choice."""
    for r in range(len(rankings)):
        entries = slice(rankings.start[r], rankings.start[r + 1])
        item, stage = rankings.item[entries].tolist(), rankings.stage[entries]
        while len(item) > 1:
            chosen = int(np.sum(stage == stage[0]))
            yield item, tuple(range(chosen)), float(rankings.weight[r])
            item, stage = item[chosen:], stage[chosen:]


def _design(left: list[int], orders: Codes, items: int, size: int) -> dict[tuple[int, ...], Vector]:
    """Return the row x_T of each subset of indices: 1/|T| for each of its items, 1 for its size."""
    rows = {}
    for at, order in enumerate(orders.tolist()):
        for places in combinations(range(len(left)), order):
            row = np.zeros(size)
            for place in places:
                row[left[place]] += 1.0 / order
            if at:
                row[items + at - 1] = 1.0
            rows[places] = row
    return rows
