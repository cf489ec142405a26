"""Posteriors of TrueSkill, Elo and Beta ranking, which treat items as independent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

import numpy as np

from steelyard.maths.arrays import Matrix, Vector
from steelyard.models.model import AnyBelief
from steelyard.scales.belief import GaussianBelief


@dataclass(frozen=True, eq=False)
class BeliefPosterior(Generic[AnyBelief]):
    """Distribution per item, without effects that items share."""

    belief: AnyBelief

    @property
    def position(self) -> Vector:
        """Positions of the belief: means or modes."""
        return self.belief.position

    @property
    def spread(self) -> Vector:
        """Standard deviations."""
        return np.sqrt(self.belief.variance)


@dataclass(frozen=True, eq=False)
class GaussianPosterior(BeliefPosterior[GaussianBelief]):
    """Normal distribution per item."""

    def interval(self, level: float) -> tuple[Vector, Vector]:
        """Return mean plus and minus normal quantile times standard deviation."""
        from scipy.special import ndtri  # SciPy is slow to import

        reach = ndtri(0.5 + level / 2.0) * self.spread
        return self.position - reach, self.position + reach

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Return independent draws."""
        return self.position + rng.standard_normal((n, len(self.position))) * self.spread
