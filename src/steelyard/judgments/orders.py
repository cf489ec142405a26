"""Judgments as statements that one item has more of the quality than another, or that the two tie.

Each kind of judgment that orders items declares how its answers become such statements (`TableKind.orders`). Models
that estimate a latent scale use them and need not know the kinds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.judgments.table import MISSING, Judgments
from steelyard.maths.arrays import Codes, Mask, Vector


@dataclass(frozen=True, eq=False)
class Orders:
    """Statements about two items each, one entry per statement.

    Attributes
    ----------
    first, second
        Item codes. `first` has more of the quality, unless the two tie.
    is_tie
        Whether the two items tie.
    side
        1 if `first` was shown on the left, -1 if on the right, 0 if sides have no meaning.
    answer
        Number of the answer that the statement belongs to, from 0 without gaps.
    rater
        Rater code of each answer; -1 if there is none.
    weight
        Number of times that each answer occurred.
    options
        Number of possible answers to the same task, for each answer.
    shared
        Whether the statements of an answer come from the same perception of each item, as in a ranking.
    """

    first: Codes
    second: Codes
    is_tie: Mask
    side: Vector
    answer: Codes
    rater: Codes
    weight: Vector
    options: Vector
    shared: bool

    def __len__(self) -> int:
        return len(self.first)

    def of_answers(self, keep: Mask) -> Orders:
        """Return the statements of some answers, numbered without gaps."""
        rows = keep[self.answer]
        number = np.cumsum(keep) - 1
        return Orders(
            self.first[rows],
            self.second[rows],
            self.is_tie[rows],
            self.side[rows],
            number[self.answer[rows]],
            self.rater[keep],
            self.weight[keep],
            self.options[keep],
            self.shared,
        )


def orders_of(judgments: Judgments, kind: str) -> Orders | None:
    """Return the statements of the judgments of one kind; None if the kind does not order items.

    Answers with a count of 0 and answers without a statement are left out.
    """
    make = judgments.table(kind).kind.orders
    if make is None:
        return None
    orders = make(judgments)
    stated = np.bincount(orders.answer, minlength=len(orders.weight)) > 0
    return orders.of_answers(stated & (orders.weight > 0.0))


def task_orders(
    judgments: Judgments, kind: str, pairs: tuple[Codes, Codes, Mask], answer: Codes, options: Vector
) -> Orders:
    """Return the statements of a kind whose rows of a task are one answer.

    Parameters
    ----------
    judgments
        Judgments of this kind.
    kind
        Name of the kind.
    pairs
        Rows of the first and the second item of each statement, and whether the two tie.
    answer
        Number of the answer of each row.
    options
        Number of possible answers, for each answer.

    Returns
    -------
    Orders
        Statements that share the perception of each item.
    """
    table, (first, second, is_tie) = judgments.table(kind), pairs
    item, count = table.codes["item"], len(options)
    rater, weight = np.full(count, MISSING, dtype=np.int64), np.full(count, np.inf)
    rater[answer] = table.codes.get("rater", np.full(len(table), MISSING))
    np.minimum.at(weight, answer, table.weights)
    return Orders(
        item[first],
        item[second],
        is_tie,
        np.zeros(len(first)),
        answer[first],
        rater,
        np.where(np.isfinite(weight), weight, 0.0),
        options,
        shared=True,
    )
