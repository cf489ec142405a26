"""Probabilities of win, tie and loss of Rao and Kupper (1967): Bradley-Terry with a threshold for ties."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from steelyard.maths.arrays import Vector


def outcome_probabilities(gap: ArrayLike, epsilon: ArrayLike) -> tuple[Vector, Vector, Vector]:
    """Return the probabilities that i is preferred, ties, or j is preferred, gap = M_i - M_j [EASL, Eqns 20-22].

    p_i / (p_i + theta p_j), (theta^2 - 1) p_i p_j / ((p_i + theta p_j)(theta p_i + p_j)) and p_j / (theta p_i + p_j),
    with p = exp(M) and theta = exp(epsilon).

    >>> [round(float(p), 6) for p in outcome_probabilities(0.0, 0.1)]
    [0.475021, 0.049958, 0.475021]
    """
    gap, epsilon = np.broadcast_arrays(np.asarray(gap, float), np.asarray(epsilon, float))
    win = 1.0 / (1.0 + np.exp(epsilon - gap))
    loss = 1.0 / (1.0 + np.exp(epsilon + gap))
    return win, np.expm1(2.0 * epsilon) * win * loss, loss
