"""Elo updates in plain Python. Tests compare them with the compiled `elo_kernel.py`."""

from __future__ import annotations

import math

from steelyard.maths.arrays import Vector
from steelyard.models.online.steps import Steps, parts_of


def fold(rating: Vector, variance: Vector, steps: Steps, k: float, scale: float) -> tuple[Vector, Vector]:
    """Return ratings and the variances of their errors after the steps.

    Each comparison changes ratings by r_i += k (s - e), r_j -= k (s - e). The score s is 1, 1/2 or 0, and e = 1 /
    (1 + 10^((r_j - r_i) / scale)) is the expected score [Elo 1978]. To first order, a step changes the error of
    r_i by -a (error_i - error_j) plus k times the noise of s, where n is the variance of s and a = k n ln 10 /
    scale. The variance becomes (1 - a)^2 variance_i + a^2 variance_j + k^2 n. Fractions of one comparison share
    their noise, so its variance is proportional to the fraction, not to its square.

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
    slope = math.log(10.0) / scale
    for i, j, outcome, share in parts_of(steps):
        step, pair = share * k, [i, j]
        gap, before = rating[i] - rating[j], variance[pair]
        noise = outcome_variance(slope * gap, slope**2 * before.sum())
        pull = step * slope * noise
        variance[pair] = (1.0 - pull) ** 2 * before + pull**2 * before[::-1] + step * k * noise
        gain = step * ((1.0 + outcome) / 2.0 - 1.0 / (1.0 + math.exp(-slope * gap)))
        rating[i] += gain
        rating[j] -= gain
    return rating, variance


def outcome_variance(gap: float, variance: float) -> float:
    """Return the mean of p (1 - p), where p is the logistic function of a normal variable.

    The approximation is p (1 - p) / w at gap / w, where w^2 = 1 + pi variance / 8. MacKay (1992), "The evidence
    framework applied to classification networks".
    """
    wide = math.sqrt(1.0 + math.pi * variance / 8.0)
    p = 1.0 / (1.0 + math.exp(-gap / wide))
    return p * (1.0 - p) / wide
