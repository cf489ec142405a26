"""Sentences about a comparison with gold: what was counted, sampled, or does not apply."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steelyard.judgments.findings import counted
from steelyard.maths.arrays import Codes
from steelyard.quality.gold.intervals import FEW_UNITS, Statistic
from steelyard.quality.gold.levels import Level, ScaleEstimates
from steelyard.quality.gold.resampling import Resamples
from steelyard.quality.gold.segments import SegmentEstimates


def level_notes(
    level: Level,
    names: Sequence[str],
    gold: str,
    made: Sequence[ScaleEstimates],
    resamples: Resamples,
) -> list[str]:
    """Return notes about the statistics of items or systems.

    Parameters
    ----------
    level
        Scores and gold values.
    names
        Names of the scales.
    gold
        Name of the reference.
    made
        Statistics of each scale.
    resamples
        Resamples of the bootstrap.

    Returns
    -------
    list of str
        One sentence or two per note.
    """
    notes = [_counts(name, level.name, gold, each) for name, each in zip(names, made, strict=True)]
    units = "segments" if not level.has_own_units else f"{level.name}s"
    notes.append(f"Intervals of {level.name}s: 95%, bootstrap over {resamples.units:,} {units}.")
    if resamples.is_sample:
        notes.append(
            f"Standard errors of {level.name}s are from a random sample of {resamples.sampled:,} {units}, scaled "
            "to all of them."
        )
    if resamples.units < FEW_UNITS:
        notes.append(f"There are only {resamples.units} {units}, so these intervals are rough.")
    if not level.has_ties:
        notes.append(
            f"No two {level.name}s tie in {gold}, so acc_eq would equal pairwise_accuracy and is left out."
        )
    return [*notes, *_without_interval(names, made, level.name)]


def segment_notes(segment: Codes, made: Sequence[SegmentEstimates], names: Sequence[str]) -> list[str]:
    """Return notes about the statistics within segments.

    Parameters
    ----------
    segment
        Segment of each item.
    made
        Statistics of each scale.
    names
        Names of the scales.

    Returns
    -------
    list of str
        Sentences about segments that were left out, and about samples of pairs.
    """
    count = np.bincount(segment)
    single, several = int(np.sum(count == 1)), int(np.sum(count > 1))
    notes = []
    if single:
        verb = "has one item" if single == 1 else "have one item each"
        notes.append(f"{counted(single, 'segment')} {verb} and cannot be compared within segments.")
    for name, each in zip(names, made, strict=False):
        defined = int(np.isfinite(each.by_segment[Statistic.TAU_B]).sum())
        if defined < several:
            notes.append(
                f"{name}: {several - defined:,} of {several:,} segments have no tau-b, because all positions or all "
                "reference values are equal. They are left out of its mean."
            )
        if each.ties.is_sample:
            notes.append(f"{name}: ties within segments are calibrated on {each.ties.pairs:,} random pairs.")
    return notes


def _counts(name: str, level: str, gold: str, made: ScaleEstimates) -> str:
    """The counts of pairs, and whether ties were calibrated on a sample of them."""
    counts = made.counts
    cells = (
        counts.pairs,
        counts.concordant,
        counts.discordant,
        counts.tied_gold,
        counts.tied_scores,
        counts.tied_both,
    )
    pairs, same, opposite, in_gold, in_scale, in_both = (int(each[0]) for each in cells)
    sentence = (
        f"{name}: of {pairs:,} pairs of {level}s, {same:,} are concordant, {opposite:,} discordant, {in_gold:,} tied "
        f"in {gold} only, {in_scale:,} tied on the scale only, {in_both:,} tied in both."
    )
    if made.ties is None or not made.ties.is_sample:
        return sentence
    return f"{sentence} Ties are calibrated on {made.ties.pairs:,} random pairs."


def _without_interval(names: Sequence[str], made: Sequence[ScaleEstimates], level: str) -> list[str]:
    """Which statistics are undefined, or have no interval because resamples agree."""
    notes = []
    for name, each in zip(names, made, strict=True):
        undefined = [str(one.statistic) for one in each.estimates if np.isnan(one.value)]
        flat = [
            str(one.statistic)
            for one in each.estimates
            if one.statistic in each.replicates and not np.isnan(one.value) and np.isnan(one.interval.low)
        ]
        if undefined:
            notes.append(
                f"{name}, {level}s: {', '.join(undefined)} undefined, because all values on one side are equal."
            )
        if flat:
            notes.append(
                f"{name}, {level}s: no bootstrap interval for {', '.join(flat)}, because too many resamples give the "
                "same value or none."
            )
    return notes
