"""Gaussian beliefs as a posterior: what TrueSkill and Elo know after fitting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Matrix, Vector
from steelyard.scales.belief import GaussianBelief


@dataclass(frozen=True, eq=False)
class GaussianPosterior:
    """A Gaussian per item; no terms that items share."""

    belief: GaussianBelief

    @property
    def position(self) -> Vector:
        """Means."""
        return self.belief.position

    @property
    def spread(self) -> Vector:
        """Standard deviations."""
        return np.sqrt(self.belief.variance)

    def interval(self, level: float) -> tuple[Vector, Vector]:
        """Means plus and minus the normal quantile times the spread."""
        from scipy.special import ndtri  # late: SciPy would double the time of `import steelyard`

        reach = ndtri(0.5 + level / 2.0) * self.spread
        return self.position - reach, self.position + reach

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Independent draws."""
        return self.position + rng.standard_normal((n, len(self.position))) * self.spread
