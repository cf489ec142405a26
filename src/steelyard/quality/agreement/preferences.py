"""Agreement of comparisons: the outcome of each pair of items, and circular triads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.judgments.comparison_arrays import pairs_of
from steelyard.judgments.keys import joined_key, row_key
from steelyard.judgments.opinions import named_raters
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes, Mask, Matrix, Vector, sum_by
from steelyard.quality.agreement.intervals import FEWEST_GROUPS

SAME = ("question", "segment")  # columns in which two comparisons of a pair must agree
OUTCOMES = 3  # the first item of the pair, a tie, the second item


@dataclass(frozen=True, eq=False)
class PairOutcomes:
    """Comparisons by the pair of items that they decide.

    Attributes
    ----------
    pair
        Code of each unordered pair under its question and segment, from 0.
    rater
        Code of the rater of each comparison; -1 if there is none.
    outcome
        0 if the item with the smaller code is preferred, 1 for a tie, 2 otherwise.
    items
        Codes of the two items of each comparison, rows x 2.
    segment
        Code of the segment of each comparison; -1 if there is none.
    count
        Number of answers that each row represents.
    """

    pair: Codes
    rater: Codes
    outcome: Codes
    items: Codes
    segment: Codes
    count: Vector

    def __len__(self) -> int:
        return len(self.pair)

    def where(self, keep: Mask) -> PairOutcomes:
        """Return the selected comparisons."""
        return PairOutcomes(
            pair=self.pair[keep],
            rater=self.rater[keep],
            outcome=self.outcome[keep],
            items=self.items[keep],
            segment=self.segment[keep],
            count=self.count[keep],
        )

    @property
    def ways(self) -> dict[str, Codes]:
        """What a jackknife leaves out, if there are enough of them: raters, and what differs between the pairs.

        These are segments if there are any; pairs if items hardly occur in several pairs; otherwise items.
        """
        segments = len(np.unique(self.segment[self.segment >= 0])) >= FEWEST_GROUPS
        apart = len(np.unique(self.items)) >= len(np.unique(self.pair))
        units = {"pairs": self.pair} if apart else {"items": self.items}
        candidates = {"raters": self.rater, **({"segments": self.segment} if segments else units)}
        enough = {
            name: codes
            for name, codes in candidates.items()
            if len(np.unique(codes[codes >= 0])) >= FEWEST_GROUPS
        }
        return enough if enough else {"pairs": self.pair}

    @property
    def share(self) -> Vector:
        """Weight of each row. The answers of a rater to a pair have weight 1 in all, answers without a rater 1 each."""
        named = self.rater >= 0
        cell = joined_key(self.pair, np.maximum(self.rater, 0))
        total = sum_by(np.unique(cell, return_inverse=True)[1], np.where(named, self.count, 0.0))
        own = total[np.unique(cell, return_inverse=True)[1]]
        return np.where(named, self.count / np.where(own > 0.0, own, 1.0), self.count)

    def counts(self) -> tuple[Matrix, Matrix]:
        """Return the weight of each outcome of each pair, and the sum of its squares over raters."""
        pairs = np.unique(self.pair, return_inverse=True)[1]
        size = int(pairs.max(initial=-1)) + 1
        cell = pairs * OUTCOMES + self.outcome
        by_rater = joined_key(cell, np.maximum(self.rater, 0))
        _, first, own = np.unique(by_rater, return_index=True, return_inverse=True)
        named = self.rater >= 0
        squares = sum_by(own, np.where(named, self.share, 0.0)) ** 2
        alone = sum_by(cell[first], squares, size * OUTCOMES)
        unnamed = sum_by(cell, np.where(named, 0.0, self.count), size * OUTCOMES)
        weights = sum_by(cell, self.share, size * OUTCOMES)
        return weights.reshape(size, OUTCOMES), (alone + unnamed).reshape(size, OUTCOMES)


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Agreement on the outcome of each pair.

    Attributes
    ----------
    observed
        Share of pairs of answers to one pair of items that are equal; pairs with more answers count more.
    expected
        The same share if answers were exchanged between pairs at random.
    alpha
        Nominal alpha of the outcomes: 1 - (1 - observed) / (1 - expected). NaN if it is undefined.
    pairs
        Number of pairs of items with at least two answers.
    answers
        Number of all answers to these pairs.
    """

    observed: float
    expected: float
    alpha: float
    pairs: int
    answers: int


