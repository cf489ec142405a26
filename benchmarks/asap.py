"""ASAP (Mikhailiuk et al. 2020, "Active sampling for pairwise comparisons via approximate message passing"), compiled.

Written from the paper's description, so that many repetitions are possible: its own Python code takes minutes per
repetition. `benchmarks/choosing.py --asap PATH` compares the two.

For every candidate pair and outcome, the posterior after one more comparison is approximated by four sweeps of
expectation propagation between pairs and items (prior variance 0.5, comparison noise 1). The expected information gain
is the Kullback-Leibler divergence from the present posterior, weighted by the probability of the outcome. Pairs whose
outcome is nearly certain are evaluated with a smaller probability. A round is a spanning tree of largest gain.
"""

from __future__ import annotations

from math import erfc, exp, log, sqrt

import numba
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.special import ndtr

PRIOR_VARIANCE = 0.5
SWEEPS, CANDIDATE_SWEEPS = 20, 4


@numba.njit(cache=True)
def _sweeps(won, lost, messages, position, precision, sweeps):
    """Sweep over all comparisons, updating the messages to both items and the marginals of all items."""
    for _ in range(sweeps):
        for row in range(len(won)):
            for side in range(2):
                item = won[row] if side == 0 else lost[row]
                precision[item] -= messages[row, side, 0]
                position[item] -= messages[row, side, 1]
            a, b = won[row], lost[row]
            variance_a, variance_b = 1.0 / precision[a], 1.0 / precision[b]
            mean_a, mean_b = position[a] * variance_a, position[b] * variance_b
            variance = 1.0 + variance_a + variance_b
            scale = sqrt(variance)
            x = (mean_a - mean_b) / scale
            below = 0.5 * erfc(-x / 1.4142135623730951)
            ratio = exp(-0.5 * x * x) / 2.5066282746310002 / below if below > 1e-300 else -x
            shrink = ratio * (ratio + x)
            new_precision = 1.0 / (variance * (1.0 - shrink)) - 1.0 / variance
            new_mean = mean_a - mean_b + scale * ratio / max(shrink, 1e-12)
            to_a = 1.0 / (1.0 + 1.0 / new_precision + variance_b)
            to_b = 1.0 / (1.0 + 1.0 / new_precision + variance_a)
            messages[row, 0, 0], messages[row, 0, 1] = to_a, to_a * (mean_b + new_mean)
            messages[row, 1, 0], messages[row, 1, 1] = to_b, to_b * (mean_a - new_mean)
            precision[a] += to_a
            position[a] += messages[row, 0, 1]
            precision[b] += to_b
            position[b] += messages[row, 1, 1]


@numba.njit(cache=True)
def _gain(won, lost, messages, position, precision, first, second):
    """Kullback-Leibler divergence of the posterior after one more win of `first` from the present one."""
    rows = len(won)
    more_won, more_lost = np.empty(rows + 1, np.int64), np.empty(rows + 1, np.int64)
    more_won[:rows], more_lost[:rows] = won, lost
    more_won[rows], more_lost[rows] = first, second
    more = np.zeros((rows + 1, 2, 2))
    more[:rows] = messages
    new_position, new_precision = position.copy(), precision.copy()
    _sweeps(more_won, more_lost, more, new_position, new_precision, CANDIDATE_SWEEPS)
    total = 0.0
    for item in range(len(position)):
        before, after = 1.0 / precision[item], 1.0 / new_precision[item]
        moved = new_position[item] * after - position[item] * before
        total += log(before / after) + after / before + moved * moved / before - 1.0
    return 0.5 * total


@numba.njit(cache=True)
def _gains(won, lost, messages, position, precision, chance, probability):
    items = len(position)
    gains = np.zeros((items, items))
    for first in range(1, items):
        for second in range(first):
            if chance[first, second] > 0.0:
                up = _gain(won, lost, messages, position, precision, first, second)
                down = _gain(won, lost, messages, position, precision, second, first)
                p = probability[first, second]
                gains[first, second] = p * up + (1.0 - p) * down
    return gains


def next_round(won, lost, items, rng):
    """Return the pairs of one round, as two columns."""
    if len(won) < items - 1:
        gains = np.tril(rng.random((items, items)), -1)
        return _spanning_tree(gains)
    messages = np.zeros((len(won), 2, 2))
    position, precision = np.zeros(items), np.full(items, 1.0 / PRIOR_VARIANCE)
    won, lost = np.asarray(won, np.int64), np.asarray(lost, np.int64)
    _sweeps(won, lost, messages, position, precision, SWEEPS)
    mean, variance = position / precision, 1.0 / precision
    probability = ndtr((mean[:, None] - mean) / np.sqrt(1.0 + variance[:, None] + variance))
    closeness = np.tril(np.minimum(probability, 1.0 - probability), -1)
    largest = closeness.max(axis=1, keepdims=True)
    share = np.divide(closeness, largest, out=np.zeros_like(closeness), where=largest > 0.0)
    chance = (share >= rng.random((items, items))).astype(float)
    return _spanning_tree(_gains(won, lost, messages, position, precision, chance, probability))


def _spanning_tree(gains):
    """Pairs of the spanning tree with the largest gains; pairs without a gain come last."""
    cost = np.where(gains > 0.0, 1.0 / np.maximum(gains, 1e-12), 0.0)
    largest = cost.max()
    cost = np.where(np.tril(np.ones_like(cost), -1) > 0.0, np.where(cost > 0.0, cost, 10.0 * largest), 0.0)
    tree = minimum_spanning_tree(csr_array(cost)).tocoo()
    order = np.argsort(tree.data)
    return np.stack([tree.row[order], tree.col[order]], axis=1)
