"""The joint distribution of positions that differences, clusters and rank intervals are computed from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from steelyard.maths.arrays import Codes, Matrix, Vector
from steelyard.maths.definite import root_of


@dataclass(frozen=True, eq=False)
class Joint:
    """Positions with their covariance and, where variances are estimates, degrees of freedom.

    `freedom` holds those of each difference, and of each position on its diagonal; None where variances count as
    known.
    """

    position: Vector
    covariance: Matrix
    freedom: Matrix | None = None

    def variances(self, first: Codes, second: Codes) -> Vector:
        """Variances of the differences between items `first` and `second`, never negative."""
        own = np.diag(self.covariance)
        return np.maximum(own[first] + own[second] - 2.0 * self.covariance[first, second], 0.0)

    def quantiles(self, share: float, first: Codes, second: Codes) -> Vector:
        """Quantiles of the normal or t distribution of each standardised difference."""
        from scipy.special import ndtri, stdtrit  # SciPy is slow to import

        if self.freedom is None:
            return np.full(len(first), float(ndtri(share)))
        freedom = self.freedom[first, second]
        finite = np.isfinite(freedom)
        return np.where(finite, stdtrit(np.where(finite, freedom, 1.0), share), float(ndtri(share)))

    def below(self, ratio: Vector, first: Codes, second: Codes) -> Vector:
        """Probability that a standardised difference lies below `ratio`."""
        from scipy.special import ndtr, stdtr  # SciPy is slow to import

        if self.freedom is None:
            return np.asarray(ndtr(ratio))
        freedom = self.freedom[first, second]
        finite = np.isfinite(freedom)
        return np.where(finite, stdtr(np.where(finite, freedom, 1.0), ratio), ndtr(ratio))

    @property
    def is_singular(self) -> bool:
        """Does the covariance leave a difference without variance, or have a negative eigenvalue?"""
        size = len(self.position)
        centred = np.eye(size) - 1.0 / size
        values = np.linalg.eigvalsh(centred @ self.covariance @ centred)
        return bool(size > 1 and values[1] <= 1e-10 * max(values[-1], 1e-300))


@runtime_checkable
class JointPosterior(Protocol):
    """A posterior that writes its joint distribution out, so that nothing needs to be drawn."""

    def joint(self) -> Joint:
        """Positions, covariance and degrees of freedom."""


def joint_of_draws(position: Vector, draws: Matrix) -> Joint:
    """The joint distribution that draws show."""
    return Joint(position, np.atleast_2d(np.cov(draws, rowvar=False)))


@dataclass(frozen=True, eq=False)
class JointNormal:
    """A posterior that is its joint distribution: normal, or t where variances are estimates."""

    distribution: Joint

    @property
    def position(self) -> Vector:
        """Point estimates."""
        return self.distribution.position

    @property
    def spread(self) -> Vector:
        """Standard errors."""
        return np.sqrt(np.maximum(np.diag(self.distribution.covariance), 0.0))

    def joint(self) -> Joint:
        """The distribution itself."""
        return self.distribution

    def interval(self, level: float) -> tuple[Vector, Vector]:
        """Position plus and minus the quantile times the standard error."""
        own = np.arange(len(self.position))
        reach = self.distribution.quantiles(0.5 + level / 2.0, own, own) * self.spread
        return self.position - reach, self.position + reach

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Joint draws: a multivariate t with the median degrees of freedom of all differences."""
        root = root_of(self.distribution.covariance)
        drawn = rng.standard_normal((n, len(root))) @ root.T
        if self.distribution.freedom is not None:
            freedom = float(np.median(self.distribution.freedom))
            if np.isfinite(freedom):
                drawn = drawn * np.sqrt(freedom / rng.chisquare(freedom, size=(n, 1)))
        return np.asarray(self.position + drawn)
