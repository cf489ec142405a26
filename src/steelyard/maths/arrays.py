"""Type names of arrays, and sums and medians by code."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float64]
Matrix: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]
Labels: TypeAlias = NDArray[np.object_]

DENSE = 8  # largest number of possible codes per row for which counting is faster than sorting
KEY_BITS = 16  # integers of this size are sorted digit by digit


def sum_by(codes: Codes, values: Vector, size: int = 0) -> Vector:
    """Return the sum of the values by code.

    Parameters
    ----------
    codes
        Code of each value.
    values
        Values to sum.
    size
        Smallest number of codes in the result.

    Returns
    -------
    Vector
        One sum per code, 0 for codes without values.

    Examples
    --------
    >>> sum_by(np.array([0, 2, 2]), np.array([1.0, 2.0, 3.0]), 4).tolist()
    [1.0, 0.0, 5.0, 0.0]
    """
    return np.bincount(codes, values, minlength=size).astype(np.float64, copy=False)


def median_by(codes: Codes, values: Vector, size: int = 0) -> Vector:
    """Return the median of the values by code.

    Parameters
    ----------
    codes
        Code of each value.
    values
        Values.
    size
        Smallest number of codes in the result.

    Returns
    -------
    Vector
        One median per code, NaN for codes without values.

    Examples
    --------
    >>> median_by(np.array([0, 2, 2]), np.array([1.0, 2.0, 3.0]), 4).tolist()
    [1.0, nan, 2.5, nan]
    """
    count = np.bincount(codes, minlength=size)
    start = np.cumsum(count) - count
    ordered = np.append(values[np.lexsort((values, codes))], np.nan)
    low, high = start + np.maximum(count - 1, 0) // 2, start + count // 2
    return np.where(count > 0, (ordered[low] + ordered[high]) / 2.0, np.nan)


def renumbered(codes: Codes) -> tuple[Codes, Codes]:
    """Return the distinct codes in ascending order, and the place of each code among them.

    The result is that of `np.unique(codes, return_inverse=True)`. Codes are not negative; dense ones are counted, which
    is faster than sorting.

    >>> [each.tolist() for each in renumbered(np.array([7, 5, 7]))]
    [[5, 7], [1, 0, 1]]
    """
    if int(codes.max(initial=-1)) >= DENSE * len(codes):
        used, place = np.unique(codes, return_inverse=True)
        return used, place
    occurs = np.bincount(codes, minlength=1) > 0
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[codes]


def grouped_order(group: Codes, values: Vector) -> Codes:
    """Return an order of the rows by group, and by value within groups; equal rows are in any order.

    Groups are not negative. They are sorted 16 bits at a time, which is faster than `np.lexsort`.

    >>> grouped_order(np.array([1, 0, 1]), np.array([5.0, 9.0, 2.0])).tolist()
    [1, 2, 0]
    """
    order = np.argsort(values)
    for shift in range(0, max(int(group.max(initial=0)).bit_length(), 1), KEY_BITS):
        digit = (group[order] >> shift).astype(np.uint16)
        order = order[np.argsort(digit, kind="stable")]
    return order


def pairs_within(group: Codes) -> list[tuple[Codes, Codes]]:
    """Return the indices of every two rows of one group, by their distance; groups are sorted.

    >>> [(one.tolist(), other.tolist()) for one, other in pairs_within(np.array([0, 0, 0, 3, 3]))]
    [([0, 1, 3], [1, 2, 4]), ([0], [2])]
    """
    places: list[tuple[Codes, Codes]] = []
    for distance in range(1, len(group)):
        first = np.flatnonzero(group[distance:] == group[:-distance])
        if not len(first):
            break
        places.append((first, first + distance))
    return places


def object_cells(values: Iterable[Any]) -> Labels:
    """Return a one-dimensional object array of any values.

    >>> object_cells([None, (1, 2)]).shape
    (2,)
    """
    listed = list(values)
    cells = np.empty(len(listed), dtype=object)
    cells[:] = listed
    return cells
