"""Gaussian layers between the positions of items and the opinions that raters judge.

An item has the position theta. A kind of judgment may be about a slightly different quality, theta + delta, and a rater
has an opinion of their own, theta + delta + w. Each layer adds independent noise of one variance. A layer receives the
Gaussian messages of all answers above it, as precision matrix T and pull q, and passes on what they say about the layer
below:

    precision  T S^-1,   pull  S^-1 q,   S = I + variance T
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from steelyard.maths.arrays import Matrix, Vector

Stack = NDArray[np.float64]  # matrices or vectors of many raters, the last axes being items


def inverse_of(matrix: Stack) -> Stack:
    """Return the inverse of one or many matrices."""
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Layer:
    """Messages into a layer, and the layer's noise.

    Attributes
    ----------
    pull
        Precision times mean of the messages into the layer, ... x items.
    variance
        Variance of the noise that the layer adds to each item.
    inverse
        S^-1, ... x items x items.
    precision
        Precision that the layer passes on, T S^-1.
    """

    pull: Stack
    variance: float
    inverse: Stack
    precision: Stack

    @staticmethod
    def of(precision: Stack, pull: Stack, variance: float) -> Layer:
        """Return the layer with these messages and this variance of its noise.

        Parameters
        ----------
        precision
            Sum of the precision matrices of the messages into the layer.
        pull
            Sum of their precisions times means.
        variance
            Variance of the noise that the layer adds to each item.

        Returns
        -------
        Layer
            The layer, with the message that it passes on.
        """
        size = precision.shape[-1]
        if variance == 0.0:
            return Layer(pull, 0.0, np.broadcast_to(np.eye(size), precision.shape), precision)
        inverse = inverse_of(np.eye(size) + variance * precision)
        return Layer(pull, variance, inverse, inverse @ precision)

    @cached_property
    def passed(self) -> Stack:
        """Pull that the layer passes on."""
        if self.variance == 0.0:
            return self.pull
        return np.asarray(np.einsum("...ij,...j->...i", self.inverse, self.pull))

    def mean(self, below: Stack) -> Stack:
        """Return the mean of the layer, from the mean of the layer below."""
        if self.variance == 0.0:
            return below
        return np.asarray(np.einsum("...ij,...j->...i", self.inverse, below + self.variance * self.pull))

    def covariance(self, below: Stack) -> Stack:
        """Return the covariance of the layer, from the covariance of the layer below."""
        if self.variance == 0.0:
            return below
        through = self.inverse @ below @ np.swapaxes(self.inverse, -1, -2)
        return np.asarray(through + self.variance * self.inverse)

    @cached_property
    def log_volume(self) -> float:
        """Log of the integral over the noise, up to what the passed message holds."""
        if self.variance == 0.0:
            return 0.0
        gain = self.variance * np.sum(self.pull * self.passed)
        return float(0.5 * gain + 0.5 * np.sum(np.linalg.slogdet(self.inverse)[1]))


def log_volume(precision: Matrix, pull: Vector) -> float:
    """Return the log of the integral of exp(-x' precision x / 2 + pull' x), up to a constant."""
    from scipy.linalg import solve_triangular  # SciPy is slow to import

    root = np.linalg.cholesky(precision)
    solved = solve_triangular(root, pull, lower=True)
    return float(0.5 * solved @ solved - np.sum(np.log(np.diag(root))))
