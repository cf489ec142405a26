"""Statistics within segments: the outputs of one segment are compared with each other, and segments are averaged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Codes, Vector, sum_by
from steelyard.quality.gold.intervals import Interval, Statistic, error_interval
from steelyard.quality.gold.levels import MOST_PAIRS, Estimate
from steelyard.quality.gold.pair_counts import OrderCounts, pair_counts
from steelyard.quality.gold.tie_calibration import (
    ROUNDING,
    ItemPairs,
    TieCalibration,
    calibrate_ties,
    held_out_accuracy,
    item_pairs,
)

TESTED = (Statistic.TAU_B, Statistic.ACC_EQ, Statistic.ACC_EQ_CALIBRATED)


@dataclass(frozen=True, eq=False)
class SegmentEstimates:
    """Statistics of one scale within segments.

    Attributes
    ----------
    estimates
        Means over segments with intervals.
    by_segment
        Value of each statistic in each segment; NaN where it is undefined.
    ties
        Calibrated ties, with one threshold for all segments.
    """

    estimates: tuple[Estimate, ...]
    by_segment: dict[Statistic, Vector]
    ties: TieCalibration


def estimate_within(
    score: Vector, gold: Vector, segment: Codes, rng: np.random.Generator
) -> SegmentEstimates | None:
    """Return the means over segments of statistics within segments.

    A segment with one item, and for tau-b a segment in which all scores or all gold values are equal, has no value
    and is left out. Intervals are those of the mean over segments.

    Parameters
    ----------
    score
        Score of each item.
    gold
        Gold value of each item.
    segment
        Segment of each item.
    rng
        Random numbers that choose pairs and halves for the calibration of ties.

    Returns
    -------
    SegmentEstimates or None
        None if no segment has two items.
    """
    counts = pair_counts(score, gold, segment)
    if not counts.pairs.any():
        return None
    pairs = item_pairs(score, gold, segment, most=MOST_PAIRS, rng=rng)
    ties = calibrate_ties(pairs)
    by_segment = {
        Statistic.TAU_B: counts.kendall_tau_b,
        Statistic.ACC_EQ: counts.acc_eq,
        Statistic.ACC_EQ_CALIBRATED: _calibrated(pairs, ties, segment, counts),
    }
    made = [_mean(name, values, counts) for name, values in by_segment.items()]
    of = f"{int(np.sum(counts.pairs > 0)):,} segments"
    held_out = held_out_accuracy(pairs, segment, rng)
    made.append(Estimate(Statistic.ACC_EQ_HELD_OUT, held_out, Interval(), of))
    made.append(Estimate(Statistic.TIE_THRESHOLD, ties.threshold, Interval(), of))
    return SegmentEstimates(tuple(made), by_segment, ties)


def _calibrated(pairs: ItemPairs, ties: TieCalibration, segment: Codes, counts: OrderCounts) -> Vector:
    """Accuracy of each segment with the common threshold. A sample of pairs may miss a segment, which is then NaN."""
    size = len(counts.pairs)
    tied = pairs.gap <= ties.threshold * (1.0 + ROUNDING)
    equal = np.where(tied, pairs.is_tie, pairs.is_concordant).astype(float)
    of = segment[pairs.one]
    count = np.bincount(of, minlength=size).astype(float)
    share = np.divide(sum_by(of, equal, size), count, out=np.full(size, np.nan), where=count > 0)
    return np.asarray(share)


def _mean(statistic: Statistic, values: Vector, counts: OrderCounts) -> Estimate:
    defined = values[np.isfinite(values)]
    of = f"{len(defined):,} segments, {int(counts.pairs.sum()):,} pairs"
    if not len(defined):
        return Estimate(statistic, np.nan, Interval(), of)
    error = float(np.std(defined, ddof=1) / np.sqrt(len(defined))) if len(defined) > 1 else np.nan
    value = float(np.mean(defined))
    return Estimate(statistic, value, error_interval(statistic, value, error, len(defined)), of)
