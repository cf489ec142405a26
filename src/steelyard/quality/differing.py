"""Does a rater answer unlike the others? Score tests against worths that all raters share.

Nothing is fitted here: the common worths come as an argument. A rater who always prefers one item, whose own worths
would be infinite, can be tested all the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from steelyard.errors import NothingToTest, UnknownItem
from steelyard.judgments.counts import FIRST, SECOND, TIE, PairCounts
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes, Matrix, Vector, sum_by

MOST_ITEMS = 300  # a matrix of items is solved for each rater
RANK_TOLERANCE = 1e-8  # of the largest eigenvalue: below, a direction carries no information


@dataclass(frozen=True, slots=True)
class RaterDifference:
    """One rater against all: chi-square of the score test that their worths are those of everyone.

    `excess` says by item how many points (wins and half the ties) the rater gave it beyond what the common worths
    expect. The chi-square is rough where `answers` are few for its `df`.
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
) -> tuple[RaterDifference, ...]:
    """The score test of every rater's own worths, the tie effect `tie` = log nu of Davidson (1970) in common.

    With U the rater's scores of items, I their information and B that of rater and common effects, the statistic
    is U' (I - B J^-1 B')^- U for the information J of everyone. Without a `tie` effect ties are left out.
    """
    counts = PairCounts.of(judgments, ["rater"], ordered=False)
    items = [str(item) for item in counts.items]
    if len(items) > MOST_ITEMS:
        fact = f"{len(items):,} items are more than {MOST_ITEMS}."
        raise NothingToTest("Raters against all", fact, "Choose some of the items.")
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
    return tuple(_tested(str(labels[rater]), rows, own, common, items) for rater, own in rows_by_rater)


def _rows(counts: PairCounts, worth: Vector, tie: float | None) -> _ScoredRows:
    """d log P / d ability = (y - E y) / 2 with y = 1, 0, -1 for first, tie, second; a win's log-odds is ability."""
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
    """Between items, and between items and the tie effect where there is one."""
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
    """score' variance^- score and the rank; a shift of all items that a rater linked has no variance.

    With those shifts filled up the matrix can be factored, unless nobody else compared what the rater did.
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
    """The same for any rank, which takes longer."""
    vectors, values, _ = np.linalg.svd(variance)
    telling = values > RANK_TOLERANCE * float(np.abs(links).max())
    return float(np.sum((vectors[:, telling].T @ score) ** 2 / values[telling])), int(telling.sum())
