"""Expected answers on the unit scale from latent positions."""

from __future__ import annotations

import numpy as np

from steelyard.maths.arrays import Matrix
from steelyard.models.steelyard.clipping import expected_clip, expected_level
from steelyard.models.steelyard.inference import Solution
from steelyard.models.steelyard.parameters import Learnt

TABLE_SIZE = 4001  # larger arrays are interpolated in a table of this size, accurate to about 1e-7


def answer_of(solution: Solution, latent: Matrix) -> Matrix:
    """Return the expected answer of an average honest rater at these latent positions, inside the scale."""
    if not solution.has_ends:
        return np.clip(latent, 0.0, 1.0)
    if latent.size <= TABLE_SIZE:
        return _curve(solution, latent)
    low, high = float(latent.min()), float(latent.max())
    step = max(high - low, 1e-9) / (TABLE_SIZE - 1)
    table = _curve(solution, low + step * np.arange(TABLE_SIZE + 1.0))
    at = (latent - low) / step
    cell = at.astype(np.int64)
    return np.asarray(table[cell] + (at - cell) * (table[cell + 1] - table[cell]))


def _curve(solution: Solution, latent: Matrix) -> Matrix:
    deviation = answer_deviation(solution.learnt, answer_noise(solution), latent)
    if solution.cuts is not None:
        return expected_level(latent, deviation, solution.cuts)
    return expected_clip(latent, deviation)


def answer_deviation(learnt: Learnt, noise: float, latent: Matrix) -> Matrix:
    """Return the standard deviation of honest raters' latent answers.

    Parameters
    ----------
    learnt
        Estimated variances.
    noise
        Mean noise variance of honest answers.
    latent
        Latent positions.

    Returns
    -------
    Matrix
        Standard deviation at each latent position.
    """
    steady = learnt.bias_variance + learnt.offset_variance + noise
    return np.asarray(np.sqrt(steady + learnt.slope_variance * (latent - learnt.centre) ** 2))


def answer_noise(solution: Solution) -> float:
    """Return the mean noise variance of honest answers."""
    weight = solution.sums.noise_weight
    return float(np.sum(weight * solution.learnt.noise) / np.sum(weight))