def pair_outcomes(judgments: Judgments) -> PairOutcomes:
    """Return all comparisons by unordered pair, question and segment, with repeats."""
    table, pairs = judgments.table("comparison"), pairs_of(judgments)
    low, high = np.minimum(pairs.left, pairs.right), np.maximum(pairs.left, pairs.right)
    key = row_key(table, SAME, joined_key(low, high))
    rater = np.full(len(table), -1)
    if "rater" in table.codes:
        rater = np.where(named_raters(judgments, table), table.codes["rater"], -1)
    outcome = np.where(pairs.left == low, 1 - pairs.outcome, 1 + pairs.outcome)
    segment = table.codes.get("segment", np.full(len(table), -1))
    pair = np.unique(key, return_inverse=True)[1]
    every = PairOutcomes(pair, rater, outcome, np.column_stack([low, high]), segment, table.weights)
    return every.where(table.weights > 0.0)


def pair_agreement(outcomes: PairOutcomes) -> PairAgreement:
    """Return the agreement of answers to the same pair of items, corrected for chance.

    The correction is that of nominal alpha on the outcomes first, tie and second. Which item of a pair is called first
    is arbitrary, so both are given the same frequency: half of the decided answers. Answers of one rater are not
    compared with each other: a rater who answered a pair several times counts once, with the shares of the outcomes.

    >>> from steelyard import Comparison
    >>> answers = [("ann", "left"), ("bob", "left"), ("cem", "right")]
    >>> rows = Judgments.of(Comparison(rater, "tea", "milk", outcome) for rater, outcome in answers)
    >>> round(pair_agreement(pair_outcomes(rows)).observed, 3)
    0.333
    """
    counts, alone = outcomes.counts()
    sizes = counts.sum(axis=1)
    pairs = sizes**2 - _own_squares(outcomes)
    several = pairs > 1e-9
    if not several.any():
        return PairAgreement(float("nan"), float("nan"), float("nan"), 0, 0)
    counts, alone, sizes, pairs = counts[several], alone[several], sizes[several], pairs[several]
    equal = np.sum(counts**2 - alone, axis=1)
    observed = float(np.sum(sizes * equal / pairs) / sizes.sum())
    totals = counts.sum(axis=0)
    total, ties = float(totals.sum()), float(totals[1])
    different = total**2 - ties**2 - (total - ties) ** 2 / 2.0
    expected = 1.0 - different / (total * (total - 1.0))
    alpha = 1.0 - (1.0 - observed) / (1.0 - expected) if expected < 1.0 - 1e-12 else float("nan")
    answers = sum_by(np.unique(outcomes.pair, return_inverse=True)[1], outcomes.count)[several]
    return PairAgreement(observed, expected, alpha, int(several.sum()), round(float(answers.sum())))


def _own_squares(outcomes: PairOutcomes) -> Vector:
    """Return for each pair the sum over its raters of their squared weight; unnamed answers are raters of their own."""
    pairs = np.unique(outcomes.pair, return_inverse=True)[1]
    named = outcomes.rater >= 0
    raters = np.unique(joined_key(pairs, np.maximum(outcomes.rater, 0))[named], return_index=True)[1]
    unnamed = sum_by(pairs[~named], outcomes.count[~named], int(pairs.max(initial=-1)) + 1)
    return np.asarray(unnamed + np.bincount(pairs[named][raters], minlength=len(unnamed)))
