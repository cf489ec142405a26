"""Items on which raters disagree, and the width of rank intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from steelyard.judgments.table import MISSING, Judgments
from steelyard.scales.scale import Scale

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
    ends
        Lowest and highest rating of an item; None for a system, whose items differ themselves.
    """

    label: str
    ratings: int
    deviation: float
    ends: tuple[float, float] | None


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
        scores = score[owner == at]
        ends = (float(scores.min()), float(scores.max())) if unit == "item" else None
        name = str(names[at])
        disputed.append(Dispute(labels.get(name, name), len(scores), float(deviation[at]), ends))
    return tuple(disputed)


def typical_rank_width(scale: Scale) -> int:
    """Return the median number of ranks in the 95% rank intervals."""
    return int(np.median(scale.rank_high - scale.rank_low + 1))
