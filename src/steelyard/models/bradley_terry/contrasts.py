"""All differences of items with adjusted p values, and quasi-variances that stand for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from steelyard.errors import UnknownName
from steelyard.maths.arrays import Codes, Labels, Mask, Matrix, Vector
from steelyard.maths.definite import root_of

ADJUSTMENTS = ("none", "bonferroni", "holm", "bh", "single_step")
Adjust = Literal["none", "bonferroni", "holm", "bh", "single_step"]
INTEGRATED = 45  # contrasts up to which the normal integral is computed; beyond, it is simulated
SIMULATED = 2**16


@dataclass(frozen=True, eq=False)
class Contrasts:
    """Differences of log-worths of all pairs of items, with their standard errors and adjusted p values."""

    left: Labels
    right: Labels
    estimate: Vector
    se: Vector
    z: Vector
    p: Vector
    adjust: str

    def rows(self) -> list[dict[str, object]]:
        """One plain dict per pair."""
        names = ("left", "right", "estimate", "se", "z", "p")
        columns = [getattr(self, name).tolist() for name in names]
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def all_contrasts(
    items: Labels, position: Vector, covariance: Matrix, adjust: Adjust, apart: Mask | None = None
) -> Contrasts:
    """Every item against every later one; pairs marked `apart` cannot be compared and have no numbers."""
    if adjust not in ADJUSTMENTS:
        raise UnknownName("adjustment", adjust, ADJUSTMENTS)
    left, right = np.triu_indices(len(items), 1)
    estimate = position[left] - position[right]
    se = np.sqrt(np.maximum(_difference_variances(covariance, left, right), 0.0))
    comparable = np.ones(len(left), dtype=bool) if apart is None else ~apart[left, right]
    estimate, se = np.where(comparable, estimate, np.nan), np.where(comparable, se, np.nan)
    z = estimate / se
    p = np.full(len(z), np.nan)
    p[comparable] = _adjusted(z[comparable], covariance, left[comparable], right[comparable], adjust)
    return Contrasts(items[left], items[right], estimate, se, z, p, adjust)


def _difference_variances(covariance: Matrix, left: Codes, right: Codes) -> Vector:
    own = np.diag(covariance)
    return np.asarray(own[left] + own[right] - 2.0 * covariance[left, right])


def two_sided(z: Vector) -> Vector:
    """P(|Z| > |z|) for a standard normal Z."""
    from scipy.special import ndtr  # late: SciPy slows `import steelyard`

    return np.asarray(2.0 * ndtr(-np.abs(z)))


def _adjusted(z: Vector, covariance: Matrix, left: Codes, right: Codes, adjust: str) -> Vector:
    p = two_sided(z)
    count = len(p)
    if adjust == "none" or not count:
        return p
    if adjust == "bonferroni":
        return np.minimum(1.0, count * p)
    order = np.argsort(p, kind="stable")
    if adjust == "holm":
        steps = np.maximum.accumulate((count - np.arange(count)) * p[order])
    elif adjust == "bh":
        steps = np.minimum.accumulate((count / np.arange(1, count + 1) * p[order])[::-1])[::-1]
    else:
        return _single_step(z, p, covariance, left, right)
    adjusted = np.empty(count)
    adjusted[order] = np.minimum(1.0, steps)
    return adjusted


def _single_step(z: Vector, p: Vector, covariance: Matrix, left: Codes, right: Codes) -> Vector:
    """P(max |Z| > |z|) for normal Z with the correlation of the contrasts, between p and Bonferroni's p."""
    reach = np.abs(z)
    found = _integrated(reach, covariance, left, right) if len(z) <= INTEGRATED else None
    if found is None:
        largest = np.sort(_largest(covariance, left, right))
        found = 1.0 - np.searchsorted(largest, reach, side="right") / len(largest)
    return np.clip(found, p, np.minimum(1.0, len(z) * p))


def _integrated(reach: Vector, covariance: Matrix, left: Codes, right: Codes) -> Vector:
    """By Genz's algorithm, each different |z| once."""
    from scipy.stats import multivariate_normal  # late: SciPy slows `import steelyard`

    contrast = np.zeros((len(left), len(covariance)))
    rows = np.arange(len(left))
    contrast[rows, left], contrast[rows, right] = 1.0, -1.0
    joint = contrast @ covariance @ contrast.T
    sd = np.sqrt(np.diag(joint))
    correlation, zero = joint / np.outer(sd, sd), np.zeros(len(left))

    def inside(limit: float) -> float:
        if limit > 9.0:  # beyond, no more than 1e-18 is outside
            return 1.0
        ends = np.full(len(left), limit)
        rng = np.random.default_rng(0)
        return float(
            multivariate_normal.cdf(
                ends, zero, correlation, True, 400_000, 1e-7, 1e-7, lower_limit=-ends, rng=rng
            )
        )

    values, at = np.unique(reach, return_inverse=True)
    return 1.0 - np.array([inside(float(value)) for value in values])[at]


def _largest(covariance: Matrix, left: Codes, right: Codes) -> Vector:
    """The largest |Z| of all contrasts in each of many joint draws."""
    rng = np.random.default_rng(0)
    root = root_of(covariance)
    scale = 1.0 / np.sqrt(_difference_variances(covariance, left, right))
    found = []
    block = max(1, 4_000_000 // len(left))
    for start in range(0, SIMULATED, block):
        drawn = rng.standard_normal((min(block, SIMULATED - start), len(root))) @ root.T
        found.append(np.max(np.abs(drawn[:, left] - drawn[:, right]) * scale, axis=1))
    return np.concatenate(found)


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
    from scipy.optimize import least_squares  # late: SciPy slows `import steelyard`

    left, right = np.triu_indices(len(items), 1)
    wanted = _difference_variances(covariance, left, right)
    rows = np.arange(len(left))

    def residuals(q: Vector) -> Vector:
        return np.log(np.maximum(q[left] + q[right], 1e-300)) - np.log(wanted)

    def slopes(q: Vector) -> Matrix:
        found = np.zeros((len(left), len(items)))
        found[rows, left] = found[rows, right] = 1.0 / np.maximum(q[left] + q[right], 1e-300)
        return found

    if len(items) == 2:
        q = np.full(2, wanted[0] / 2.0)
    else:
        start = np.maximum(np.diag(covariance), 1e-12 * wanted.mean())
        q = least_squares(residuals, start, slopes, method="lm" if len(left) >= len(items) else "trf",
                          xtol=1e-15, ftol=1e-15, gtol=1e-15, x_scale=wanted.mean()).x  # fmt: skip
    errors = np.sqrt((q[left] + q[right]) / wanted) - 1.0
    return QuasiVariances(items, q, (float(errors.min()), float(errors.max())))
