"""Checks of published numbers against the numbers of simulated studies."""

from __future__ import annotations

import numpy as np

from steelyard.maths.arrays import Vector
from steelyard.simulation.reproduction.claims import Check

LEVEL = 0.95


def expected_range(simulated: Vector) -> tuple[float, float]:
    """Return the 95% prediction interval of one more study; infinite after one simulated study.

    mean -+ t s sqrt(1 + 1/n), with the t quantile on n - 1 degrees of freedom.

    >>> low, high = expected_range(np.array([0.9, 1.0, 1.1]))
    >>> round(low, 3), round(high, 3)
    (0.503, 1.497)
    """
    from scipy.special import stdtrit  # SciPy is slow to import

    size = len(simulated)
    if size < 2:
        return -np.inf, np.inf
    quantile = float(stdtrit(size - 1, (1.0 + LEVEL) / 2.0))
    reach = quantile * float(simulated.std(ddof=1)) * np.sqrt(1.0 + 1.0 / size)
    return float(simulated.mean() - reach), float(simulated.mean() + reach)


def within_range(published: float, simulated: Vector) -> Check:
    """Return the check that a published number is where one more simulated study would be expected.

    Parameters
    ----------
    published
        Number that the paper prints.
    simulated
        The number in each simulated study.

    Returns
    -------
    Check
        The published number, and the prediction interval. It does not hold after a single simulated study.
    """
    low, high = expected_range(simulated)
    return Check(published if np.isfinite(low) else np.nan, low, high)


def shown_range(simulated: Vector, digits: int = 3) -> str:
    """Return the mean of simulated numbers with the prediction interval, as text.

    >>> shown_range(np.array([0.9, 1.0, 1.1]), 2)
    '1.00 (0.50 to 1.50)'
    """
    low, high = expected_range(simulated)
    if not np.isfinite(low):
        return f"{simulated.mean():.{digits}f}"
    return f"{simulated.mean():.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"
