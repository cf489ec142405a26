"""What a report tells beside the scale: where people differ, and how wide the ranks are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from steelyard.judgments.table import Judgments
from steelyard.scales.scale import Scale

LEAST_RATINGS = 3  # of an item before people can be said to differ about it


@dataclass(frozen=True, slots=True)
class Dispute:
    """An item that people score far apart."""

    label: str
    ratings: int
    lowest: float
    highest: float
    deviation: float


def disputes(judgments: Judgments, labels: Mapping[str, str], most: int = 5) -> tuple[Dispute, ...]:
    """Items with the largest standard deviation of scores, among those with three ratings or more."""
    ratings = judgments.table("rating")
    if not len(ratings):
        return ()
    item, score, size = ratings.codes["item"], ratings.numbers["score"], len(judgments.items)
    count = np.bincount(item, minlength=size)
    mean = np.bincount(item, score, minlength=size) / np.maximum(count, 1)
    squares = np.bincount(item, (score - mean[item]) ** 2, minlength=size)
    deviation = np.sqrt(squares / np.maximum(count - 1, 1))
    deviation = np.where(count >= LEAST_RATINGS, deviation, 0.0)
    leading = [at for at in np.argsort(-deviation, kind="stable")[:most] if deviation[at] > 0]
    return tuple(_dispute(judgments, labels, int(at), float(deviation[at])) for at in leading)


def _dispute(judgments: Judgments, labels: Mapping[str, str], at: int, deviation: float) -> Dispute:
    ratings = judgments.table("rating")
    scores = ratings.numbers["score"][ratings.codes["item"] == at]
    item = str(judgments.items[at])
    return Dispute(labels.get(item, item), len(scores), float(scores.min()), float(scores.max()), deviation)


def typical_rank_width(scale: Scale) -> int:
    """Places that the 95% rank interval of the median item spans."""
    return int(np.median(scale.rank_high - scale.rank_low + 1))
