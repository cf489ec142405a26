"""Compiled value, gradient and information of the Plackett-Luce likelihood with ties. `twin.py` is a readable version.

The sum over all subsets of size d is the elementary symmetric polynomial e_d of y_i = worth_i^(1/d), so subsets are
not enumerated. Sums that exclude one or two items combine partial sums from the left and from the right. All compiled
code is in this module, because numba's cache does not detect a change in another file.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from steelyard.maths.arrays import Codes, Matrix, Vector
from steelyard.maths.compiling import njit


class Entries(NamedTuple):
    """Rankings, and the cells for each ranking's block of information. An empty `slot` means a full matrix."""

    start: Codes
    item: Codes
    stage: Codes
    weight: Vector
    orders: Codes
    slot: Codes
    block: Codes  # first entry of each ranking's block in `slot`


class Totals(NamedTuple):
    """Sums of the information (between items, items and tie sizes, tie sizes) and of the gradient."""

    cells: Vector
    cross: Matrix
    ties: Matrix
    gradient: Vector


class Scratch(NamedTuple):
    """Work arrays for one choice."""

    root: Vector
    left: Matrix
    right: Matrix
    run: Vector
    mean: Vector
    with_size: Matrix
    both: Matrix
    size_mean: Vector


@njit(cache=True, error_model="numpy")
def _subsets(theta, entries, first, last, top, at, share, scratch):  # type: ignore[no-untyped-def]  # noqa: PLR0917
    """Add the subsets of one size to the moments of a choice, and return their sum. `share` is delta.

    Let g_i = 1/d for each of the d items of the chosen subset. mean_i accumulates E g_i, both_ij E g_i g_j, and
    with_size_i,at E g_i 1(size), all before division by the sum over all sizes.
    """
    d, n = entries.orders[at], last - first
    root, left, right, run = scratch.root, scratch.left, scratch.right, scratch.run
    for i in range(n):
        root[i] = math.exp((theta[entries.item[first + i]] - top) / d)
    for q in range(d + 1):
        left[0, q] = 1.0 if q == 0 else 0.0
        right[n, q] = left[0, q]
    for i in range(n):
        left[i + 1, 0] = right[n - 1 - i, 0] = 1.0
        for q in range(1, d + 1):
            left[i + 1, q] = left[i, q] + root[i] * left[i, q - 1]
            right[n - 1 - i, q] = right[n - i, q] + root[n - 1 - i] * right[n - i, q - 1]
    for i in range(n):
        others = 0.0
        for q in range(d):
            others += left[i, q] * right[i + 1, d - 1 - q]
        expected = share * root[i] * others / d
        scratch.mean[i] += expected
        scratch.with_size[i, at] += expected
        scratch.both[i, i] += expected / d
        if d == 1:
            continue
        for q in range(d - 1):
            run[q] = left[i, q]
        for j in range(i + 1, n):
            others = 0.0
            for q in range(d - 1):
                others += run[q] * right[j + 1, d - 2 - q]
            scratch.both[i, j] += share * root[i] * root[j] * others / (d * d)
            for q in range(d - 2, 0, -1):
                run[q] += root[j] * run[q - 1]
    return share * left[n, d]


@njit(cache=True, error_model="numpy")
def _choice(theta, tau, entries, r, first, chosen, totals, scratch):  # type: ignore[no-untyped-def]  # noqa: PLR0917
    """Add one choice: the `chosen` entries from `first` on, out of the remaining entries of ranking r."""
    last, orders, sizes = entries.start[r + 1], entries.orders, len(entries.orders)
    n, weight = last - first, entries.weight[r]
    for at in range(sizes):
        scratch.size_mean[at] = 0.0
    top = -math.inf
    for i in range(n):  # loops, because slices take numba seconds to compile
        top = max(top, theta[entries.item[first + i]])
        scratch.mean[i] = 0.0
        for j in range(n):
            scratch.both[i, j] = 0.0
        for at in range(sizes):
            scratch.with_size[i, at] = 0.0
    total = 0.0
    for at in range(sizes):
        if orders[at] <= n:
            share = 1.0 if at == 0 else math.exp(tau[at - 1])
            scratch.size_mean[at] = _subsets(theta, entries, first, last, top, at, share, scratch)
            total += scratch.size_mean[at]
    value = -top - math.log(total)
    for i in range(n):
        scratch.mean[i] /= total
        seen = 1.0 / chosen if i < chosen else 0.0
        value += seen * theta[entries.item[first + i]]
        totals.gradient[entries.item[first + i]] += weight * (seen - scratch.mean[i])
    _add_cells(entries, r, first, weight, total, totals, scratch)
    base = len(theta)
    for at in range(1, sizes):
        share = scratch.size_mean[at] / total
        totals.gradient[base + at - 1] += weight * ((orders[at] == chosen) - share)
        if orders[at] == chosen:
            value += tau[at - 1]
        totals.ties[at - 1, at - 1] += weight * share
        for other in range(1, sizes):
            totals.ties[at - 1, other - 1] -= weight * share * scratch.size_mean[other] / total
        for i in range(n):
            joint = scratch.with_size[i, at] / total - scratch.mean[i] * share
            totals.cross[entries.item[first + i], at - 1] += weight * joint
    return weight * value


