"""Result of a Plackett-Luce fit: log-worths, tie parameters and likelihood."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Matrix, Vector
from steelyard.models.clusters import ClusteredPosterior
from steelyard.models.refitting import RefittingFit
from steelyard.models.worths import WorthPosterior
from steelyard.scales.fit import Fit


@dataclass(frozen=True, slots=True)
class Tie:
    """Tie parameter for ties of one size.

    Attributes
    ----------
    size
        Number of tied items.
    log_delta
        Logarithm of the tie parameter delta.
    standard_error
        Standard error of `log_delta`.
    """

    size: int
    log_delta: float
    standard_error: float


@dataclass(frozen=True, eq=False)
class PlackettLuceFit(RefittingFit):
    """Result of `PlackettLuce.fit`: a scale of log-worths with tie parameters and likelihood.

    Attributes
    ----------
    ties
        Tie parameter of each size of tie that occurs.
    log_likelihood
        Log-likelihood of the judgments, without pseudo-rankings.
    freedom
        Residual degrees of freedom: possible choices minus choices made minus parameters.
    """

    posterior: WorthPosterior | ClusteredPosterior
    ties: tuple[Tie, ...] = ()
    log_likelihood: float = float("nan")
    freedom: float = float("nan")

    @property
    def covariance(self) -> Matrix:
        """Covariance of all log-worths, in the order of `item`."""
        return self.posterior.covariance

    @property
    def worth(self) -> Vector:
        """Worths, normalised to sum to 1, in the order of `item`."""
        worth = np.exp(self.posterior.position - self.posterior.position.max())
        return np.asarray(worth / worth.sum())

    @property
    def parameters(self) -> int:
        """Number of parameters: items - 1 + tie parameters."""
        return len(self.item) - 1 + len(self.ties)

    @property
    def deviance(self) -> float:
        """Deviance: -2 x `log_likelihood`. The saturated model, with one cell per choice, has deviance 0."""
        return -2.0 * self.log_likelihood

    @property
    def aic(self) -> float:
        """Akaike information criterion: -2 x `log_likelihood` + 2 x `parameters`."""
        return self.deviance + 2.0 * self.parameters

    def summary(self, most: int = 20) -> str:
        """Return the scale, tie parameters and likelihood as text.

        Parameters
        ----------
        most
            Largest number of items to print, 20 by default.

        Returns
        -------
        str
            Several lines of text.
        """
        lines = [Fit.summary(self, most), ""]
        for tie in self.ties:
            tie_parameter = f"log delta {tie.log_delta:.4f}, standard error {tie.standard_error:.4f}"
            lines.append(f"ties of {tie.size}: {tie_parameter}")
        lines.append(
            f"log-likelihood {self.log_likelihood:.4f} | deviance {self.deviance:.4f} "
            f"on {self.freedom:g} degrees of freedom | AIC {self.aic:.4f}"
        )
        return "\n".join(lines)
