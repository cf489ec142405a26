"""The number of answers at which a level that grows with answers reaches a wanted one.

Forecasts of running studies and plans of new ones use it. A forecast has one point, the study as it is. A plan has
several, from simulated studies.
"""

from __future__ import annotations

import numpy as np

from steelyard.maths.arrays import Vector

# The odds of the squared reliability grow with the number of judgments N as N ** EXPONENT. For means of independent
# answers the exponent is 1 (Spearman and Brown, 1910). It is larger here, because later answers also improve the
# estimates of raters and variances. It comes from simulated studies, and was checked with other seeds
# (docs/benchmarks/choosing.md).
EXPONENT = 1.15
LEAST_SLOPE = 0.25  # of the level by log answers, where a curve is continued beyond its points
MOST_BEYOND = 0.7  # log factor of answers by which a curve of several points is continued


def crossing(answers: Vector, levels: Vector, wanted: float, most_beyond: float = MOST_BEYOND) -> float:
    """Return the number of answers at which a rising curve reaches a level.

    Between points, the level is linear in the logarithm of the answers. Beyond its points, the curve is continued with
    the slope of its nearest part, and never below one answer. A curve of one point has the slope `EXPONENT`.

    Parameters
    ----------
    answers
        Numbers of answers, rising.
    levels
        Level at each of them, rising.
    wanted
        Wanted level.
    most_beyond
        Largest log factor of answers by which the curve is continued. Default 0.7, a factor of 2.

    Returns
    -------
    float
        Number of answers; infinity if the level is too far above the curve.

    Examples
    --------
    >>> round(crossing(np.array([2.0, 8.0]), np.array([0.0, 1.0]), 0.5), 6)
    4.0
    """
    at = np.log(answers)
    if wanted <= levels[0]:
        slope = _slope(at[:2], levels[:2])
        return float(np.exp(max(at[0] + (wanted - levels[0]) / slope, 0.0)))
    if wanted > levels[-1]:
        beyond = (wanted - levels[-1]) / _slope(at[-2:], levels[-2:])
        return float(np.exp(at[-1] + beyond)) if beyond <= most_beyond else float("inf")
    after = int(np.argmax(levels >= wanted))
    part = (wanted - levels[after - 1]) / (levels[after] - levels[after - 1])
    return float(np.exp(at[after - 1] + part * (at[after] - at[after - 1])))


def _slope(at: Vector, levels: Vector) -> float:
    if len(at) < 2:
        return EXPONENT
    return max(float((levels[1] - levels[0]) / (at[1] - at[0])), LEAST_SLOPE)
