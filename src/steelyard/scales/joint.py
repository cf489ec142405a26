"""The joint distribution of positions, from which differences, clusters and rank intervals are computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from steelyard.maths.arrays import Codes, Matrix, Vector
from steelyard.maths.definite import root_of


@dataclass(frozen=True, eq=False)
class Joint:
    """Positions with their covariance and, if variances are estimated, degrees of freedom.

    Attributes
    ----------
    position
        Position of each item.
    covariance
        Covariance matrix of the positions.
    freedom
        Degrees of freedom of each difference, and of each position on the diagonal; None if variances are treated
        as known.
    """

    position: Vector
    covariance: Matrix
    freedom: Matrix | None = None

    def variances(self, first: Codes, second: Codes) -> Vector:
        """Return the variances of the differences between items `first` and `second`, at least 0."""
        own = np.diag(self.covariance)
        return np.maximum(own[first] + own[second] - 2.0 * self.covariance[first, second], 0.0)

    def quantiles(self, share: float, first: Codes, second: Codes) -> Vector:
        """Return quantiles of the normal or t distribution of standardised differences.

        Parameters
        ----------
        share
            Probability below the quantile.
        first
            Index of the first item of each pair.
        second
            Index of the second item of each pair.

        Returns
        -------
        Vector
            Quantile of each pair.
        """
        from scipy.special import ndtri, stdtrit  # SciPy is slow to import

        if self.freedom is None:
            return np.full(len(first), float(ndtri(share)))
        freedom = self.freedom[first, second]
        finite = np.isfinite(freedom)
        return np.where(finite, stdtrit(np.where(finite, freedom, 1.0), share), float(ndtri(share)))

    def below(self, ratio: Vector, first: Codes, second: Codes) -> Vector:
        """Return the probability that a standardised difference is below a value.

        Parameters
        ----------
        ratio
            Value for each pair.
        first
            Index of the first item of each pair.
        second
            Index of the second item of each pair.

        Returns
        -------
        Vector
            Probability for each pair.
        """
        from scipy.special import ndtr, stdtr  # SciPy is slow to import

        if self.freedom is None:
            return np.asarray(ndtr(ratio))
        freedom = self.freedom[first, second]
        finite = np.isfinite(freedom)
        return np.where(finite, stdtr(np.where(finite, freedom, 1.0), ratio), ndtr(ratio))

    @property
    def is_singular(self) -> bool:
        """Whether some difference has no variance or the covariance has a negative eigenvalue."""
        size = len(self.position)
        centred = np.eye(size) - 1.0 / size
        values = np.linalg.eigvalsh(centred @ self.covariance @ centred)
        return bool(size > 1 and values[1] <= 1e-10 * max(values[-1], 1e-300))


@runtime_checkable
class JointPosterior(Protocol):
    """A posterior that provides its joint distribution, so that no draws are needed."""

    def joint(self) -> Joint:
        """Return positions, covariance and degrees of freedom."""


def joint_of_draws(position: Vector, draws: Matrix) -> Joint:
    """Return the joint distribution estimated from draws."""
    return Joint(position, np.atleast_2d(np.cov(draws, rowvar=False)))


@dataclass(frozen=True, eq=False)
class JointNormal:
    """A posterior with a joint normal distribution, or a joint t distribution if variances are estimated.

    Attributes
    ----------
    distribution
        Positions, covariance and degrees of freedom.
    """

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
        """Return the joint distribution."""
        return self.distribution

    def interval(self, level: float) -> tuple[Vector, Vector]:
        """Return position plus and minus quantile times standard error."""
        own = np.arange(len(self.position))
        reach = self.distribution.quantiles(0.5 + level / 2.0, own, own) * self.spread
        return self.position - reach, self.position + reach

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Return joint draws: normal, or t with the median degrees of freedom of all differences."""
        root = root_of(self.distribution.covariance)
        drawn = rng.standard_normal((n, len(root))) @ root.T
        if self.distribution.freedom is not None:
            freedom = float(np.median(self.distribution.freedom))
            if np.isfinite(freedom):
                drawn = drawn * np.sqrt(freedom / rng.chisquare(freedom, size=(n, 1)))
        return np.asarray(self.position + drawn)
