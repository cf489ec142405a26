"""Paired t-test and correlation of two measures of the same items."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from steelyard.errors import NothingToTest
from steelyard.maths.arrays import Vector


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Two-sided paired t-test of the differences first - second.

    If all differences are equal, t is infinite and p is 0. If all are 0, t is 0 and p is 1.

    Attributes
    ----------
    pairs
        Number of pairs.
    first
        Mean of the first measure.
    second
        Mean of the second measure.
    difference
        Mean difference.
    t
        Test statistic.
    df
        Degrees of freedom, pairs - 1.
    p
        Two-sided p value.
    """

    pairs: int
    first: float
    second: float
    difference: float
    t: float
    df: int
    p: float


@dataclass(frozen=True, slots=True)
class Correlation:
    """Pearson's correlation with its test.

    Attributes
    ----------
    pairs
        Number of pairs.
    r
        Correlation.
    p
        Two-sided p value, from t on n - 2 degrees of freedom; None for fewer than three pairs.
    """

    pairs: int
    r: float
    p: float | None

    @property
    def r_squared(self) -> float:
        """Share of variance of one measure explained by the other."""
        return self.r**2


def paired_test(first: Vector, second: Vector) -> PairedTest:
    """Return the paired t-test, t = mean(d) / (sd(d) / sqrt(n)) on n - 1 degrees of freedom.

    Parameters
    ----------
    first
        First measure of each item.
    second
        Second measure of each item.

    Returns
    -------
    PairedTest
        Test of a mean difference of 0.

    Raises
    ------
    NothingToTest
        If there are fewer than two items.

    Examples
    --------
    >>> found = paired_test(np.array([3.0, 5.0, 4.0]), np.array([1.0, 2.0, 3.0]))
    >>> round(found.t, 6), found.df, round(found.p, 6)
    (3.464102, 2, 0.07418)
    """
    if len(first) < 2:
        raise NothingToTest(
            "Paired t-test", f"{len(first)} items have both measures.", "At least two are needed."
        )
    gap = np.asarray(first - second)
    mean, size = float(gap.mean()), len(gap)
    error = float(np.std(gap, ddof=1)) / math.sqrt(size)
    if error <= 1e-12 * float(np.abs(gap).max()):
        t = 0.0 if mean == 0.0 else math.copysign(math.inf, mean)
    else:
        t = mean / error
    return PairedTest(
        size, float(np.mean(first)), float(np.mean(second)), mean, t, size - 1, _two_sided(t, size - 1)
    )


def correlation(first: Vector, second: Vector) -> Correlation | None:
    """Return Pearson's correlation of two measures; None if one of them does not vary.

    Parameters
    ----------
    first
        First measure of each item.
    second
        Second measure of each item.

    Returns
    -------
    Correlation or None
        Correlation with its p value.
    """
    x, y = first - np.mean(first), second - np.mean(second)
    length = math.sqrt(float(x @ x) * float(y @ y)) if len(x) > 1 else 0.0
    if length <= 1e-12 * len(x) * float(np.max(np.abs(first)) * np.max(np.abs(second)) if len(x) else 0.0):
        return None
    r = max(-1.0, min(1.0, float(x @ y) / length))
    if len(x) < 3:
        return Correlation(len(x), r, None)
    t = r * math.sqrt((len(x) - 2) / (1.0 - r**2)) if abs(r) < 1.0 else math.copysign(math.inf, r)
    return Correlation(len(x), r, _two_sided(t, len(x) - 2))


def _two_sided(t: float, df: int) -> float:
    from scipy.special import stdtr  # SciPy is slow to import

    return min(1.0, 2.0 * float(stdtr(df, -abs(t))))
