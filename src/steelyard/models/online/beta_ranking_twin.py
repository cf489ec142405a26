"""Updates of bounded Beta ranking in plain Python: what `beta_ranking_kernel.py` does, to be read and tested."""

from __future__ import annotations

import math

from steelyard.maths import beta as beta_distribution
from steelyard.maths.arrays import Vector
from steelyard.maths.rao_kupper import outcome_probabilities
from steelyard.models.online.steps import Steps, parts_of


def fold(  # noqa: PLR0917 - numbers and flags, as a kernel takes them
    alpha: Vector, beta: Vector, steps: Steps, gamma: float, epsilon: float, by_mean: bool, by_log: bool
) -> tuple[Vector, Vector]:
    """Alphas and betas after the steps, V / c times the surprise added, c^2 = 2 gamma^2 + V_i + V_j.

    After a win of i alpha_i and beta_j grow [EASL, Eqns 14, 15]. After a tie between items further apart than
    epsilon the two move towards each other [16, 17], and between nearer ones all four grow [18, 19]. The surprise
    is 1 - p of the outcome, or -log p [note 10].
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
