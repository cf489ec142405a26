"""The Beta distribution as EASL uses it: mode, variance and intervals, elementwise."""

from __future__ import annotations

import numpy as np

from steelyard.maths.arrays import Vector


def mode(alpha: Vector, beta: Vector) -> Vector:
    """(alpha - 1) / (alpha + beta - 2), and 0.5 at alpha = beta = 1, where that is 0/0 [EASL, Eqn 12].

    >>> mode(np.array([1.0, 1.9, 2.0]), np.array([1.0, 2.1, 1.0])).round(3).tolist()
    [0.5, 0.45, 1.0]
    """
    weight = (alpha - 1.0) + (beta - 1.0)  # in this order no rounding puts the mode outside [0, 1]
    fresh = weight == 0.0
    return np.where(fresh, 0.5, (alpha - 1.0) / np.where(fresh, 1.0, weight))


def variance(alpha: Vector, beta: Vector) -> Vector:
    """alpha beta / ((alpha + beta)^2 (alpha + beta + 1)) [EASL, Eqn 13]."""
    total = alpha + beta
    return alpha * beta / (total * total * (total + 1.0))


def interval(alpha: Vector, beta: Vector, level: float = 0.95) -> tuple[Vector, Vector]:
    """Equal-tailed interval, widened where needed to hold the mode (one at an end lies outside the tails)."""
    from scipy.special import betaincinv  # SciPy is slow to import

    tail = (1.0 - level) / 2.0
    middle = mode(alpha, beta)
    low = np.minimum(betaincinv(alpha, beta, tail), middle)
    high = np.maximum(betaincinv(alpha, beta, 1.0 - tail), middle)
    return low, high
