"""Agreement of comparisons: the outcome of each pair of items, and circular triads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.judgments.comparison_arrays import pairs_of
from steelyard.judgments.keys import distinct, joined_key, row_key
from steelyard.judgments.opinions import named_raters
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes, Mask, Matrix, Vector, renumbered, sum_by
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
        segments = distinct(self.segment[self.segment >= 0]) >= FEWEST_GROUPS
        apart = distinct(self.items.ravel()) >= distinct(self.pair)
        units = {"pairs": self.pair} if apart else {"items": self.items}
        candidates = {"raters": self.rater, **({"segments": self.segment} if segments else units)}
        enough = {
            name: codes for name, codes in candidates.items() if distinct(codes[codes >= 0]) >= FEWEST_GROUPS
        }
        return enough if enough else {"pairs": self.pair}


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
    pair = renumbered(key)[1]
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
    return PairCells(outcomes).agreement()


class PairCells:
    """Answers to pairs that two raters or more answered, with the codes that their agreement is counted by.

    The answers of a rater to a pair have weight 1 in all. An answer without a rater counts as that of another rater.
    """

    def __init__(self, outcomes: PairOutcomes) -> None:
        named = outcomes.rater >= 0
        nobody = int(outcomes.rater.max(initial=-1)) + 1
        rater = np.where(named, outcomes.rater, nobody)
        cell = renumbered(joined_key(outcomes.pair, rater))[1]
        answerers = _answerers(outcomes, cell, named)
        self.rows = np.flatnonzero(answerers[outcomes.pair] > 1.0)
        self.named, self.count = named[self.rows], outcomes.count[self.rows]
        self.pair = renumbered(outcomes.pair[self.rows])[1]
        self.cell = renumbered(cell[self.rows])[1]
        self.outcome = outcomes.outcome[self.rows]
        self.pairs, self.cells = (int(codes.max(initial=-1)) + 1 for codes in (self.pair, self.cell))
        self.pair_of_cell = np.zeros(self.cells, dtype=np.int64)
        self.pair_of_cell[self.cell] = self.pair
        self.named_cell = np.zeros(self.cells, dtype=bool)
        self.named_cell[self.cell] = self.named

    def agreement(self, keep: Mask | None = None) -> PairAgreement:
        """Return the agreement of all answers, or of the kept ones among all rows of the outcomes."""
        count = self.count if keep is None else self.count * keep[self.rows]
        counts, own_equal, own_pairs = self._weights(count)
        sizes = counts.sum(axis=0)
        pairs = sizes**2 - own_pairs
        several = pairs > 1e-9
        if not several.any():
            return PairAgreement(float("nan"), float("nan"), float("nan"), 0, 0)
        equal = np.sum(counts**2, axis=0) - own_equal
        observed = float(np.sum((sizes * equal)[several] / pairs[several]) / sizes[several].sum())
        totals = counts[:, several].sum(axis=1)
        total, ties = float(totals.sum()), float(totals[1])
        different = total**2 - ties**2 - (total - ties) ** 2 / 2.0
        expected = 1.0 - different / (total * (total - 1.0))
        alpha = 1.0 - (1.0 - observed) / (1.0 - expected) if expected < 1.0 - 1e-12 else float("nan")
        answers = sum_by(self.pair, count, self.pairs)[several]
        return PairAgreement(observed, expected, alpha, int(several.sum()), round(float(answers.sum())))

    def _weights(self, count: Vector) -> tuple[Matrix, Vector, Vector]:
        """Return the weight of each outcome by pair, outcomes x pairs, and sums of squares of each rater's weights.

        The sums are by pair: over raters and outcomes, and over raters with their outcomes added.
        """
        place = self.outcome * self.cells + self.cell
        by_cell = sum_by(place, count, OUTCOMES * self.cells).reshape(OUTCOMES, self.cells)
        total = by_cell.sum(axis=0)
        shares = by_cell / np.where(total > 0.0, total, 1.0)
        weights = np.where(self.named_cell, shares, by_cell)
        squares = np.where(self.named_cell, np.sum(shares**2, axis=0), total)
        present = np.where(self.named_cell, total > 0.0, total)
        own_equal, own_pairs = (sum_by(self.pair_of_cell, each, self.pairs) for each in (squares, present))
        by_outcome = [sum_by(self.pair_of_cell, each, self.pairs) for each in weights]
        return np.array(by_outcome), own_equal, own_pairs


def _answerers(outcomes: PairOutcomes, cell: Codes, named: Mask) -> Vector:
    """Return the number of raters of each pair, and of its answers without a rater."""
    size = int(outcomes.pair.max(initial=-1)) + 1
    first = np.zeros(len(outcomes), dtype=bool)
    first[np.unique(cell, return_index=True)[1]] = True
    return sum_by(outcomes.pair, np.where(named, first, outcomes.count), size)
