"""TrueSkill updates in plain Python. Tests compare them with the compiled `trueskill_kernel.py`."""

from __future__ import annotations

import math

from steelyard.maths.arrays import Vector
from steelyard.maths.gaussian import tie_correction, win_correction
from steelyard.models.online.steps import Steps, parts_of


def fold(
    position: Vector, variance: Vector, steps: Steps, gamma: float, epsilon: float
) -> tuple[Vector, Vector]:
    """Return means and variances after the steps.

    c^2 = 2 gamma^2 + variance_i + variance_j. v and w of the outcome are evaluated at gap (position_i -
    position_j) / c and margin epsilon / c. Then position_i += variance_i / c v, position_j -= variance_j / c v
    and variance *= 1 - variance / c^2 w [EASL, Eqns 3-10]. A loss is a win of the other side.

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
    for i, j, outcome, share in parts_of(steps):
        c = math.sqrt(2.0 * gamma**2 + variance[i] + variance[j])
        gap, margin = (position[i] - position[j]) / c, epsilon / c
        if outcome == 0:
            v, w = tie_correction(gap, margin)
        else:
            v, w = win_correction(outcome * gap, margin)
            v = outcome * v
        position[i] += share * variance[i] / c * v
        position[j] -= share * variance[j] / c * v
        variance[i] *= 1.0 - share * variance[i] / c**2 * w
        variance[j] *= 1.0 - share * variance[j] / c**2 * w
    return position, variance
