"""Comparisons counted by pair and outcome, as expectation propagation uses them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.judgments.counts import FIRST, SECOND, TIE, PairCounts
from steelyard.maths.arrays import Codes, Mask, Vector


@dataclass(frozen=True, eq=False)
class Outcomes:
    """One row per pair and outcome: `first` won against `second`, or the two tied.

    Attributes
    ----------
    items
        Number of items.
    first, second
        Item codes. In a win, `first` is the winner.
    is_tie
        Whether the row counts ties.
    count
        Number of comparisons in the row.
    """

    items: int
    first: Codes
    second: Codes
    is_tie: Mask
    count: Vector

    @staticmethod
    def of(counts: PairCounts) -> Outcomes:
        """Return the rows with at least one comparison."""
        left, right = counts.left, counts.right
        count = np.concatenate([counts.counts[FIRST], counts.counts[SECOND], counts.counts[TIE]])
        happened = count > 0.0
        return Outcomes(
            len(counts.items),
            np.concatenate([left, right, left])[happened],
            np.concatenate([right, left, right])[happened],
            np.repeat([False, False, True], len(left))[happened],
            count[happened],
        )

    @property
    def ties(self) -> float:
        """Number of ties."""
        return float(self.count[self.is_tie].sum())
