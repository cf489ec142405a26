"""Sums by group."""

from __future__ import annotations

import numpy as np

from steelyard.maths.arrays import Codes, Vector


def sums_by(group: Codes, values: Vector, size: int) -> Vector:
    """Return the sum of the values of each group, 0 for empty groups.

    Parameters
    ----------
    group
        Group of each value.
    values
        Values to add.
    size
        Number of groups.

    Returns
    -------
    Vector
        One sum per group.

    Examples
    --------
    >>> sums_by(np.array([0, 2, 0]), np.array([1.0, 2.0, 3.0]), 4).tolist()
    [4.0, 0.0, 2.0, 0.0]
    """
    return np.asarray(np.bincount(group, values, minlength=size), dtype=np.float64)
