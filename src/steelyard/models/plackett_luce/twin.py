"""The likelihood of `kernel.py` in plain NumPy, every subset listed: to read, and to test the other against."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from steelyard.maths.arrays import Codes, Matrix, Vector
from steelyard.models.plackett_luce.rankings import Rankings


def likelihood(rankings: Rankings, orders: Codes, parameters: Vector) -> tuple[float, Vector, Matrix]:
    """Log-likelihood, gradient and information at log-worths and log tie parameters.

    A choice of the subset C from the items S that are left has probability f(C) / sum over subsets T of f(T),
    f(T) = delta_|T| (product of the worths of T)^(1/|T|), |T| one of `orders`. log f(T) is linear in the
    parameters, with the row x_T of `_design`; so the gradient is x_C - E x_T and the information Cov x_T.
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
    """What was left, which places of it were chosen, and how often."""
    for r in range(len(rankings)):
        entries = slice(rankings.start[r], rankings.start[r + 1])
        item, stage = rankings.item[entries].tolist(), rankings.stage[entries]
        while len(item) > 1:
            chosen = int(np.sum(stage == stage[0]))
            yield item, tuple(range(chosen)), float(rankings.weight[r])
            item, stage = item[chosen:], stage[chosen:]


def _design(left: list[int], orders: Codes, items: int, size: int) -> dict[tuple[int, ...], Vector]:
    """The row of each subset of places: 1/|T| for each of its items, 1 for its size."""
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
