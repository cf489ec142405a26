"""Ratings of a log, sorted by rater and task into blocks of files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from steelyard.errors import TooManyCells
from steelyard.judgments.logs import RatingLabels, RatingRows, StreamedRatings
from steelyard.maths.arrays import Codes, Vector
from steelyard.models.model import unit_scores
from steelyard.models.steelyard.clipping import WIDEST_STEP
from steelyard.models.steelyard.large.store import Blocks, Store
from steelyard.models.steelyard.parameters import Scores
from steelyard.models.steelyard.sums import sums_by

BLOCK_RATINGS = 4_000_000  # of the raters in one block
MOST_OF_ONE = 50_000_000  # ratings of one rater, who cannot be split
NAMED = "Use direct_assessment, which fits sums, or name the raters"
ROW = np.dtype([("rater", "<i4"), ("item", "<i4"), ("score", "<f8"), ("weight", "<f8"), ("task", "<i8")])
ENDS = (0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Filled:
    """Ratings in files, with sums that need one pass through them.

    Attributes
    ----------
    blocks
        The files.
    scores
        Number, mean and variance of the scores on the unit scale.
    count
        Number of answers of each item.
    answers, rows
        Number of answers, and of ratings, of each rater.
    at_ends
        Share of scores at the ends of the scale.
    step
        Smallest difference between two scores.
    """

    blocks: Blocks
    scores: Scores
    count: Vector
    answers: Vector
    rows: Codes
    at_ends: float
    step: float

    @property
    def censored(self) -> Blocks:
        """The ratings with answers at the ends treated as censored, see `clipping.with_ends`."""
        return replace(self.blocks, ends=(self.step / 2.0, 1.0 - self.step / 2.0))


def filled(log: StreamedRatings, labels: RatingLabels, store: Store) -> Filled:
    """Write the ratings of a log to files.

    Parameters
    ----------
    log
        Log of ratings.
    labels
        Its items and raters.
    store
        Where to write them.

    Returns
    -------
    Filled
        The files, with sums.
    """
    rows = labels.rows.astype(np.int64)
    unnamed = bool(rows[-1])
    rows = rows if unnamed else rows[:-1]
    if rows.max() > MOST_OF_ONE:
        raise TooManyCells("the log, of one rater or without a rater,", MOST_OF_ONE, NAMED)
    block_of = _block_of(rows)
    for some in log.rating_rows(labels):
        _distribute(some, block_of, len(labels.raters), store)
    count = int(block_of[-1]) + 1
    blocks = Blocks(store, count, len(labels.items), len(rows), unnamed, labels.shared_tasks)
    return _sorted(blocks, rows, log.score_range)


def _block_of(rows: Codes) -> Codes:
    """Return the block of each rater: whole raters, until a block has enough ratings."""
    before = np.cumsum(rows) - rows
    whole = before // BLOCK_RATINGS
    return np.asarray(np.unique(whole, return_inverse=True)[1], dtype=np.int64)


def _distribute(some: RatingRows, block_of: Codes, unnamed: int, store: Store) -> None:
    """Append rows to the file of their block."""
    made = np.empty(len(some.item), dtype=ROW)
    made["rater"] = np.where(some.rater < 0, unnamed, some.rater)
    made["item"], made["score"], made["weight"] = some.item, some.score, some.weight
    made["task"] = 0 if some.task is None else some.task
    block = block_of[made["rater"]]
    order = np.argsort(block, kind="stable")
    numbers, first = np.unique(block[order], return_index=True)
    for number, part in zip(numbers.tolist(), np.split(order, first[1:]), strict=True):
        store.add("rows", number, made[part])


def _sorted(blocks: Blocks, rows: Codes, scale: tuple[float, float]) -> Filled:
    """Sort each block by rater, task and item, and return the sums over all of them."""
    sums, answers = _Sums(blocks.items), np.zeros(blocks.raters)
    for block in range(blocks.count):
        made = blocks.store.get("rows", block, ROW)
        blocks.store.remove("rows", block)
        made = made[_order(made, blocks)]
        score = unit_scores(made["score"], scale)
        _write(blocks, block, made, score)
        sums.add(score, made)
        answers += sums_by(made["rater"], made["weight"], blocks.raters)
    scores = Scores(sums.size, sums.mean, sums.variance, sums.variance)
    return Filled(blocks, scores, sums.count, answers, rows, sums.at_ends / sums.size, sums.step)


def _order(made: Any, blocks: Blocks) -> Codes:
    """Return the order of rows by rater, task, item and score."""
    if blocks.shared_tasks:
        return np.lexsort((made["score"], made["item"], made["task"], made["rater"]))
    place = made["rater"].astype(np.int64) * blocks.items + made["item"]
    order = np.argsort(place)  # one key takes a third of the time of three
    same = np.diff(place[order]) == 0
    repeated = np.r_[same, False] | np.r_[False, same]
    rows = order[repeated]
    order[repeated] = rows[np.lexsort((made["score"][rows], place[rows]))]
    return order


def _write(blocks: Blocks, block: int, made: Any, score: Vector) -> None:
    """Write the columns of a block, and the lists in which its ratings were made."""
    rater = made["rater"].astype(np.int64)
    new = np.r_[True, np.diff(rater) != 0]
    if blocks.shared_tasks:
        new |= np.r_[True, np.diff(made["task"]) != 0]
    first = np.flatnonzero(new)
    blocks.store.put("score", block, score)
    blocks.store.put("weight", block, made["weight"])
    blocks.store.put("item", block, made["item"])
    blocks.store.put("start", block, np.append(first, len(made)).astype(np.int64))
    blocks.store.put("rater", block, rater[first])


class _Sums:
    """Sums over the blocks, which grow."""

    def __init__(self, items: int) -> None:
        self.size, self.at_ends = 0, 0
        self._total = self._squares = 0.0
        self._values = np.empty(0)
        self.count = np.zeros(items)

    def add(self, score: Vector, made: Any) -> None:
        self.size += len(score)
        self.at_ends += int(np.sum((score <= ENDS[0]) | (score >= ENDS[1])))
        self._total += float(np.sum(score - 0.5))
        self._squares += float(np.sum((score - 0.5) ** 2))
        self._values = np.union1d(self._values, score)
        self.count += sums_by(made["item"], made["weight"], len(self.count))

    @property
    def mean(self) -> float:
        return 0.5 + self._total / self.size

    @property
    def variance(self) -> float:
        return max(self._squares / self.size - (self._total / self.size) ** 2, 0.0)

    @property
    def step(self) -> float:
        return min(float(np.min(np.diff(self._values), initial=WIDEST_STEP)), WIDEST_STEP)
