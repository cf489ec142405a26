"""The difference of two items with its test and the interval that goes with it."""

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
    """A difference of log-worths: the interval leaves out 0 exactly when p is below 1 less its level.

    `statistic` is z, t or the signed root of the likelihood ratio; `df` are the degrees of freedom of t, else None.
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
    """The combination of parameters that is the log-worth of `left` less that of `right`, for raters on average."""
    places = {str(item): at for at, item in enumerate(fit.item)}
    for item in (left, right):
        if item not in places:
            raise UnknownItem(item)
    rows = item_rows(fit.design, fit.settings, mean_profile(fit.design, fit.settings))
    return np.asarray(rows[places[left]] - rows[places[right]])


def difference_of(fit: BradleyTerryFit, left: str, right: str, interval: str, level: float) -> Difference:
    """By the normal distribution, by the profile likelihood, or with an error that allows for raters."""
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
    """By the normal distribution; by t where errors are clustered, and with random effects on raters less 1 df."""
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
            f"the difference of {pair[0]} and {pair[1]} rests on a single rater, so a clustered error cannot be "
            "estimated. Use interval='profile' or add raters.",
        )
    ends = (estimate.estimate, estimate.se, estimate.low, estimate.high, estimate.t, estimate.p, estimate.df)
    return Difference(*pair, *ends, "clustered")
