"""How far each machine judge can be trusted: its correlation with people, and where people rate differently."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.maths.arrays import Codes, Labels, Vector, object_cells, sum_by
from steelyard.quality.machine.pools import Pool

LEAST_UNITS = 4  # smallest number of labelled units for a correlation
LEAST_REPEATED = 10  # smallest number of units with several answers for the correction of the correlation
SIDE, LEFT = "side", "shown on the left"
LEVEL_CLUSTERS = 3  # smallest number of clusters of a level whose difference is reported


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """One machine judge.

    Attributes
    ----------
    judge
        Name of the judge.
    family
        Name of its family.
    units
        Number of items or pairs that it and people judged.
    correlation
        Pearson correlation of its scores with the mean answers of people.
    low, high
        Ends of the 95% interval, by a bootstrap over segments or items.
    corrected
        Correlation with the means of an unlimited number of answers: divided by the root of the reliability of people's
        means. None if too few items have several answers.
    """

    judge: str
    family: str
    units: int
    correlation: float
    low: float
    high: float
    corrected: float | None


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """How people rate the items of one level, compared with items that have the same score of a judge.

    Attributes
    ----------
    judge
        Name of the judge.
    feature
        Name of the feature: system, a column, or side for a judge that compares.
    level
        Value of the feature; "per sd" for a numeric feature. "shown on the left" compares items that the judge saw on
        the left with those that it saw on the right.
    units
        Number of items or pairs that it and people judged.
    difference
        Mean answer of people minus that expected from the judge's score. Positive: people rate these items higher.
    low, high
        Ends of the 95% interval, clustered by segment or item.
    """

    judge: str
    feature: str
    level: str
    units: int
    difference: float
    low: float
    high: float


def judge_rows(pool: Pool, rng: np.random.Generator, draws: int = 1000) -> Iterator[JudgeRow]:
    """Yield one row per judge.

    Parameters
    ----------
    pool
        Units with scores and answers.
    rng
        Source of randomness of the bootstrap.
    draws
        Number of bootstrap samples.

    Yields
    ------
    JudgeRow
        Correlation with its interval. Judges with fewer than four units that people judged are omitted.
    """
    reliability = _reliability(pool)
    for at, judge in enumerate(pool.judges):
        rows = np.flatnonzero(pool.labelled & np.isfinite(pool.scores[:, at]))
        if len(rows) < LEAST_UNITS:
            continue
        score, answer = pool.scores[rows, at], pool.mean_answer[rows]
        cluster = np.unique(pool.cluster[rows], return_inverse=True)[1]
        value = float(_correlations(score, answer, np.ones((1, len(rows))))[0])
        size = int(cluster.max()) + 1
        weights = rng.multinomial(size, np.full(size, 1.0 / size), size=draws)[:, cluster]
        drawn = _correlations(score, answer, weights.astype(float))
        low, high = np.nanquantile(drawn, (0.025, 0.975)) if np.isfinite(drawn).any() else (np.nan, np.nan)
        corrected = None if reliability is None else float(np.clip(value / np.sqrt(reliability), -1.0, 1.0))
        yield JudgeRow(
            str(judge), str(pool.families[at]), len(rows), value, float(low), float(high), corrected
        )


def _correlations(one: Vector, other: Vector, weights: Any) -> Vector:
    """Return the weighted Pearson correlation for each row of weights; NaN if a value is constant."""
    total = weights.sum(axis=1)
    mean = [weights @ each / total for each in (one, other)]
    square = [weights @ each**2 / total - middle**2 for each, middle in zip((one, other), mean, strict=True)]
    cross = weights @ (one * other) / total - mean[0] * mean[1]
    product = square[0] * square[1]
    enough = product > 1e-24
    return np.where(enough, cross / np.sqrt(np.where(enough, product, 1.0)), np.nan)


def _reliability(pool: Pool) -> float | None:
    """Return the reliability of people's means by one-way analysis of variance; None if too few units repeat."""
    count = np.bincount(pool.unit, minlength=len(pool)).astype(float)
    rows = np.flatnonzero(count > 0.0)
    if np.sum(count >= 2.0) < LEAST_REPEATED:
        return None
    plain = sum_by(pool.unit, pool.answer, len(pool)) / np.maximum(count, 1.0)
    within = float(np.sum((pool.answer - plain[pool.unit]) ** 2) / (count.sum() - len(rows)))
    noise = within * float(np.mean(1.0 / count[rows]))
    between = float(np.var(pool.mean_answer[rows], ddof=1))
    reliability = 1.0 - noise / between if between > 0.0 else 0.0
    return reliability if reliability > 0.0 else None


