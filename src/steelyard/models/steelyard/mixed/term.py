"""The term of one kind that orders items: its messages, and the layers of opinions that these reach."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steelyard.maths.arrays import Codes, Matrix, Vector
from steelyard.models.steelyard.mixed.layers import Layer, Stack
from steelyard.models.steelyard.mixed.opinions import Opinions, Tasks
from steelyard.models.steelyard.mixed.rater_terms import GRID, outcome_log
from steelyard.models.steelyard.mixed.statements import Cavity, Link, Stated
from steelyard.models.steelyard.mixed.tasks import Within
from steelyard.models.steelyard.sums import sums_by


@dataclass(frozen=True, eq=False)
class TaskMessages:
    """Messages inside answers, and the message of each answer to the opinions of its rater."""

    within: Within
    precision: Stack
    pull: Stack


@dataclass(frozen=True, eq=False)
class Term:
    """Judgments of one kind with their messages.

    Attributes
    ----------
    kind
        Name of the kind.
    opinions
        Statements by opinion.
    link
        Parameters of the kind.
    prior_link
        Prior mean of the log discrimination.
    precision, pull
        Message of each statement, if statements do not share perceptions.
    tasks
        Messages of the answers with shared perception.
    evidence
        Log probability of each rater's answers at each value of epsilon.
    cavity
        Differences that the statements are about, without the answer.
    """

    kind: str
    opinions: Opinions
    link: Link
    prior_link: float
    precision: Vector
    pull: Vector
    tasks: tuple[TaskMessages, ...]
    evidence: Stack
    cavity: Cavity

    @staticmethod
    def silent(kind: str, opinions: Opinions, link: Link, raters: int) -> Term:
        """Return the term before its first message.

        Parameters
        ----------
        kind
            Name of the kind.
        opinions
            Statements by opinion.
        link
            First values of the parameters.
        raters
            Number of raters.

        Returns
        -------
        Term
            Messages with precision 0.
        """
        none, size = np.zeros(len(opinions.orders)), len(GRID)
        tasks = tuple(_no_messages(each) for each in opinions.tasks)
        start = float(np.log(link.discrimination))
        cavity = Cavity(none, none)
        return Term(kind, opinions, link, start, none, none, tasks, np.zeros((raters + 1, size)), cavity)

    @property
    def stated(self) -> Stated:
        """Ties and sides of the statements."""
        return Stated(self.opinions.orders.is_tie, self.opinions.orders.side)

    @property
    def answer_rater(self) -> Codes:
        """Rater of each answer."""
        orders = self.opinions.orders
        last = len(self.evidence) - 1
        return np.where(orders.rater < 0, last, orders.rater)

    @property
    def answered(self) -> Vector:
        """Number of answers of each rater."""
        return sums_by(self.answer_rater, self.opinions.orders.weight, len(self.evidence))

    def random_log(self) -> Vector:
        """Return the log probability of each rater's answers if they do not depend on the items."""
        orders, rater, count = self.opinions.orders, self.answer_rater, len(self.evidence)
        if orders.shared:
            return sums_by(rater, -orders.weight * np.log(orders.options), count)
        return outcome_log(*self.opinions.outcomes.T)

    @cached_property
    def received(self) -> tuple[tuple[Stack, Stack], ...]:
        """Precision and pull of all messages to the opinions of each group."""
        return tuple(_group_messages(self, at) for at in range(len(self.opinions.groups)))


def _no_messages(tasks: Tasks) -> TaskMessages:
    count, statements, size = tasks.signs.shape
    none = np.zeros((count, statements))
    within = Within(none, none, np.zeros(count))
    return TaskMessages(within, np.zeros((count, size, size)), np.zeros((count, size)))


@dataclass(frozen=True, eq=False)
class Layers:
    """The layers of one kind: opinions of raters in groups, and the quality that this kind is about."""

    groups: tuple[Layer, ...]
    kind: Layer


@dataclass(frozen=True, eq=False)
class Passed:
    """Opinions of raters, and the sum of what they pass on to the quality of the kind."""

    groups: tuple[Layer, ...]
    precision: Matrix
    pull: Vector

    def layers(self, discrepancy: float) -> Layers:
        """Return the layers with this variance of the discrepancies."""
        return Layers(self.groups, Layer.of(self.precision, self.pull, discrepancy))


def passed_by(term: Term, taste: float | None = None) -> Passed:
    """Return the opinions of raters and what they pass on.

    Parameters
    ----------
    term
        A kind with its messages.
    taste
        Variance of tastes; None for that of the term.

    Returns
    -------
    Passed
        Opinions of raters, and sums over them.
    """
    items = term.opinions.items
    taste = term.link.taste if taste is None else taste
    size = items + 1
    matrix, vector = np.zeros(size * size), np.zeros(size)
    layers = []
    for group, messages in zip(term.opinions.groups, term.received, strict=True):
        layer = Layer.of(*messages, taste)
        layers.append(layer)
        cell = group.item[:, :, None] * size + group.item[:, None, :]
        matrix += np.bincount(cell.ravel(), layer.precision.ravel(), size * size)
        vector += np.bincount(group.item.ravel(), layer.passed.ravel(), size)
    whole = matrix.reshape(size, size)[:items, :items]
    return Passed(tuple(layers), whole, vector[:items])


def layers_of(term: Term) -> Layers:
    """Return the layers of a term: opinions of raters, and the quality of the kind."""
    return passed_by(term).layers(term.link.discrepancy)


def _group_messages(term: Term, at: int) -> tuple[Stack, Stack]:
    """Return the sums of all messages to the opinions of one group."""
    group, weight = term.opinions.groups[at], term.opinions.weight
    if not term.opinions.orders.shared:
        rows = group.rows
        return group.summed(weight[rows] * term.precision[rows], weight[rows] * term.pull[rows])
    count, size = group.item.shape
    matrix, vector = np.zeros(count * size * size), np.zeros(count * size)
    for tasks, sent in zip(term.opinions.tasks, term.tasks, strict=True):
        if tasks.group == at:
            times = term.opinions.orders.weight[tasks.answer]
            start = tasks.at[:, None] * size + tasks.place
            cell = start[:, :, None] * size + tasks.place[:, None, :]
            matrix += np.bincount(cell.ravel(), (times[:, None, None] * sent.precision).ravel(), len(matrix))
            vector += np.bincount(start.ravel(), (times[:, None] * sent.pull).ravel(), len(vector))
    return matrix.reshape(count, size, size), vector.reshape(count, size)
