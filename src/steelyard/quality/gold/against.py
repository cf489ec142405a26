"""`against_gold`: how well scales agree with gold values, and which of two scales agrees better."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from steelyard.maths.arrays import Codes
from steelyard.quality.gold.item_values import ItemValues
from steelyard.quality.gold.levels import Estimate, Level, estimate_scale
from steelyard.quality.gold.matching import LEAST_ITEMS, MatchedItems, codes_of, match_items, means_by
from steelyard.quality.gold.meanings import meaning_of
from steelyard.quality.gold.notes import level_notes, segment_notes
from steelyard.quality.gold.paired_scales import (
    PairedDifference,
    Swappable,
    compare_estimates,
    compare_within,
)
from steelyard.quality.gold.resampling import draw_resamples
from steelyard.quality.gold.segments import estimate_within
from steelyard.scales.tables import Rows, Tabular

RESAMPLES = 1_000
LEAST_SPREAD = 0.25  # of gold relative to the positions, if both seem to be on one scale


@dataclass(frozen=True, eq=False, repr=False)
class AgainstGold(Tabular):
    """Statistics of scales against gold, one row per scale, level and statistic.

    The levels are item, segment (outputs of one segment compared with each other) and system (means of the items of
    a system).

    Parameters
    ----------
    statistics
        Rows with the columns scale, against, level, statistic, value, low, high, of and meaning.
    differences
        Paired differences between scales, with the columns first, second, against, level, statistic, difference,
        low, high, p and test. Empty for a single scale.
    matched
        Values of the common items.
    names
        Names of the scales.
    same_scale
        For each scale, whether its positions and gold are on the same scale.
    notes
        Sentences about items that were left out, and about statistics that do not apply.
    """

    statistics: Rows
    differences: Rows
    matched: MatchedItems
    names: tuple[str, ...]
    same_scale: tuple[bool, ...]
    notes: tuple[str, ...] = ()

    @property
    def against(self) -> str:
        """Name of the reference."""
        return str(self.statistics[0]["against"])

    @property
    def level(self) -> str:
        """Level of `matched`: `"item"`, or `"system"` if only systems were compared."""
        return str(self.statistics[0]["level"])

    def columns(self) -> dict[str, Any]:
        """Return the values of each column of `statistics` by name."""
        return self.statistics.columns()

    def value(self, statistic: str, scale: str | None = None, level: str = "item") -> float:
        """Return the value of one statistic.

        Parameters
        ----------
        statistic
            Name of the statistic, such as `"spearman"`.
        scale
            Name of the scale. Default: the first one.
        level
            `"item"` (default), `"segment"` or `"system"`.

        Returns
        -------
        float
            The value.
        """
        named = self.statistics[0]["scale"] if scale is None else scale
        wanted = {"scale": named, "level": level, "statistic": statistic}
        for row in self.statistics:
            if all(row[name] == value for name, value in wanted.items()):
                return float(row["value"])
        raise KeyError(f"no statistic {statistic!r} of {named!r} at the level {level!r}")


@dataclass(frozen=True, eq=False)
class _Asked:
    """What is compared, and how."""

    scales: Sequence[ItemValues]
    gold: ItemValues
    unit: str
    same_scale: bool | None
    resamples: int
    rng: np.random.Generator
    rows: list[dict[str, Any]] = field(default_factory=list)
    differences: list[dict[str, Any]] = field(default_factory=list)

    def pairs(self, scales: int) -> Iterator[tuple[tuple[int, int], np.random.Generator]]:
        """Yield each two scales with random numbers for their test.

        These are the same for every pair, so that equal scales have equal p values.
        """
        if scales < 2:
            return
        seed = int(self.rng.integers(np.iinfo(np.int64).max))
        for pair in combinations(range(scales), 2):
            yield pair, np.random.default_rng(seed)

    @property
    def on_gold_scale(self) -> list[bool]:
        """For each scale, whether its positions and gold are on the same scale."""
        if self.same_scale is not None:
            return [self.same_scale] * len(self.scales)
        return [seem_on_one_scale(each, self.gold) for each in self.scales]

    def add(self, level: str, scale: ItemValues, estimates: Sequence[Estimate]) -> None:
        """Add the rows of one scale at one level."""
        self.rows.extend(
            {
                "scale": scale.name,
                "against": self.gold.name,
                "level": level,
                "statistic": each.statistic.value,
                "value": each.value,
                "low": each.interval.low,
                "high": each.interval.high,
                "of": each.of,
                "meaning": meaning_of(each.statistic, level, self.gold.name),
            }
            for each in estimates
        )

    def add_differences(
        self, level: str, pair: tuple[int, int], differences: Sequence[PairedDifference]
    ) -> None:
        """Add the differences of two scales at one level."""
        first, second = (self.scales[at].name for at in pair)
        self.differences.extend(
            {
                "first": first,
                "second": second,
                "against": self.gold.name,
                "level": level,
                "statistic": each.statistic.value,
                "difference": each.difference,
                "low": each.low,
                "high": each.high,
                "p": each.p,
                "test": each.test,
            }
            for each in differences
        )


def against_gold(
    scales: Sequence[ItemValues],
    gold: ItemValues,
    *,
    unit: str = "item",
    same_scale: bool | None = None,
    resamples: int = RESAMPLES,
    rng: np.random.Generator | None = None,
) -> AgainstGold:
    """Compare scales with gold values of the same items, and with each other.

    Items share a segment if they are outputs for the same input. Where items share segments, intervals are from a
    bootstrap over segments, otherwise over items. Statistics of systems are from a bootstrap over systems.

    Parameters
    ----------
    scales
        One or more scales. Only items that all scales and gold have are used.
    gold
        Gold values, or another scale.
    unit
        `"item"` (default), or `"system"` for the means of systems only.
    same_scale
        Whether positions and gold are on the same scale, so that RMSE and coverage are meaningful. Default: judged
        from the ends of the scale and the gold values, see :func:`seem_on_one_scale`.
    resamples
        Number of bootstrap resamples and of random swaps, 1,000 by default.
    rng
        Random numbers. Default: a generator with seed 0.

    Returns
    -------
    AgainstGold
        The statistics, and the paired differences of the scales.

    Raises
    ------
    NothingToTest
        If fewer than three items are common.

    Examples
    --------
    >>> gold = ItemValues("gold", np.array(["a", "b", "c", "d"], dtype=object), np.array([1.0, 2.0, 3.0, 4.0]))
    >>> scale = ItemValues("mean", np.array(["a", "b", "c", "d"], dtype=object), np.array([10.0, 30.0, 20.0, 50.0]))
    >>> result = against_gold([scale], gold)
    >>> round(result.value("kendall_tau_b"), 3), round(result.value("pairwise_accuracy"), 3)
    (0.667, 0.833)
    """
    if unit == "system":
        scales, gold = [each.by_system() for each in scales], gold.by_system()
    rng = np.random.default_rng(0) if rng is None else rng
    asked = _Asked(scales, gold, unit, same_scale, resamples, rng)
    matched = match_items(scales, gold)
    notes = dict.fromkeys((*matched.notes, *_levels(asked, matched), *_scale_notes(asked)))
    return AgainstGold(
        Rows(asked.rows),
        Rows(asked.differences),
        matched,
        tuple(each.name for each in scales),
        tuple(asked.on_gold_scale),
        tuple(notes),
    )


def seem_on_one_scale(scale: ItemValues, gold: ItemValues) -> bool:
    """Return whether positions and gold seem to be on the same scale.

    They do if the scale has ends, all gold values are inside them, and gold is spread at least a quarter as wide as
    the positions. Gold values from 0 to 1 are therefore not taken for positions from 0 to 100.
    """
    if scale.ends is None or not len(gold):
        return False
    inside = scale.ends[0] <= float(gold.value.min()) and float(gold.value.max()) <= scale.ends[1]
    return inside and float(np.ptp(gold.value)) >= LEAST_SPREAD * float(np.ptp(scale.value))


def _levels(asked: _Asked, matched: MatchedItems) -> list[str]:
    """Fill in the statistics of all levels, and return notes about them."""
    segment = None if matched.segment is None else codes_of(matched.segment)
    own = np.arange(len(matched))
    level = Level(
        asked.unit,
        matched.scores,
        matched.gold,
        own if segment is None else segment,
        matched.inside,
        asked.on_gold_scale,
    )
    notes = _one_level(asked, level, Swappable(level.scores, level.unit))
    if segment is not None:
        notes += _within(asked, matched, segment)
    if matched.system is not None:
        notes += _systems(asked, matched)
    return notes


def _scale_notes(asked: _Asked) -> list[str]:
    """Whether positions and gold are taken to be on one scale, and for which scales they are not."""
    names = [each.name for each in asked.scales]
    split = {
        same: [n for n, on in zip(names, asked.on_gold_scale, strict=True) if on == same]
        for same in (True, False)
    }
    notes = []
    if split[True] and asked.same_scale is None:
        notes.append(
            f"{', '.join(split[True])} and {asked.gold.name} are taken to be on the same scale, because all values of "
            f"{asked.gold.name} are inside its ends. If they are not, use --different-scale (in Python "
            "same_scale=False)."
        )
    if split[False] and asked.same_scale is None:
        notes.append(
            f"RMSE and coverage are left out for {', '.join(split[False])}, because positions and {asked.gold.name} "
            "may be on different scales. If they are on the same scale, use --same-scale (in Python same_scale=True)."
        )
    if len(names) > 1:
        notes.append(
            "P values of differences between scales are two-sided and not adjusted for the number of tests. They are "
            "from random swaps unless there are too many items, and intervals are from the bootstrap. Near p = 0.05, "
            "the two can disagree."
        )
    return notes


def _one_level(asked: _Asked, level: Level, swappable: Swappable) -> list[str]:
    """Fill in statistics and differences of items or systems, and return notes about them."""
    resamples = draw_resamples(level.unit, asked.resamples, asked.rng)
    made = [estimate_scale(level, at, resamples, asked.rng) for at in range(len(asked.scales))]
    for scale, each in zip(asked.scales, made, strict=True):
        asked.add(level.name, scale, each.estimates)
    for pair, swaps in asked.pairs(len(made)):
        differences = compare_estimates(level, pair, made, resamples, swappable=swappable, rng=swaps)
        asked.add_differences(level.name, pair, differences)
    names = [each.name for each in asked.scales]
    return level_notes(level, names, asked.gold.name, made, resamples)


def _within(asked: _Asked, matched: MatchedItems, segment: Codes) -> list[str]:
    """Fill in statistics and differences within segments, and return notes about them."""
    estimates = [estimate_within(scores, matched.gold, segment, asked.rng) for scores in matched.scores]
    made = [each for each in estimates if each is not None]
    for scale, each in zip(asked.scales, made, strict=False):
        asked.add("segment", scale, each.estimates)
    for (one, other), swaps in asked.pairs(len(made)):
        differences = compare_within((made[one], made[other]), asked.resamples, swaps)
        asked.add_differences("segment", (one, other), differences)
    return segment_notes(segment, made, [each.name for each in asked.scales])


def _systems(asked: _Asked, matched: MatchedItems) -> list[str]:
    """Fill in statistics and differences of the means of systems, and return notes about them."""
    assert matched.system is not None
    named = np.array([each is not None for each in matched.system], dtype=bool)
    system = codes_of(matched.system[named])
    systems = int(system.max()) + 1
    if systems < LEAST_ITEMS:
        return [f"There are only {systems} systems, too few for statistics of systems."]
    scores, own = matched.scores[:, named], np.arange(systems)
    means = np.stack([means_by(system, row) for row in scores])
    nothing = [None] * len(scores)
    level = Level("system", means, means_by(system, matched.gold[named]), own, nothing, asked.on_gold_scale)
    swappable = Swappable(scores, np.arange(scores.shape[1]), system)
    notes = _one_level(asked, level, swappable if swappable.is_small else Swappable(means, own))
    lost = int(np.sum(~named))
    return [*notes, f"{lost:,} items have no system and are left out of the systems."] if lost else notes
