"""TrueSkill updates, compiled. `trueskill_twin.py` is the same in plain Python and explains the algorithm.

All compiled code is in this module, because numba's cache does not notice changes in other files. The formulas of v
and w are those of `maths/gaussian.py`, with fewer quadrature nodes.
"""

from __future__ import annotations

import math

import numpy as np

from steelyard.maths.arrays import Vector
from steelyard.maths.compiling import njit
from steelyard.models.online.steps import Steps

ROOT_HALF = math.sqrt(0.5)
ROOT_TAU = math.sqrt(2.0 * math.pi)
DEEP = 5.0  # standard deviations beyond which the tail is computed by a continued fraction
TERMS = 28  # of the continued fraction; sufficient from 5 standard deviations
NEGLIGIBLE = 41.5  # exp(-41.5) is 1e-18

# Gauss-Legendre for exp(-x) from 0 to 4, 16 and 41.5: 10, 16 and 32 nodes.
_RULES = [np.polynomial.legendre.leggauss(size) for size in (10, 16, 32)]
NODES = np.concatenate([0.5 * (nodes + 1.0) for nodes, _ in _RULES])
WEIGHTS = np.concatenate([weights for _, weights in _RULES])


@njit(cache=True, error_model="numpy")
def _win(x):  # type: ignore[no-untyped-def]
    """Return v and w of a win, with x = gap - margin."""
    if x > -DEEP:
        v = math.exp(-0.5 * x * x) / (0.5 * ROOT_TAU * math.erfc(-x * ROOT_HALF))
        return v, v * (v + x)
    below = -x
    for term in range(TERMS, 1, -1):
        below = term / below - x
    return 1.0 / below - x, (1.0 / below - x) / below


@njit(cache=True, error_model="numpy")
def _tie(distance, margin):  # type: ignore[no-untyped-def]
    """Return v and w of a tie, for a gap of at least 0."""
    if distance <= margin:
        upper, lower = margin - distance, margin + distance
        mass = 0.5 * ROOT_TAU * (math.erf(upper * ROOT_HALF) + math.erf(lower * ROOT_HALF))
        if mass == 0.0:
            return -distance, 1.0
        at_upper, at_lower = math.exp(-0.5 * upper * upper), math.exp(-0.5 * lower * lower)
        v = at_upper * math.expm1(-2.0 * margin * distance) / mass
        return v, v * v + (upper * at_upper + lower * at_lower) / mass
    y = distance - margin
    fall = min(2.0 * margin * distance, NEGLIGIBLE)
    reach = 2.0 * fall / (y + math.sqrt(y * y + 2.0 * fall))
    first, size = (0, 10) if fall <= 4.0 else (10, 16) if fall <= 16.0 else (26, 32)
    mass, mean, square = 0.0, 0.0, 0.0
    for at in range(first, first + size):
        density = WEIGHTS[at] * math.exp(-reach * NODES[at] * (y + 0.5 * reach * NODES[at]))
        mass += density
        mean += density * NODES[at]
        square += density * NODES[at] * NODES[at]
    mean /= mass
    return -(y + reach * mean), 1.0 - reach * reach * (square / mass - mean * mean)


@njit(cache=True, error_model="numpy")
def fold(
    position: Vector, variance: Vector, steps: Steps, gamma: float, epsilon: float
) -> tuple[Vector, Vector]:
    """Return means and variances after the steps [Eqns 3-10].

    Parameters
    ----------
    position
        Mean of each item's skill.
    variance
        Variance of each item's skill.
    steps
        Comparisons in order.
    gamma
        Standard deviation of the noise of each item in a comparison.
    epsilon
        Half-width of the tie region.

    Returns
    -------
    tuple of Vector
        New means and variances.
    """
    position, variance = position.copy(), variance.copy()
    for row in range(len(steps.left)):
        i, j, left = steps.left[row], steps.right[row], steps.weight[row]
        while left > 0.0:
            share = min(left, 1.0)
            left -= share
            c2 = 2.0 * gamma * gamma + (variance[i] + variance[j])  # symmetric in i and j to the last digit
            c = math.sqrt(c2)
            gap = (position[i] - position[j]) / c
            if steps.outcome[row] == 0:
                v, w = _tie(abs(gap), epsilon / c)
                sign = -1.0 if gap < 0.0 else 1.0
            else:
                sign = float(steps.outcome[row])
                v, w = _win(sign * gap - epsilon / c)
            position[i] += share * sign * v * variance[i] / c
            position[j] -= share * sign * v * variance[j] / c
            variance[i] *= 1.0 - share * w * variance[i] / c2
            variance[j] *= 1.0 - share * w * variance[j] / c2
    return position, variance
