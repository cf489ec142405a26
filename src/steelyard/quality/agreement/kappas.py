"""Cohen's kappa, weighted or not, Light's kappa and Fleiss' kappa."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from steelyard.errors import BadSetting, NothingToTest, UnknownName
from steelyard.maths.arrays import Matrix, Vector
from steelyard.quality.agreement.intervals import Interval, no_interval, resampled
from steelyard.quality.agreement.ratings import RatingTable, as_ratings
from steelyard.quality.agreement.value_counts import count_values

WEIGHTS = ("none", "linear", "quadratic")
NORMAL = 1.959963984540054  # 97.5% point of the normal distribution


@dataclass(frozen=True, eq=False)
class CohenKappa:
    """Cohen's kappa of two raters.

    Attributes
    ----------
    kappa
        Kappa; NaN if both raters use one and the same category throughout.
    error
        Large-sample standard error (Fleiss, Cohen & Everitt 1969).
    error_null
        Standard error if the true kappa is 0.
    observed
        Observed weighted agreement.
    expected
        Weighted agreement expected by chance.
    categories
        Categories between which the weights are computed.
    items
        Number of items that both raters judged.
    """

    kappa: float
    error: float
    error_null: float
    observed: float
    expected: float
    categories: tuple[Any, ...]
    items: float

    @property
    def interval(self) -> Interval:
        """Normal interval of the large-sample error, cut at -1 and 1."""
        if not np.isfinite(self.kappa):
            return no_interval("the statistic is undefined")
        reach = NORMAL * self.error
        return Interval(
            max(self.kappa - reach, -1.0), min(self.kappa + reach, 1.0), "normal, large-sample error"
        )


@dataclass(frozen=True, eq=False)
class FleissKappa:
    """Fleiss' kappa.

    Attributes
    ----------
    kappa
        Kappa; NaN if only one category is used.
    error_null
        Large-sample standard error if the true kappa is 0 (Fleiss, Nee & Landis 1979).
    observed
        Observed agreement.
    expected
        Agreement expected by chance.
    categories
        The categories; numbers if only counts are known.
    proportions
        Proportion of each category.
    category_kappas
        Kappa of each category against all others.
    items
        Number of items.
    ratings
        Number of ratings per item.
    """

    kappa: float
    error_null: float
    observed: float
    expected: float
    categories: tuple[Any, ...]
    proportions: Vector
    category_kappas: Vector
    items: int
    ratings: int


def cohen_kappa(
    first: Sequence[Any],
    second: Sequence[Any],
    weights: str | Matrix = "none",
    categories: Sequence[Any] | None = None,
) -> CohenKappa:
    r"""Return Cohen's kappa of two raters of the same items.

    .. math:: \kappa = \frac{p_o - p_e}{1 - p_e}, \quad
        p_o = \sum_{ij} w_{ij} p_{ij}, \quad p_e = \sum_{ij} w_{ij} p_{i \cdot} p_{\cdot j}

    The agreement weights are `w_ij = 1` for equal categories and 0 otherwise, `1 - |i - j| / (C - 1)` (linear), or
    `1 - (i - j)^2 / (C - 1)^2` (quadratic), where `i` and `j` are places among the `C` categories.

    Parameters
    ----------
    first, second
        Categories given by the raters to the items, in the same order. Items with None or NaN are left out.
    weights
        "none" (default), "linear", "quadratic", or a matrix of disagreement weights v, which become 1 - v / max v.
    categories
        All points of the scale in order. Default: the categories that at least one of the raters uses.

    Returns
    -------
    CohenKappa
        Kappa and its standard errors.

    References
    ----------
    - Cohen, J. (1968). Weighted kappa. Psychological Bulletin 70.
    - Fleiss, J. L., Cohen, J. & Everitt, B. S. (1969). Large sample standard errors of kappa and weighted kappa.

    Examples
    --------
    >>> round(cohen_kappa([1, 2, 3, 3], [1, 2, 3, 2], weights="linear").kappa, 3)
    0.714
    """
    pairs = [(one, other) for one, other in zip(first, second, strict=True) if _given(one) and _given(other)]
    used = sorted({cell for pair in pairs for cell in pair}) if categories is None else list(categories)
    place = {category: at for at, category in enumerate(used)}
    unknown = sorted({str(cell) for pair in pairs for cell in pair if cell not in place})
    if unknown:
        raise BadSetting("categories", f"{unknown[0]} is used, but not among them. Add it.")
    counts = np.zeros((len(used), len(used)))
    for one, other in pairs:
        counts[place[one], place[other]] += 1.0
    return cohen_kappa_of_counts(counts, weights, used)


def cohen_kappa_of_counts(
    counts: Matrix, weights: str | Matrix = "none", categories: Sequence[Any] | None = None
) -> CohenKappa:
    """Return Cohen's kappa from a square table of counts.

    Parameters
    ----------
    counts
        Number of items by category of the first rater (rows) and of the second rater (columns).
    weights
        As in `cohen_kappa`.
    categories
        Names of the categories. Default: 1, 2, 3, ...

    Returns
    -------
    CohenKappa
        Kappa and its standard errors.

    Examples
    --------
    >>> counts = np.array([[88, 14, 18], [10, 40, 10], [2, 6, 12]])
    >>> round(cohen_kappa_of_counts(counts).kappa, 3)
    0.492
    """
    counts = np.asarray(counts, dtype=np.float64)
    named = tuple(range(1, len(counts) + 1)) if categories is None else tuple(categories)
    total, agreement = float(counts.sum()), _agreement_weights(weights, len(counts))
    shares = counts / total if total else counts
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    observed, expected = float(np.sum(agreement * shares)), float(rows @ agreement @ columns)
    if not total or expected >= 1.0 - 1e-12:
        return CohenKappa(*(float("nan"),) * 3, observed, expected, named, total)
    kappa = (observed - expected) / (1.0 - expected)
    margins = (agreement @ columns)[:, None] + rows @ agreement
    at_estimate = np.sum(shares * (agreement - margins * (1.0 - kappa)) ** 2)
    at_estimate -= (kappa - expected * (1.0 - kappa)) ** 2
    at_null = np.sum(np.outer(rows, columns) * (agreement - margins) ** 2) - expected**2
    error, error_null = (
        float(np.sqrt(max(variance, 0.0) / total) / (1.0 - expected)) for variance in (at_estimate, at_null)
    )
    return CohenKappa(kappa, error, error_null, observed, expected, named, total)


def light_kappa(table: RatingTable, weights: str | Matrix = "none") -> float:
    """Return Light's kappa: the mean of Cohen's kappa over all pairs of raters.

    Pairs without a common item, and pairs whose kappa is undefined, are left out. With weights other than "none", all
    pairs use the categories of the whole table.

    >>> round(light_kappa([[1, 1, 1], [2, 2, 3], [3, 3, 3], [2, 2, 2]]), 3)
    0.758
    """
    matrix = as_ratings(table).matrix()
    scale = (
        None
        if isinstance(weights, str) and weights == "none"
        else sorted(set(matrix[~np.isnan(matrix)].tolist()))
    )
    kappas = np.array(
        [
            cohen_kappa(matrix[:, one].tolist(), matrix[:, other].tolist(), weights, scale).kappa
            for one, other in combinations(range(matrix.shape[1]), 2)
        ]
    )
    defined = kappas[np.isfinite(kappas)]
    return float(defined.mean()) if len(defined) else float("nan")


def fleiss_kappa(table: RatingTable) -> FleissKappa:
    """Return Fleiss' kappa of items that all have the same number of ratings.

    Parameters
    ----------
    table
        Matrix with one row per item and one column per rater, or `Ratings`.

    Returns
    -------
    FleissKappa
        Kappa of all categories, and of each category.

    Raises
    ------
    NothingToTest
        If items have different numbers of ratings. Nominal alpha suits these.

    References
    ----------
    - Fleiss, J. L. (1971). Measuring nominal scale agreement among many raters. Psychological Bulletin 76.

    Examples
    --------
    >>> round(fleiss_kappa([[1, 1, 1], [2, 2, 3], [3, 3, 3], [2, 2, 2]]).kappa, 3)
    0.745
    """
    ratings = as_ratings(table)
    given = ratings.per_item[ratings.per_item > 0]
    counts = count_values(ratings)
    if len(given) != counts.items or len(set(counts.sizes.tolist())) != 1:
        raise NothingToTest(
            "Fleiss' kappa",
            "items have different numbers of ratings, or only one.",
            "Use Krippendorff's alpha at level nominal.",
        )
    names = ratings.labels if ratings.labels else tuple(counts.values.tolist())
    return fleiss_kappa_of_counts(counts.table.toarray(), names)


def fleiss_kappa_of_counts(counts: Matrix, categories: Sequence[Any] | None = None) -> FleissKappa:
    """Return Fleiss' kappa from the number of ratings of each item in each category.

        kappa = (Po - Pe) / (1 - Pe),  Po = mean of (sum T^2 - k) / (k (k - 1)),  Pe = sum p_c^2

    Parameters
    ----------
    counts
        Ratings T by item (rows) and category (columns). Every item has k ratings.
    categories
        Names of the categories. Default: 1, 2, 3, ...

    Returns
    -------
    FleissKappa
        Kappa of all categories, and of each category.

    Examples
    --------
    >>> round(fleiss_kappa_of_counts([[3, 0], [1, 2], [0, 3]]).kappa, 3)
    0.55
    """
    counts = np.asarray(counts, dtype=np.float64)
    size = float(counts[0].sum())
    if np.any(counts.sum(axis=1) != size) or size < 2:
        raise NothingToTest(
            "Fleiss' kappa",
            "items have different numbers of ratings, or only one.",
            "Use Krippendorff's alpha at level nominal.",
        )
    shares = counts.mean(axis=0) / size
    spread = shares * (1.0 - shares)
    observed = float(np.mean((np.sum(counts**2, axis=1) - size) / (size * (size - 1.0))))
    expected = float(np.sum(shares**2))
    with np.errstate(invalid="ignore", divide="ignore"):
        split = np.sum(counts * (size - counts), axis=0) / (len(counts) * size * (size - 1.0))
        by_category = np.where(spread > 0.0, 1.0 - split / spread, np.nan)
        whole = spread.sum()
        variance = 2.0 * (whole**2 - np.sum(spread * (1.0 - 2.0 * shares)))
        error = np.sqrt(variance / (len(counts) * size * (size - 1.0))) / whole
    possible = expected < 1.0 - 1e-12
    return FleissKappa(
        (observed - expected) / (1.0 - expected) if possible else float("nan"),
        float(error) if possible else float("nan"),
        observed,
        expected,
        tuple(range(1, counts.shape[1] + 1)) if categories is None else tuple(categories),
        shares,
        by_category,
        len(counts),
        int(size),
    )


def fleiss_over_items(counts: Matrix, rng: np.random.Generator, draws: int = 1000) -> Interval:
    """Return the 95% interval of Fleiss' kappa from a bootstrap over items, or a jackknife if there are few.

    Parameters
    ----------
    counts
        Ratings by item (rows) and category (columns).
    rng
        Source of randomness.
    draws
        Number of samples. Default 1000.

    Returns
    -------
    Interval
        95% limits.
    """
    counts = np.asarray(counts, dtype=np.float64)
    size = float(counts[0].sum())
    own = (np.sum(counts**2, axis=1) - size) / (size * (size - 1.0))

    def kappas(weights: Matrix) -> Vector:
        total = weights.sum(axis=1)
        observed, shares = weights @ own / total, weights @ counts / (size * total[:, None])
        expected = np.sum(shares**2, axis=1)
        possible = expected < 1.0 - 1e-12
        return np.where(possible, (observed - expected) / np.where(possible, 1.0 - expected, 1.0), np.nan)

    return resampled(kappas, len(counts), draws, rng)


def _given(cell: Any) -> bool:
    return cell is not None and not (isinstance(cell, float) and math.isnan(cell))


def _agreement_weights(weights: str | Matrix, size: int) -> Matrix:
    if not isinstance(weights, str):
        given = np.asarray(weights, dtype=np.float64)
        if given.shape != (size, size) or given.max(initial=0.0) <= 0.0:
            raise BadSetting(
                "weights", f"they are not a {size} x {size} matrix of disagreements with a positive value."
            )
        return np.asarray(1.0 - given / given.max())
    if weights not in WEIGHTS:
        raise UnknownName("weights", weights, WEIGHTS)
    if weights == "none" or size < 2:
        return np.eye(size)
    gap: Matrix = np.abs(np.arange(size)[:, None] - np.arange(size)) / (size - 1.0)
    return np.asarray(1.0 - (gap if weights == "linear" else gap**2))
