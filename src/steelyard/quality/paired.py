"""Two measures of the same items: the paired t-test, and their correlation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from steelyard.errors import NothingToTest
from steelyard.maths.arrays import Vector


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Student's t-test of the differences first - second, two-sided.

    Differences that are all the same have no error: t is infinite and p 0, or 0 and 1 where they are all 0.
    """

    pairs: int
    first: float  # mean of the first measure
    second: float
    difference: float
    t: float
    df: int
    p: float


@dataclass(frozen=True, slots=True)
class Correlation:
    """Pearson's r with its two-sided p (t with n - 2 degrees of freedom; None below three pairs)."""

    pairs: int
    r: float
    p: float | None

    @property
    def r_squared(self) -> float:
        """The share of one measure's variance that the other accounts for."""
        return self.r**2


def paired_test(first: Vector, second: Vector) -> PairedTest:
    """t = mean(d) / (sd(d) / sqrt(n)) with n - 1 degrees of freedom.

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
    """How two measures go together; None where one of them does not vary."""
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
