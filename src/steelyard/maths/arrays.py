"""Names for the arrays that the core passes around."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float64]
Matrix: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]
Labels: TypeAlias = NDArray[np.object_]


def sum_by(codes: Codes, values: Vector, size: int = 0) -> Vector:
    """Sum of the values under each code, for at least `size` codes.

    >>> sum_by(np.array([0, 2, 2]), np.array([1.0, 2.0, 3.0]), 4).tolist()
    [1.0, 0.0, 5.0, 0.0]
    """
    return np.bincount(codes, values, minlength=size).astype(np.float64, copy=False)
