"""Ratings sorted into the lists they were made in."""

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
    """Ratings in lists, with how many items and raters there are.

    Where no task holds several items there is no offset to learn, and one list holds all answers of a rater.
    Ratings without a rater are assigned to one nobody, the last rater.
    """

    ratings: Ratings
    items: int
    raters: int
    nobody: bool
    in_company: bool

    @property
    def rater(self) -> Codes:
        """The rater of each rating."""
        return np.repeat(self.ratings.rater, np.diff(self.ratings.start))

    @property
    def count(self) -> Vector:
        """Answers of each item."""
        return sums_by(self.ratings.item, self.ratings.weight, self.items)


def lay_out(judgments: Judgments) -> Layout:
    """Rows with a score and a positive count, sorted by rater and task."""
    table = judgments.table("rating")
    table = table.where(np.isfinite(table.numbers["score"]) & (table.weights > 0.0))
    rater, nobody = _raters(table, len(judgments.raters))
    group, in_company = _groups(table, rater)
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
    return Layout(ratings, len(judgments.items), len(judgments.raters) + nobody, nobody, in_company)


def _raters(table: Table, named: int) -> tuple[Codes, bool]:
    """Rater of each row, rows without one assigned to a nobody, and whether there are such rows."""
    rater = table.codes.get("rater", np.full(len(table), MISSING, dtype=np.int64))
    missing = rater == MISSING
    return np.where(missing, named, rater), bool(missing.any())


def _groups(table: Table, rater: Codes) -> tuple[Codes, bool]:
    """A number for the list of each row, raters in order, and whether any list holds several items."""
    task = table.codes.get("task")
    if task is None or not len(task):
        return rater, False
    alone = task.max() + 1 + np.arange(len(task))
    page = np.where(task == MISSING, alone, task)
    group = rater * (page.max() + 1) + page
    ordered = np.sort(group)
    return (group, True) if np.any(ordered[1:] == ordered[:-1]) else (rater, False)
