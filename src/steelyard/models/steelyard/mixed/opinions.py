"""Statements of one kind, grouped by the rater's opinions that they are about.

An opinion is a rater's view of one item. Opinions that a rater's statements link are estimated together. Their groups
are padded to a few sizes, so that all groups of a size are computed at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steelyard.judgments.orders import Orders
from steelyard.judgments.table import MISSING
from steelyard.maths.arrays import Codes, Mask, Matrix, Vector
from steelyard.models.steelyard.mixed.layers import Stack
from steelyard.models.steelyard.mixed.rater_terms import OUTCOME_PRIOR
from steelyard.models.steelyard.sums import sums_by


@dataclass(frozen=True, eq=False)
class Group:
    """Linked opinions of many raters, padded to one size.

    Attributes
    ----------
    item
        Item of each opinion, groups x size. Padding has the number of items.
    rows
        Statements about these opinions.
    at, one, other
        Group of each statement, and the places of its first and second item in the group.
    """

    item: Codes
    rows: Codes
    at: Codes
    one: Codes
    other: Codes

    def summed(self, precision: Vector, pull: Vector) -> tuple[Stack, Stack]:
        """Return the precision matrices and pulls of statements with these messages about differences."""
        count, size = self.item.shape
        start = self.at * size
        first, second = start + self.one, start + self.other
        ends = np.concatenate(
            [
                first * size + self.one,
                second * size + self.other,
                first * size + self.other,
                second * size + self.one,
            ]
        )
        matrix = np.bincount(
            ends, np.concatenate([precision, precision, -precision, -precision]), count * size * size
        )
        vector = np.bincount(
            np.concatenate([first, second]), np.concatenate([pull, -pull]), minlength=count * size
        )
        return np.asarray(matrix.reshape(count, size, size), float), np.asarray(
            vector.reshape(count, size), float
        )

    def differences(self, mean: Stack, covariance: Stack) -> tuple[Vector, Vector]:
        """Return mean and variance of the difference that each statement is about."""
        at, one, other = self.at, self.one, self.other
        gap = mean[at, one] - mean[at, other]
        variance = covariance[at, one, one] + covariance[at, other, other] - 2.0 * covariance[at, one, other]
        return gap, variance


@dataclass(frozen=True, eq=False)
class Tasks:
    """Answers whose statements share the perception of each item, all with the same numbers of items and statements.

    Attributes
    ----------
    group
        Index of the group of opinions.
    at
        Row of that group, for each answer.
    place
        Places in the group, answers x items.
    signs
        1 for the first item and -1 for the second, answers x statements x items.
    is_tie
        Answers x statements.
    answer
        Number of each answer.
    """

    group: int
    at: Codes
    place: Codes
    signs: Stack
    is_tie: Mask
    answer: Codes


@dataclass(frozen=True, eq=False)
class Opinions:
    """Groups of opinions of one kind, and the answers with shared perception."""

    orders: Orders
    items: int
    rater: Codes  # of each statement, counted from 0; the last one stands for all answers without a rater
    groups: tuple[Group, ...]
    tasks: tuple[Tasks, ...]
    raters: int

    @cached_property
    def outcomes(self) -> Matrix:
        """How often each rater, and all answers without a rater, chose left, tie and right."""
        tie, left = self.orders.is_tie, self.orders.side > 0.0
        columns = (~tie & left, tie, ~tie & ~left)
        return np.stack(
            [sums_by(self.rater, self.weight * which, self.raters + 1) for which in columns], axis=1
        )

    @cached_property
    def random_chance(self) -> Vector:
        """Probability of each statement if its rater answers at random: the rater's own frequencies."""
        counts = self.outcomes + OUTCOME_PRIOR
        share = counts / counts.sum(axis=1, keepdims=True)
        column = np.where(self.orders.is_tie, 1, np.where(self.orders.side > 0.0, 0, 2))
        return np.asarray(share[self.rater, column])

    @cached_property
    def weight(self) -> Vector:
        """Count of each statement."""
        return self.orders.weight[self.orders.answer]


