"""Names of the statistics, what they mean, and intervals from standard errors on a suitable scale."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from steelyard.maths.arrays import Vector

LEVEL = 0.95
ONE_SD = (0.15865525393145707, 0.8413447460685429)  # normal probabilities at -1 and 1
FINITE = 0.9  # share of resamples that must define a statistic, otherwise there is no interval
FEW_UNITS = 10  # with fewer units, intervals are rough
WIDEST_RATIO = (
    1_000.0  # of the ends of an interval of a standard deviation; a wider one carries no information
)


class Statistic(StrEnum):
    """A statistic of scores against gold."""

    PEARSON = "pearson"
    SPEARMAN = "spearman"
    TAU_B = "kendall_tau_b"
    PAIRWISE_ACCURACY = "pairwise_accuracy"
    ACC_EQ = "acc_eq"
    ACC_EQ_CALIBRATED = "acc_eq_calibrated"
    ACC_EQ_HELD_OUT = "acc_eq_held_out"
    TIE_THRESHOLD = "tie_threshold"
    SLOPE = "slope"
    INTERCEPT = "intercept"
    RESIDUAL_SD = "residual_sd"
    RMSE = "rmse"
    COVERAGE = "coverage"


class Link(NamedTuple):
    """A scale on which a statistic is close to normal: the function, its inverse and its derivative."""

    to: Callable[[Vector], Vector]
    back: Callable[[Vector], Vector]
    derivative: Callable[[float], float]
    lowest: float = -np.inf
    highest: float = np.inf


def _logit(share: Vector) -> Vector:
    return np.asarray(np.log(share) - np.log1p(-np.asarray(share)))


def _share(logit: Vector) -> Vector:
    return np.asarray(1.0 / (1.0 + np.exp(-np.asarray(logit))))


PLAIN = Link(np.asarray, np.asarray, lambda value: 1.0)
FISHER = Link(np.arctanh, np.tanh, lambda value: 1.0 / (1.0 - value**2), -1.0, 1.0)
LOGIT = Link(_logit, _share, lambda value: 1.0 / (value * (1.0 - value)), 0.0, 1.0)
LOG = Link(np.log, np.exp, lambda value: 1.0 / value, 0.0)
LINKS = {
    Statistic.PEARSON: FISHER,
    Statistic.SPEARMAN: FISHER,
    Statistic.TAU_B: FISHER,
    Statistic.PAIRWISE_ACCURACY: LOGIT,
    Statistic.ACC_EQ: LOGIT,
    Statistic.ACC_EQ_CALIBRATED: LOGIT,
    Statistic.COVERAGE: LOGIT,
    Statistic.RMSE: LOG,
    Statistic.RESIDUAL_SD: LOG,
}


@dataclass(frozen=True, slots=True)
class Interval:
    """Ends of a 95% interval; NaN if there is none."""

    low: float = np.nan
    high: float = np.nan


def resampled_interval(
    statistic: Statistic, value: float, replicates: Vector, factor: float, sizes: tuple[int, int]
) -> Interval:
    """Return a 95% interval from the values of a statistic in resamples.

    The interval is symmetric on a scale on which the statistic is close to normal: Fisher's z for correlations, the
    logit for shares, the logarithm for standard deviations. Its half-width is the standard error on this scale times
    the quantile of t on units - 1 degrees of freedom. A resample with a perfect correlation is moved half of the
    smallest possible step away from 1, because Fisher's z of 1 is infinite.

    Parameters
    ----------
    statistic
        The statistic.
    value
        Its estimate.
    replicates
        Its value in each resample.
    factor
        Factor from the spread of the replicates to the standard error.
    sizes
        Number of units and number of items.

    Returns
    -------
    Interval
        Without ends if the estimate is at an end of its range, if resamples agree, if more than a tenth of the
        resamples do not define the statistic, or if the ends of a standard deviation would differ by a factor above
        1,000.
    """
    link, (units, items) = LINKS.get(statistic, PLAIN), sizes
    values = replicates[np.isfinite(replicates)]
    if len(values) < FINITE * len(replicates) or not link.lowest < value < link.highest:
        return Interval()
    step = _half_step(statistic, items)
    inside = np.clip(values, link.lowest + step, link.highest - step)
    reach = quantile(units) * factor * spread_of(link.to(inside))
    return _around(link, value, reach)


def error_interval(statistic: Statistic, value: float, error: float, units: int) -> Interval:
    """Return a 95% interval from the standard error of a statistic.

    Parameters
    ----------
    statistic
        The statistic.
    value
        Its estimate.
    error
        Its standard error.
    units
        Number of independent units.

    Returns
    -------
    Interval
        Without ends if the estimate is at an end of its range or the error is 0.
    """
    link = LINKS.get(statistic, PLAIN)
    if not link.lowest < value < link.highest or units < 2:
        return Interval()
    return _around(link, value, quantile(units) * error * link.derivative(value))


def spread_of(values: Vector) -> float:
    """Return half the distance between the quantiles that are one standard deviation from a normal mean.

    A few extreme resamples have little effect on it.
    """
    low, high = np.quantile(values, ONE_SD)
    return float(high - low) / 2.0


def _around(link: Link, value: float, reach: float) -> Interval:
    if not (np.isfinite(reach) and reach > 0.0):
        return Interval()
    if link is LOG and 2.0 * reach > np.log(WIDEST_RATIO):
        return Interval()
    low, high = link.back(link.to(np.array([value])) + np.array([-reach, reach])).tolist()
    return Interval(low, high)


def _half_step(statistic: Statistic, items: int) -> float:
    """Half of the smallest distance from a perfect value that this many items allow."""
    pairs = items * (items - 1.0) / 2.0
    steps = {
        Statistic.SPEARMAN: 6.0 / (items * (items**2 - 1.0)),
        Statistic.TAU_B: 1.0 / pairs,
        Statistic.PAIRWISE_ACCURACY: 0.5 / pairs,
        Statistic.ACC_EQ: 0.5 / pairs,
        Statistic.ACC_EQ_CALIBRATED: 0.5 / pairs,
        Statistic.COVERAGE: 0.5 / items,
    }
    return steps.get(statistic, 1e-12)


def quantile(units: int) -> float:
    """Return the quantile of t for a two-sided 95% interval, on `units` - 1 degrees of freedom."""
    from scipy.special import stdtrit  # SciPy is slow to import

    return float(stdtrit(units - 1, (1.0 + LEVEL) / 2.0))
