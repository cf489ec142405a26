"""Forecast of the number of judgments that a study needs for a wanted reliability."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from steelyard.selection.growth import EXPONENT, crossing

# The log factor g of judgments has standard deviation ERROR sqrt(g) (1 + ERROR_GROWTH g), from simulated studies.
ERROR, ERROR_GROWTH = 0.2, 0.5
REACH_80 = 1.2816  # normal quantile of an 80% interval
LOWEST, HIGHEST = 0.3, 0.999  # reliabilities between which a forecast is made
MOST_FACTOR = 10.0  # largest factor of judgments that is forecast
LEAST_DECIMALS, MOST_DECIMALS = 2, 6  # of reliabilities beside a target


@dataclass(frozen=True, slots=True)
class Forecast:
    """Judgments that are still needed for a reliability, with an 80% prediction interval.

    Attributes
    ----------
    target
        Wanted reliability.
    more
        Number of further judgments; 0 if the reliability is reached.
    low, high
        Ends of the 80% prediction interval.
    """

    target: float
    more: int
    low: int
    high: int


def forecast_judgments(judgments: int, reliability: float, target: float) -> Forecast | None:
    """Return how many more judgments reach a predicted reliability.

    With odds o(R) = R**2 / (1 - R**2), the number needed in total is N (o(target) / o(R)) ** (1 / EXPONENT).

    Parameters
    ----------
    judgments
        Number of judgments so far, N.
    reliability
        Predicted reliability so far, R.
    target
        Wanted reliability.

    Returns
    -------
    Forecast or None
        None if the reliability so far is below 0.3, or if the target needs more than 10 times as many judgments.

    Examples
    --------
    >>> forecast_judgments(240, 0.95, 0.95).more
    0
    """
    if not judgments or not reliability >= LOWEST or not 0.0 < target <= HIGHEST:
        return None
    if reliability >= target:
        return Forecast(target, 0, 0, 0)
    now, level = np.array([float(judgments)]), np.array([level_of(reliability)])
    needed = crossing(now, level, level_of(target), math.log(MOST_FACTOR))
    if math.isinf(needed):
        return None
    growth = math.log(needed / judgments)
    reach = REACH_80 * ERROR * math.sqrt(growth) * (1.0 + ERROR_GROWTH * growth)
    more = [judgments * math.expm1(max(each, 0.0)) for each in (growth, growth - reach, growth + reach)]
    return Forecast(target, *(math.ceil(each) for each in more))


def reliability_after(judgments: int, reliability: float, later: int) -> float:
    """Return the predicted reliability after a larger number of judgments.

    Parameters
    ----------
    judgments
        Number of judgments so far.
    reliability
        Predicted reliability so far.
    later
        Later number of judgments.

    Returns
    -------
    float
        Predicted reliability; the present one if `later` is not larger.
    """
    if later <= judgments or not judgments or not 0.0 < reliability < 1.0:
        return reliability
    return reliability_at(level_of(reliability) + EXPONENT * math.log(later / judgments))


def level_of(reliability: float) -> float:
    """Return the level of a reliability R, log(R² / (1 - R²)), which grows about linearly with the log of judgments.

    Forecasts of running studies and plans of new ones use the same level.
    """
    return math.log(_odds(reliability))


def reliability_at(level: float) -> float:
    """Return the reliability at a level.

    >>> round(reliability_at(level_of(0.95)), 6)
    0.95
    """
    return math.sqrt(1.0 / (1.0 + math.exp(-level)))


def two_digits(number: float) -> int:
    """Return a forecast rounded to two significant digits.

    >>> two_digits(1284), two_digits(87), two_digits(7)
    (1300, 87, 7)
    """
    digits = max(len(str(int(number))) - 2, 0)
    return int(round(number, -digits))


def decimals_beside(value: float, target: float) -> int:
    """Return the number of decimals that show a value beside a target.

    They are at least two, at least those of the target, and enough that a value below the target is not shown as equal
    to it.

    >>> decimals_beside(0.971, 0.95), decimals_beside(0.971, 0.985), decimals_beside(0.9496, 0.95)
    (2, 3, 4)
    """
    digits = max(len(f"{target:g}".partition(".")[2]), LEAST_DECIMALS)
    while digits < MOST_DECIMALS and value < target <= float(f"{value:.{digits}f}"):
        digits += 1
    return digits


def _odds(reliability: float) -> float:
    return reliability**2 / (1.0 - reliability**2)
