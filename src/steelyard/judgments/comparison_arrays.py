"""Comparisons as plain arrays, for models."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes, Vector

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
