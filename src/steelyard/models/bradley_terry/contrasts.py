"""All differences of items with adjusted p values, and quasi-variances that stand for them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Codes, Labels, Matrix, Vector
from steelyard.scales.differences import Adjust, differences_of
from steelyard.scales.joint import Joint


@dataclass(frozen=True, eq=False)
class Contrasts:
    """Differences of log-worths of all pairs of items, with their standard errors and adjusted p values.

    `adjust` is the adjustment that was used; `notes` say where it is not the one asked for.
    """

    left: Labels
    right: Labels
    estimate: Vector
    se: Vector
    z: Vector
    p: Vector
    adjust: str
    notes: tuple[str, ...] = ()

    def rows(self) -> list[dict[str, object]]:
        """One plain dict per pair."""
        names = ("left", "right", "estimate", "se", "z", "p")
        columns = [getattr(self, name).tolist() for name in names]
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def all_contrasts(items: Labels, joint: Joint, adjust: Adjust, part: Codes | None = None) -> Contrasts:
    """Every item against every later one; pairs of different parts cannot be compared and have no numbers."""
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
    """P(|Z| > |z|) for a standard normal Z, or one with a t distribution."""
    from scipy.special import ndtr, stdtr  # SciPy is slow to import

    return np.asarray(2.0 * (ndtr(-np.abs(z)) if df is None else stdtr(df, -np.abs(z))))


def quantile(level: float, df: Vector | float | None = None) -> Vector:
    """How many standard errors a two-sided interval reaches, normal or t."""
    from scipy.special import ndtri, stdtrit  # SciPy is slow to import

    share = 0.5 + level / 2.0
    return np.asarray(ndtri(share) if df is None else stdtrit(df, share))


@dataclass(frozen=True, eq=False)
class QuasiVariances:
    """Variances q with q_i + q_j near the variance of each difference [Firth & de Menezes 2004].

    `worst` is the largest relative error of a difference's standard error, low and high.
    """

    item: Labels
    variance: Vector
    worst: tuple[float, float]

    @property
    def se(self) -> Vector:
        """Roots of the quasi-variances; NaN where one is negative."""
        return np.sqrt(np.where(self.variance >= 0.0, self.variance, np.nan))


def quasi_variances_of(items: Labels, covariance: Matrix) -> QuasiVariances:
    """Minimise the sum over pairs of (log(q_i + q_j) - log var(a_i - a_j))^2."""
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
