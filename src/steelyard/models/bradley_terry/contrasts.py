"""Differences between all pairs of items with adjusted p values, and quasi-variances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.maths.arrays import Codes, Labels, Matrix, Vector
from steelyard.scales.differences import Adjust, differences_of
from steelyard.scales.joint import Joint
from steelyard.scales.tables import Tabular


@dataclass(frozen=True, eq=False, repr=False)
class Contrasts(Tabular):
    """Differences of log-worths for all pairs of items.

    Attributes
    ----------
    left
        First item of each pair.
    right
        Second item of each pair.
    estimate
        Log-worth of `left` minus that of `right`; NaN if no comparison connects them.
    se
        Standard errors.
    z
        Test statistics, estimate / se.
    p
        Adjusted p values.
    adjust
        Adjustment that was used.
    notes
        Remarks, for example if another adjustment than the requested one was used.
    """

    left: Labels
    right: Labels
    estimate: Vector
    se: Vector
    z: Vector
    p: Vector
    adjust: str
    notes: tuple[str, ...] = ()

    def columns(self) -> dict[str, Any]:
        """Return the columns `left`, `right`, `estimate`, `se`, `z` and `p`."""
        return {name: getattr(self, name) for name in ("left", "right", "estimate", "se", "z", "p")}


def all_contrasts(items: Labels, joint: Joint, adjust: Adjust, part: Codes | None = None) -> Contrasts:
    """Return the difference between every item and every later one.

    Parameters
    ----------
    items
        Items, in the order of `joint`.
    joint
        Joint distribution of the positions.
    adjust
        Adjustment of p values.
    part
        Connected part of each item. Pairs of different parts are NaN. Default: all items are connected.

    Returns
    -------
    Contrasts
        One row per pair of items.
    """
    differences = differences_of(items, joint, adjust, part=part)
    z = differences.estimate / np.where(differences.error > 0.0, differences.error, np.nan)
    return Contrasts(
        differences.left,
        differences.right,
        differences.estimate,
        differences.error,
        z,
        differences.p,
        differences.adjust,
        differences.notes,
    )


def _difference_variances(covariance: Matrix, left: Codes, right: Codes) -> Vector:
    own = np.diag(covariance)
    return np.asarray(own[left] + own[right] - 2.0 * covariance[left, right])


def two_sided(z: Vector, df: Vector | float | None = None) -> Vector:
    """Return P(|Z| > |z|) for a standard normal Z, or for a t variable on `df` degrees of freedom."""
    from scipy.special import ndtr, stdtr  # SciPy is slow to import

    return np.asarray(2.0 * (ndtr(-np.abs(z)) if df is None else stdtr(df, -np.abs(z))))


def quantile(level: float, df: Vector | float | None = None) -> Vector:
    """Return the half-width of a two-sided interval in standard errors, normal or t."""
    from scipy.special import ndtri, stdtrit  # SciPy is slow to import

    share = 0.5 + level / 2.0
    return np.asarray(ndtri(share) if df is None else stdtrit(df, share))


@dataclass(frozen=True, eq=False, repr=False)
class QuasiVariances(Tabular):
    """Quasi-variances q, for which q_i + q_j approximates the variance of a difference (Firth & de Menezes 2004).

    Attributes
    ----------
    item
        Items.
    variance
        Quasi-variance of each item. It can be negative.
    worst
        Smallest and largest relative error of the standard error of a difference.
    """

    item: Labels
    variance: Vector
    worst: tuple[float, float]

    @property
    def se(self) -> Vector:
        """Quasi standard errors: square roots of the quasi-variances; NaN for a negative one."""
        return np.sqrt(np.where(self.variance >= 0.0, self.variance, np.nan))

    def columns(self) -> dict[str, Any]:
        """Return the columns `item`, `variance` and `se`."""
        return {"item": self.item, "variance": self.variance, "se": self.se}


def quasi_variances_of(items: Labels, covariance: Matrix) -> QuasiVariances:
    """Return quasi-variances, which minimise the sum over pairs of (log(q_i + q_j) - log var(a_i - a_j))^2."""
    from scipy.optimize import least_squares  # SciPy is slow to import

    left, right = np.triu_indices(len(items), 1)
    wanted = _difference_variances(covariance, left, right)
    rows = np.arange(len(left))

    def residuals(q: Vector) -> Vector:
        return np.log(np.maximum(q[left] + q[right], 1e-300)) - np.log(wanted)

    def slopes(q: Vector) -> Matrix:
        jacobian = np.zeros((len(left), len(items)))
        jacobian[rows, left] = jacobian[rows, right] = 1.0 / np.maximum(q[left] + q[right], 1e-300)
        return jacobian

    if len(items) == 2:
        q = np.full(2, wanted[0] / 2.0)
    else:
        start = np.maximum(np.diag(covariance), 1e-12 * wanted.mean())
        q = least_squares(residuals, start, slopes, method="lm" if len(left) >= len(items) else "trf",
                          xtol=1e-15, ftol=1e-15, gtol=1e-15, x_scale=wanted.mean()).x  # fmt: skip
    errors = np.sqrt((q[left] + q[right]) / wanted) - 1.0
    return QuasiVariances(items, q, (float(errors.min()), float(errors.max())))
