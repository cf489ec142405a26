"""Beta ranking updates, compiled. `beta_ranking_twin.py` is the same in plain Python and explains the algorithm.

All compiled code is in this module, because numba's cache does not notice changes in other files.
"""

from __future__ import annotations

import math

from steelyard.maths.arrays import Vector
from steelyard.maths.compiling import njit
from steelyard.models.online.steps import Steps


@njit(cache=True, error_model="numpy")
def _score(alpha, beta, by_mean):  # type: ignore[no-untyped-def]
    """Return the mode [Eqn 12] or mean of a Beta distribution."""
    if by_mean:
        return alpha / (alpha + beta)
    weight = alpha + beta - 2.0
    return 0.5 if weight == 0.0 else (alpha - 1.0) / weight


@njit(cache=True, error_model="numpy")
def _variance(alpha, beta):  # type: ignore[no-untyped-def]
    """Return the variance of a Beta distribution [Eqn 13]."""
    total = alpha + beta
    return alpha * beta / (total * total * (total + 1.0))


@njit(cache=True, error_model="numpy")
def _probability(gap, epsilon, tie):  # type: ignore[no-untyped-def]
    """Return P(win) or P(tie) of Rao and Kupper at M_i - M_j = gap [Eqns 20, 22]."""
    win = 1.0 / (1.0 + math.exp(epsilon - gap))
    if not tie:
        return win
    return math.expm1(2.0 * epsilon) * math.exp(-gap) * win / (math.exp(epsilon) + math.exp(-gap))


@njit(cache=True, error_model="numpy")
def fold(  # noqa: PLR0917 - numbers and flags, as a kernel takes them
    alpha: Vector, beta: Vector, steps: Steps, gamma: float, epsilon: float, by_mean: bool, by_log: bool
) -> tuple[Vector, Vector]:
    """Return alpha and beta after the steps [Eqns 12-22].

    Parameters
    ----------
    alpha
        First parameter of each item's Beta distribution.
    beta
        Second parameter of each item's Beta distribution.
    steps
        Comparisons in order.
    gamma
        Noise of a comparison.
    epsilon
        Threshold of ties.
    by_mean
        Whether the position is the mean of the distribution instead of the mode.
    by_log
        Whether the step is proportional to -log p instead of 1 - p.

    Returns
    -------
    tuple of Vector
        New alpha and beta of each item.
    """
    alpha, beta = alpha.copy(), beta.copy()
    for row in range(len(steps.left)):
        i, j, outcome, left = steps.left[row], steps.right[row], steps.outcome[row], steps.weight[row]
        if outcome < 0:
            i, j = j, i
        while left > 0.0:
            share = min(left, 1.0)
            left -= share
            v_i, v_j = _variance(alpha[i], beta[i]), _variance(alpha[j], beta[j])
            gap = _score(alpha[i], beta[i], by_mean) - _score(alpha[j], beta[j], by_mean)
            p = _probability(gap, epsilon, outcome == 0)
            surprise = -math.log(p) if by_log else 1.0 - p
            step = share * surprise / math.sqrt(2.0 * gamma * gamma + (v_i + v_j))
            if outcome != 0 or gap <= epsilon:
                alpha[i] += step * v_i
                beta[j] += step * v_j
            if outcome == 0 and gap >= -epsilon:
                beta[i] += step * v_i
                alpha[j] += step * v_j
    return alpha, beta
