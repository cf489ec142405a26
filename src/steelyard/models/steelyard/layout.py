"""Ratings grouped into the lists in which they were made."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.judgments.table import MISSING, Judgments, Table
from steelyard.maths.arrays import Codes, Vector
from steelyard.models.model import unit_scores
from steelyard.models.steelyard.arrays import Ratings
from steelyard.models.steelyard.sums import sums_by


@dataclass(frozen=True, eq=False)
class Layout:
    """Ratings in lists, with the numbers of items and raters.

    If no task contains several items, there are no task offsets, and one list contains all answers of a rater.
    Ratings without a rater are assigned to one additional rater, the last one (`unnamed`). `shared_tasks` is True
    if some task contains several items.
    """

    ratings: Ratings
    items: int
    raters: int
    unnamed: bool
    shared_tasks: bool

    @property
    def rater(self) -> Codes:
        """Rater of each rating."""
        return np.repeat(self.ratings.rater, np.diff(self.ratings.start))

    @property
    def count(self) -> Vector:
        """Number of answers for each item."""
        return sums_by(self.ratings.item, self.ratings.weight, self.items)


def lay_out(judgments: Judgments) -> Layout:
    """Return rows with a score and a positive count, sorted by rater and task."""
    table = judgments.table("rating")
    table = table.where(np.isfinite(table.numbers["score"]) & (table.weights > 0.0))
    rater, unnamed = _raters(table, len(judgments.raters))
    group, shared_tasks = _groups(table, rater)
    order = np.argsort(group, kind="stable")
    first = np.flatnonzero(np.r_[True, np.diff(group[order]) != 0][: len(order)])
    score = unit_scores(table.numbers["score"], judgments.score_range)[order]
    ratings = Ratings(
        score=score,
        weight=table.weights[order],
        item=table.codes["item"][order].astype(np.int64),
        ends=np.zeros(len(order), dtype=np.int64),
        start=np.append(first, len(order)).astype(np.int64),
        rater=rater[order][first].astype(np.int64),
        low=-np.inf,
        high=np.inf,
    )
    return Layout(ratings, len(judgments.items), len(judgments.raters) + unnamed, unnamed, shared_tasks)


def _raters(table: Table, named: int) -> tuple[Codes, bool]:
    """Return the rater of each row, with an additional rater for rows without one, and whether there are such rows."""
    rater = table.codes.get("rater", np.full(len(table), MISSING, dtype=np.int64))
    missing = rater == MISSING
    return np.where(missing, named, rater), bool(missing.any())


def _groups(table: Table, rater: Codes) -> tuple[Codes, bool]:
    """Return the number of the list of each row, by rater, and whether any list contains several items."""
    task = table.codes.get("task")
    if task is None or not len(task):
        return rater, False
    alone = task.max() + 1 + np.arange(len(task))
    page = np.where(task == MISSING, alone, task)
    group = rater * (page.max() + 1) + page
    ordered = np.sort(group)
    return (group, True) if np.any(ordered[1:] == ordered[:-1]) else (rater, False)
