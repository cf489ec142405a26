"""Disagreement, use of the scale and work time by condition (Chen, Weld & Zhang, CSCW 2021, sections 4.5 and 5.1).

Disagreement about an item is the standard error of its positions over raters. It is comparable between conditions with
equal numbers of raters. Positions are scores of ratings and midpoints of ranges. Repeated answers of a rater to an item
are averaged.
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
    """Use of the scale in one condition.

    Attributes
    ----------
    condition
        Condition; "" if there is none.
    raters
        Number of raters.
    low
        Mean over raters of their lowest position.
    high
        Mean over raters of their highest position.
    """

    condition: str
    raters: int
    low: float
    high: float

    @property
    def width(self) -> float:
        """Difference between `high` and `low`."""
        return self.high - self.low


@dataclass(frozen=True, slots=True)
class WorkTime:
    """Work time for one kind of judgment.

    Attributes
    ----------
    kind
        Kind of judgment.
    raters
        Number of raters.
    milliseconds
        Median over raters of their total time, in milliseconds.
    per_answer
        Median over raters of their time per answer, in milliseconds.
    """

    kind: str
    raters: int
    milliseconds: float
    per_answer: float


@dataclass(frozen=True, slots=True)
class WorkSaved:
    """Work time of ranges, and of ratings plus comparisons of all pairs, in milliseconds.

    Attributes
    ----------
    range
        Time for ranges.
    rating
        Time for ratings.
    comparison
        Time for comparisons of all pairs.
    """

    range: float
    rating: float
    comparison: float

    @property
    def share(self) -> float:
        """Share of time saved by ranges, 1 - range / (rating + comparison). It is negative if they take longer."""
        return 1.0 - self.range / (self.rating + self.comparison)


def compare_disagreement(judgments: Judgments, first: str, second: str) -> PairedTest:
    """Compare the disagreement of raters between two conditions by a paired t-test over items.

    Parameters
    ----------
    judgments
        Ratings or ranges with a condition column.
    first
        First condition.
    second
        Second condition.

    Returns
    -------
    PairedTest
        Test of the standard errors of items judged by at least two raters in both conditions.
    """
    one, other = (_moments(in_condition(judgments, name)).error for name in (first, second))
    both = ~np.isnan(one) & ~np.isnan(other)
    return paired_test(one[both], other[both])


def scale_use(judgments: Judgments) -> tuple[ScaleUse, ...]:
    """Return the use of the scale in each condition.

    Parameters
    ----------
    judgments
        Ratings or ranges.

    Returns
    -------
    tuple of ScaleUse
        One entry per condition, in the order of the judgments. Judgments without a condition have the name "".
    """
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
    """Return the standard error of each item by its position, with a quadratic trend, for each condition.

    The position of an item is the mean over all conditions, so it is the same in each.

    Parameters
    ----------
    judgments
        Ratings or ranges.

    Returns
    -------
    dict
        `AlongScale` of each condition.
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
    """Return the median work time of every kind of judgment with times (column `milliseconds`).

    Equal times of the answers to one task are taken as the time of the task and counted once.

    Parameters
    ----------
    judgments
        Judgments with times.

    Returns
    -------
    tuple of WorkTime
        One entry per kind of judgment.
    """
    timed = {kind: table for kind, table in judgments.tables.items() if "milliseconds" in table.numbers}
    times = (_work_time(kind, table) for kind, table in timed.items())
    return tuple(time for time in times if time is not None)


def _work_time(kind: str, table: Table) -> WorkTime | None:
    """Return the work time of one kind; None if no row has a time and a rater."""
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
    """Compare the median work time of ranges with that of ratings plus comparisons of all pairs.

    Without `items`, total times per rater are compared, as in the paper. This assumes that every rater completed the
    same group of items. With `items` = n, times are computed from the time per answer: n ranges against n ratings
    and n (n - 1) / 2 comparisons.

    Parameters
    ----------
    judgments
        Ranges, ratings and comparisons with times.
    items
        Number of items of a group. Default: compare total times.

    Returns
    -------
    WorkSaved
        Times of the three kinds.

    Raises
    ------
    NothingToTest
        If a kind has no times.
    """
    times = {each.kind: each for each in work_times(judgments)}
    for kind in ("range", "rating", "comparison"):
        if kind not in times:
            raise NothingToTest("Work time", f"no {kind} judgment has a time.", "Add a column milliseconds.")
    if items is None:
        return WorkSaved(*(times[kind].milliseconds for kind in ("range", "rating", "comparison")))
    asked: Mapping[str, float] = {"range": items, "rating": items, "comparison": items * (items - 1) / 2}
    return WorkSaved(*(number * times[kind].per_answer for kind, number in asked.items()))


def in_condition(judgments: Judgments, name: str) -> Judgments:
    """Return the judgments of one condition, over the same items. "" selects judgments without a condition."""
    conditions = [str(label) for label in judgments.labels("condition")]
    if name and name not in conditions:
        raise UnknownName("condition", name, conditions)
    return judgments.where(partial(_is_in, conditions.index(name) if name else -1))


def _is_in(code: int, table: Table) -> Mask:
    if "condition" not in table.codes:
        return np.full(len(table), code < 0)
    return np.equal(table.codes["condition"], code)


def _conditions(judgments: Judgments) -> list[str]:
    """Return the names of conditions that have ratings or ranges."""
    names = ["", *(str(label) for label in judgments.labels("condition"))]
    return [name for name in names if len(_placed(in_condition(judgments, name)))]


def _placed(judgments: Judgments) -> Opinions:
    """Return the positions of items by rater: from ratings, or from ranges if there are no ratings."""
    ratings = opinions_of(judgments, "rating")
    return ratings if len(ratings) else opinions_of(judgments, "range")


def _moments(judgments: Judgments) -> Moments:
    opinions = _placed(judgments)
    return moments_by_item(opinions, opinions.position, len(judgments.items))
