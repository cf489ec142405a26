"""Odds, coefficients and clustered results of `steelyard prefer`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from steelyard.maths.arrays import Matrix, Vector
from steelyard.maths.gaussian import NORMAL_95
from steelyard.models.bradley_terry.clustering import FittedDesign, clustering_of
from steelyard.models.bradley_terry.coefficients import Parametrisation
from steelyard.models.bradley_terry.contrasts import quantile, two_sided
from steelyard.models.bradley_terry.inference import DenseCovariance
from steelyard.models.bradley_terry.profile import ProfileInterval
from steelyard.models.bradley_terry.rater_variance import ClusteredEstimate, RaterClusters, repeating_raters
from steelyard.models.bradley_terry.results import BradleyTerryFit
from steelyard.models.clusters import Clustering
from steelyard.report.preference.answers import p_words
from steelyard.scales.fit import INTERVAL_LEVEL

MOST_PROFILED = 30  # items; with more, Wald intervals and tests replace those of the profile likelihood
LARGE = 1e6  # odds that are written in scientific notation from here on
PARAMETRISATIONS = ("odds", "log_worth", "lambda")


@dataclass(frozen=True, slots=True)
class Clustered:
    """Standard error, interval and t test clustered by rater, for a log-odds or another parameter."""

    low: float
    high: float
    se: float
    t: float
    df: float
    p: float
    raters: int

    def test_words(self) -> str:
        """Return the test, for use in brackets."""
        return f"clustered by rater: t = {self.t:.2f} on {self.df:.1f} df, {p_words(self.p)}"


@dataclass(frozen=True, slots=True)
class Odds:
    """Odds that `first` is preferred to `second`, with a 95% interval.

    `p` belongs to the test that the interval inverts: the likelihood ratio test if `interval` is `profile`, the z
    test if it is `wald`.
    """

    first: str
    second: str
    odds: float
    low: float
    high: float
    p: float
    interval: str
    clustered: Clustered | None

    def words(self) -> str:
        """Return the odds as part of a sentence."""
        interval = f"95% interval {_limits(self.low, self.high)}, {p_words(self.p)}"
        if self.clustered is not None:
            inside = f"{_limits(self.clustered.low, self.clustered.high)}, {p_words(self.clustered.p)}"
            interval += f"; clustered by rater: {inside}"
        return f"{self.first} over {self.second} {_number(self.odds)} to 1 ({interval})"


def _limits(low: float, high: float) -> str:
    return f"{_number(low)} to {_number(high)}"


def _number(value: float) -> str:
    """Return a number with two decimals, or in scientific notation where it is small or very large.

    >>> _number(4.2035), _number(math.inf), _number(0.0004), _number(1682254487.5)
    ('4.20', 'infinity', '0.0004', '2e+09')
    """
    if math.isinf(value):
        return "infinity"
    if value >= LARGE:
        return f"{value:.0e}"
    return f"{value:.2f}" if value >= 0.01 or value <= 0.0 else f"{value:.1g}"


def clustered_of(estimate: ClusteredEstimate | None) -> Clustered | None:
    """Return the reported part of a clustered estimate."""
    if estimate is None:
        return None
    return Clustered(
        estimate.low, estimate.high, estimate.se, estimate.t, estimate.df, estimate.p, estimate.raters
    )


@dataclass(frozen=True, eq=False)
class PreferenceFit:
    """A Bradley-Terry fit with the derived quantities that the report needs."""

    fit: BradleyTerryFit

    @property
    def log_worth(self) -> dict[str, float]:
        """Log-worths by item."""
        return dict(zip(map(str, self.fit.item), self.fit.posterior.position.tolist(), strict=True))

    @property
    def profiled(self) -> bool:
        """Whether intervals and tests come from the profile likelihood."""
        return len(self.fit.item) <= MOST_PROFILED

    @property
    def order(self) -> list[str]:
        """Items from the most to the least preferred."""
        worth = self.log_worth
        return sorted(worth, key=lambda item: (-worth[item], item))

    @cached_property
    def clusters(self) -> RaterClusters | None:
        """Scores by rater; None if no rater answered more than once."""
        dense = isinstance(self.fit.covariance, DenseCovariance)
        return self.fit.clustered if dense and repeating_raters(self.fit) else None

    @property
    def tie_row(self) -> Vector:
        """Linear combination that selects the tie parameter, which is the last parameter."""
        return np.asarray(np.eye(len(self.fit.theta))[-1])

    @property
    def tie(self) -> tuple[float, float] | None:
        """The tie parameter and its standard error; None without ties."""
        if not self.fit.settings.has_tie_effect:
            return None
        return float(self.fit.theta[-1]), float(self.standard_errors(self.tie_row[None])[0])

    def odds(self, pairs: Sequence[tuple[str, str]]) -> list[Odds]:
        """Return the odds exp(log-worth difference) of each pair, with intervals."""
        place = {str(item): at for at, item in enumerate(self.fit.item)}
        rows = np.zeros((len(pairs), len(self.fit.theta)))
        for row, (first, second) in zip(rows, pairs, strict=True):
            row[place[first]], row[place[second]] = 1.0, -1.0
        intervals = [self.interval(row) for row in rows] if self.profiled else self._wald(rows)
        return [
            self._odds(pair, row, each, self._clustered(row))
            for pair, row, each in zip(pairs, rows, intervals, strict=True)
        ]

    def _clustered(self, row: Vector) -> Clustered | None:
        return None if self.clusters is None else clustered_of(self.clusters.estimate(row))

    def odds_of(self, sides: tuple[str, str], row: Vector) -> Odds:
        """Return the odds exp(coefficient) of the first of two sides over the second, with an interval.

        `row` selects the coefficient among the parameters.
        """
        return self._odds(sides, row, self.interval(row), self.coefficient_clustered(row))

    @cached_property
    def _clustering(self) -> Clustering | None:
        """Covariance clustered by rater of the coefficients that `steelyard fit` reports."""
        fit = self.fit
        if self.clusters is None or not isinstance(fit.covariance, DenseCovariance):
            return None
        fitted = FittedDesign(fit.design, fit.likelihood, fit.theta, fit.covariance.matrix)
        return clustering_of(fitted, replace(fit.settings, cluster="rater"), fit.source)

    def coefficient_clustered(self, row: Vector) -> Clustered | None:
        """Return the test clustered by rater of an effect of order or ties, as `steelyard fit --coefficients` has it.

        None if no rater answered more than once, or if the effect depends on a single rater.
        """
        clustering, covariance = self._clustering, self.fit.covariance
        if clustering is None or not isinstance(covariance, DenseCovariance) or self._clustered(row) is None:
            return None
        inside = row[np.diag(covariance.matrix) > 0.0][None]
        se = float(np.sqrt((inside @ clustering.covariance @ inside.T)[0, 0]))
        df, value = float(clustering.freedom(inside)[0, 0]), float(row @ self.fit.theta)
        reach = float(quantile(INTERVAL_LEVEL, np.array([df]))[0]) * se
        p = float(two_sided(np.array([value / se]), np.array([df]))[0])
        return Clustered(value - reach, value + reach, se, value / se, df, p, clustering.ways[0].count)

    def _odds(
        self,
        pair: tuple[str, str],
        row: Vector,
        interval: ProfileInterval,
        clustered: Clustered | None,
    ) -> Odds:
        if clustered is not None:
            clustered = replace(clustered, low=_exp(clustered.low), high=_exp(clustered.high))
        estimate = _exp(float(row @ self.fit.theta))
        way = "profile" if self.profiled else "wald"
        return Odds(*pair, estimate, _exp(interval.low), _exp(interval.high), interval.p, way, clustered)

    def interval(self, row: Vector) -> ProfileInterval:
        """Return the 95% interval and test of a linear combination: profile likelihood if `profiled`, else Wald."""
        return self.fit.profile.interval(row, 0.95) if self.profiled else self._wald(row[None])[0]

    def _wald(self, rows: Matrix) -> list[ProfileInterval]:
        estimate, se = rows @ self.fit.theta, self.standard_errors(rows)
        z = estimate / se
        ends = (estimate - NORMAL_95 * se, estimate + NORMAL_95 * se, z**2, two_sided(z))
        return [ProfileInterval(*map(float, each)) for each in zip(*ends, strict=True)]

    def standard_errors(self, rows: Matrix) -> Vector:
        """Return the standard errors of linear combinations of the parameters, one per row."""
        variance = np.einsum("ij,ji->i", rows, self.fit.covariance.product(rows.T))
        return np.asarray(np.sqrt(np.maximum(variance, 0.0)))

    def coefficients(self, parametrisation: str) -> dict[str, Any]:
        """Return every coefficient on the log-worth or lambda scale, with the last item as reference."""
        if not isinstance(self.fit.covariance, DenseCovariance):
            return {}
        last = str(self.fit.item[-1])
        against = replace(self.fit, settings=replace(self.fit.settings, reference=last))
        scale: Parametrisation = "lambda" if parametrisation == "lambda" else "log_worth"
        coefficients = against.coefficients(scale, "profile" if self.profiled else "wald")
        return {"parametrisation": scale, "reference": last, "coefficients": coefficients.rows()}


def coefficient_words(numbers: dict[str, Any]) -> list[str]:
    """Return the coefficients in one sentence."""
    rows = [row for row in numbers.get("coefficients", []) if row["se"] > 0.0]
    if not rows:
        return []
    listing = "; ".join(
        f"{row['name']} {row['estimate']:.4f} (SE {row['se']:.4f}, z = {row['z']:.2f}, {p_words(row['p'])})"
        for row in rows
    )
    name = "lambda, half the log-odds" if numbers["parametrisation"] == "lambda" else "log-worth"
    return [f"Coefficients ({name}; reference {numbers['reference']} = 0): {listing}."]


def _exp(value: float) -> float:
    """Return exp(value), or infinity where it would overflow."""
    return math.exp(value) if value < 700.0 else math.inf
