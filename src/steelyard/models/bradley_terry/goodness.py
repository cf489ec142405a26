"""Goodness of fit of a table of counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steelyard.maths.arrays import Matrix, Vector


@dataclass(frozen=True, eq=False)
class Goodness:
    """Goodness of fit of a table of counts.

    Attributes
    ----------
    observed
        Observed counts, outcomes x rows.
    shares
        Fitted probabilities, outcomes x rows.
    rank
        Number of estimated parameters, without the nuisance parameters, of which there is one per row.
    marginal
        Marginal log-likelihood, which replaces the multinomial one if random effects are integrated out. Default: none.
    """

    observed: Matrix
    shares: Matrix
    rank: int
    marginal: float | None = None

    @cached_property
    def totals(self) -> Vector:
        """Comparisons in each row."""
        return np.asarray(self.observed.sum(axis=0))

    @cached_property
    def fitted(self) -> Matrix:
        """Expected counts."""
        return np.asarray(self.totals * self.shares)

    @property
    def cells(self) -> int:
        """Number of cells of the table."""
        return int(self.observed.size)

    @property
    def rows(self) -> int:
        """Number of rows of the table. Each has one nuisance parameter."""
        return int(self.observed.shape[1])

    @property
    def df_residual(self) -> int:
        """Cells minus nuisance parameters minus estimated parameters."""
        return self.cells - self.rows - self.rank

    @cached_property
    def by_row(self) -> Vector:
        """Contribution of each row to the deviance."""
        from scipy.special import xlogy  # SciPy is slow to import

        return np.asarray(2.0 * np.sum(xlogy(self.observed, self.observed / self.fitted), axis=0))

    @cached_property
    def deviance(self) -> float:
        """Twice the log-likelihood ratio of the saturated model against this one."""
        if self.marginal is None:
            return float(self.by_row.sum())
        return 2.0 * (self._saturated - self.marginal)

    @cached_property
    def pearson(self) -> float:
        """Pearson's chi-square: the sum of (observed - fitted)^2 / fitted."""
        return float(np.sum(self.residuals**2))

    @cached_property
    def residuals(self) -> Matrix:
        """Pearson residuals: (observed - fitted) / sqrt(fitted)."""
        return (self.observed - self.fitted) / np.sqrt(np.maximum(self.fitted, 1e-300))

    @cached_property
    def kernel(self) -> float:
        """Multinomial log-likelihood without the multinomial coefficients: the sum of n log p."""
        from scipy.special import xlogy  # SciPy is slow to import

        return (
            self.marginal if self.marginal is not None else float(np.sum(xlogy(self.observed, self.shares)))
        )

    @cached_property
    def _saturated(self) -> float:
        from scipy.special import xlogy  # SciPy is slow to import

        return float(np.sum(xlogy(self.observed, self.observed / self.totals)))

    @cached_property
    def constant(self) -> float:
        """Logarithm of the multinomial coefficients."""
        from scipy.special import gammaln  # SciPy is slow to import

        return float(np.sum(gammaln(self.totals + 1.0)) - np.sum(gammaln(self.observed + 1.0)))

    @property
    def poisson(self) -> float:
        """Poisson log-likelihood of the cells, with fitted nuisance parameters."""
        from scipy.special import gammaln, xlogy  # SciPy is slow to import

        nuisance = float(np.sum(xlogy(self.totals, self.totals) - self.totals))
        return self.kernel + nuisance - float(np.sum(gammaln(self.observed + 1.0)))


def upper_tail(chi_square: float, df: int) -> float | None:
    """Return P(X > chi_square) for a chi-square variable X on `df` degrees of freedom; None if `df` is 0."""
    from scipy.special import chdtrc  # SciPy is slow to import

    return None if df <= 0 else float(chdtrc(df, max(chi_square, 0.0)))
