"""How raters answered: how fast they were, and whether in straight lines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from steelyard.judgments.keys import row_key
from steelyard.judgments.table import MISSING, Table
from steelyard.maths.arrays import Codes, Mask, Vector, median_by, sum_by

FEWEST_ANSWERS = 5  # below this, sameness or speed says little about a rater
STRAIGHT_ITEMS = 3  # two items often deserve the same score, three seldom
STRAIGHT_TASKS = 3  # one or two level pages may be true
STRAIGHT_SHARE = 0.5  # "most" of a rater's pages
FAST_MS = 800.0  # reading one short line and moving a hand takes about this long
FAST_SHARE = 0.2  # a fifth of what raters here usually need


def straight_liners(ratings: Table, raters: int) -> Mask:
    """Which raters (by code) gave all items of a task one score, in three tasks or more and most of theirs.

    Each question of a task, and each round of it, counts as a task of its own.
    """
    if "task" not in ratings.codes:
        return np.zeros(raters, dtype=bool)
    rows = ratings.where((ratings.codes["rater"] != MISSING) & (ratings.codes["task"] != MISSING))
    pages = _Pages.of(row_key(rows, ("rater", "task", "question", "round")), rows.numbers["score"])
    rater, long = rows.codes["rater"][pages.first], pages.size >= STRAIGHT_ITEMS
    tasks = np.bincount(rater[long], minlength=raters)
    level = np.bincount(rater[long & pages.level], minlength=raters)
    return (level >= STRAIGHT_TASKS) & (level > STRAIGHT_SHARE * tasks)


@dataclass(frozen=True, eq=False)
class Speed:
    """Median milliseconds of each rater (NaN without any times), and who is fast beside the usual rater."""

    per_task: Vector
    per_answer: Vector
    fast: Mask
    usual: float  # the median of per_answer over raters with enough answers
    limit: float  # fast is below this


def answering_speed(tables: Iterable[Table], raters: int) -> Speed:
    """How fast raters (by code) answered, over all tables that tell times.

    A time that all answers of a task share is the time of the task, and is shared out among them. Fast is
    half of five answers or more in less than 800 ms, or than a fifth of what the usual rater needs.
    """
    timed = [_times(table) for table in tables if "milliseconds" in table.numbers]
    starts = np.cumsum([0, *(int(times.page.max(initial=-1)) + 1 for times in timed)])
    rater = np.concatenate([np.empty(0, dtype=np.int64), *(times.rater for times in timed)])
    share = np.concatenate([np.empty(0), *(times.share for times in timed)])
    page = np.concatenate([starts[:0], *(t.page + start for t, start in zip(timed, starts, strict=False))])
    first = np.unique(page, return_index=True)[1]
    per_answer = median_by(rater, share, raters)
    enough = np.bincount(rater, minlength=raters) >= FEWEST_ANSWERS
    usual = float(np.median(per_answer[enough])) if enough.any() else np.nan
    limit = max(FAST_MS, FAST_SHARE * usual)
    per_task = median_by(rater[first], sum_by(page, share), raters)
    return Speed(per_task, per_answer, enough & (np.nan_to_num(per_answer) < limit), usual, limit)


@dataclass(frozen=True, eq=False)
class _Times:
    """The rater, the page and the share of its page's time of each row that tells a time."""

    rater: Codes
    page: Codes
    share: Vector


def _times(table: Table) -> _Times:
    rows = table.where(~np.isnan(table.numbers["milliseconds"]) & (table.codes["rater"] != MISSING))
    key = row_key(rows, ("rater", "task", "round"))
    loose = rows.codes["task"] == MISSING if "task" in rows.codes else np.ones(len(rows), dtype=bool)
    key = np.where(loose, int(key.max(initial=-1)) + 1 + np.arange(len(rows)), key)
    times = rows.numbers["milliseconds"]
    pages = _Pages.of(key, times)
    sharers = np.where(pages.level, pages.size, 1)
    return _Times(rows.codes["rater"], pages.page, times / sharers[pages.page])


@dataclass(frozen=True, eq=False)
class _Pages:
    """Rows in groups: the group of each row; and of each group its first row, size and if all values agree."""

    page: Codes
    first: Codes
    size: Codes
    level: Mask

    @staticmethod
    def of(key: Codes, values: Vector) -> _Pages:
        _, first, page, size = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
        other = np.bincount(page, values != values[first][page], minlength=len(first))
        return _Pages(page, first, size, other == 0)
