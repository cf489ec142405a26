"""Estimates with standard errors, z and p, on the log-worth or the lambda scale, against a reference or centred."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from steelyard.errors import UnknownItem, UnknownName
from steelyard.maths.arrays import Matrix, Vector
from steelyard.models.bradley_terry.columns import factors, item_values, words_of
from steelyard.models.bradley_terry.contrasts import quantile, two_sided
from steelyard.models.bradley_terry.design import Design
from steelyard.models.bradley_terry.inference import centring
from steelyard.models.bradley_terry.profile import ProfileLikelihood
from steelyard.models.bradley_terry.settings import Settings

Parametrisation = Literal["log_worth", "lambda"]
PARAMETRISATIONS = ("log_worth", "lambda")
Interval = Literal["wald", "profile"]
INTERVALS = ("wald", "profile")


@dataclass(frozen=True, eq=False)
class Coefficients:
    """One row per parameter; `covariance` is that of the estimates. NaN marks what the data cannot show.

    As with a dict, iterating gives the names and `coefficients[name]` the numbers of one. `low` and `high` are
    limits at `level`, by the normal distribution (`wald`) or the profile likelihood, whose limits may be infinite.
    """

    name: tuple[str, ...]
    estimate: Vector
    covariance: Matrix
    parametrisation: str
    low: Vector
    high: Vector
    interval: str = "wald"
    level: float = 0.95
    df: Vector | None = None  # degrees of freedom of clustered errors, whose z is a t

    @property
    def se(self) -> Vector:
        """Standard errors; 0 for a reference item."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    @property
    def z(self) -> Vector:
        """Estimate over standard error; NaN for a reference item."""
        se = self.se
        return np.where(se > 0.0, self.estimate / np.where(se > 0.0, se, 1.0), np.nan)

    @property
    def p(self) -> Vector:
        """Two-sided p values of the z values; by the t distribution where errors are clustered."""
        return two_sided(self.z, self.df)

    def __getitem__(self, name: str) -> dict[str, float]:
        """Estimate, se, z, p and interval of one parameter."""
        if name not in self.name:
            raise UnknownName("coefficient", name, self.name)
        at = self.name.index(name)
        numbers = {"estimate": self.estimate, "se": self.se, "z": self.z, "p": self.p}
        numbers |= {"low": self.low, "high": self.high}
        return {key: float(values[at]) for key, values in numbers.items()}

    def __iter__(self) -> Iterator[str]:
        """The names of the parameters, as with a dict."""
        return iter(self.name)

    def __len__(self) -> int:
        return len(self.name)

    def __contains__(self, name: object) -> bool:
        return name in self.name

    def rows(self) -> list[dict[str, object]]:
        """One plain dict per parameter."""
        return [{"name": name, **self[name]} for name in self.name]


@dataclass(frozen=True, eq=False)
class Limits:
    """How intervals are made: at which level, and by which profile likelihood; by the normal distribution without."""

    level: float
    profile: ProfileLikelihood | None = None
    freedom: Callable[[Matrix], Vector | None] = lambda rows: None

    def of(self, turn: Matrix, estimate: Vector, spread: Matrix) -> tuple[Vector, Vector]:
        """Limits of the parameters turned by these rows."""
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
    """The parameters as the settings want them: against the reference item, or with items summing to 0."""
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
    """Rows that turn the parameters into differences from the reference, or from the mean of their group."""
    rows = np.eye(len(design.names))
    count = len(design.items)
    for block in design.blocks:
        inside = slice(block.start, block.start + count)
        rows[inside, inside] = block_gauge(design, settings)
    return rows


def block_gauge(design: Design, settings: Settings) -> Matrix:
    """The turn of one block of item columns; under a ridge without a reference the prior has set the origin."""
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
    """Where the reference item stands."""
    items = [str(item) for item in design.items]
    if reference not in items:
        raise UnknownItem(reference)
    return items.index(reference)


def mean_profile(design: Design, settings: Settings) -> dict[str, float]:
    """What every rater covariate is on average over the judgments."""
    profile: dict[str, float] = {}
    totals = design.table.totals
    for name in settings.varying:
        for label, factor in factors(name, design.table.cells[name], settings):
            profile[label] = float(factor @ totals / totals.sum())
    return profile


def covariate_profile(
    design: Design, settings: Settings, covariates: Mapping[str, object]
) -> dict[str, float]:
    """What the rater covariates are for one kind of rater; those not named are at their reference, numbers at 0."""
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
    """Log-worths for raters as they are on average, and their covariance, centred in each connected group."""
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
    """Rows that give each item's log-worth from the parameters, for raters with this profile."""
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
