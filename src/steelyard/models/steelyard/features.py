"""Features of items (machine scores, systems and other columns) as the prior mean of the items.

theta_i ~ N(intercept + sum of level effects + scores_i · beta, tau²). The level effects of a column share one
variance, and each score has its own. All variances are estimated, so useless features get effects of zero. If
there are systems, numeric scores are centred within them. A score that favours one system then informs
differences within a system only, not differences between systems.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from steelyard.maths.arrays import Codes, Labels, Matrix, Vector
from steelyard.models.steelyard.machine import MachineScores
from steelyard.models.steelyard.sums import sums_by

FeatureColumns = Mapping[str, Mapping[str, Any]]
SYSTEM, SEGMENT = "system", "segment"


@dataclass(frozen=True, eq=False)
class Features:
    """Standardised numeric scores (missing values are 0) and columns of levels (missing is a level)."""

    scores: Matrix  # items x scores
    score_names: tuple[str, ...]
    levels: tuple[Codes, ...]
    level_names: tuple[str, ...]
    groups: Codes  # of each score; weights of scores with the same number share a variance
    unsure: Vector  # uncertainty of machine judges about each item, with mean 1; all 1 without them

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def has_unsure(self) -> bool:
        """Whether machine judges are less sure of some items than of others."""
        return bool(np.ptp(self.unsure) > 0.0) if len(self.unsure) else False

    @property
    def system(self) -> Codes | None:
        """System of each item; None if there is only one."""
        return self.levels[self.level_names.index(SYSTEM)] if SYSTEM in self.level_names else None

    def with_machine(self, machine: MachineScores) -> Features:
        """Return the features with the scores of machine judges."""
        first = int(self.groups.max(initial=-1)) + 1
        return replace(
            self,
            scores=np.column_stack([self.scores, machine.scores]),
            score_names=(*self.score_names, *machine.names),
            groups=np.concatenate([self.groups, first + machine.groups]),
            unsure=machine.unsure,
        )


@dataclass(frozen=True, eq=False)
class Regression:
    """Estimated prior mean of each item, with the effects of features and their variances."""

    mean: Vector
    intercept: float
    weights: Vector
    weight_variances: Vector
    weight_errors: Matrix  # covariance of the weights
    effects: tuple[Vector, ...]
    effect_errors: tuple[Vector, ...]  # variance of each effect
    effect_variances: tuple[float, ...]

    @staticmethod
    def flat(features: Features, scatter: float) -> Regression:
        """Return the regression before estimation: no effects, wide priors."""
        count = features.scores.shape[1]
        return Regression(
            mean=np.zeros(len(features)),
            intercept=0.0,
            weights=np.zeros(count),
            weight_variances=np.full(count, scatter),
            weight_errors=np.zeros((count, count)),
            effects=tuple(np.zeros(codes.max() + 1) for codes in features.levels),
            effect_errors=tuple(np.zeros(codes.max() + 1) for codes in features.levels),
            effect_variances=tuple(scatter / 4.0 for _ in features.levels),
        )

    def moved(self, shift: float, stretch: float) -> Regression:
        """Return the same regression for positions that are stretched, then shifted."""
        return replace(
            self,
            mean=self.mean * stretch + shift,
            intercept=self.intercept * stretch + shift,
            weights=self.weights * stretch,
            effects=tuple(effect * stretch for effect in self.effects),
        )


def features_of(columns: FeatureColumns, items: Labels) -> Features:
    """Return the columns in the order of the items, without columns that are constant."""
    read = {name: [column.get(item) for item in items] for name, column in columns.items()}
    numeric = {name: cells for name, cells in read.items() if name != SYSTEM and _is_numeric(cells)}
    levels = {name: _codes(cells) for name, cells in read.items() if name not in numeric}
    levels = {name: codes for name, codes in levels.items() if codes.max(initial=0) > 0}
    system = levels.get(SYSTEM)
    scores = {name: _standardised(cells, system) for name, cells in numeric.items()}
    scores = {name: values for name, values in scores.items() if values.any()}
    stacked = np.column_stack(list(scores.values())) if scores else np.empty((len(items), 0))
    groups, unsure = np.arange(len(scores)), np.ones(len(items))
    return Features(stacked, tuple(scores), tuple(levels.values()), tuple(levels), groups, unsure)


def _is_numeric(cells: list[Any]) -> bool:
    return all(cell is None or (isinstance(cell, Real) and not isinstance(cell, bool)) for cell in cells)


def _codes(cells: list[Any]) -> Codes:
    index: dict[Any, int] = {}
    return np.array([index.setdefault(cell, len(index)) for cell in cells], dtype=np.int64)


def _standardised(cells: list[Any], system: Codes | None) -> Vector:
    """Return values centred (within systems, if any) with variance 1. Missing or constant values are 0."""
    values = np.array([np.nan if cell is None else float(cell) for cell in cells])
    present = np.isfinite(values)
    group = np.zeros(len(values), dtype=np.int64) if system is None else system
    total = sums_by(group, present, 1)
    mean = sums_by(group, np.where(present, values, 0.0), 1) / np.maximum(total, 1.0)
    centred = np.where(present, values - mean[group], 0.0)
    deviation = float(np.sqrt(np.mean(centred**2))) if len(centred) else 0.0
    largest_mean = float(np.max(np.abs(mean), initial=0.0))
    return centred / deviation if deviation > 1e-9 * (1.0 + largest_mean) else np.zeros(len(values))


def regress(
    estimate: Vector, weight: Vector, features: Features, start: Regression, scatter: float
) -> Regression:
    """Run one round of backfitting: intercept, each column of levels, then all scores together.

    Parameters
    ----------
    estimate
        Estimated position of each item.
    weight
        Precision of each estimate.
    features
        Features of the items.
    start
        Regression of the previous round.
    scatter
        Variance of all scores, the unit of the weak priors.

    Returns
    -------
    Regression
        The updated regression.
    """
    now = start
    rest = estimate - now.mean + now.intercept
    now = replace(now, intercept=float(np.sum(weight * rest) / np.sum(weight)))
    mean = now.mean - start.intercept + now.intercept
    for at, codes in enumerate(features.levels):
        old = now.effects[at]
        effect, error = _level_effect(
            estimate - mean + old[codes], weight, codes, len(old), now.effect_variances[at]
        )
        mean = mean - old[codes] + effect[codes]
        now = replace(
            now,
            effects=_put(now.effects, at, effect),
            effect_errors=_put(now.effect_errors, at, error),
            effect_variances=_put(now.effect_variances, at, max(float(np.mean(effect**2 + error)), 1e-8)),
        )
    if features.scores.shape[1]:
        without = mean - features.scores @ now.weights
        now = _score_weights(estimate - without, weight, features, now, scatter)
        mean = without + features.scores @ now.weights
    return replace(now, mean=mean)


def explain(score: Vector, item: Codes, features: Features, scatter: float) -> Regression:
    """Regress raw scores on the features, before raters are modelled.

    Parameters
    ----------
    score
        Score of each rating, relative to the mean.
    item
        Index of the item of each rating.
    features
        Features of the items.
    scatter
        Variance of all scores.

    Returns
    -------
    Regression
        Starting values for the model.
    """
    regression = Regression.flat(features, scatter)
    if not features.score_names and not features.level_names:
        return regression
    count = sums_by(item, np.ones(len(item)), len(features))
    mean_score = sums_by(item, score, len(features)) / np.maximum(count, 1.0)
    for _ in range(3):
        regression = regress(mean_score, count / scatter, features, regression, scatter)
    return regression


def _level_effect(
    rest: Vector, weight: Vector, codes: Codes, size: int, variance: float
) -> tuple[Vector, Vector]:
    """Return the shrunk mean of each level, centred, and its variance."""
    precision = sums_by(codes, weight, size)
    total = precision + 1.0 / variance
    effect = sums_by(codes, weight * rest, size) / total
    return effect - np.sum(precision * effect) / np.sum(precision), np.asarray(1.0 / total)


def _score_weights(
    rest: Vector, weight: Vector, features: Features, now: Regression, scatter: float
) -> Regression:
    """Ridge regression with one variance per group of weights by MacKay's rule.

    omega = sum beta² / sum (1 - error/omega), over the weights of a group.
    """
    scores, groups = features.scores, features.groups
    variances = now.weight_variances
    gram = scores.T @ (weight[:, None] * scores)
    cross = scores.T @ (weight * rest)
    for _ in range(3):
        errors: Matrix = np.asarray(np.linalg.inv(gram + np.diag(1.0 / variances)))
        beta = errors @ cross
        supported = np.clip(1.0 - np.diag(errors) / variances, 1e-6, 1.0)
        shared = (
            sums_by(groups, beta**2, len(groups)) / np.maximum(sums_by(groups, supported, len(groups)), 1e-9)
        )[groups]
        variances = np.clip(shared, 1e-8 * scatter, 100.0 * scatter)
    return replace(now, weights=beta, weight_variances=variances, weight_errors=errors)


def prior_error(features: Features, regression: Regression) -> Vector:
    """Return the variance of each item's prior mean that is due to the errors of feature effects."""
    error = np.einsum("ij,jk,ik->i", features.scores, regression.weight_errors, features.scores)
    for codes, errors in zip(features.levels, regression.effect_errors, strict=True):
        error = error + errors[codes]
    return np.asarray(error)


def _put(values: tuple[Any, ...], at: int, value: Any) -> tuple[Any, ...]:
    return (*values[:at], value, *values[at + 1 :])
