"""Elo updates, compiled. `elo_twin.py` is the same in plain Python and explains the algorithm.

All compiled code is in this module, because numba's cache does not notice changes in other files.
"""

from __future__ import annotations

import math

from steelyard.maths.arrays import Vector
from steelyard.maths.compiling import njit
from steelyard.models.online.steps import Steps

LOG_10 = math.log(10.0)
EIGHTH_PI = math.pi / 8.0


@njit(cache=True, error_model="numpy")
def fold(rating: Vector, variance: Vector, steps: Steps, k: float, scale: float) -> tuple[Vector, Vector]:
    """Return ratings and the variances of their errors after the steps.

    Parameters
    ----------
    rating
        Rating of each item.
    variance
        Variance of the error of each rating.
    steps
        Comparisons in order.
    k
        Largest change of a rating by one comparison.
    scale
        Difference in points that corresponds to odds of ten to one.

    Returns
    -------
    tuple of Vector
        New ratings and variances.
    """
    rating, variance = rating.copy(), variance.copy()
    slope = LOG_10 / scale
    for row in range(len(steps.left)):
        i, j, left = steps.left[row], steps.right[row], steps.weight[row]
        score = 0.5 + 0.5 * steps.outcome[row]
        while left > 0.0:
            share = min(left, 1.0)
            left -= share
            gap = rating[j] - rating[i]
            expected = 1.0 / (1.0 + math.exp(slope * gap))
            gain = share * k * (score - expected)
            rating[i] += gain
            rating[j] -= gain
            v_i, v_j = variance[i], variance[j]
            wide = math.sqrt(1.0 + EIGHTH_PI * slope * slope * (v_i + v_j))
            p = 1.0 / (1.0 + math.exp(slope * gap / wide))
            noise = p * (1.0 - p) / wide
            pull = share * k * slope * noise
            added = share * k * k * noise
            variance[i] = (1.0 - pull) ** 2 * v_i + pull * pull * v_j + added
            variance[j] = (1.0 - pull) ** 2 * v_j + pull * pull * v_i + added
    return rating, variance
