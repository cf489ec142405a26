"""Intraclass correlations of incomplete tables, from variance components estimated by REML."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.errors import NothingToTest
from steelyard.maths.arrays import Codes, Vector, sum_by
from steelyard.maths.mixed import Effect, MixedDesign
from steelyard.maths.reml import Reml, fit_reml
from steelyard.quality.agreement.intraclass import FORMS, Icc, MeanSquares, one_way_forms, two_way_forms
from steelyard.quality.agreement.ratings import Ratings, RatingTable, as_ratings

SMALLEST_START = 1e-2  # relative standard deviation from which the search starts at least


@dataclass(frozen=True, slots=True)
class OneWayAnova:
    """Analysis of variance of ratings by item.

    Attributes
    ----------
    per_item
        n0 = (N - sum m^2 / N) / (n - 1), the ratings per item; their number if all items have equally many.
    between
        Mean square between items.
    within
        Mean square within items.
    icc
        ICC(1,1) with F limits, which are approximate if the numbers of ratings differ.
    """

    per_item: float
    between: float
    within: float
    icc: Icc


@dataclass(frozen=True, eq=False)
class VarianceComponents:
    """Intraclass correlations of a table that may be incomplete.

    Attributes
    ----------
    items
        Variance between items, of the two-way model.
    raters
        Variance between raters.
    residual
        Residual variance.
    one_way_items
        Variance between items, of the one-way model without raters.
    one_way_residual
        Residual variance of the one-way model.
    forms
        Six intraclass correlations by form.
    per_item
        Harmonic mean of the ratings per item, the default k of the forms (., k).
    mean_per_item
        Mean of the ratings per item.
    converged
        Whether both searches converged.
    """

    items: float
    raters: float
    residual: float
    one_way_items: float
    one_way_residual: float
    forms: dict[str, Icc]
    per_item: float
    mean_per_item: float
    converged: bool


def variance_components(table: RatingTable, panel: float | None = None) -> VarianceComponents:
    """Return intraclass correlations from the variances of items, raters and error, estimated by REML.

    The model is value = mean + item + rater + error, with random effects of items and raters:

        ICC(2,1) = vi / (vi + vr + ve),  ICC(3,1) = vi / (vi + ve)

    ICC(1,1) is from a model without raters. The forms (., k) divide the error part by the harmonic mean of the ratings
    per item. Complete tables have the same values as `intraclass` unless a variance would be negative. The limits are
    those of a complete table with mean squares and degrees of freedom in the place of the incomplete ones; they are
    approximate.

    Parameters
    ----------
    table
        Matrix with one row per item and one column per rater, NaN where a rating is missing, or `Ratings`.
    panel
        Number of ratings that the forms (., k) average. Default: the harmonic mean of the ratings per item.

    Returns
    -------
    VarianceComponents
        Variances and intraclass correlations.

    Raises
    ------
    NothingToTest
        If there are too few ratings to separate items, raters and error.

    Examples
    --------
    >>> ratings = [[9, 2, 5, 8], [6, 1, 3, None], [8, 4, None, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    >>> round(variance_components(ratings).forms["ICC(3,1)"].value, 2)
    0.81
    """
    ratings = as_ratings(table).compact()
    _check_separable(ratings)
    both = _fitted(ratings, ("item", "rater"))
    one = _fitted(ratings, ("item",))
    vi, vr, ve = (both.solved.variances[name] for name in ("item", "rater", "residual"))
    squares = _equivalent_squares(ratings, vi, vr, ve)
    harmonic = ratings.items / float(np.sum(1.0 / ratings.per_item))
    averaged = harmonic if panel is None else panel
    forms = _one_way_forms(ratings, one, averaged) | two_way_forms(squares, averaged)
    return VarianceComponents(
        vi,
        vr,
        ve,
        one.solved.variances["item"],
        one.solved.variances["residual"],
        {form: forms[form] for form in FORMS},
        harmonic,
        len(ratings) / ratings.items,
        both.converged and one.converged,
    )


def _check_separable(ratings: Ratings) -> None:
    items, raters, total = ratings.items, ratings.raters, len(ratings)
    if items < 2 or raters < 2 or total < items + raters:
        raise NothingToTest(
            "ICC",
            f"{total} ratings of {items} items by {raters} raters do not separate items, raters and error.",
            "Collect more ratings per item.",
        )


def one_way_anova(table: RatingTable) -> OneWayAnova:
    """Return the one-way analysis of variance of ratings by item, and ICC(1,1) from it.

    >>> round(one_way_anova([[9, 2, 5, 8], [6, 1, 3, None], [8, 4, None, 8]]).per_item, 2)
    3.3
    """
    ratings = as_ratings(table).compact()
    return one_way_of(ratings.item, ratings.value, ratings.items)


def one_way_of(item: Codes, value: Vector, items: int) -> OneWayAnova:
    """Return the one-way analysis of variance of values by item.

    Parameters
    ----------
    item
        Code of the item of each value.
    value
        Values.
    items
        Number of items, each with at least one value.

    Returns
    -------
    OneWayAnova
        Mean squares, and NaN as the correlation if no item has two values.
    """
    total, sizes = len(value), np.bincount(item, minlength=items).astype(np.float64)
    centred = value - value.mean() if total else value
    means = sum_by(item, centred, items) / sizes
    size = _mean_size(sizes)
    within_df = total - items
    between = float(np.sum(sizes * means**2)) / (items - 1) if items > 1 else float("nan")
    within = float(np.sum((centred - means[item]) ** 2)) / within_df if within_df > 0 else float("nan")
    forms = one_way_forms(between, within, items - 1, within_df, size)
    return OneWayAnova(size, between, within, forms["ICC(1,1)"])


def _mean_size(sizes: Vector) -> float:
    """Return n0 = (N - sum m^2 / N) / (n - 1)."""
    total = float(sizes.sum())
    return (total - float(np.sum(sizes**2)) / total) / (len(sizes) - 1) if len(sizes) > 1 else float("nan")


def _one_way_forms(ratings: Ratings, one: Reml, panel: float) -> dict[str, Icc]:
    vi, ve = (one.solved.variances[name] for name in ("item", "residual"))
    size = _mean_size(ratings.per_item.astype(np.float64))
    return one_way_forms(
        size * vi + ve, ve, ratings.items - 1, len(ratings) - ratings.items, size, panel=panel
    )


def _equivalent_squares(ratings: Ratings, vi: float, vr: float, ve: float) -> MeanSquares:
    """Return mean squares with the expectations of Henderson's method 3, at the estimated variances.

    Items adjusted for raters have the factor (N - raters) / (items - 1), and raters adjusted for items
    (N - items) / (raters - 1).
    """
    items, raters, total = ratings.items, ratings.raters, len(ratings)
    per_item, per_rater = (total - raters) / (items - 1), (total - items) / (raters - 1)
    return MeanSquares(
        per_item * vi + ve,
        per_rater * vr + ve,
        ve,
        items - 1,
        raters - 1,
        total - items - raters + 1,
        per_item,
        per_rater,
    )


def _fitted(ratings: Ratings, effects: tuple[str, ...]) -> Reml:
    """Fit value = mean + random effects + error; values are standardised for the search."""
    codes = {"item": (ratings.item, ratings.items), "rater": (ratings.rater, ratings.raters)}
    return fit_random(ratings.value, {name: codes[name] for name in effects})


def fit_random(value: Vector, effects: dict[str, tuple[Codes, int]]) -> Reml:
    """Fit a model with a mean and random effects by REML.

    Parameters
    ----------
    value
        Values.
    effects
        Codes of the levels and number of levels of each random effect, by name.

    Returns
    -------
    Reml
        The fit. Its variances have the names of the effects, and `residual`.
    """
    ones = np.zeros(len(value), dtype=np.int64)
    random = [Effect(name, codes, levels) for name, (codes, levels) in effects.items()]
    largest = int(np.argmax([effect.levels for effect in random]))
    design = MixedDesign(
        value - value.mean(),
        np.ones(len(value)),
        (*random, Effect("mean", ones, 1, random=False)),
        largest,
    )
    return fit_reml(design, np.array([_start(value, codes, levels) for codes, levels in effects.values()]))


def _start(value: Vector, codes: Codes, levels: int) -> float:
    """Return a relative standard deviation to start from: that of a one-way layout, between bounds."""
    anova = one_way_of(codes, value, levels)
    if not anova.within > 0.0 or not np.isfinite(anova.between):
        return 1.0
    variance = (anova.between / anova.within - 1.0) / anova.per_item
    return float(np.sqrt(np.clip(variance, SMALLEST_START**2, 1e4)))