@njit(cache=True, error_model="numpy")
def _add_cells(entries, r, first, weight, total, totals, scratch):  # type: ignore[no-untyped-def]  # noqa: PLR0917
    """Add the covariances of the choice to the information between items."""
    begin, last = entries.start[r], entries.start[r + 1]
    full, wide, n = len(entries.slot) == 0, last - begin, last - first
    items = totals.cross.shape[0]
    for i in range(n):
        a = entries.item[first + i]
        for j in range(i, n):
            b = entries.item[first + j]
            cell = weight * (scratch.both[i, j] / total - scratch.mean[i] * scratch.mean[j])
            row, column = first - begin + i, first - begin + j
            one = a * items + b if full else entries.slot[entries.block[r] + row * wide + column]
            totals.cells[one] += cell
            if i != j:
                two = b * items + a if full else entries.slot[entries.block[r] + column * wide + row]
                totals.cells[two] += cell


@njit(cache=True, error_model="numpy")
def _scratch(entries, widest):  # type: ignore[no-untyped-def]
    """Allocate work arrays, which all choices share."""
    most, sizes = entries.orders[-1], len(entries.orders)
    return Scratch(
        np.empty(widest),
        np.empty((widest + 1, most + 1)),
        np.empty((widest + 1, most + 1)),
        np.empty(most + 1),
        np.empty(widest),
        np.empty((widest, sizes)),
        np.empty((widest, widest)),
        np.empty(sizes),
    )


@njit(cache=True, error_model="numpy")
def _ranking(theta, tau, entries, r, totals, scratch):  # type: ignore[no-untyped-def]  # noqa: PLR0917
    """Add all choices of one ranking, and return its log-likelihood."""
    value = 0.0
    first, last = entries.start[r], entries.start[r + 1]
    while last - first > 1:
        chosen = 1
        while first + chosen < last and entries.stage[first + chosen] == entries.stage[first]:
            chosen += 1
        value += _choice(theta, tau, entries, r, first, chosen, totals, scratch)
        first += chosen
    return value


@njit(cache=True, error_model="numpy")
def sum_up(theta, tau, entries, totals, widest):  # type: ignore[no-untyped-def]
    """Add all rankings to the totals, and return the log-likelihood.

    Parameters
    ----------
    theta
        Log-worths.
    tau
        Log tie parameters of the sizes after the first.
    entries
        Rankings.
    totals
        Sums, to which the rankings are added.
    widest
        Number of items of the longest ranking.

    Returns
    -------
    float
        Log-likelihood.
    """
    scratch = _scratch(entries, widest)
    value = 0.0
    for r in range(len(entries.weight)):
        value += _ranking(theta, tau, entries, r, totals, scratch)
    return value


@njit(cache=True, error_model="numpy")
def score_each(theta, tau, entries, totals, widest, by_entry, by_tie):  # type: ignore[no-untyped-def]  # noqa: PLR0917
    """Write the gradient of each ranking into `by_entry` and `by_tie`.

    Parameters
    ----------
    theta
        Log-worths.
    tau
        Log tie parameters of the sizes after the first.
    entries
        Rankings.
    totals
        Sums, used as work space.
    widest
        Number of items of the longest ranking.
    by_entry
        Output: derivative by the log-worth of the item of every entry.
    by_tie
        Output: derivative by every log tie parameter, rankings x sizes.

    Returns
    -------
    None
        The results are in the two output arrays.
    """
    sizes, scratch = len(entries.orders), _scratch(entries, widest)
    base = len(theta)
    for r in range(len(entries.weight)):
        begin, last = entries.start[r], entries.start[r + 1]
        for at in range(begin, last):
            totals.gradient[entries.item[at]] = 0.0
        for at in range(1, sizes):
            totals.gradient[base + at - 1] = 0.0
        _ranking(theta, tau, entries, r, totals, scratch)
        for at in range(begin, last):
            by_entry[at] = totals.gradient[entries.item[at]]
        for at in range(1, sizes):
            by_tie[r, at - 1] = totals.gradient[base + at - 1]
