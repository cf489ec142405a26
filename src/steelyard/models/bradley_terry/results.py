"""`BradleyTerryFit`: log-worths with coefficients, contrasts, tests and predictions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from steelyard.errors import BadSetting, UnknownName
from steelyard.judgments.logs import ComparisonSource
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Vector
from steelyard.models.bradley_terry import prediction, residuals
from steelyard.models.bradley_terry.bootstrap import bootstrap_of
from steelyard.models.bradley_terry.coefficients import (
    INTERVALS,
    PARAMETRISATIONS,
    Coefficients,
    Interval,
    Limits,
    Parametrisation,
    coefficients_of,
)
from steelyard.models.bradley_terry.design import Design
from steelyard.models.bradley_terry.differences import Difference, DifferenceInterval, difference_of
from steelyard.models.bradley_terry.fit_positions import FitPositions
from steelyard.models.bradley_terry.inference import Covariance
from steelyard.models.bradley_terry.likelihoods import Likelihood
from steelyard.models.bradley_terry.profile import ProfileLikelihood
from steelyard.models.bradley_terry.rater_item_search import ItemEffects
from steelyard.models.bradley_terry.rater_variance import RaterClusters
from steelyard.models.bradley_terry.ratios import LikelihoodRatio, boundary_p, independence, ratio_of
from steelyard.models.bradley_terry.settings import Settings
from steelyard.models.bradley_terry.summary import write_summary
from steelyard.models.clusters import Clustering
from steelyard.models.refitting import fit_systems
from steelyard.scales.fit import INTERVAL_LEVEL, Fit, Sample
from steelyard.scales.tables import Rows
from steelyard.scales.win_matrix import WinMatrix


@dataclass(frozen=True, eq=False, kw_only=True)
class BradleyTerryFit(FitPositions):
    """Result of `BradleyTerry.fit`: a scale of log-worths with coefficients, tests and goodness of fit.

    `item` and all arrays by item are in sorted order. Positions of the scale sum to 0, so every item has a standard
    error. If log-worths differ between raters, positions are averages over the judgments.

    Attributes
    ----------
    settings
        Settings of the model, with `"auto"` replaced by the choice made.
    design
        Design matrix and counts.
    likelihood
        Likelihood of one comparison: ties and link.
    theta
        Estimates of all parameters, in the order of `design.names`.
    covariance
        Covariance of the estimates.
    source
        Judgments, counts or log that the model was fitted to.
    gradient_norm
        Norm of the gradient of the log-likelihood at the estimates.
    position_sd
        Standard deviation of the raters' random position effects; None without them.
    position_sd_error
        Standard error of `position_sd`; None without random position effects.
    marginal
        Log-likelihood with random effects integrated out; None without them.
    rater_tastes
        Random effects of raters on items; None without them.
    without_random
        Log-likelihood of the same model without random effects; None if it has none.
    clustering
        Clustered covariance with its degrees of freedom; None if standard errors are not clustered.

    Examples
    --------
    >>> from steelyard import BradleyTerry, read
    >>> table = {"left": ["a", "a", "b"], "right": ["b", "c", "c"], "wins": [9, 7, 6], "losses": [3, 2, 4]}
    >>> fit = BradleyTerry().fit(read(table))
    >>> [str(item) for item in fit.item], fit.posterior.position.round(3).tolist()
    (['a', 'b', 'c'], [0.796, -0.23, -0.567])
    >>> print(f"deviance {fit.deviance:.3f} on {fit.df_residual} df, p = {fit.p_deviance:.2f}")
    deviance 0.042 on 1 df, p = 0.84
    """

    parametrisations: ClassVar[tuple[str, ...]] = PARAMETRISATIONS
    settings: Settings
    design: Design
    likelihood: Likelihood
    theta: Vector
    covariance: Covariance
    source: ComparisonSource
    gradient_norm: float
    position_sd: float | None = None
    position_sd_error: float | None = None
    marginal: float | None = None
    rater_tastes: ItemEffects | None = None
    without_random: float | None = None
    clustering: Clustering | None = None

    def systems(self, target: Sample = "new", raters: Sample = "new") -> Fit:
        """Return the scale of systems: the same model, fitted with systems as items.

        Standard errors are clustered by segment if `target` is `"new"`, and by rater if `raters` is `"new"`.

        Parameters
        ----------
        target
            `"new"` (default) generalises to new segments like these. `"these"` describes only these segments.
        raters
            `"new"` (default) generalises to new raters like these. `"these"` describes only these raters.

        Returns
        -------
        Fit
            A fit whose items are the systems.
        """
        if not isinstance(self.source, Judgments):
            return super().systems(target, raters)
        return fit_systems(self.settings, self.source, target, raters)

    @property
    def taste_sd(self) -> float | None:
        """Standard deviation of the raters' random effects on an item, in log-worths; None without them."""
        return None if self.rater_tastes is None else self.rater_tastes.sd

    @property
    def taste_sd_error(self) -> float | None:
        """Standard error of `taste_sd`; NaN if the estimate is 0."""
        return None if self.rater_tastes is None else self.rater_tastes.sd_error

    @property
    def log_likelihood_error(self) -> float:
        """Monte Carlo standard error of the log-likelihood; 0 if nothing was simulated."""
        return 0.0 if self.rater_tastes is None else self.rater_tastes.monte_carlo_error

    def random_effect_test(self) -> LikelihoodRatio:
        """Return the likelihood ratio test that the standard deviation of the random effect is 0.

        The null hypothesis is on the boundary, so p is half that of a chi-square on 1 df (Self & Liang 1987).

        Returns
        -------
        LikelihoodRatio
            Statistic, degrees of freedom and p value.

        Raises
        ------
        BadSetting
            If the model has no random effect.
        """
        if self.marginal is None or self.without_random is None:
            raise BadSetting(
                "random_effect_test", "this model has no random effect. Set rater_items or rater_position."
            )
        chi_square = max(2.0 * (self.marginal - self.without_random), 0.0)
        return LikelihoodRatio(chi_square, 1, boundary_p(chi_square))

    def coefficients(
        self,
        parametrisation: Parametrisation = "log_worth",
        interval: Interval = "wald",
        level: float = INTERVAL_LEVEL,
    ) -> Coefficients:
        """Return every coefficient with standard error, test, interval and covariance.

        Parameters
        ----------
        parametrisation
            `"log_worth"` (default) or `"lambda"`, half a log-worth. The tie parameter is the same in both.
        interval
            `"wald"` (default), from the standard error, or `"profile"`, from the likelihood without a penalty. Profile
            limits assume independent answers, even if standard errors and tests are clustered. `notes` of the result
            then states both.
        level
            Coverage of the intervals, 0.95 by default.

        Returns
        -------
        Coefficients
            One row per coefficient; an aliased coefficient is NaN.

        Examples
        --------
        >>> from steelyard import BradleyTerry, read
        >>> counts = {"left": ["tea"], "right": ["milk"], "wins": [61], "ties": [24], "losses": [35]}
        >>> tea = BradleyTerry(reference="milk").fit(read(counts)).coefficients("lambda")["tea"]
        >>> round(tea["estimate"], 4), round(tea["se"], 4), round(tea["z"], 3)
        (0.2778, 0.106, 2.62)
        """
        if interval not in INTERVALS:
            raise UnknownName("interval", interval, INTERVALS)
        limits = Limits(level, self.profile if interval == "profile" else None, self.freedom_of)
        table = coefficients_of(
            self.design, self.theta, self._matrix, self.settings, parametrisation, limits=limits
        )
        errors = str(self.provenance.settings["errors"])
        if interval == "wald" or (self.clustering is None and self.settings.standard_errors == "information"):
            return table
        basis = f"se, z and p: standard errors {errors}."
        return replace(table, notes=(f"{basis} low and high: profile likelihood of independent answers.",))

    @cached_property
    def profile(self) -> ProfileLikelihood:
        """Profile likelihood of the comparisons, without a penalty."""
        return ProfileLikelihood.of(self)

    @cached_property
    def clustered(self) -> RaterClusters:
        """Scores by rater, for standard errors and tests clustered by rater."""
        return RaterClusters.of(self)

    def difference(
        self, left: str, right: str, interval: DifferenceInterval = "wald", level: float = INTERVAL_LEVEL
    ) -> Difference:
        """Return the difference of two log-worths with a test and the interval that inverts it.

        Parameters
        ----------
        left
            Item whose log-worth is the minuend.
        right
            Item whose log-worth is subtracted.
        interval
            `"wald"` (default): z test, or t test if standard errors are clustered. `"profile"`: likelihood ratio
            test; limits may be infinite. `"clustered"`: t test clustered by rater.
        level
            Coverage of the interval, 0.95 by default.

        Returns
        -------
        Difference
            Estimate, standard error, interval, statistic and p value.

        Examples
        --------
        >>> from steelyard import BradleyTerry, read
        >>> nine = read({"left": ["new"], "right": ["old"], "wins": [9], "ties": [0], "losses": [0]})
        >>> found = BradleyTerry(penalty="firth").fit(nine).difference("new", "old", interval="profile")
        >>> print(f"{found.low:.3f} to {found.high}, p = {found.p:.4f}")
        1.436 to inf, p = 0.0004
        """
        return difference_of(self, left, right, interval, level)

    def compare(self, other: BradleyTerryFit) -> LikelihoodRatio:
        """Return the likelihood ratio test of two nested models fitted to the same table.

        The test of a random effect is on the boundary, so its p is half that of a chi-square on 1 df.

        Parameters
        ----------
        other
            Fit of a model that contains this one or that this one contains.

        Returns
        -------
        LikelihoodRatio
            Statistic, degrees of freedom and p value, and the test clustered by rater if raters repeat.

        Raises
        ------
        DifferentTables
            If the models are fitted to different tables or are not nested.
        """
        return ratio_of(self, other)

    @property
    def independence(self) -> str:
        """Assumption of independent answers behind likelihood ratios and AIC; empty if no rater repeats."""
        return independence(self)

    @property
    def aic_clustered(self) -> float:
        """AIC with tr(I V) instead of the number of parameters (Takeuchi 1976).

        I is the information matrix and V the covariance clustered by rater.
        """
        return 2.0 * self.clustered.excess() - 2.0 * self.log_likelihood

    def probabilities(
        self, left: str, right: str, level: float = INTERVAL_LEVEL, **raters: object
    ) -> dict[str, tuple[float, float, float]]:
        """Return the predicted probabilities of the outcomes of a comparison.

        Parameters
        ----------
        left
            Item shown on the left.
        right
            Item shown on the right. The two items need not have been compared.
        level
            Coverage of the intervals (delta method on the logit), 0.95 by default.
        **raters
            Values of rater covariates, such as `group="expert"`. Default: the reference level of each category
            and 0 for a number.

        Returns
        -------
        dict
            Estimate, lower and upper limit of `left`, `right` and, if ties are modelled, `tie`.

        Examples
        --------
        >>> from steelyard import BradleyTerry, read
        >>> fit = BradleyTerry().fit(read({"left": ["tea"], "right": ["milk"], "wins": [30], "losses": [10]}))
        >>> [round(number, 2) for number in fit.probabilities("tea", "milk")["left"]]
        [0.75, 0.59, 0.86]
        """
        return prediction.probabilities(self, left, right, level, raters)

    def win_matrix(self) -> WinMatrix:
        """Return the predicted probability of a win of every item against every other one. Ties count one half.

        Returns
        -------
        WinMatrix
            Items in the order of their positions. Effects of order and rater covariates are averaged.
        """
        return prediction.win_matrix(self)

    def bootstrapped(
        self, replicates: int, rng: np.random.Generator, show: Callable[[int], None] | None = None
    ) -> BradleyTerryFit:
        """Return the fit with intervals and ranks from a bootstrap of raters.

        Parameters
        ----------
        replicates
            Number of bootstrap samples. Each draws all raters with replacement.
        rng
            Random numbers.
        show
            Called with the number of finished samples, to report progress. Default: none.

        Returns
        -------
        BradleyTerryFit
            The same estimates with bootstrap intervals. A note counts samples with infinite estimates.
        """
        drawn = bootstrap_of(self, replicates, rng, show)
        failed = f"{drawn.failed:,} of {replicates:,} draws of the raters have infinite estimates and are not used."
        settings = {
            **self.provenance.settings,
            "errors": f"bootstrap of {drawn.drawn} ({replicates:,} draws)",
        }
        provenance = replace(self.provenance, settings=settings)
        return replace(
            self,
            posterior=drawn,
            provenance=provenance,
            notes=(*self.notes, *([failed] if drawn.failed else [])),
        )

    def residuals(self, by: str = "pair") -> Rows:
        """Return residuals by pair or by rater.

        Parameters
        ----------
        by
            `"pair"` (default): observed and expected counts, Pearson residuals and deviance of each pair. `"rater"`:
            deviance, Pearson chi-square and standardised log-likelihood (`unusual`) of each rater.

        Returns
        -------
        Rows
            One row per pair or rater.
        """
        return residuals.by_pair(self) if by == "pair" else residuals.by_rater(self, by)

    def summary(self, most: int = 40, parametrisation: Parametrisation = "log_worth") -> str:
        """Return a summary in the layout of R: coefficients, deviance, likelihoods and convergence.

        Effects such as order and ties are first. Items follow, highest worth first.

        Parameters
        ----------
        most
            Largest number of items, and of other coefficients, to print, 40 by default.
        parametrisation
            `"log_worth"` (default) or `"lambda"`.

        Returns
        -------
        str
            Several lines of text.
        """
        return write_summary(self, most, parametrisation)
