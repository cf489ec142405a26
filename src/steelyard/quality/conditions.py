"""Do people agree more under one condition than under another, and what does each cost?

Chen, Weld & Zhang (CSCW 2021), sections 4.5 and 5.1. Disagreement about an item is the standard error of its
positions over raters, comparable between conditions where as many raters judged in both. Positions are scores of
ratings and middles of ranges, each rater's repeats of an item averaged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from steelyard.errors import NothingToTest, UnknownName
from steelyard.judgments.keys import row_key
from steelyard.judgments.opinions import Moments, Opinions, moments_by_item, opinions_of
from steelyard.judgments.table import MISSING, Judgments, Table
from steelyard.maths.arrays import Mask, sum_by
from steelyard.quality.paired import PairedTest, paired_test
from steelyard.quality.trends import AlongScale, along_scale


@dataclass(frozen=True, slots=True)
class ScaleUse:
    """How much of the scale raters use: the means over raters of their lowest and highest position."""

    condition: str
    raters: int
    low: float
    high: float

    @property
    def width(self) -> float:
        """Between the two."""
        return self.high - self.low


@dataclass(frozen=True, slots=True)
class WorkTime:
    """How long a rater works with one protocol: medians over raters of all their answers, and per answer."""

    kind: str
    raters: int
    milliseconds: float
    per_answer: float


@dataclass(frozen=True, slots=True)
class WorkSaved:
    """Ranges against what else would show the same: ratings and a comparison of every pair."""

    range: float
    rating: float
    comparison: float

    @property
    def share(self) -> float:
        """1 - range / (rating + comparison): what ranges save, negative where they cost more."""
        return 1.0 - self.range / (self.rating + self.comparison)


def compare_disagreement(judgments: Judgments, first: str, second: str) -> PairedTest:
    """Paired t-test of the standard errors of items that two raters or more judged in both conditions."""
    one, other = (_moments(in_condition(judgments, name)).error for name in (first, second))
    both = ~np.isnan(one) & ~np.isnan(other)
    return paired_test(one[both], other[both])


def scale_use(judgments: Judgments) -> tuple[ScaleUse, ...]:
    """The use of the scale under each condition, in the order of the judgments; "" where there are none."""
    uses = []
    for name in _conditions(judgments):
        opinions = _placed(in_condition(judgments, name))
        rater, position = opinions.rater[opinions.rater >= 0], opinions.position[opinions.rater >= 0]
        if not len(rater):
            continue
        _, at = np.unique(rater, return_inverse=True)
        low, high = np.full(at.max() + 1, np.inf), np.full(at.max() + 1, -np.inf)
        np.minimum.at(low, at, position)
        np.maximum.at(high, at, position)
        uses.append(ScaleUse(name, len(low), float(low.mean()), float(high.mean())))
    return tuple(uses)


def disagreement_along_scale(judgments: Judgments) -> dict[str, AlongScale]:
    """By condition, the standard error of each item against its position, with the quadratic trend.

    An item's position is the mean of its positions under all conditions that have it, so that it is the same
    place in each.
    """
    moments = {name: _moments(in_condition(judgments, name)) for name in _conditions(judgments)}
    means = np.array([each.mean for each in moments.values()])
    with_mean = ~np.isnan(means)
    position = np.where(with_mean, means, 0.0).sum(axis=0) / np.maximum(with_mean.sum(axis=0), 1)
    curves = {}
    for name, each in moments.items():
        judged = ~np.isnan(each.error)
        curves[name] = along_scale(judgments.items[judged], position[judged], each.error[judged])
    return curves


def work_times(judgments: Judgments) -> tuple[WorkTime, ...]:
    """The median work time of every kind of judgment that has times (column `milliseconds`).

    Answers of one task that have the same time share it: it is the time of the task.
    """
    timed = {kind: table for kind, table in judgments.tables.items() if "milliseconds" in table.numbers}
    times = (_work_time(kind, table) for kind, table in timed.items())
    return tuple(time for time in times if time is not None)


def _work_time(kind: str, table: Table) -> WorkTime | None:
    """Totals by rater, each time that answers of a task share counted once; None where there is no time."""
    rows = table.where(~np.isnan(table.numbers["milliseconds"]) & (table.codes["rater"] != MISSING))
    if not len(rows):
        return None
    shared = row_key(rows, ("rater", "task", "round", "milliseconds"))
    tasks = rows.codes.get("task", np.full(len(rows), MISSING))
    once = np.unique(np.where(tasks == MISSING, -1 - np.arange(len(rows)), shared), return_index=True)[1]
    rater, answers = rows.codes["rater"], np.bincount(rows.codes["rater"])
    some = answers > 0
    total = sum_by(rater[once], rows.numbers["milliseconds"][once], len(answers))[some]
    per_answer = float(np.median(total / answers[some]))
    return WorkTime(kind, int(some.sum()), float(np.median(total)), per_answer)


def work_saved(judgments: Judgments, items: int | None = None) -> WorkSaved:
    """Median work time of ranges against that of ratings plus all pairs.

    As it stands that compares raters who did the same group of items whole, as in the paper. For unequal shares
    of work say how many `items` a group has: then it is reckoned from the time per answer, n ranges against n
    ratings and n (n - 1) / 2 comparisons.
    """
    times = {each.kind: each for each in work_times(judgments)}
    for kind in ("range", "rating", "comparison"):
        if kind not in times:
            raise NothingToTest(
                "Work time", f"no {kind} judgment tells its time.", "Give a column milliseconds."
            )
    if items is None:
        return WorkSaved(*(times[kind].milliseconds for kind in ("range", "rating", "comparison")))
    asked: Mapping[str, float] = {"range": items, "rating": items, "comparison": items * (items - 1) / 2}
    return WorkSaved(*(number * times[kind].per_answer for kind, number in asked.items()))


def in_condition(judgments: Judgments, name: str) -> Judgments:
    """The judgments made under one condition, over the same items; "" is for those that name none."""
    conditions = [str(label) for label in judgments.labels("condition")]
    if name and name not in conditions:
        raise UnknownName("condition", name, conditions)
    return judgments.where(partial(_is_in, conditions.index(name) if name else -1))


def _is_in(code: int, table: Table) -> Mask:
    if "condition" not in table.codes:
        return np.full(len(table), code < 0)
    return np.equal(table.codes["condition"], code)


def _conditions(judgments: Judgments) -> list[str]:
    """The names of conditions that hold ratings or ranges."""
    names = ["", *(str(label) for label in judgments.labels("condition"))]
    return [name for name in names if len(_placed(in_condition(judgments, name)))]


def _placed(judgments: Judgments) -> Opinions:
    """Where raters place items: the ratings, or the ranges where there are no ratings."""
    ratings = opinions_of(judgments, "rating")
    return ratings if len(ratings) else opinions_of(judgments, "range")


def _moments(judgments: Judgments) -> Moments:
    opinions = _placed(judgments)
    return moments_by_item(opinions, opinions.position, len(judgments.items))
