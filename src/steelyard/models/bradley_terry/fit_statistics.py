"""Goodness of fit of a Bradley-Terry model: deviance, log-likelihoods and information criteria."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from steelyard.maths.arrays import Vector
from steelyard.models.bradley_terry.design import Design
from steelyard.models.bradley_terry.goodness import Goodness, upper_tail
from steelyard.models.bradley_terry.likelihoods import Likelihood
from steelyard.models.bradley_terry.settings import Settings

SATURATED = "saturated: no test of fit"


class FitStatistics:
    """Statistics of a fitted model, computed on the table that `describe_table` names."""

    settings: Settings
    design: Design
    likelihood: Likelihood
    theta: Vector
    marginal: float | None

    @cached_property
    def goodness(self) -> Goodness:
        """Observed and fitted counts of every cell of the table."""
        ability, tie = self.design.predictors(self.theta)
        shares = np.exp(self.likelihood.log_probabilities(ability, tie))[:, self.design.real]
        rank = self.design.rank + self.settings.random_effects
        return Goodness(self.design.outcomes[:, self.design.real], shares, rank, self.marginal)

    @property
    def deviance(self) -> float:
        """Residual deviance: twice the log-likelihood ratio of the saturated model against this one.

        It depends on the table, see :meth:`describe_table`. The same model on a finer table has another deviance.
        """
        return self.goodness.deviance

    @property
    def df_residual(self) -> int:
        """Residual degrees of freedom: cells minus nuisance parameters minus estimated parameters."""
        return self.goodness.df_residual

    @property
    def pearson(self) -> float:
        """Pearson's chi-square statistic: the sum of (observed - fitted)^2 / fitted over all cells."""
        return self.goodness.pearson

    @property
    def p_deviance(self) -> float | None:
        """P value of the deviance as a chi-square on `df_residual`; None for a saturated model."""
        return upper_tail(self.deviance, self.df_residual)

    @property
    def p_pearson(self) -> float | None:
        """P value of Pearson's chi-square on `df_residual`; None for a saturated model."""
        return upper_tail(self.pearson, self.df_residual)

    @property
    def fit_test(self) -> str:
        """Test of fit as text: deviance, degrees of freedom and p value."""
        p = self.p_deviance
        if p is None:
            return SATURATED
        return f"deviance {self.deviance:.4f} on {self.df_residual} df, p = {p:.4g}"

    @property
    def log_likelihood(self) -> float:
        """Multinomial log-likelihood, including the multinomial coefficients."""
        return self.goodness.kernel + self.goodness.constant

    @property
    def log_likelihood_kernel(self) -> float:
        """Multinomial log-likelihood without the multinomial coefficients: the sum of n log p."""
        return self.goodness.kernel

    @property
    def log_likelihood_poisson(self) -> float:
        """Log-likelihood of the cells as Poisson counts, as log-linear models report it."""
        return self.goodness.poisson

    @property
    def parameters(self) -> int:
        """Number of estimated parameters, without nuisance parameters."""
        return self.goodness.rank

    @property
    def aic(self) -> float:
        """Akaike information criterion: 2 x `parameters` - 2 x `log_likelihood`."""
        return 2.0 * self.parameters - 2.0 * self.log_likelihood

    @property
    def aic_poisson(self) -> float:
        """AIC of the Poisson model, with nuisance parameters. On one table its differences equal those of `aic`."""
        return 2.0 * (self.parameters + self.goodness.rows) - 2.0 * self.log_likelihood_poisson

    @property
    def bic(self) -> float:
        """Bayesian information criterion: log(n) x `parameters` - 2 x `log_likelihood`, n judgments."""
        return float(np.log(self.goodness.totals.sum())) * self.parameters - 2.0 * self.log_likelihood

    @cached_property
    def null_deviance(self) -> float:
        """Deviance of the model with equal items and ties at their observed frequency."""
        share = self.goodness.observed.sum(axis=1) / self.goodness.observed.sum()
        even = (share[0] + share[-1]) / 2.0
        equal = np.array([even, share[1], even]) if len(share) == 3 else np.array([0.5, 0.5])
        if self.settings.ties == "kept":
            equal = np.full(3, 1.0 / 3.0)
        shares = np.repeat(equal[:, None], self.goodness.rows, axis=1)
        return Goodness(self.goodness.observed, shares, 0).deviance

    @property
    def df_null(self) -> int:
        """Degrees of freedom of `null_deviance`: cells minus nuisance parameters minus the share of ties."""
        return self.goodness.cells - self.goodness.rows - self.settings.has_tie_effect

    def describe_table(self) -> str:
        """Return a description of the table on which the deviance is computed.

        Returns
        -------
        str
            Number of rows, columns that split them, outcomes and cells.
        """
        outcomes = self.goodness.observed.shape[0]
        apart = [name for name in self.design.table.cells if name != "row"]
        by_columns = f" x {' x '.join(apart)}" if apart else ""
        rows = (
            "judgments"
            if "row" in self.design.table.cells
            else "ordered pairs"
            if self.design.table.ordered
            else "pairs"
        )
        pooled = "" if "rater" in apart or "row" in self.design.table.cells else ", raters pooled"
        table = f"{self.goodness.rows:,} {rows}{by_columns}{pooled}"
        return f"{table} x {outcomes} outcomes = {self.goodness.cells:,} cells"
