"""Statistics at one level: over items, or over the means of systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from steelyard.maths.arrays import Codes, Mask, Matrix, Vector
from steelyard.quality.calibration import Share
from steelyard.quality.gold.correlations import pearson, regression, spearman
from steelyard.quality.gold.intervals import FEW_UNITS, Interval, Statistic, resampled_interval
from steelyard.quality.gold.pair_counts import OrderCounts, pair_counts
from steelyard.quality.gold.resampling import Points, Resamples, replicate
from steelyard.quality.gold.tie_calibration import (
    ItemPairs,
    TieCalibration,
    calibrate_ties,
    held_out_accuracy,
    item_pairs,
)

MOST_PAIRS = 1_000_000  # on which ties are calibrated
ROUGH = "; few, so the interval is rough"


@dataclass(frozen=True, eq=False)
class Level:
    """Scores of several scales and gold values of the same items or systems.

    Parameters
    ----------
    name
        `"item"` or `"system"`.
    scores
        Score of each item on each scale, scales x items.
    gold
        Gold value of each item.
    unit
        Unit of the bootstrap to which each item belongs: its segment, or the item itself.
    inside
        For each scale, whether its interval contains the gold value; None if it has no intervals.
    same_scale
        For each scale, whether its positions and the gold values are on the same scale.
    """

    name: str
    scores: Matrix
    gold: Vector
    unit: Codes
    inside: Sequence[Mask | None]
    same_scale: Sequence[bool]

    @property
    def units(self) -> int:
        """Number of units of the bootstrap."""
        return int(self.unit.max()) + 1

    @property
    def has_own_units(self) -> bool:
        """Whether each item is a unit of its own."""
        return self.units == len(self.gold)

    @property
    def has_ties(self) -> bool:
        """Whether two items have the same gold value."""
        return len(np.unique(self.gold)) < len(self.gold)

    def points(self, scale: int) -> Points:
        """Return the scores of one scale beside gold."""
        return Points(self.scores[scale], self.gold, self.unit, inside=self.inside[scale])


@dataclass(frozen=True, eq=False)
class Estimate:
    """One statistic with its interval.

    Attributes
    ----------
    statistic
        The statistic.
    value
        Its value; NaN if it is undefined.
    interval
        Its 95% interval.
    of
        On what it was computed, such as "24 items".
    """

    statistic: Statistic
    value: float
    interval: Interval
    of: str


@dataclass(frozen=True, eq=False)
class ScaleEstimates:
    """All statistics of one scale at one level, with what the paired tests need.

    Attributes
    ----------
    estimates
        The statistics.
    replicates
        Values of the statistics in the resamples.
    counts
        Concordant, discordant and tied pairs.
    ties
        Calibrated ties; None if gold has no ties.
    """

    estimates: tuple[Estimate, ...]
    replicates: dict[Statistic, Vector]
    counts: OrderCounts
    ties: TieCalibration | None

    @property
    def values(self) -> dict[Statistic, float]:
        """Value of each statistic."""
        return {each.statistic: each.value for each in self.estimates}


def estimate_scale(
    level: Level, scale: int, resamples: Resamples, rng: np.random.Generator
) -> ScaleEstimates:
    """Return the statistics of one scale against gold.

    Parameters
    ----------
    level
        Scores and gold values.
    scale
        Index of the scale.
    resamples
        Resamples that all scales share.
    rng
        Random numbers that choose pairs and halves for the calibration of ties.

    Returns
    -------
    ScaleEstimates
        Statistics with intervals.
    """
    points = level.points(scale)
    pairs, ties = None, None
    if level.has_ties:
        pairs = item_pairs(points.score, points.gold, most=MOST_PAIRS, rng=rng)
        ties = calibrate_ties(pairs)
        points = replace(points, threshold=_safe(ties.threshold, points.score))
    counts = pair_counts(points.score, points.gold)
    values = {**_basic(points, counts), **_tied(points, counts, pairs, ties, rng)}
    if level.same_scale[scale]:
        values = {**values, **_on_one_scale(points)}
    replicated = replicate(points, resamples)
    made = tuple(
        Estimate(
            name,
            value,
            _interval(points, name, value, replicated, resamples),
            _of(level, name, counts) + (ROUGH if resamples.units < FEW_UNITS else ""),
        )
        for name, value in values.items()
    )
    return ScaleEstimates(made, replicated, counts, ties)


def _basic(points: Points, counts: OrderCounts) -> dict[Statistic, float]:
    slope, intercept = regression(points.score, points.gold)
    left_over = points.gold - intercept - slope * points.score
    freedom = len(points.gold) - 2
    return {
        Statistic.PEARSON: pearson(points.score, points.gold),
        Statistic.SPEARMAN: spearman(points.score, points.gold),
        Statistic.TAU_B: float(counts.kendall_tau_b[0]),
        Statistic.PAIRWISE_ACCURACY: float(counts.pairwise_accuracy[0]),
        Statistic.SLOPE: slope,
        Statistic.INTERCEPT: intercept,
        Statistic.RESIDUAL_SD: float(np.sqrt(np.sum(left_over**2) / freedom)),
    }


def _tied(
    points: Points,
    counts: OrderCounts,
    pairs: ItemPairs | None,
    ties: TieCalibration | None,
    rng: np.random.Generator,
) -> dict[Statistic, float]:
    if pairs is None or ties is None:
        return {}
    return {
        Statistic.ACC_EQ: float(counts.acc_eq[0]),
        Statistic.ACC_EQ_CALIBRATED: ties.accuracy,
        Statistic.ACC_EQ_HELD_OUT: held_out_accuracy(pairs, points.unit, rng),
        Statistic.TIE_THRESHOLD: ties.threshold,
    }


def _on_one_scale(points: Points) -> dict[Statistic, float]:
    error = {Statistic.RMSE: float(np.sqrt(np.mean((points.score - points.gold) ** 2)))}
    return error if points.inside is None else {**error, Statistic.COVERAGE: float(np.mean(points.inside))}


def _safe(threshold: float, score: Vector) -> float:
    """The threshold, slightly larger, such that a difference that equals it except for rounding is tied."""
    return threshold + 1e-12 * float(np.max(np.abs(score), initial=0.0)) if threshold else 0.0


def _interval(
    points: Points,
    statistic: Statistic,
    value: float,
    replicated: dict[Statistic, Vector],
    resamples: Resamples,
) -> Interval:
    own_units = resamples.units == len(points.gold)
    if statistic is Statistic.COVERAGE and own_units and points.inside is not None:
        return Interval(*Share(int(points.inside.sum()), len(points.inside)).interval())
    if statistic not in replicated:
        return Interval()
    sizes = (resamples.units, len(points.gold))
    return resampled_interval(statistic, value, replicated[statistic], resamples.factor, sizes)


def _of(level: Level, statistic: Statistic, counts: OrderCounts) -> str:
    """On what a statistic was computed."""
    items = f"{len(level.gold):,} {level.name}s"
    if statistic in _OF_PAIRS:
        return f"{int(counts.pairs[0]):,} pairs of {items}"
    if statistic is Statistic.PAIRWISE_ACCURACY:
        untied = int((counts.concordant + counts.discordant + counts.tied_scores)[0])
        return f"{untied:,} pairs of {items}"
    return items


_OF_PAIRS = (
    Statistic.TAU_B,
    Statistic.ACC_EQ,
    Statistic.ACC_EQ_CALIBRATED,
    Statistic.ACC_EQ_HELD_OUT,
    Statistic.TIE_THRESHOLD,
)
