"""Interval of Krippendorff's alpha for very many items, from a bootstrap over random groups of items.

Alpha is a function of sums over items. With items in random groups, a bootstrap over the groups draws from the sums of
each group instead of from the items. The variance is that of the bootstrap over items, because random groups of items
are as independent as the items are.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from steelyard.maths.arrays import Codes, Matrix, Vector, sum_by
from steelyard.quality.agreement.intervals import Interval, item_weights, percentiles
from steelyard.quality.agreement.krippendorff import (
    Disagreement,
    centred_sums,
    mean_ranks_of,
    of_centred_sums,
)
from steelyard.quality.agreement.value_counts import ValueCounts

GROUPED_ITEMS = 10_000  # from so many items on, they are drawn in groups
GROUPS = 1_000
MOST_VALUES = 16  # distinct values, whose coincidence matrix each group has


def can_be_grouped(counts: ValueCounts, level: str) -> bool:
    """Return whether there are enough items for groups, and sums that suffice for alpha at this level."""
    few_values = level in ("nominal", "ordinal") and len(counts.values) <= MOST_VALUES
    return counts.items >= GROUPED_ITEMS and (level == "interval" or few_values)


def alpha_over_item_groups(counts: ValueCounts, level: str, rng: np.random.Generator, draws: int) -> Interval:
    """Return the 95% interval of alpha from a bootstrap over random groups of items.

    Parameters
    ----------
    counts
        Ratings by item and value.
    level
        "interval", or "nominal" or "ordinal" with at most 16 distinct values.
    rng
        Source of randomness, which assigns items to groups.
    draws
        Number of bootstrap samples.

    Returns
    -------
    Interval
        2.5% and 97.5% points of the samples in which alpha is defined.
    """
    group = rng.permutation(counts.items) % GROUPS
    sums, alpha = (
        (centred_sums(counts), _of_interval_sums)
        if level == "interval"
        else (_coincidences(counts), _BY_LEVEL[level])
    )
    by_group = np.column_stack([sum_by(group, column, GROUPS) for column in sums.T])
    parts = [alpha(weights @ by_group) for weights in item_weights(GROUPS, draws, rng)]
    return percentiles(
        np.concatenate(parts), f"bootstrap over {GROUPS:,} random groups of items, {draws:,} samples"
    )


def _of_interval_sums(sums: Matrix) -> Vector:
    return of_centred_sums(sums).alpha


def _coincidences(counts: ValueCounts) -> Matrix:
    """Return the coincidence matrix of each item in a row: n_c n_k / (m - 1), with n_c (n_c - 1) on the diagonal."""
    table = counts.table.toarray()
    shares = table / (counts.sizes - 1.0)[:, None]
    both = shares[:, :, None] * table[:, None, :]
    diagonal: Codes = np.arange(table.shape[1])
    both[:, diagonal, diagonal] -= shares
    return np.asarray(both.reshape(len(table), -1))


def _of_coincidences(coincidences: Matrix, distances: Callable[[Matrix], Matrix]) -> Vector:
    """Return alpha of the coincidence matrices in the rows; `distances` are those of values with given frequencies."""
    size = int(np.sqrt(coincidences.shape[1]))
    matrices = coincidences.reshape(-1, size, size)
    totals = matrices.sum(axis=2)
    squared = distances(totals)
    number = totals.sum(axis=1)
    observed = np.sum(matrices * squared, axis=(1, 2)) / number
    expected = np.einsum("dc,dck,dk->d", totals, squared, totals) / (number * (number - 1.0))
    return Disagreement(observed, expected).alpha


def _unequal(totals: Matrix) -> Matrix:
    return np.broadcast_to(1.0 - np.eye(totals.shape[1]), (len(totals), totals.shape[1], totals.shape[1]))


def _rank_distances(totals: Matrix) -> Matrix:
    ranks = mean_ranks_of(totals)
    return np.asarray((ranks[:, :, None] - ranks[:, None, :]) ** 2)


_BY_LEVEL: dict[str, Callable[[Matrix], Vector]] = {
    "nominal": lambda sums: _of_coincidences(sums, _unequal),
    "ordinal": lambda sums: _of_coincidences(sums, _rank_distances),
}
