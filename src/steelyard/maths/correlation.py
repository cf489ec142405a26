"""Pearson and Spearman correlations within groups of rows."""

from __future__ import annotations

import numpy as np

from steelyard.maths.arrays import Codes, Vector, grouped_order, sum_by

DIGITS = 11  # decimals of a value in units of the largest one; smaller differences are rounding errors
FLAT = 1e-18  # variance relative to the square of the mean, below which values count as equal


def rounded(values: Vector) -> Vector:
    """Return values without rounding errors, so that equal means are equal numbers.

    >>> rounded(np.array([0.1 + 0.2, 0.3])).tolist()
    [0.3, 0.3]
    """
    largest = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
    if largest == 0.0:
        return values
    return np.round(values, DIGITS - int(np.floor(np.log10(largest))))


def mean_ranks(group: Codes, values: Vector) -> Vector:
    """Return the rank of each value in its group, from 1; equal values share the mean of their ranks.

    >>> mean_ranks(np.array([0, 0, 0, 1]), np.array([5.0, 2.0, 5.0, 9.0])).tolist()
    [2.5, 1.0, 2.5, 1.0]
    """
    if not len(values):
        return np.empty(0)
    order = grouped_order(group, values)
    in_group, sorted_values = group[order], values[order]
    new_group = np.r_[True, in_group[1:] != in_group[:-1]]
    new_value = new_group | np.r_[True, sorted_values[1:] != sorted_values[:-1]]
    starts = np.flatnonzero(new_value)
    ends = np.append(starts[1:], len(values))
    block = np.cumsum(new_value) - 1
    begin = np.flatnonzero(new_group)[np.cumsum(new_group) - 1]
    ranks = np.empty(len(values))
    ranks[order] = (starts + ends + 1)[block] / 2.0 - begin
    return ranks


def pearson_by(group: Codes, first: Vector, second: Vector, size: int) -> Vector:
    """Return the correlation of two columns by group.

    Parameters
    ----------
    group
        Group of each row.
    first
        First column.
    second
        Second column.
    size
        Number of groups.

    Returns
    -------
    Vector
        One correlation per group; NaN if a column is constant in it, or if it has fewer than two rows.
    """
    count = np.maximum(np.bincount(group, minlength=size), 1)
    one, other = (column - (sum_by(group, column, size) / count)[group] for column in (first, second))
    squares = [sum_by(group, column**2, size) for column in (one, other)]
    means = [sum_by(group, column**2, size) for column in (first, second)]
    varies = np.logical_and.reduce(
        [square > FLAT * mean for square, mean in zip(squares, means, strict=True)]
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        value = sum_by(group, one * other, size) / np.sqrt(squares[0] * squares[1])
    return np.where(varies, np.clip(value, -1.0, 1.0), np.nan)


def spearman_by(group: Codes, first: Vector, second: Vector, size: int) -> Vector:
    """Return the rank correlation of two columns by group, as in `pearson_by` on mean ranks.

    Parameters
    ----------
    group
        Group of each row.
    first
        First column.
    second
        Second column.
    size
        Number of groups.

    Returns
    -------
    Vector
        One correlation per group; NaN if a column is constant in it, or if it has fewer than two rows.
    """
    return pearson_by(group, mean_ranks(group, first), mean_ranks(group, second), size)