def group_opinions(orders: Orders, items: int, raters: int, by_rater: bool) -> Opinions:
    """Return the statements grouped by linked opinions.

    Parameters
    ----------
    orders
        Statements of one kind.
    items
        Number of items.
    raters
        Number of raters. Answers without a rater get the code after the last one.
    by_rater
        Whether the opinions of a rater persist over their answers. Otherwise every answer has its own.

    Returns
    -------
    Opinions
        Groups, and answers with shared perception by size.
    """
    rater = np.where(orders.rater == MISSING, raters, orders.rater)[orders.answer]
    owner = np.where((rater < raters) & by_rater, rater, raters + 1 + orders.answer)
    node, ends = np.unique(
        np.concatenate([owner * items + orders.first, owner * items + orders.second]), return_inverse=True
    )
    first, second = np.split(ends.ravel(), 2)
    part, place, size = _parts(first, second, len(node))
    padded = _padded(size)
    groups, group_of, row_of = [], np.empty(len(size), np.int64), np.empty(len(size), np.int64)
    for at, width in enumerate(np.unique(padded)):
        members = np.flatnonzero(padded == width)
        group_of[members], row_of[members] = at, np.arange(len(members))
        item = np.full((len(members), width), items, dtype=np.int64)
        inside = padded[part] == width
        item[row_of[part[inside]], place[inside]] = node[inside] % items
        rows = np.flatnonzero(padded[part[first]] == width)
        groups.append(Group(item, rows, row_of[part[first[rows]]], place[first[rows]], place[second[rows]]))
    tasks = _tasks(orders, (first, second), (group_of[part], row_of[part], place)) if orders.shared else ()
    return Opinions(orders, items, rater, tuple(groups), tasks, raters)


def _parts(first: Codes, second: Codes, nodes: int) -> tuple[Codes, Codes, Codes]:
    """Return the linked part of each node, its place there, and the size of each part."""
    from scipy.sparse import coo_array  # SciPy is slow to import
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(first), dtype=np.int8), (first, second)), shape=(nodes, nodes))
    part = np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)
    size = np.bincount(part)
    order = np.argsort(part, kind="stable")
    place = np.empty(nodes, dtype=np.int64)
    place[order] = np.arange(nodes) - np.repeat(np.cumsum(size) - size, size)
    return part, place, size


def _padded(size: Codes) -> Codes:
    """Return the next of the sizes 2, 3, 4, 6, 8, 12, 16, 24, ..."""
    power = 2 ** np.ceil(np.log2(np.maximum(size, 2))).astype(np.int64)
    smaller = power * 3 // 4
    return np.where((size <= smaller) & (power > 3), smaller, power)


def _tasks(orders: Orders, ends: tuple[Codes, Codes], nodes: tuple[Codes, Codes, Codes]) -> tuple[Tasks, ...]:
    """Return the answers with equal numbers of items and statements, in the same group, together."""
    (first, second), (group, row, place) = ends, nodes
    order = np.argsort(orders.answer, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(orders.answer[order]) != 0])
    alike: dict[tuple[int, int, int], list[tuple[int, Codes, Codes]]] = {}
    for rows in np.split(order, starts[1:]):
        both = np.unique(np.concatenate([first[rows], second[rows]]))
        key = (int(group[both[0]]), len(both), len(rows))
        alike.setdefault(key, []).append((int(orders.answer[rows[0]]), both, rows))
    made = []
    for (at, size, count), some in alike.items():
        signs = np.zeros((len(some), count, size))
        for task, (_, both, rows) in enumerate(some):
            signs[task, np.arange(count), np.searchsorted(both, first[rows])] = 1.0
            signs[task, np.arange(count), np.searchsorted(both, second[rows])] = -1.0
        opinions = np.stack([both for _, both, _ in some])
        made.append(
            Tasks(
                at,
                row[opinions[:, 0]],
                place[opinions],
                signs,
                np.stack([orders.is_tie[rows] for _, _, rows in some]),
                np.array([answer for answer, _, _ in some], dtype=np.int64),
            )
        )
    return tuple(made)
