"""Items on which raters disagree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from steelyard.judgments.table import MISSING, Judgments
from steelyard.report.answers_given import answers_given

LEAST_FREEDOM = 2  # least degrees of freedom for a standard deviation, as with three ratings of one item


@dataclass(frozen=True, slots=True)
class Dispute:
    """An item or system on which raters disagree.

    Attributes
    ----------
    label
        Label of the item or system.
    ratings
        Number of ratings.
    deviation
        Standard deviation of ratings of the same item, pooled over the items of a system.
    answers
        The answers that raters gave about an item; "" for a system, whose items differ themselves.
    """

    label: str
    ratings: int
    deviation: float
    answers: str


def disputes(
    judgments: Judgments, labels: Mapping[str, str], unit: str = "item", most: int = 5
) -> tuple[Dispute, ...]:
    """Return the items or systems on which raters disagree most.

    Parameters
    ----------
    judgments
        Judgments with ratings.
    labels
        Label of each item id.
    unit
        "item" or "system".
    most
        Largest number of rows.

    Returns
    -------
    tuple of Dispute
        Sorted by standard deviation, largest first; empty without ratings.
    """
    pointed = [table for table in judgments.tables.values() if table.kind.pointed]
    if not pointed or unit not in pointed[0].codes or not len(pointed[0]):
        return ()
    ratings, (score_column,) = pointed[0], pointed[0].kind.positions
    ratings = ratings.where(ratings.codes[unit] != MISSING)
    item, score = ratings.codes["item"], ratings.numbers[score_column]
    owner, names = ratings.codes[unit], judgments.labels(unit)
    times = np.bincount(item)
    mean = np.bincount(item, score) / np.maximum(times, 1)
    squares = np.bincount(owner, (score - mean[item]) ** 2, minlength=len(names))
    freedom = np.bincount(owner, 1.0 - 1.0 / times[item], minlength=len(names))
    enough = freedom > LEAST_FREEDOM - 0.5
    deviation = np.where(enough, np.sqrt(squares / np.where(enough, freedom, 1.0)), 0.0)
    leading = [int(at) for at in np.argsort(-deviation, kind="stable")[:most] if deviation[at] > 0]
    disputed = []
    for at in leading:
        name = str(names[at])
        answers = answers_given(judgments, name) if unit == "item" else ""
        disputed.append(
            Dispute(labels.get(name, name), int(np.sum(owner == at)), float(deviation[at]), answers)
        )
    return tuple(disputed)
