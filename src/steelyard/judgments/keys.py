"""Integer keys of rows that agree in some columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steelyard.judgments.table import Table
from steelyard.maths.arrays import DENSE, Codes, Mask, renumbered

WIDEST_KEY = 2**62  # keys stay below the largest 64-bit integer


def row_key(table: Table, columns: Sequence[str], start: Codes | None = None) -> Codes:
    """Return one integer per row, equal for rows that agree in all these columns.

    Parameters
    ----------
    table
        Table with the rows.
    columns
        Columns to compare. Columns that the table does not have are ignored.
    start
        Key in which rows must agree, too.

    Returns
    -------
    Codes
        One non-negative integer per row.
    """
    key = np.zeros(len(table), dtype=np.int64) if start is None else renumbered(start)[1]
    for column in columns:
        if column in table.codes:
            key = joined_key(key, table.codes[column] + 1)
        elif column in table.numbers:
            key = joined_key(key, np.unique(table.numbers[column], return_inverse=True)[1])
    return key


def joined_key(first: Codes, second: Codes) -> Codes:
    """Return one integer per row, equal for rows that agree in both keys; keys are non-negative.

    >>> joined_key(np.array([0, 1, 0]), np.array([5, 5, 5])).tolist()
    [5, 11, 5]
    """
    width = int(second.max(initial=0)) + 1
    if int(first.max(initial=0)) + 1 > WIDEST_KEY // width:
        first = renumbered(first)[1]
    if int(first.max(initial=0)) + 1 > WIDEST_KEY // width:
        second = renumbered(second)[1]
        width = int(second.max(initial=0)) + 1
    return first * width + second


def distinct(key: Codes) -> int:
    """Return the number of distinct keys; keys are non-negative.

    >>> distinct(np.array([3, 1, 3]))
    2
    """
    if int(key.max(initial=-1)) < DENSE * len(key):
        return int(np.count_nonzero(np.bincount(key, minlength=1)))
    ordered = np.sort(key)
    return int(np.count_nonzero(ordered[1:] != ordered[:-1])) + 1


def is_repeated(key: Codes) -> Mask:
    """Return whether each key occurs more than once; keys are non-negative.

    >>> is_repeated(np.array([3, 1, 3])).tolist()
    [True, False, True]
    """
    if int(key.max(initial=-1)) < DENSE * len(key):
        return np.asarray(np.bincount(key, minlength=1)[key] > 1)
    ordered = np.sort(key)
    several = ordered[1:][ordered[1:] == ordered[:-1]]
    if not len(several):
        return np.zeros(len(key), dtype=bool)
    place = np.minimum(np.searchsorted(several, key), len(several) - 1)
    return np.asarray(several[place] == key)


def occurrences(key: Codes) -> Codes:
    """Return how many earlier rows have the key of each row.

    >>> occurrences(np.array([7, 5, 7, 7])).tolist()
    [0, 0, 1, 2]
    """
    order = np.argsort(key, kind="stable")
    first = np.r_[True, key[order][1:] != key[order][:-1]] if len(key) else np.empty(0, dtype=bool)
    start = np.maximum.accumulate(np.where(first, np.arange(len(key)), 0))
    before = np.empty(len(key), dtype=np.int64)
    before[order] = np.arange(len(key)) - start
    return before
