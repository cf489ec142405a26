"""Mode, variance and intervals of the Beta distribution, elementwise, as EASL uses them."""

from __future__ import annotations

import numpy as np

from steelyard.maths.arrays import Vector


def mode(alpha: Vector, beta: Vector) -> Vector:
    """Return (alpha - 1) / (alpha + beta - 2), and 0.5 for alpha = beta = 1 [EASL, Eqn 12].

    >>> mode(np.array([1.0, 1.9, 2.0]), np.array([1.0, 2.1, 1.0])).round(3).tolist()
    [0.5, 0.45, 1.0]
    """
    weight = (alpha - 1.0) + (beta - 1.0)  # in this order, rounding cannot move the mode outside [0, 1]
    fresh = weight == 0.0
    return np.where(fresh, 0.5, (alpha - 1.0) / np.where(fresh, 1.0, weight))


def variance(alpha: Vector, beta: Vector) -> Vector:
    """Return alpha beta / ((alpha + beta)^2 (alpha + beta + 1)) [EASL, Eqn 13]."""
    total = alpha + beta
    return alpha * beta / (total * total * (total + 1.0))


def interval(alpha: Vector, beta: Vector, level: float = 0.95) -> tuple[Vector, Vector]:
    """Return equal-tailed intervals, widened if needed to contain the mode.

    A mode at an end of the scale is outside the equal-tailed interval.

    Parameters
    ----------
    alpha
        First parameter of each distribution.
    beta
        Second parameter of each distribution.
    level
        Probability of the interval.

    Returns
    -------
    tuple of Vector
        Lower ends and upper ends.
    """
    from scipy.special import betaincinv  # SciPy is slow to import

    tail = (1.0 - level) / 2.0
    middle = mode(alpha, beta)
    low = np.minimum(betaincinv(alpha, beta, tail), middle)
    high = np.maximum(betaincinv(alpha, beta, 1.0 - tail), middle)
    return low, high
