"""Raters of a pilot who also take part in the study: the posterior of the habits of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Vector
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
    noise_sd, noise_freedom
        Noise, and the degrees of freedom of its variance.
    spam
        Probability of answers that do not depend on the items.
    """

    share: Vector
    bias: Vector
    bias_sd: Vector
    slope: Vector
    slope_sd: Vector
    noise_sd: Vector
    noise_freedom: Vector
    spam: Vector

    def __len__(self) -> int:
        """Return the number of raters."""
        return len(self.share)

    def draw(self, rng: np.random.Generator) -> list[SimulatedRater]:
        """Return the raters with habits that the pilot leaves possible."""
        size = len(self)
        bias = self.bias + self.bias_sd * rng.standard_normal(size)
        slope = np.maximum(self.slope + self.slope_sd * rng.standard_normal(size), LEAST_SLOPE)
        noise_sd = self.noise_sd * np.sqrt(self.noise_freedom / rng.chisquare(self.noise_freedom))
        return [
            SimulatedRater(
                float(bias[at]), float(slope[at]), float(noise_sd[at]), draw_spam(self.spam[at], rng)
            )
            for at in range(size)
        ]
