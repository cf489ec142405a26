"""Kendall's W, and mean correlations of rankings of the same items."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from steelyard.errors import NothingToTest
from steelyard.judgments.findings import counted
from steelyard.maths.arrays import Codes, Mask, Matrix, Vector, sum_by
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
    if n < 2 or m < 2:
        few = counted(n, "item") if n < 2 else counted(m, "rater")
        remedy = "Collect ratings of two or more items by two or more raters."
        raise NothingToTest("Kendall's W", f"there is only {few}.", remedy)
    if not ratings.complete:
        raise NothingToTest(
            "Kendall's W",
            "some raters did not rate all items.",
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


class SetCorrelations:
    """Rankings of several sets of items as unit vectors, whose products within a set are correlations.

    Parameters
    ----------
    matrices
        Ranks of each set, one row per ranking and one column per item, with the codes of the rankings. Equal ranks are
        ties; rankings that tie all items are left out.
    """

    def __init__(self, matrices: Iterable[tuple[Matrix, Codes]]) -> None:
        self._stacks: list[tuple[Codes, Codes, Matrix, Matrix]] = []
        for same_size in _by_size(matrices).values():
            ranks, answers = (np.concatenate([each[at] for each in same_size]) for at in range(2))
            group = np.repeat(np.arange(len(same_size)), [len(each) for _, each in same_size])
            varied = np.ptp(ranks, axis=1) > 0
            self._stacks.append((group[varied], answers[varied], *_unit_vectors(ranks[varied])))

    def means(self, keep: Mask) -> Vector:
        """Return the means of Spearman's rho and Kendall's tau-b over all pairs of kept rankings of the same items.

        The sum over the pairs of a set is (|sum of unit vectors|^2 - rankings) / 2.
        """
        sums = np.zeros(3)
        for group, answers, rho, tau in self._stacks:
            kept = keep[answers]
            own = group[kept]
            number = np.bincount(own)
            products = [
                sum(float(np.sum(sum_by(own, column) ** 2)) for column in vectors[kept].T)
                for vectors in (rho, tau)
            ]
            sums += np.array([*(np.array(products) - len(own)) / 2.0, np.sum(number * (number - 1)) / 2.0])
        return sums[:2] / sums[2] if sums[2] else np.full(2, np.nan)


def _by_size(matrices: Iterable[tuple[Matrix, Codes]]) -> dict[int, list[tuple[Matrix, Codes]]]:
    by_size: dict[int, list[tuple[Matrix, Codes]]] = {}
    for ranks, answers in matrices:
        by_size.setdefault(ranks.shape[1], []).append((ranks, answers))
    return by_size


def _unit_vectors(ranks: Matrix) -> tuple[Matrix, Matrix]:
    """Return centred ranks and signs of differences of each ranking, of length 1."""
    one, other = np.triu_indices(ranks.shape[1], 1)
    centred = average_ranks(ranks) - (ranks.shape[1] + 1) / 2.0
    rho, tau = (
        vectors / np.sqrt(np.sum(vectors**2, axis=1, keepdims=True))
        for vectors in (centred, np.sign(ranks[:, one] - ranks[:, other]))
    )
    return rho, tau


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
