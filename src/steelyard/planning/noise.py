"""How the noise of raters differs, as far as a pilot determines it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from steelyard.maths.arrays import Vector
from steelyard.models.steelyard.learn import noise_posterior, observed_noise
from steelyard.models.steelyard.parameters import Learnt
from steelyard.models.steelyard.variant import Variant

# Degrees of freedom of the noise variances of raters. The standard deviation of the log noise goes from 0.5 to 0.07 in
# about equal steps. The model uses 16 or more, so that raters who agree among themselves cannot dominate the others. In
# a plan, this would make raters too similar.
FREEDOMS = np.array([3.0, 4.0, 6.0, 10.0, 20.0, 100.0])
STEPS = 30  # of the iteration for the common noise


@dataclass(frozen=True, slots=True)
class CommonNoise:
    """A scaled inverse chi-square distribution of the noise variances of raters.

    Attributes
    ----------
    variance
        Scale of the distribution, the harmonic mean of the variances.
    freedom
        Degrees of freedom. Raters are more alike if they are many.
    """

    variance: float
    freedom: float

    @property
    def geometric_mean(self) -> float:
        """Geometric mean of the standard deviation."""
        from scipy.special import digamma  # SciPy is slow to import

        half = self.freedom / 2.0
        return float(np.sqrt(self.variance) * np.exp(0.5 * (np.log(half) - digamma(half))))

    @property
    def spread(self) -> float:
        """Standard deviation of the log of the standard deviation."""
        from scipy.special import polygamma  # SciPy is slow to import

        return 0.5 * float(np.sqrt(polygamma(1, self.freedom / 2.0)))


@dataclass(frozen=True, eq=False)
class NoisePosterior:
    """Distributions of noise that a pilot leaves possible.

    Attributes
    ----------
    variance, freedom
        Scale and degrees of freedom of each distribution.
    probability
        Posterior probability of each.
    """

    variance: Vector
    freedom: Vector
    probability: Vector

    def draw(self, rng: np.random.Generator) -> CommonNoise:
        """Return one of the distributions."""
        at = int(rng.choice(len(self.freedom), p=self.probability))
        return CommonNoise(float(self.variance[at]), float(self.freedom[at]))

    @property
    def mean(self) -> CommonNoise:
        """The distribution with the geometric means of the variance and the degrees of freedom."""
        freedom = np.exp(np.sum(self.probability * np.log(self.freedom)))
        return CommonNoise(float(np.exp(np.sum(self.probability * np.log(self.variance)))), float(freedom))


@dataclass(frozen=True, eq=False)
class RaterNoise:
    """Posterior of the distribution of noise, and what each rater adds to it.

    Attributes
    ----------
    posterior
        Posterior of the distribution.
    weight, square
        Number of answers of each rater and their sum of squares, see `observed_noise`.
    """

    posterior: NoisePosterior
    weight: Vector
    square: Vector

    @property
    def root_mean_square(self) -> float:
        """Standard deviation of the noise over all answers."""
        return float(np.sqrt(self.square.sum() / self.weight.sum()))

    def times(self, factor: float) -> RaterNoise:
        """Return the noise with all standard deviations multiplied by a factor."""
        posterior = replace(self.posterior, variance=factor**2 * self.posterior.variance)
        return replace(self, posterior=posterior, square=factor**2 * self.square)


def noise_of_raters(one: Variant) -> RaterNoise:
    """Return how the noise of raters differs in a fitted variant with rater effects."""
    learnt: Learnt = one.solution.learnt
    weight, square = observed_noise(learnt, one.solution.sums)
    variance, probability = noise_posterior(learnt, weight, square, FREEDOMS, STEPS)
    return RaterNoise(NoisePosterior(variance, FREEDOMS, probability), weight, square)
