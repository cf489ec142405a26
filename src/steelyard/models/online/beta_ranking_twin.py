"""Beta ranking updates in plain Python. Tests compare them with the compiled `beta_ranking_kernel.py`."""

from __future__ import annotations

import math

from steelyard.maths import beta as beta_distribution
from steelyard.maths.arrays import Vector
from steelyard.maths.rao_kupper import outcome_probabilities
from steelyard.models.online.steps import Steps, parts_of


def fold(  # noqa: PLR0917 - numbers and flags, as a kernel takes them
    alpha: Vector, beta: Vector, steps: Steps, gamma: float, epsilon: float, by_mean: bool, by_log: bool
) -> tuple[Vector, Vector]:
    """Return alpha and beta after the steps.

    Each update adds V / c times the surprise, where c^2 = 2 gamma^2 + V_i + V_j. A win of i adds to alpha_i and
    beta_j [EASL, Eqns 14, 15]. A tie between items further apart than epsilon moves the two towards each other
    [16, 17]. A tie between closer items adds to all four parameters [18, 19]. The surprise is 1 - p of the
    outcome, or -log p [note 10].

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
    for left, right, outcome, share in parts_of(steps):
        i, j = (right, left) if outcome < 0 else (left, right)
        pair = [i, j]
        variance = beta_distribution.variance(alpha[pair], beta[pair])
        score = (
            alpha[pair] / (alpha + beta)[pair] if by_mean else beta_distribution.mode(alpha[pair], beta[pair])
        )
        gap = score[0] - score[1]
        win, tie, _ = outcome_probabilities(gap, epsilon)
        p = float(tie if outcome == 0 else win)
        surprise = -math.log(p) if by_log else 1.0 - p
        up, down = share * variance / math.sqrt(2.0 * gamma**2 + variance.sum()) * surprise
        if outcome != 0 or gap <= epsilon:
            alpha[i] += up
            beta[j] += down
        if outcome == 0 and gap >= -epsilon:
            beta[i] += up
            alpha[j] += down
    return alpha, beta
