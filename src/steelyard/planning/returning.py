"""Raters of a pilot who also take part in the study: the posterior of the habits of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Vector
from steelyard.planning.noise import CommonNoise
from steelyard.simulation.scenarios import SimulatedRater, draw_spam

LEAST_SLOPE = 0.05


@dataclass(frozen=True, eq=False)
class ReturningRaters:
    """Posterior of the habits of each rater, in falling order of their answers. One value per rater.

    Attributes
    ----------
    share
        Share of the tasks of the pilot.
    bias, bias_sd
        Mean and standard deviation of the bias.
    slope, slope_sd
        Mean and standard deviation of the slope.
    noise_square, noise_weight
        Sum of squares of the noise, and the number of answers in it.
    spam
        Probability of answers that do not depend on the items.
    """

    share: Vector
    bias: Vector
    bias_sd: Vector
    slope: Vector
    slope_sd: Vector
    noise_square: Vector
    noise_weight: Vector
    spam: Vector

    def __len__(self) -> int:
        """Return the number of raters."""
        return len(self.share)

    def draw(self, noise: CommonNoise | None, rng: np.random.Generator) -> list[SimulatedRater]:
        """Return the raters with habits that the pilot leaves possible.

        Parameters
        ----------
        noise
            Distribution of the noise variances of raters, to which each is shrunk; None if squares include it.
        rng
            Source of randomness.

        Returns
        -------
        list of SimulatedRater
            The raters.
        """
        size = len(self)
        bias = self.bias + self.bias_sd * rng.standard_normal(size)
        slope = np.maximum(self.slope + self.slope_sd * rng.standard_normal(size), LEAST_SLOPE)
        freedom = 0.0 if noise is None else noise.freedom
        square = self.noise_square + (0.0 if noise is None else freedom * noise.variance)
        noise_sd = np.sqrt(square / rng.chisquare(self.noise_weight + freedom))
        return [
            SimulatedRater(
                float(bias[at]), float(slope[at]), float(noise_sd[at]), draw_spam(self.spam[at], rng)
            )
            for at in range(size)
        ]
