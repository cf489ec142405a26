"""Coefficients with standard errors, tests and intervals, relative to a reference item or centred."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from steelyard.errors import UnknownItem, UnknownName
from steelyard.maths.arrays import Matrix, Vector
from steelyard.models.bradley_terry.columns import factors, item_values, words_of
from steelyard.models.bradley_terry.contrasts import quantile, two_sided
from steelyard.models.bradley_terry.design import Design
from steelyard.models.bradley_terry.inference import centring
from steelyard.models.bradley_terry.profile import ProfileLikelihood
from steelyard.models.bradley_terry.settings import Settings
from steelyard.scales.tables import Tabular

Parametrisation = Literal["log_worth", "lambda"]
PARAMETRISATIONS = ("log_worth", "lambda")
Interval = Literal["wald", "profile"]
INTERVALS = ("wald", "profile")


@dataclass(frozen=True, eq=False, repr=False)
class Coefficients(Tabular):
    """Coefficients of a fit, one per parameter.

    Iteration yields the names, and `coefficients[name]` returns a dict with `estimate`, `se`, `z`, `p`, `low` and
    `high`. Coefficients that are not identified are NaN.

    Attributes
    ----------
    name
        Names of the coefficients.
    estimate
        Estimates.
    covariance
        Covariance matrix of the estimates.
    parametrisation
        `log_worth`, or `lambda` for half a log-worth.
    low
        Lower limits of the intervals.
    high
        Upper limits of the intervals. Profile limits may be infinite.
    interval
        `wald` or `profile`.
    level
        Coverage of the intervals.
    df
        Degrees of freedom of t tests if standard errors are clustered; otherwise None.
    notes
        What standard errors and intervals are based on, if they differ.
    """

    name: tuple[str, ...]
    estimate: Vector
    covariance: Matrix
    parametrisation: str
    low: Vector
    high: Vector
    interval: str = "wald"
    level: float = 0.95
    df: Vector | None = None
    notes: tuple[str, ...] = ()

    @property
    def se(self) -> Vector:
        """Standard errors; 0 for a reference item."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    @property
    def z(self) -> Vector:
        """Test statistics, estimate / standard error; NaN for a reference item. They are t values if `df` is set."""
        se = self.se
        return np.where(se > 0.0, self.estimate / np.where(se > 0.0, se, 1.0), np.nan)

    @property
    def p(self) -> Vector:
        """Two-sided p values, from the normal distribution, or from t if `df` is set."""
        return two_sided(self.z, self.df)

    def __getitem__(self, name: str) -> dict[str, float]:
        """Return estimate, se, z, p and interval of one coefficient."""
        if name not in self.name:
            raise UnknownName("coefficient", name, self.name)
        at = self.name.index(name)
        numbers = {"estimate": self.estimate, "se": self.se, "z": self.z, "p": self.p}
        numbers |= {"low": self.low, "high": self.high}
        return {key: float(values[at]) for key, values in numbers.items()}

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self.name)

    def __len__(self) -> int:
        return len(self.name)

    def __contains__(self, name: object) -> bool:
        return name in self.name

    def columns(self) -> dict[str, Any]:
        """Return the columns `name`, `estimate`, `se`, `z`, `p`, `low` and `high`."""
        return {name: getattr(self, name) for name in ("name", "estimate", "se", "z", "p", "low", "high")}


@dataclass(frozen=True, eq=False)
class Limits:
    """Method of the intervals: coverage, profile likelihood (None for Wald) and degrees of freedom."""

    level: float
    profile: ProfileLikelihood | None = None
    freedom: Callable[[Matrix], Vector | None] = lambda rows: None

    def of(self, turn: Matrix, estimate: Vector, spread: Matrix) -> tuple[Vector, Vector]:
        """Return the limits of linear combinations of the parameters.

        Parameters
        ----------
        turn
            One linear combination per row.
        estimate
            Estimates of the linear combinations.
        spread
            Covariance of the linear combinations.

        Returns
        -------
        tuple of Vector
            Lower and upper limits.
        """
        if self.profile is not None:
            intervals = [self.profile.interval(row, self.level) for row in turn]
            return np.array([each.low for each in intervals]), np.array([each.high for each in intervals])
        reach = quantile(self.level, self.freedom(turn)) * np.sqrt(np.maximum(np.diag(spread), 0.0))
        return estimate - reach, estimate + reach


def coefficients_of(
    design: Design,
    theta: Vector,
    covariance: Matrix,
    settings: Settings,
    parametrisation: str,
    *,
    limits: Limits,
) -> Coefficients:
    """Return the coefficients, relative to the reference item or with items that sum to 0.

    Parameters
    ----------
    design
        Design of the fit.
    theta
        Estimates of all parameters.
    covariance
        Covariance of the parameters.
    settings
        Settings; `reference` selects the origin.
    parametrisation
        `log_worth` or `lambda`.
    limits
        Method of the intervals.

    Returns
    -------
    Coefficients
        All coefficients except that of the hypothetical item of pseudo-comparisons.
    """
    if parametrisation not in PARAMETRISATIONS:
        raise UnknownName("parametrisation", parametrisation, PARAMETRISATIONS)
    rows = _gauge(design, settings)
    scale = np.ones(len(design.names))
    if parametrisation == "lambda":
        scale[: design.kinds[2].start] = 0.5
    turn = scale[:, None] * rows
    estimate = turn @ theta
    spread = turn @ covariance @ turn.T
    low, high = limits.of(turn, estimate, spread)
    df = limits.freedom(turn)
    for name in design.aliased:
        at = design.names.index(name)
        estimate[at], spread[at], spread[:, at] = np.nan, np.nan, np.nan
        low[at], high[at] = np.nan, np.nan
    shown = np.array([not _is_ghost(design, at) for at in range(len(design.names))])
    names = tuple(name for name, keep in zip(design.names, shown, strict=True) if keep)
    return Coefficients(
        names,
        estimate[shown],
        spread[np.ix_(shown, shown)],
        parametrisation,
        low[shown],
        high[shown],
        "wald" if limits.profile is None else "profile",
        limits.level,
        None if df is None else df[shown],
    )


