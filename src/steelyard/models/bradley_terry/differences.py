"""Difference of two log-worths with a test and the matching interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from steelyard.errors import BadSetting, UnknownItem, UnknownName
from steelyard.maths.arrays import Vector
from steelyard.models.bradley_terry.coefficients import item_rows, mean_profile
from steelyard.models.bradley_terry.contrasts import quantile, two_sided

if TYPE_CHECKING:
    from steelyard.models.bradley_terry.results import BradleyTerryFit

DifferenceInterval = Literal["wald", "profile", "clustered"]
DIFFERENCE_INTERVALS = ("wald", "profile", "clustered")


@dataclass(frozen=True, slots=True)
class Difference:
    """Difference of two log-worths with its test. The interval excludes 0 exactly if p < 1 - level.

    Attributes
    ----------
    left
        Item whose log-worth is the minuend.
    right
        Item whose log-worth is subtracted.
    estimate
        Difference of the log-worths: the log-odds that `left` is preferred to `right`.
    se
        Standard error of `estimate`.
    low
        Lower limit of the interval.
    high
        Upper limit of the interval. With `interval="profile"` limits may be infinite.
    statistic
        z, t, or the signed square root of the likelihood ratio.
    p
        Two-sided p value.
    df
        Degrees of freedom of t; None for other statistics.
    interval
        `wald`, `profile` or `clustered`.
    """

    left: str
    right: str
    estimate: float
    se: float
    low: float
    high: float
    statistic: float
    p: float
    df: float | None
    interval: str


def difference_row(fit: BradleyTerryFit, left: str, right: str) -> Vector:
    """Return the linear combination of parameters for a difference of log-worths, averaged over raters.

    Parameters
    ----------
    fit
        Fitted model.
    left
        Item whose log-worth is the minuend.
    right
        Item whose log-worth is subtracted.

    Returns
    -------
    Vector
        One weight per parameter.
    """
    places = {str(item): at for at, item in enumerate(fit.item)}
    for item in (left, right):
        if item not in places:
            raise UnknownItem(item)
    rows = item_rows(fit.design, fit.settings, mean_profile(fit.design, fit.settings))
    return np.asarray(rows[places[left]] - rows[places[right]])


def difference_of(fit: BradleyTerryFit, left: str, right: str, interval: str, level: float) -> Difference:
    """Return a difference of log-worths with its test and interval.

    Parameters
    ----------
    fit
        Fitted model.
    left
        Item whose log-worth is the minuend.
    right
        Item whose log-worth is subtracted.
    interval
        `wald`, `profile` or `clustered`.
    level
        Coverage of the interval.

    Returns
    -------
    Difference
        Estimate, test and interval.
    """
    if interval not in DIFFERENCE_INTERVALS:
        raise UnknownName("interval", interval, DIFFERENCE_INTERVALS)
    row = difference_row(fit, left, right)
    estimate = float(row @ fit.theta)
    se = float(np.sqrt(max(float(fit.covariance.variances(row[:, None])[0]), 0.0)))
    if interval == "profile":
        profiled = fit.profile.interval(row, level)
        root = float(np.copysign(np.sqrt(profiled.chi_square), estimate))
        return Difference(
            left, right, estimate, se, profiled.low, profiled.high, root, profiled.p, None, interval
        )
    if interval == "clustered":
        return _clustered(fit, (left, right), row, level)
    return _wald(fit, (left, right), (estimate, se), row, level)


def _wald(
    fit: BradleyTerryFit,
    pair: tuple[str, str],
    estimate_and_se: tuple[float, float],
    row: Vector,
    level: float,
) -> Difference:
    """Return the Wald test: t if errors are clustered, t on raters - 1 df with random effects, otherwise z."""
    estimate, se = estimate_and_se
    statistic = estimate / se
    clustered = fit.freedom_of(row[None])
    df = None if clustered is None else float(clustered[0])
    df = fit.provenance.raters - 1.0 if fit.settings.random_effects else df
    reach = float(quantile(level, df)) * se
    p = float(two_sided(np.array([statistic]), df)[0])
    return Difference(*pair, estimate, se, estimate - reach, estimate + reach, statistic, p, df, "wald")


def _clustered(fit: BradleyTerryFit, pair: tuple[str, str], row: Vector, level: float) -> Difference:
    estimate = fit.clustered.estimate(row, level)
    if estimate is None:
        raise BadSetting(
            "interval",
            f"the difference of {pair[0]} and {pair[1]} depends on a single rater, so a clustered standard error "
            "cannot be estimated. Use interval='profile' or add raters.",
        )
    ends = (estimate.estimate, estimate.se, estimate.low, estimate.high, estimate.t, estimate.p, estimate.df)
    return Difference(*pair, *ends, "clustered")