def difference_rows(pool: Pool, features: Mapping[str, Labels | Vector]) -> Iterator[DifferenceRow]:
    """Yield where people rate differently from what a judge's score predicts.

    The prediction is a linear regression of people's answers on the score of the judge.

    Parameters
    ----------
    pool
        Units with scores and answers.
    features
        Value of each unit, by feature: numbers, or labels with None where it is missing.

    Yields
    ------
    DifferenceRow
        One row per judge, feature and level with three clusters or more. A negative difference of items shown on the
        left means that the judge prefers the left side more than people do.
    """
    for at, judge in enumerate(pool.judges):
        rows = np.flatnonzero(pool.labelled & np.isfinite(pool.scores[:, at]))
        if len(rows) < LEAST_UNITS:
            continue
        rest = _residual(pool.mean_answer[rows], pool.scores[rows, at])
        cluster = pool.cluster[rows]
        for name, values in features.items():
            mine = values[rows]
            if mine.dtype == object:
                yield from _of_levels(str(judge), name, object_cells(mine), rest, cluster)
            else:
                yield from _of_number(str(judge), name, mine.astype(float), rest, cluster)
        sides = np.sign(pool.left[rows, at] - 0.5)
        if np.any(sides > 0.0) and np.any(sides < 0.0):
            labels = object_cells(LEFT if side > 0.0 else None for side in sides)
            yield from _of_labels(str(judge), SIDE, labels, rest, cluster)


def _residual(answer: Vector, score: Vector) -> Vector:
    deviation = score - score.mean()
    square = float(np.sum(deviation**2))
    slope = float(np.sum(deviation * answer)) / square if square > 0.0 else 0.0
    return np.asarray(answer - answer.mean() - slope * deviation)


def _of_levels(
    judge: str, feature: str, values: Labels, rest: Vector, cluster: Codes
) -> Iterator[DifferenceRow]:
    if len({each for each in values.tolist() if each is not None}) > 1:
        yield from _of_labels(judge, feature, values, rest, cluster)


def _of_labels(
    judge: str, feature: str, values: Labels, rest: Vector, cluster: Codes
) -> Iterator[DifferenceRow]:
    for level in sorted({each for each in values.tolist() if each is not None}):
        rows = np.flatnonzero(values == level)
        if len(np.unique(cluster[rows])) >= LEVEL_CLUSTERS:
            mean = float(rest[rows].mean())
            half = _half_width((rest[rows] - mean) / len(rows), cluster[rows])
            yield DifferenceRow(judge, feature, str(level), len(rows), mean, mean - half, mean + half)


def _of_number(
    judge: str, feature: str, values: Vector, rest: Vector, cluster: Codes
) -> Iterator[DifferenceRow]:
    rows = np.flatnonzero(np.isfinite(values))
    deviation = float(values[rows].std()) if len(rows) else 0.0
    if deviation > 0.0 and len(np.unique(cluster[rows])) > LEVEL_CLUSTERS:
        standard = (values[rows] - values[rows].mean()) / deviation
        slope = float(np.mean(standard * rest[rows]))
        influence = standard * (rest[rows] - slope * standard) / len(rows)
        half = _half_width(influence, cluster[rows])
        yield DifferenceRow(judge, feature, "per sd", len(rows), slope, slope - half, slope + half)


def _half_width(influence: Vector, cluster: Codes) -> float:
    """Return half the width of a 95% interval from the influences of units, clustered."""
    from scipy.special import stdtrit  # SciPy is slow to import

    codes = np.unique(cluster, return_inverse=True)[1]
    clusters = int(codes.max()) + 1
    variance = clusters / (clusters - 1.0) * float(np.sum(np.bincount(codes, weights=influence) ** 2))
    return float(stdtrit(clusters - 1.0, 0.975)) * float(np.sqrt(variance))
