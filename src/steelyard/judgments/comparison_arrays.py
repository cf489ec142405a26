"""Comparisons as plain arrays, for models."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes, Mask, Vector

LEFT, TIE, RIGHT = 1, 0, -1  # which side has more of the quality
SIGNS = {"left": LEFT, "tie": TIE, "right": RIGHT}


@dataclass(frozen=True, eq=False)
class Pairs:
    """One entry per comparison, in the order of the file: item codes, LEFT, TIE or RIGHT, and the count."""

    left: Codes
    right: Codes
    outcome: Codes
    weight: Vector

    def __len__(self) -> int:
        return len(self.left)


def pairs_of(judgments: Judgments) -> Pairs:
    """Return the comparisons of the table.

    >>> from steelyard import Comparison
    >>> pairs = pairs_of(Judgments.of([Comparison("ann", "tea", "milk", "right")]))
    >>> pairs.left.tolist(), pairs.right.tolist(), pairs.outcome.tolist()
    ([0], [1], [-1])
    """
    table = judgments.table("comparison")
    sign = np.array([SIGNS[label] for label in judgments.labels("outcome")], dtype=np.int64)
    outcome = sign[table.codes["outcome"]] if len(table) else np.empty(0, dtype=np.int64)
    return Pairs(table.codes["left"], table.codes["right"], outcome, table.weights)


def pair_key(left: Codes, right: Codes, items: int) -> tuple[Codes, Codes]:
    """Return one integer for each unordered pair, and the smaller of its two codes.

    Parameters
    ----------
    left
        Code of the item on the left, by row.
    right
        Code of the item on the right, by row.
    items
        Number of items.

    Returns
    -------
    tuple of Codes
        Keys and smaller codes, one per row.
    """
    low = np.minimum(left, right)
    return low * max(items, 1) + np.maximum(left, right), low


def shown_both_ways(left: Codes, right: Codes, items: int) -> Mask:
    """Return a mask of the rows whose pair occurs in both orders.

    Parameters
    ----------
    left
        Code of the item on the left, by row.
    right
        Code of the item on the right, by row.
    items
        Number of items.

    Returns
    -------
    Mask
        One value per row.
    """
    key, low = pair_key(left, right, items)
    pair, place = np.unique(key, return_inverse=True)
    ways = [np.bincount(place[rows], minlength=len(pair)) > 0 for rows in (left == low, left != low)]
    return np.asarray((ways[0] & ways[1])[place])
