"""Score tests of whether a rater differs from the worths common to all raters.

The tests need no fit of a single rater. A rater who always prefers one item, whose own worths would be infinite, can
therefore be tested.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from steelyard.errors import NothingToTest, UnknownItem
from steelyard.judgments.counts import FIRST, SECOND, TIE, PairCounts
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes, Matrix, Vector, sum_by
from steelyard.scales.tables import Records

MOST_ITEMS = 300  # limits the time, because a matrix of items is solved for each rater
RANK_TOLERANCE = 1e-8  # eigenvalues below this share of the largest count as 0


@dataclass(frozen=True, slots=True)
class RaterDifference:
    """Score test that the worths of one rater equal the common worths.

    Attributes
    ----------
    rater
        Rater.
    answers
        Number of the rater's answers.
    statistic
        Chi-square statistic. The approximation is poor if `answers` is small relative to `df`.
    df
        Degrees of freedom.
    p
        P value.
    excess
        Observed minus expected wins of each item, where a tie is half a win.
    """

    rater: str
    answers: float
    statistic: float
    df: int
    p: float
    excess: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class _ScoredRows:
    """Comparisons by rater and pair: scores, variances and covariances with ties, under common worths."""

    rater: Codes
    left: Codes
    right: Codes
    score: Vector
    variance: Vector
    with_tie: Vector
    tie_variance: float
    answers: Vector


def differing_raters(
    judgments: Judgments, log_worth: Mapping[str, float], tie: float | None = None
) -> Records[RaterDifference]:
    """Test for every rater whether their worths differ from the common worths.

    The statistic is U' (I - B J^-1 B')^- U, with the rater's scores U of the items, their information I, the
    information B between the rater's and the common effects, and the information J of all raters.

    Parameters
    ----------
    judgments
        Comparisons with raters.
    log_worth
        Common log-worth of every item.
    tie
        Common tie parameter, log nu of Davidson (1970). Default: ties are excluded.

    Returns
    -------
    Records of RaterDifference
        One test per rater.

    Raises
    ------
    NothingToTest
        If there are more than 300 items.
    UnknownItem
        If an item has no log-worth.
    """
    counts = PairCounts.of(judgments, ["rater"], ordered=False)
    items = [str(item) for item in counts.items]
    if len(items) > MOST_ITEMS:
        fact = f"there are {len(items):,} items, and at most {MOST_ITEMS} can be tested."
        raise NothingToTest("Differences between raters", fact, "Select fewer items.")
    for item in items:
        if item not in log_worth:
            raise UnknownItem(item)
    rows = _rows(counts, np.array([log_worth[item] for item in items]), tie)
    everyone = _information(rows, slice(None), len(items), tie is not None)
    common: Matrix = np.linalg.pinv(everyone, hermitian=True).astype(np.float64)
    labels = judgments.vocabularies["rater"].in_order()[0].labels
    order = np.argsort(rows.rater, kind="stable")
    raters, starts = np.unique(rows.rater[order], return_index=True)
    rows_by_rater = zip(raters.tolist(), np.split(order, starts[1:]), strict=True)
    return Records(_tested(str(labels[rater]), rows, own, common, items) for rater, own in rows_by_rater)


def _rows(counts: PairCounts, worth: Vector, tie: float | None) -> _ScoredRows:
    """Return scores and variances: d log P / d ability = (y - E y) / 2, y = 1, 0, -1 for first, tie, second."""
    half = 0.5 * (worth[counts.left] - worth[counts.right])
    ties = np.zeros(len(half)) if tie is None else counts.counts[TIE]
    total = counts.counts[FIRST] + counts.counts[SECOND] + ties
    weights = np.stack([np.exp(half), np.full(len(half), 0.0 if tie is None else np.exp(tie)), np.exp(-half)])
    first, tied, second = weights / weights.sum(axis=0)
    mean = first - second
    return _ScoredRows(
        rater=np.asarray(counts.cells["rater"].values, dtype=np.int64),
        left=counts.left.astype(np.int64),
        right=counts.right.astype(np.int64),
        score=0.5 * (counts.counts[FIRST] - counts.counts[SECOND] - total * mean),
        variance=0.25 * total * (first + second - mean**2),
        with_tie=-0.5 * total * mean * tied,
        tie_variance=float(np.sum(total * tied * (1.0 - tied))),
        answers=total,
    )


def _information(rows: _ScoredRows, own: slice | Codes, items: int, tie: bool) -> Matrix:
    """Return the information of items and, if there is one, of the tie parameter."""
    left, right, variance = rows.left[own], rows.right[own], rows.variance[own]
    size = items + tie
    matrix = np.zeros((size, size))
    for one, other, sign in ((left, left, 1), (right, right, 1), (left, right, -1), (right, left, -1)):
        np.add.at(matrix, (one, other), sign * variance)
    if tie:
        matrix[:items, -1] = matrix[-1, :items] = _by_item(left, right, rows.with_tie[own], items)
        matrix[-1, -1] = rows.tie_variance
    return matrix


def _by_item(left: Codes, right: Codes, values: Vector, items: int) -> Vector:
    return sum_by(left, values, items) - sum_by(right, values, items)


def _tested(rater: str, rows: _ScoredRows, own: Codes, common: Matrix, items: list[str]) -> RaterDifference:
    from scipy.special import chdtrc  # SciPy is slow to import

    size = len(items)
    score = _by_item(rows.left[own], rows.right[own], rows.score[own], size)
    mine = _information(rows, own, size, len(common) > size)[:size]
    statistic, df = _quadratic(score, mine[:, :size] - mine @ common @ mine.T, mine[:, :size])
    p = float(chdtrc(df, statistic)) if df else 1.0
    excess = dict(zip(items, score.tolist(), strict=True))
    return RaterDifference(rater, float(rows.answers[own].sum()), statistic, df, p, excess)


def _quadratic(score: Vector, variance: Matrix, links: Matrix) -> tuple[float, int]:
    """Return score' variance^- score and the rank.

    A shift of all items that a rater connected has no variance. With a value added for these shifts, the matrix has a
    Cholesky factor, unless no other rater compared the same items.
    """
    from scipy.linalg import solve_triangular  # SciPy is slow to import
    from scipy.sparse import csr_array  # SciPy is slow to import
    from scipy.sparse.csgraph import connected_components  # SciPy is slow to import

    groups, group = connected_components(csr_array(links), directed=False)
    same = np.equal(group[:, None], group)
    size = float(np.trace(links)) / len(score)
    try:
        root = np.linalg.cholesky(variance + size * same / same.sum(axis=1))
    except np.linalg.LinAlgError:
        return _by_singular_values(score, variance, links)
    if np.diag(root).min() ** 2 < RANK_TOLERANCE * size:
        return _by_singular_values(score, variance, links)
    half = solve_triangular(root, score, lower=True)
    return float(half @ half), len(score) - groups


def _by_singular_values(score: Vector, variance: Matrix, links: Matrix) -> tuple[float, int]:
    """Return the same for any rank, which takes longer."""
    vectors, values, _ = np.linalg.svd(variance)
    positive = values > RANK_TOLERANCE * float(np.abs(links).max())
    return float(np.sum((vectors[:, positive].T @ score) ** 2 / values[positive])), int(positive.sum())
