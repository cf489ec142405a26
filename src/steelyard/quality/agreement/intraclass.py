"""Intraclass correlations of complete tables: the six forms of Shrout & Fleiss."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.errors import NothingToTest
from steelyard.judgments.findings import counted
from steelyard.quality.agreement.intervals import LEVEL, Interval, no_interval
from steelyard.quality.agreement.ratings import Ratings, RatingTable, as_ratings

NO_VARIANCE = 1e-150  # mean square below which all ratings are equal, and its square is 0
FORMS = ("ICC(1,1)", "ICC(2,1)", "ICC(3,1)", "ICC(1,k)", "ICC(2,k)", "ICC(3,k)")


@dataclass(frozen=True, slots=True)
class MeanSquares:
    """Mean squares of ratings by item and rater, with their degrees of freedom.

    Attributes
    ----------
    items
        Mean square between items.
    raters
        Mean square between raters.
    error
        Mean square of the rest in the two-way layout.
    items_df
        Number of items minus 1.
    raters_df
        Number of raters minus 1.
    error_df
        Degrees of freedom of `error`.
    per_item
        Ratings per item: the factor of the variance between items in the expectation of `items`.
    per_rater
        Ratings per rater: the factor of the variance between raters in the expectation of `raters`.
    """

    items: float
    raters: float
    error: float
    items_df: float
    raters_df: float
    error_df: float
    per_item: float
    per_rater: float


@dataclass(frozen=True, slots=True)
class Icc:
    """One intraclass correlation.

    Attributes
    ----------
    form
        Form, such as "ICC(2,1)".
    value
        The correlation; NaN if it is undefined.
    interval
        95% limits.
    """

    form: str
    value: float
    interval: Interval


@dataclass(frozen=True, eq=False)
class IntraclassTable:
    """The six intraclass correlations of a complete table.

    Attributes
    ----------
    forms
        The correlations by form.
    squares
        Mean squares of the two-way layout.
    within
        Mean square within items, of the one-way layout.
    items
        Number of items.
    raters
        Number of raters, k.
    """

    forms: dict[str, Icc]
    squares: MeanSquares
    within: float
    items: int
    raters: int


def intraclass(table: RatingTable) -> IntraclassTable:
    """Return the six intraclass correlations of a complete table (Shrout & Fleiss 1979).

    With mean squares MSR of items, MSC of raters, MSE of error and MSW within items, n items and k raters:

        ICC(1,1) = (MSR - MSW) / (MSR + (k - 1) MSW)
        ICC(2,1) = (MSR - MSE) / (MSR + (k - 1) MSE + k (MSC - MSE) / n)
        ICC(3,1) = (MSR - MSE) / (MSR + (k - 1) MSE)

    The forms (., k) are about the mean of k raters. Limits of forms 1 and 3 are exact F limits; those of form 2 use
    Satterthwaite's degrees of freedom.

    Parameters
    ----------
    table
        Matrix with one row per item and one column per rater, without missing values, or `Ratings`.

    Returns
    -------
    IntraclassTable
        The correlations with 95% limits.

    Raises
    ------
    NothingToTest
        If values are missing, or there are fewer than 2 items or raters. `variance_components` takes missing values.

    References
    ----------
    - Shrout, P. E. & Fleiss, J. L. (1979). Intraclass correlations. Psychological Bulletin 86.
    - McGraw, K. O. & Wong, S. P. (1996). Forming inferences about some intraclass correlation coefficients.

    Examples
    --------
    >>> ratings = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    >>> {form: round(icc.value, 2) for form, icc in intraclass(ratings).forms.items()}
    {'ICC(1,1)': 0.17, 'ICC(2,1)': 0.29, 'ICC(3,1)': 0.71, 'ICC(1,k)': 0.44, 'ICC(2,k)': 0.62, 'ICC(3,k)': 0.91}
    """
    ratings = as_ratings(table)
    _check_complete(ratings)
    n, k, values = ratings.items, ratings.raters, ratings.matrix()
    rest = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
    items = k * float(np.var(values.mean(axis=1))) * n / (n - 1)
    raters = n * float(np.var(values.mean(axis=0))) * k / (k - 1)
    error_df = (n - 1) * (k - 1)
    squares = MeanSquares(
        items, raters, float(np.sum(rest**2)) / error_df, n - 1, k - 1, error_df, float(k), float(n)
    )
    within = float(np.sum((values - values.mean(axis=1, keepdims=True)) ** 2)) / (n * (k - 1))
    one_way = one_way_forms(items, within, n - 1, n * (k - 1), float(k))
    forms = one_way | two_way_forms(squares, float(k))
    return IntraclassTable({form: forms[form] for form in FORMS}, squares, within, n, k)


def _check_complete(ratings: Ratings) -> None:
    n, k = ratings.items, ratings.raters
    if n < 2 or k < 2:
        few = counted(n, "item") if n < 2 else counted(k, "rater")
        raise NothingToTest(
            "ICC", f"there is only {few}.", "Collect ratings of two or more items by two or more raters."
        )
    if not ratings.complete:
        raise NothingToTest(
            "ICC", "ratings are missing.", "Use variance_components, which takes incomplete tables."
        )


def one_way_forms(
    between: float,
    within: float,
    between_df: float,
    within_df: float,
    size: float,
    *,
    panel: float | None = None,
) -> dict[str, Icc]:
    """Return ICC(1,1) and ICC(1,k) from the mean squares of a one-way layout.

    Parameters
    ----------
    between
        Mean square between items.
    within
        Mean square within items.
    between_df
        Degrees of freedom between items.
    within_df
        Degrees of freedom within items.
    size
        Ratings per item, the factor of the variance between items in the expectation of `between`.
    panel
        Number of ratings that ICC(1,k) averages. Default: `size`.

    Returns
    -------
    dict
        The two forms, with F limits.
    """
    single = _ratio(between - within, between + (size - 1.0) * within)
    limits = _f_limits(between, within, between_df, within_df, size)
    return _both("1", single, limits, size if panel is None else panel)


def two_way_forms(squares: MeanSquares, panel: float) -> dict[str, Icc]:
    """Return the forms 2 and 3 of the intraclass correlation from the mean squares of a two-way layout.

    Parameters
    ----------
    squares
        Mean squares, also of an unbalanced layout, if they were made from variance components.
    panel
        Number of ratings that the forms (., k) average.

    Returns
    -------
    dict
        Four forms with F limits.
    """
    items, raters, error, k, n = (
        squares.items,
        squares.raters,
        squares.error,
        squares.per_item,
        squares.per_rater,
    )
    agreement = _ratio(items - error, items + (k - 1.0) * error + k * (raters - error) / n)
    consistency = _ratio(items - error, items + (k - 1.0) * error)
    limits = _f_limits(items, error, squares.items_df, squares.error_df, k)
    return {
        **_both("2", agreement, _agreement_limits(squares, agreement), panel),
        **_both("3", consistency, limits, panel),
    }


def stepped_up(value: float, times: float) -> float:
    """Return the reliability of a mean of `times` as many ratings: Spearman-Brown, t r / (1 + (t - 1) r).

    >>> round(stepped_up(0.5, 2), 3)
    0.667
    """
    return _ratio(times * value, 1.0 + (times - 1.0) * value)


def _both(form: str, single: float, limits: tuple[float, float], panel: float) -> dict[str, Icc]:
    """Return a form for one rating, and for the mean of a panel."""
    mean = tuple(stepped_up(limit, panel) for limit in limits)
    return {
        f"ICC({form},1)": Icc(f"ICC({form},1)", single, _interval(limits)),
        f"ICC({form},k)": Icc(f"ICC({form},k)", stepped_up(single, panel), _interval((mean[0], mean[1]))),
    }


def _interval(limits: tuple[float, float]) -> Interval:
    return Interval(*limits, "F limits") if np.all(np.isfinite(limits)) else no_interval("too few ratings")


def _f_limits(
    items: float, error: float, items_df: float, error_df: float, size: float
) -> tuple[float, float]:
    """Return limits of (F - 1) / (F + k - 1) for F = items / error."""
    if error <= 0.0 or items_df <= 0 or error_df <= 0:
        return float("nan"), float("nan")
    f = items / error
    low, high = f / _f_quantile(items_df, error_df), f * _f_quantile(error_df, items_df)
    return _ratio(low - 1.0, low + size - 1.0), _ratio(high - 1.0, high + size - 1.0)


def _agreement_limits(squares: MeanSquares, value: float) -> tuple[float, float]:
    """Return limits of ICC(2,1).

    With theta = ICC / (1 - ICC), E MSR = a E MSC + b E MSE for a = k theta / n and b = 1 + k theta (n - 1) / n. The
    ratio MSR / (a MSC + b MSE) has approximately an F distribution, with Satterthwaite's degrees of freedom at the
    estimate. Each limit is the theta at which the ratio equals a quantile.
    """
    items, raters, error, k, n = (
        squares.items,
        squares.raters,
        squares.error,
        squares.per_item,
        squares.per_rater,
    )
    if error <= NO_VARIANCE or squares.error_df <= 0 or squares.raters_df <= 0 or not value < 1.0:
        return float("nan"), float("nan")
    theta = value / (1.0 - value)
    a, b = k * theta / n, 1.0 + k * theta * (n - 1.0) / n
    freedom = (a * raters + b * error) ** 2
    freedom /= (a * raters) ** 2 / squares.raters_df + (b * error) ** 2 / squares.error_df
    unit = k * (raters + (n - 1.0) * error) / n
    low = (items / _f_quantile(squares.items_df, freedom) - error) / unit
    high = (items * _f_quantile(freedom, squares.items_df) - error) / unit
    return _ratio(low, 1.0 + low), _ratio(high, 1.0 + high)


def _f_quantile(one: float, other: float) -> float:
    from scipy.special import fdtri  # SciPy is slow to import

    return float(fdtri(one, other, 0.5 + LEVEL / 2.0))


def _ratio(above: float, below: float) -> float:
    return above / below if below != 0.0 else float("nan")