def _is_ghost(design: Design, at: int) -> bool:
    return len(design.items) <= at < design.size


def _gauge(design: Design, settings: Settings) -> Matrix:
    """Return the matrix that subtracts the reference item, or the mean of the connected group, from each item."""
    rows = np.eye(len(design.names))
    count = len(design.items)
    for block in design.blocks:
        inside = slice(block.start, block.start + count)
        rows[inside, inside] = block_gauge(design, settings)
    return rows


def block_gauge(design: Design, settings: Settings) -> Matrix:
    """Return the transformation of one block of item columns. A ridge without a reference keeps the prior's origin."""
    count = len(design.items)
    if settings.reference is None:
        return np.eye(count) if settings.penalty == "ridge" else centring(design.component)
    at = reference_at(design, settings.reference)
    turn = np.eye(count)
    group = design.component == design.component[at]
    turn[group, at] -= 1.0
    for other in np.unique(design.component[~group]):
        members = np.flatnonzero(design.component == other)
        turn[members, members[-1]] -= 1.0
    return turn


def reference_at(design: Design, reference: str) -> int:
    """Return the index of the reference item."""
    items = [str(item) for item in design.items]
    if reference not in items:
        raise UnknownItem(reference)
    return items.index(reference)


def mean_profile(design: Design, settings: Settings) -> dict[str, float]:
    """Return the mean of every rater covariate over the judgments."""
    profile: dict[str, float] = {}
    totals = design.table.totals
    for name in settings.varying:
        for label, factor in factors(name, design.table.cells[name], settings):
            profile[label] = float(factor @ totals / totals.sum())
    return profile


def covariate_profile(
    design: Design, settings: Settings, covariates: Mapping[str, object]
) -> dict[str, float]:
    """Return the covariate values of one type of rater.

    Parameters
    ----------
    design
        Design of the fit.
    settings
        Settings with the rater covariates.
    covariates
        Value of each covariate. A covariate that is not named is at its reference level, or 0 if numeric.

    Returns
    -------
    dict
        Value of each column of the design that belongs to a rater covariate.

    Raises
    ------
    UnknownName
        If a covariate or a level is unknown.
    """
    profile: dict[str, float] = {}
    for name in covariates:
        if name not in settings.varying:
            raise UnknownName("rater covariate", name, tuple(settings.varying))
    for name, value in covariates.items():
        parts = factors(name, design.table.cells[name], settings)
        if len(parts) == 1 and parts[0][0] == name:
            profile[name] = float(value)  # type: ignore[arg-type]
            continue
        levels = words_of(design.table.cells[name])[0]
        if str(value) not in levels:
            raise UnknownName(f"level of {name}", str(value), levels)
        profile |= {label: float(label == f"{name}={value}") for label, _ in parts}
    return profile


def centred_items(design: Design, settings: Settings, theta: Vector, matrix: Matrix) -> tuple[Vector, Matrix]:
    """Return average log-worths over raters and their covariance, centred in each connected group.

    Parameters
    ----------
    design
        Design of the fit.
    settings
        Settings of the model.
    theta
        Estimates of all parameters.
    matrix
        Covariance of the parameters.

    Returns
    -------
    tuple
        Log-worths of the items and their covariance.
    """
    count = len(design.items)
    if settings.varying or settings.item_covariates or not design.size:
        rows = item_rows(design, settings, mean_profile(design, settings))
        theta, matrix = rows @ theta, rows @ matrix @ rows.T
    if design.component.any():
        turn = centring(design.component)
        return turn @ theta[:count], turn @ matrix[:count, :count] @ turn.T
    inside = matrix[:count, :count]
    inside = inside - inside.mean(axis=0)
    return theta[:count] - theta[:count].mean(), inside - inside.mean(axis=1, keepdims=True)


def item_rows(design: Design, settings: Settings, profile: Mapping[str, float]) -> Matrix:
    """Return the matrix that computes log-worths from parameters.

    Parameters
    ----------
    design
        Design of the fit.
    settings
        Settings of the model.
    profile
        Values of the rater covariates.

    Returns
    -------
    Matrix
        Items x parameters.
    """
    index = {name: at for at, name in enumerate(design.names)}
    items = [str(item) for item in design.items]
    rows = np.zeros((len(items), len(design.names)))
    if design.size:
        rows[np.arange(len(items)), np.arange(len(items))] = 1.0
    for name, values in settings.item_covariates.items():
        each = item_values(name, values, design.table)
        rows[:, index[name]] += each
        for label, factor in profile.items():
            if f"{name}:{label}" in index:
                rows[:, index[f"{name}:{label}"]] += factor * each
    for label, factor in profile.items():
        for at, item in enumerate(items):
            column = index.get(f"{item}:{label}")
            if column is not None:
                rows[at, column] += factor
    return rows
