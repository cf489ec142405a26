"""The term of one kind that orders items: its messages, and the layers of opinions that these reach."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Codes, Vector
from steelyard.models.steelyard.mixed.layers import Layer, Stack
from steelyard.models.steelyard.mixed.opinions import Opinions, Tasks
from steelyard.models.steelyard.mixed.rater_terms import GRID, OUTCOME_PRIOR, outcome_log
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
        return outcome_log(*self._outcomes())

    def _outcomes(self) -> tuple[Vector, Vector, Vector]:
        """Return how often each rater chose left, tie and right."""
        orders, count = self.opinions.orders, len(self.evidence)
        rater, weight = self.opinions.rater, self.opinions.weight
        left, tie, right = (
            sums_by(rater, weight * which, count)
            for which in (
                ~orders.is_tie & (orders.side > 0.0),
                orders.is_tie,
                ~orders.is_tie & (orders.side <= 0.0),
            )
        )
        return left, tie, right

    def random_chance(self) -> Vector:
        """Return the probability of each statement if its rater answers at random: their own frequencies."""
        counts = np.stack(self._outcomes(), axis=1) + OUTCOME_PRIOR
        share = counts / counts.sum(axis=1, keepdims=True)
        orders = self.opinions.orders
        column = np.where(orders.is_tie, 1, np.where(orders.side > 0.0, 0, 2))
        return np.asarray(share[self.opinions.rater, column])


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


def layers_of(term: Term, taste: float | None = None, discrepancy: float | None = None) -> Layers:
    """Return the layers of a term.

    Parameters
    ----------
    term
        A kind with its messages.
    taste
        Variance of tastes; None for that of the term.
    discrepancy
        Variance of discrepancies; None for that of the term.

    Returns
    -------
    Layers
        Opinions of raters, and the quality of the kind.
    """
    link, items = term.link, term.opinions.items
    taste = link.taste if taste is None else taste
    size = items + 1
    matrix, vector = np.zeros(size * size), np.zeros(size)
    layers = []
    for at, group in enumerate(term.opinions.groups):
        layer = Layer.of(*_group_messages(term, at), taste)
        layers.append(layer)
        cell = group.item[:, :, None] * size + group.item[:, None, :]
        matrix += np.bincount(cell.ravel(), layer.precision.ravel(), size * size)
        vector += np.bincount(group.item.ravel(), layer.passed.ravel(), size)
    whole = matrix.reshape(size, size)[:items, :items]
    variance = link.discrepancy if discrepancy is None else discrepancy
    return Layers(tuple(layers), Layer.of(whole, vector[:items], variance))


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
