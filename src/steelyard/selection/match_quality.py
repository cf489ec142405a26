"""Match quality: how close two items are believed to stand, and so how much a comparison tells."""

from __future__ import annotations

import numpy as np

from steelyard.maths.arrays import Vector

GAMMA = 0.1  # "skill chain" of the paper's experiments


def match_quality(
    position: float, variance: float, positions: Vector, variances: Vector, gamma: float = GAMMA
) -> Vector:
    """sqrt(2 gamma^2 / c^2) exp(-(M_i - M_j)^2 / (2 c^2)), c^2 = 2 gamma^2 + V_i + V_j [Eqns 11, 23]."""
    total = 2.0 * gamma**2 + variance + variances
    return np.sqrt(2.0 * gamma**2 / total) * np.exp(-((position - positions) ** 2) / (2.0 * total))
