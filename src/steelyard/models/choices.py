"""The maxdiff likelihood of best-worst choices as a function of log-worths.

Item i is chosen as best and item j as worst with probability proportional to exp(u_i - u_j), over all ordered pairs
of items in the task (Marley & Louviere 2005).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from steelyard.judgments.keys import row_key
from steelyard.judgments.table import MISSING, Judgments, Table
from steelyard.judgments.tasks import TOGETHER, by_size
from steelyard.maths.arrays import Codes, Matrix, Vector, sum_by
from steelyard.models.linking import Preferences
from steelyard.models.worths import InformationCells, Slope, cells_between

SIGNS = {"best": 1.0, "worst": -1.0, "none": 0.0}


def signs_of(judgments: Judgments, table: Table) -> Vector:
    """Return 1 for best, -1 for worst and 0 for neither."""
    sign = np.array([SIGNS[label] for label in judgments.labels("choice")])
    return sign[table.codes["choice"]]


@dataclass(frozen=True, eq=False)
class Choices:
    """Tasks of one size, one row each: item codes, counts of best and worst, and number of answers."""

    item: Codes
    best: Matrix
    worst: Matrix
    answers: Vector
    row: Codes  # first row of each task in its table; MISSING if it has none


def choices_of(judgments: Judgments, table: Table) -> tuple[list[Choices], int]:
    """Return the tasks, grouped by size, and the number of tasks that are left out.

    A task is left out if an item is shown more often than another, or if counts of best and worst do not match. This
    happens in files without raters if a task shows an item twice.
    """
    key, sign, weight = row_key(table, TOGETHER), signs_of(judgments, table), table.weights
    entry, first, at = np.unique(row_key(table, ("item",), key), return_index=True, return_inverse=True)
    at = np.asarray(at)
    shown, best, worst = (
        sum_by(at, weight * chosen, len(entry)) for chosen in (np.ones(len(sign)), sign > 0, sign < 0)
    )
    task = np.asarray(np.unique(key, return_inverse=True)[1], dtype=np.int64)[first]
    blocks, left_out = [], 0
    for rows in by_size(task):
        answers = best[rows].sum(axis=1)
        valid = np.isclose(worst[rows].sum(axis=1), answers) & np.isclose(shown[rows], answers[:, None]).all(
            axis=1
        )
        valid &= (answers > 0.0) & (rows.shape[1] > 1)
        left_out += int(np.sum(~valid))
        kept = rows[valid]
        if len(kept):
            item = table.codes["item"][first[kept]]
            blocks.append(Choices(item, best[kept], worst[kept], answers[valid], first[kept[:, 0]]))
    return blocks, left_out


@dataclass(frozen=True, eq=False)
class ChoiceLikelihood:
    """The maxdiff likelihood as a function of log-worths."""

    items: int
    blocks: Sequence[Choices]

    @property
    def size(self) -> int:
        """Number of parameters. All are log-worths."""
        return self.items

    @property
    def answers(self) -> Vector:
        """Number of answers to each task."""
        return np.concatenate([block.answers for block in self.blocks])

    @property
    def row(self) -> Codes:
        """First row of each task in its table."""
        return np.concatenate([block.row for block in self.blocks])

    def at(self, parameters: Vector) -> Slope:
        """Return the log-likelihood with its gradient and information.

        The log-likelihood is the sum over answers of u_best - u_worst - log sum over i != j of exp(u_i - u_j).
        The gradient of one answer is (best - worst) - (b - w), where b and w are each item's probabilities of
        being best and worst. The information is the covariance of best - worst.
        """
        value, gradient = 0.0, np.zeros(self.items)
        cells: list[Vector] = []
        for block in self.blocks:
            log_total, chance = _chances(parameters[block.item])
            mean = chance.sum(axis=2) - chance.sum(axis=1)
            sign = block.best - block.worst
            value += float(np.sum(sign * parameters[block.item]) - np.sum(block.answers * log_total))
            slope = sign - block.answers[:, None] * mean
            gradient = gradient + sum_by(block.item.ravel(), slope.ravel(), self.items)
            cells.append((block.answers[:, None, None] * _covariance(chance, mean)).ravel())
        sums = sum_by(self._slots, np.concatenate(cells), self._cells.count)
        empty = np.empty((self.items, 0))
        return Slope(value, gradient, self._cells.matrix(sums, empty, np.empty((0, 0))))

    @cached_property
    def _pairs(self) -> tuple[Codes, Codes]:
        wide = [(block.item, block.item.shape[1]) for block in self.blocks]
        rows = [np.repeat(item, n, axis=1).ravel() for item, n in wide]
        columns = [np.tile(item, (1, n)).ravel() for item, n in wide]
        return np.concatenate(rows), np.concatenate(columns)

    @cached_property
    def _cells(self) -> InformationCells:
        return cells_between(self.items, *self._pairs)

    @cached_property
    def _slots(self) -> Codes:
        row, column = self._pairs
        return self._cells.slot if len(self._cells.slot) else row * self.items + column

    def count(self) -> Vector:
        """Return how often each item was shown in tasks that are used."""
        counts = [
            sum_by(block.item.ravel(), np.repeat(block.answers, block.item.shape[1]), self.items)
            for block in self.blocks
        ]
        return np.asarray(np.sum(counts, axis=0))

    def with_ghost(self, pseudo: float) -> ChoiceLikelihood:
        """Return the likelihood with pseudo-tasks that pair every item with a ghost item.

        In each pseudo-task, both items are best and worst `pseudo` times.
        """
        every = np.arange(self.items)
        item = np.column_stack([every, np.full(self.items, self.items)])
        chosen = np.full(item.shape, pseudo)
        ghost_tasks = Choices(
            item, chosen, chosen, np.full(self.items, 2.0 * pseudo), np.full(self.items, MISSING)
        )
        return ChoiceLikelihood(self.items + 1, (*self.blocks, ghost_tasks))

    def preferences(self) -> Preferences:
        """Return edges from the best item to its task, and from the task to the worst item."""
        ends = []
        for block in self.blocks:
            row, column = (
                np.repeat(block.item, block.item.shape[1], axis=1),
                np.tile(block.item, block.item.shape[1]),
            )
            above = np.repeat(block.best > 0, block.item.shape[1], axis=1)
            below = np.tile(block.worst > 0, block.item.shape[1])
            kept = above | below
            ends.append((row[kept], column[kept]))
        upper, lower = (np.concatenate(side) for side in zip(*ends, strict=True))
        return Preferences(self.items, upper, lower)


@dataclass(frozen=True, eq=False)
class ChosenScores:
    """Scores and information of the tasks at given log-worths, summed by cluster."""

    likelihood: ChoiceLikelihood
    theta: Vector

    def scores(self, codes: Codes, count: int) -> Any:
        """Return a sparse matrix of clusters x items."""
        from scipy.sparse import csr_array  # SciPy is slow to import

        values, ends, begin = [], [], 0
        for block in self.likelihood.blocks:
            _, chance = _chances(self.theta[block.item])
            mean = chance.sum(axis=2) - chance.sum(axis=1)
            values.append((block.best - block.worst - block.answers[:, None] * mean).ravel())
            own = codes[begin : begin + len(block.item)]
            ends.append((np.repeat(own, block.item.shape[1]), block.item.ravel()))
            begin += len(block.item)
        row, column = (np.concatenate(side) for side in zip(*ends, strict=True))
        return csr_array((np.concatenate(values), (row, column)), shape=(count, self.likelihood.items))

    def information(self, codes: Codes, count: int) -> Matrix:
        """Return an array of clusters x items x items."""
        size, begin = self.likelihood.items, 0
        information = np.zeros(count * size * size)
        for block in self.likelihood.blocks:
            _, chance = _chances(self.theta[block.item])
            mean = chance.sum(axis=2) - chance.sum(axis=1)
            cells = block.answers[:, None, None] * _covariance(chance, mean)
            own = codes[begin : begin + len(block.item)][:, None, None]
            at = (own * size + block.item[:, :, None]) * size + block.item[:, None, :]
            information += sum_by(at.ravel(), cells.ravel(), len(information))
            begin += len(block.item)
        return information.reshape(count, size, size)


def _chances(worth: Matrix) -> tuple[Vector, Matrix]:
    """Return the log of the sum over ordered pairs of each task, and the probability of each pair (best, worst)."""
    gap = worth[:, :, None] - worth[:, None, :]
    size = worth.shape[1]
    gap[:, np.arange(size), np.arange(size)] = -np.inf
    top = gap.max(axis=(1, 2))
    weight = np.exp(gap - top[:, None, None])
    total = weight.sum(axis=(1, 2))
    return top + np.log(total), weight / total[:, None, None]


def _covariance(chance: Matrix, mean: Matrix) -> Matrix:
    """Return the covariance of best - worst in each task.

    The second moment is b + w on the diagonal, and minus the sum of both probabilities of the pair elsewhere.
    """
    moment = -(chance + chance.transpose(0, 2, 1))
    places = np.arange(chance.shape[1])
    moment[:, places, places] = chance.sum(axis=2) + chance.sum(axis=1)
    return moment - mean[:, :, None] * mean[:, None, :]
