"""Result of a Plackett-Luce fit: log-worths, tie parameters and likelihood."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Matrix, Vector
from steelyard.models.clusters import ClusteredPosterior
from steelyard.models.refitting import RefittingFit
from steelyard.models.worths import WorthPosterior
from steelyard.scales.summary import summary_of
from steelyard.scales.tables import Rows
from steelyard.scales.win_matrix import PREFERRED, WinMatrix


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

    def win_matrix(self) -> WinMatrix:
        """Return the predicted probability of a win of every item against every other one. Ties count one half.

        With log-worths a and b and the parameter delta of ties of two items, the probabilities of a win, a tie and a
        loss are proportional to exp(a), delta exp((a + b) / 2) and exp(b).

        Returns
        -------
        WinMatrix
            Items in the order of their positions.
        """
        position = self.posterior.position
        half = 0.5 * (position[:, None] - position)
        tie = next((np.exp(each.log_delta) for each in self.ties if each.size == 2), 0.0)
        wins = (np.exp(half) + 0.5 * tie) / (np.exp(half) + tie + np.exp(-half))
        if self.part is not None:
            wins = np.where(self.part[:, None] == self.part, wins, np.nan)
        return WinMatrix.of(self.item, position, wins, PREFERRED)

    def coefficients(self) -> Rows:
        """Return the log-worths, which sum to 0, and the logarithms of the tie parameters, with standard errors.

        Returns
        -------
        Rows
            Columns `name`, `estimate` and `se`. A tie parameter is named after the number of tied items.
        """
        spread = self.posterior.spread.tolist()
        worths = zip(map(str, self.item), self.posterior.position.tolist(), spread, strict=True)
        ties = [(f"tie of {tie.size}", tie.log_delta, tie.standard_error) for tie in self.ties]
        return Rows([dict(zip(("name", "estimate", "se"), row, strict=True)) for row in (*worths, *ties)])

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
        ties = [
            f"ties of {tie.size}: log delta {tie.log_delta:.4f}, standard error {tie.standard_error:.4f}"
            for tie in self.ties
        ]
        lines = [summary_of(self.signature, (*self.remarks, *ties), self.scale, most), ""]
        lines.append(
            f"log-likelihood {self.log_likelihood:.4f} | deviance {self.deviance:.4f} "
            f"on {self.freedom:g} degrees of freedom | AIC {self.aic:.4f}"
        )
        return "\n".join(lines)
