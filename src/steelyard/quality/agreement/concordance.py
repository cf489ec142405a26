"""Kendall's W, and mean correlations of rankings of the same items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.errors import NothingToTest
from steelyard.maths.arrays import Codes, Matrix, Vector, sum_by
from steelyard.quality.agreement.ratings import RatingTable, as_ratings
from steelyard.quality.friedman import average_ranks


@dataclass(frozen=True, slots=True)
class Concordance:
    """Kendall's coefficient of concordance.

    Attributes
    ----------
    w
        Kendall's W, corrected for ties: 1 if all raters agree, about 1 / raters if they are unrelated.
    w_uncorrected
        W without the correction.
    statistic
        Chi-square m (n - 1) W, which equals Friedman's.
    df
        Degrees of freedom n - 1.
    p
        P value of the hypothesis that raters are unrelated.
    items
        Number of items, n.
    raters
        Number of raters, m.
    """

    w: float
    w_uncorrected: float
    statistic: float
    df: int
    p: float
    items: int
    raters: int


def kendall_w(table: RatingTable) -> Concordance:
    """Return Kendall's W of a complete table.

        W = 12 S / (m^2 (n^3 - n) - m T)

    S is the sum of squared deviations of the rank sums, T the sum of t^3 - t over all groups of t tied ratings.

    Parameters
    ----------
    table
        Matrix with one row per item and one column per rater, without missing values, or `Ratings`.

    Returns
    -------
    Concordance
        W and its test. W is NaN if every rater ties all items.

    Raises
    ------
    NothingToTest
        If values are missing, or there are fewer than 2 items or raters.

    References
    ----------
    - Kendall, M. G. & Babington Smith, B. (1939). The problem of m rankings.

    Examples
    --------
    >>> round(kendall_w([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6]]).w, 3)
    0.855
    """
    ratings = as_ratings(table)
    n, m = ratings.items, ratings.raters
    if not ratings.complete or n < 2 or m < 2:
        raise NothingToTest(
            "Kendall's W",
            "the table is not complete, or has fewer than 2 items or raters.",
            "Use the mean pairwise Spearman correlation.",
        )
    ranks = average_ranks(ratings.matrix().T)
    sums = ranks.sum(axis=0)
    spread = float(np.sum((sums - sums.mean()) ** 2))
    # Ranks without ties have the squares n (n^2 - 1) / 12; ties of t remove (t^3 - t) / 12.
    ties = m * (n**3 - n) - 12.0 * float(np.sum((ranks - (n + 1) / 2.0) ** 2))
    most = m**2 * (n**3 - n)
    w = 12.0 * spread / (most - m * ties) if most - m * ties > 1e-9 * most else float("nan")
    return Concordance(w, 12.0 * spread / most, m * (n - 1) * w, n - 1, _p(m * (n - 1) * w, n - 1), n, m)


def mean_correlation(w: float, raters: float) -> float:
    """Return the mean Spearman correlation of all pairs of raters that W implies, (m W - 1) / (m - 1).

    >>> mean_correlation(1.0, 4), mean_correlation(0.25, 4)
    (1.0, 0.0)
    """
    return (raters * w - 1.0) / (raters - 1.0)


def rank_correlations(ranks: Matrix) -> tuple[float, float, int]:
    """Return sums of the correlations of all pairs of rankings of the same items.

    Parameters
    ----------
    ranks
        One row per ranking, one column per item; equal ranks are ties.

    Returns
    -------
    tuple of float, float and int
        Sum of Spearman's rho, sum of Kendall's tau-b, and the number of pairs. Rankings that tie all items are left
        out.
    """
    varied = ranks[np.ptp(ranks, axis=1) > 0]
    one, other = np.triu_indices(ranks.shape[1], 1)
    signs = np.sign(varied[:, one] - varied[:, other])
    centred = average_ranks(varied) - (ranks.shape[1] + 1) / 2.0 if len(varied) else varied
    pairs = len(varied) * (len(varied) - 1) // 2
    return _sum_of_pairs(centred), _sum_of_pairs(signs), pairs


def _sum_of_pairs(vectors: Matrix) -> float:
    """Return the sum of the cosines of all pairs of rows: (|sum of unit vectors|^2 - rows) / 2."""
    if len(vectors) < 2:
        return 0.0
    units = vectors / np.sqrt(np.sum(vectors**2, axis=1, keepdims=True))
    return float(np.sum(units.sum(axis=0) ** 2) - len(vectors)) / 2.0


def _p(statistic: float, df: int) -> float:
    from scipy.special import chdtrc  # SciPy is slow to import

    return float(chdtrc(df, statistic)) if np.isfinite(statistic) else float("nan")


def same_sets(item: Codes, answer: Codes, start: Codes) -> Codes:
    """Return for each answer a code of its set of items, equal for answers about the same items.

    Parameters
    ----------
    item
        Item of each row.
    answer
        Answer that each row belongs to, from 0 without gaps.
    start
        Code of each answer in which the sets must agree, too, such as its segment.

    Returns
    -------
    Codes
        One code per answer, from 0.
    """
    size = int(answer.max(initial=-1)) + 1
    # Two random weights per item: sets with equal sums are equal, except with negligible probability.
    weights = (
        np.random.default_rng(0).integers(1, 2**40, (2, int(item.max(initial=0)) + 1)).astype(np.float64)
    )
    sums: list[Vector] = [sum_by(answer, weight[item], size) for weight in weights]
    keys = np.column_stack([start, np.bincount(answer, minlength=size), *sums])
    return np.asarray(np.unique(keys, axis=0, return_inverse=True)[1], dtype=np.int64).ravel()
