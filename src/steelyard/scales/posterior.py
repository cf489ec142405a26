"""`Posterior`: the interface of the estimated distribution of positions."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from steelyard.maths.arrays import Matrix, Vector


class Posterior(Protocol):
    """Estimated distribution of the positions after fitting."""

    @property
    def position(self) -> Vector:
        """Return the point estimate of each position, in units of the scale."""

    @property
    def spread(self) -> Vector:
        """Return the standard deviation of each position."""

    def interval(self, level: float) -> tuple[Vector, Vector]:
        """Return the lower and upper ends of the interval of each position.

        `level` is the nominal coverage of the interval, between 0 and 1.
        """

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Return `n` joint draws of all positions, one row per draw."""
