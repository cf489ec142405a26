"""Elo's updates in plain Python: what `elo_kernel.py` does, to be read and to be tested against."""

from __future__ import annotations

import math

from steelyard.maths.arrays import Vector
from steelyard.models.online.steps import Steps, parts_of


def fold(rating: Vector, variance: Vector, steps: Steps, k: float, scale: float) -> tuple[Vector, Vector]:
    """Ratings after r_i += k (s - e), r_j -= k (s - e), and the variances of their errors.

    s is 1, 1/2 or 0, e = 1 / (1 + 10^((r_j - r_i) / scale)) what was expected [Elo 1978]. To first order a step
    moves the error of r_i by -a (error_i - error_j) plus k times the noise of s, a = k n ln 10 / scale and n the
    variance of s, so that variance_i becomes (1 - a)^2 variance_i + a^2 variance_j + k^2 n. Parts of one comparison
    share their noise: its variance is in proportion to the part, not to its square.
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
    """Mean of p (1 - p), p logistic of a Gaussian: p (1 - p) / w at gap / w, w^2 = 1 + pi variance / 8.

    MacKay (1992), "The evidence framework applied to classification networks".
    """
    wide = math.sqrt(1.0 + math.pi * variance / 8.0)
    p = 1.0 / (1.0 + math.exp(-gap / wide))
    return p * (1.0 - p) / wide
