"""How raters answered: their speed, and whether they gave the same score to all items of a task."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from steelyard.judgments.keys import row_key
from steelyard.judgments.table import MISSING, Table
from steelyard.maths.arrays import Codes, Mask, Vector, median_by, sum_by

FEWEST_ANSWERS = 5  # fewer answers do not show a rater's habits
STRAIGHT_ITEMS = 3  # two items often have the same score, three seldom
STRAIGHT_TASKS = 3  # one or two such pages may be correct answers
STRAIGHT_SHARE = 0.5  # share of a rater's pages
LEAST_ONE_SIDED = 20  # answers of a rater who may be called one-sided
ONE_ANSWER = 0.95  # share of one answer from which on a rater is one-sided
FAST_MS = 800.0  # about the time to read a short line and to move a hand
FAST_SHARE = 0.2  # of the time of the median rater


def straight_liners(ratings: Table, raters: int) -> Mask:
    """Return which raters (by code) gave all items of a task one score, in three or more tasks and in most of theirs.

    Each question and each round of a task counts as a separate task.
    """
    if "task" not in ratings.codes:
        return np.zeros(raters, dtype=bool)
    rows = ratings.where((ratings.codes["rater"] != MISSING) & (ratings.codes["task"] != MISSING))
    pages = _Pages.of(row_key(rows, ("rater", "task", "question", "round")), rows.numbers["score"])
    rater, long = rows.codes["rater"][pages.first], pages.size >= STRAIGHT_ITEMS
    tasks = np.bincount(rater[long], minlength=raters)
    level = np.bincount(rater[long & pages.level], minlength=raters)
    return (level >= STRAIGHT_TASKS) & (level > STRAIGHT_SHARE * tasks)


def one_sided(rater: Codes, answer: Codes, weight: Vector, raters: int) -> Mask:
    """Return which raters (by code) gave at least 95% of 20 or more comparisons the same answer: left, tie or right.

    If the other raters do so too, the file may have been written with the preferred item on one side, and no rater is
    one-sided.

    Parameters
    ----------
    rater
        Rater of each comparison; MISSING if there is none.
    answer
        Answer by side: -1, 0 or 1.
    weight
        Number of answers that each row represents.
    raters
        Number of raters.

    Returns
    -------
    Mask
        One entry per rater.
    """
    named = rater != MISSING
    by_answer = np.column_stack(
        [
            sum_by(rater[named & (answer == each)], weight[named & (answer == each)], raters)
            for each in (-1, 0, 1)
        ]
    )
    total = by_answer.sum(axis=1, keepdims=True)
    others, others_total = by_answer.sum(axis=0) - by_answer, total.sum() - total
    own = (total >= LEAST_ONE_SIDED) & (by_answer >= ONE_ANSWER * total)
    return np.asarray(np.any(own & (others < ONE_ANSWER * others_total), axis=1))


@dataclass(frozen=True, eq=False)
class Speed:
    """Median answer time of each rater in milliseconds (NaN without times), and which raters are fast."""

    per_task: Vector
    per_answer: Vector
    fast: Mask
    median: float  # of per_answer, over raters with enough answers
    limit: float  # raters below this time are fast


def answering_speed(tables: Iterable[Table], raters: int) -> Speed:
    """Return how fast raters (by code) answered, over all tables that have times.

    If all answers of a task have the same time, it is the time of the whole task and is divided among them. A rater is
    fast if half of at least five answers took less than 800 ms, or less than a fifth of the median rater's time.
    """
    timed = [_times(table) for table in tables if "milliseconds" in table.numbers]
    starts = np.cumsum([0, *(int(times.page.max(initial=-1)) + 1 for times in timed)])
    rater = np.concatenate([np.empty(0, dtype=np.int64), *(times.rater for times in timed)])
    share = np.concatenate([np.empty(0), *(times.share for times in timed)])
    page = np.concatenate([starts[:0], *(t.page + start for t, start in zip(timed, starts, strict=False))])
    first = np.unique(page, return_index=True)[1]
    per_answer = median_by(rater, share, raters)
    enough = np.bincount(rater, minlength=raters) >= FEWEST_ANSWERS
    median = float(np.median(per_answer[enough])) if enough.any() else np.nan
    limit = max(FAST_MS, FAST_SHARE * median)
    per_task = median_by(rater[first], sum_by(page, share), raters)
    return Speed(per_task, per_answer, enough & (np.nan_to_num(per_answer) < limit), median, limit)


def task_times(tables: Iterable[Table]) -> Vector:
    """Return the time of every task that a rater answered, in milliseconds; tasks without a time are left out."""
    timed = (_times(table) for table in tables if "milliseconds" in table.numbers)
    return np.concatenate([np.empty(0), *(sum_by(times.page, times.share) for times in timed)])


@dataclass(frozen=True, eq=False)
class _Times:
    """Rater, page and share of the page's time of each row that has a time."""

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
    """Rows in groups: the group of each row, and the first row, the size and whether all values agree by group."""

    page: Codes
    first: Codes
    size: Codes
    level: Mask

    @staticmethod
    def of(key: Codes, values: Vector) -> _Pages:
        _, first, page, size = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
        other = np.bincount(page, values != values[first][page], minlength=len(first))
        return _Pages(page, first, size, other == 0)
