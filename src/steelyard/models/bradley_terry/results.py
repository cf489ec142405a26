"""`BradleyTerryFit`: the scale, and everything that a statistician asks of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from steelyard.errors import BadSetting, UnknownItem, UnknownName
from steelyard.judgments.counts import PairCounts
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Labels, Matrix, Vector
from steelyard.models.bradley_terry import prediction, residuals
from steelyard.models.bradley_terry.bootstrap import bootstrap_of
from steelyard.models.bradley_terry.coefficients import (
    INTERVALS,
    Coefficients,
    Interval,
    Limits,
    Parametrisation,
    centred_items,
    coefficients_of,
    covariate_profile,
    item_rows,
)
from steelyard.models.bradley_terry.contrasts import (
    Contrasts,
    QuasiVariances,
    all_contrasts,
    quasi_variances_of,
)
from steelyard.models.bradley_terry.design import Design
from steelyard.models.bradley_terry.differences import Difference, DifferenceInterval, difference_of
from steelyard.models.bradley_terry.goodness import Goodness, upper_tail
from steelyard.models.bradley_terry.inference import Covariance, DenseCovariance
from steelyard.models.bradley_terry.likelihoods import Likelihood
from steelyard.models.bradley_terry.profile import ProfileLikelihood
from steelyard.models.bradley_terry.rater_item_search import ItemEffects
from steelyard.models.bradley_terry.rater_variance import RaterClusters
from steelyard.models.bradley_terry.ratios import LikelihoodRatio, boundary_p, independence, ratio_of
from steelyard.models.bradley_terry.settings import Settings
from steelyard.models.bradley_terry.summary import write_summary
from steelyard.models.clusters import Clustering
from steelyard.models.refitting import fit_systems
from steelyard.scales.differences import Adjust
from steelyard.scales.fit import INTERVAL_LEVEL, Fit, Sample
from steelyard.scales.joint import Joint

SATURATED = "saturated: no test of fit"


@dataclass(frozen=True, eq=False, kw_only=True)
class BradleyTerryFit(Fit):
    """A scale of log-worths, and the model behind it.

    `item` and all arrays by item are in sorted order. Positions sum to 0, so that no item's spread is 0; where
    items differ between raters, they are those of the average over the judgments.
    """

    settings: Settings
    design: Design
    likelihood: Likelihood
    theta: Vector
    covariance: Covariance
    source: Judgments | PairCounts
    gradient_norm: float
    position_sd: float | None = None
    position_sd_error: float | None = None
    marginal: float | None = None
    rater_tastes: ItemEffects | None = None
    without_random: float | None = None
    clustering: Clustering | None = None

    def systems(self, target: Sample = "new", raters: Sample = "new") -> Fit:
        """The systems' scale: the same model, with errors clustered for what `target` and `raters` say."""
        if not isinstance(self.source, Judgments):
            return super().systems(target, raters)
        return fit_systems(self.settings, self.source, target, raters)

    @property
    def taste_sd(self) -> float | None:
        """The sd of raters' own effects on items, on the log-worth scale; None where the model has none."""
        return None if self.rater_tastes is None else self.rater_tastes.sd

    @property
    def taste_sd_error(self) -> float | None:
        """The standard error of `taste_sd`; NaN where the estimate is 0."""
        return None if self.rater_tastes is None else self.rater_tastes.sd_error

    @property
    def log_likelihood_error(self) -> float:
        """The Monte Carlo standard error of the log-likelihood; 0 where nothing was simulated."""
        return 0.0 if self.rater_tastes is None else self.rater_tastes.monte_carlo_error

    def random_effect_test(self) -> LikelihoodRatio:
        """The likelihood ratio of the random effect against an sd of 0, at the boundary: half a chi-square on 1 df."""
        if self.marginal is None or self.without_random is None:
            raise BadSetting(
                "random_effect_test", "this model has no random effect. Set rater_items or rater_position."
            )
        chi_square = max(2.0 * (self.marginal - self.without_random), 0.0)
        return LikelihoodRatio(chi_square, 1, boundary_p(chi_square))

    @cached_property
    def goodness(self) -> Goodness:
        """Observed and fitted counts of every cell of the table."""
        ability, tie = self.design.predictors(self.theta)
        shares = np.exp(self.likelihood.log_probabilities(ability, tie))[:, self.design.real]
        rank = self.design.rank + self.settings.random_effects
        return Goodness(self.design.outcomes[:, self.design.real], shares, rank, self.marginal)

    def coefficients(
        self,
        parametrisation: Parametrisation = "log_worth",
        interval: Interval = "wald",
        level: float = INTERVAL_LEVEL,
    ) -> Coefficients:
        """Every parameter with se, z, p, interval and their covariance.

        Parameters
        ----------
        parametrisation : `"log_worth"` or `"lambda"`, which is half a log-worth; the tie effect is the same in both.
        interval : `"wald"`, from the standard error, or `"profile"`, from the likelihood without any penalty.
        level : of the intervals.
        """
        if interval not in INTERVALS:
            raise UnknownName("interval", interval, INTERVALS)
        limits = Limits(level, self.profile if interval == "profile" else None, self.freedom_of)
        return coefficients_of(
            self.design, self.theta, self._matrix, self.settings, parametrisation, limits=limits
        )

    def freedom_of(self, rows: Matrix) -> Vector | None:
        """Degrees of freedom of combinations of the parameters, a row each; None where errors are not clustered."""
        if self.clustering is None:
            return None
        return np.diag(self.clustering.freedom(rows[:, np.diag(self._matrix) > 0.0]))

    @cached_property
    def profile(self) -> ProfileLikelihood:
        """The likelihood of the comparisons behind this fit, without any penalty."""
        return ProfileLikelihood.of(self)

    @cached_property
    def clustered(self) -> RaterClusters:
        """Scores of the raters, for errors and tests that allow for answers of one rater that go together."""
        return RaterClusters.of(self)

    def difference(
        self, left: str, right: str, interval: DifferenceInterval = "wald", level: float = INTERVAL_LEVEL
    ) -> Difference:
        """The log-worth of `left` less that of `right`, with a test and the interval that agrees with it.

        Parameters
        ----------
        interval : `"wald"` (z test), `"profile"` (likelihood ratio) or `"clustered"` (t test over raters).
        """
        return difference_of(self, left, right, interval, level)

    @property
    def _matrix(self) -> Matrix:
        if not isinstance(self.covariance, DenseCovariance):
            raise BadSetting(
                "coefficients",
                f"the covariance of {len(self.design.names):,} parameters is not written out; "
                "ask for standard_errors(items) or contrasts of some items.",
            )
        return self.covariance.matrix

    @property
    def aliased(self) -> tuple[str, ...]:
        """Parameters that the data cannot distinguish from others; they are held at 0."""
        return self.design.aliased

    def worths(self, **raters: object) -> dict[str, float]:
        """exp(log-worth), adding up to 1; for raters with these covariates where items differ between raters."""
        position = (
            item_rows(self.design, self.settings, covariate_profile(self.design, self.settings, raters))
            @ self.theta
        )
        worth = np.exp(position - position.max())
        return dict(zip(map(str, self.item), (worth / worth.sum()).tolist(), strict=True))

    def standard_errors(
        self, items: list[str] | Labels | None = None, leading: int | None = None
    ) -> dict[str, float]:
        """Standard errors of positions (which sum to 0), of these items, of the leading ones, or of all."""
        index = {str(item): at for at, item in enumerate(self.item)}
        if items is not None:
            chosen = [self._at(str(item), index) for item in items]
        else:
            order = np.argsort(-self.posterior.position, kind="stable")
            chosen = (order if leading is None else order[:leading]).tolist()
        if isinstance(self.covariance, DenseCovariance):
            errors = self.posterior.spread[chosen]
        else:
            rows = np.zeros((len(chosen), len(self.design.names)))
            rows[:, : len(self.item)] = -1.0 / len(self.item)
            rows[np.arange(len(chosen)), chosen] += 1.0
            errors = np.sqrt(self.covariance.variances(rows.T))
        return {str(self.item[at]): float(se) for at, se in zip(chosen, errors, strict=True)}

    @staticmethod
    def _at(item: str, index: Mapping[str, int]) -> int:
        if item not in index:
            raise UnknownItem(item)
        return index[item]

    @cached_property
    def item_covariance(self) -> Matrix:
        """The covariance of positions, which sum to 0 within every connected group of items."""
        return centred_items(self.design, self.settings, self.theta, self._matrix)[1]

    def contrasts(self, adjust: Adjust = "none") -> Contrasts:
        """Every difference of two positions, p values as they are or adjusted for all of them."""
        freedom = None if self.clustering is None else self.joint.freedom
        joint = Joint(self.posterior.position, self.item_covariance, freedom)
        part = self.design.component if self.design.component.any() else None
        return all_contrasts(self.item, joint, adjust, part)

    def quasi_variances(self) -> QuasiVariances:
        """One variance per item whose sums stand for the variances of all differences."""
        return quasi_variances_of(self.item, self.item_covariance)

    @property
    def deviance(self) -> float:
        """On the table of `describe_table()`."""
        return self.goodness.deviance

    @property
    def df_residual(self) -> int:
        """Cells less all parameters, nuisance ones among them."""
        return self.goodness.df_residual

    @property
    def pearson(self) -> float:
        """Pearson's chi-square on the same table."""
        return self.goodness.pearson

    @property
    def p_deviance(self) -> float | None:
        """Of the deviance as a chi-square; None where nothing is left to test."""
        return upper_tail(self.deviance, self.df_residual)

    @property
    def p_pearson(self) -> float | None:
        """Of Pearson's chi-square; None where nothing is left to test."""
        return upper_tail(self.pearson, self.df_residual)

    @property
    def fit_test(self) -> str:
        """The test of fit in words."""
        p = self.p_deviance
        if p is None:
            return SATURATED
        return f"deviance {self.deviance:.4f} on {self.df_residual} df, p = {p:.4g}"

    @property
    def log_likelihood(self) -> float:
        """Multinomial, with its constant."""
        return self.goodness.kernel + self.goodness.constant

    @property
    def log_likelihood_kernel(self) -> float:
        """Multinomial, without its constant: the sum of n log p."""
        return self.goodness.kernel

    @property
    def log_likelihood_poisson(self) -> float:
        """Of the cells as Poisson counts, as a log-linear model reports it."""
        return self.goodness.poisson

    @property
    def parameters(self) -> int:
        """Estimated parameters without nuisance ones."""
        return self.goodness.rank

    @property
    def aic(self) -> float:
        """From the multinomial log-likelihood and the parameters without nuisance ones."""
        return 2.0 * self.parameters - 2.0 * self.log_likelihood

    @property
    def aic_poisson(self) -> float:
        """From the Poisson log-likelihood and all parameters; differences on one table are those of `aic`."""
        return 2.0 * (self.parameters + self.goodness.rows) - 2.0 * self.log_likelihood_poisson

    @property
    def bic(self) -> float:
        """Like `aic` with log n in place of 2, n the number of judgments."""
        return float(np.log(self.goodness.totals.sum())) * self.parameters - 2.0 * self.log_likelihood

    @cached_property
    def null_deviance(self) -> float:
        """The deviance when all items are equal and ties as frequent as they are."""
        share = self.goodness.observed.sum(axis=1) / self.goodness.observed.sum()
        even = (share[0] + share[-1]) / 2.0
        equal = np.array([even, share[1], even]) if len(share) == 3 else np.array([0.5, 0.5])
        if self.settings.ties == "kept":
            equal = np.full(3, 1.0 / 3.0)
        shares = np.repeat(equal[:, None], self.goodness.rows, axis=1)
        return Goodness(self.goodness.observed, shares, 0).deviance

    @property
    def df_null(self) -> int:
        """Degrees of freedom of `null_deviance`: cells less nuisance parameters and less the share of ties."""
        return self.goodness.cells - self.goodness.rows - self.settings.has_tie_effect

    def compare(self, other: BradleyTerryFit) -> LikelihoodRatio:
        """The likelihood ratio of two nested models on the same table; refused on different ones.

        A random effect against none lies on the boundary: its p is half that of a chi-square on 1 df.
        """
        return ratio_of(self, other)

    @property
    def independence(self) -> str:
        """What likelihood ratios, AIC and model-based errors take for granted where raters answered more than once."""
        return independence(self)

    @property
    def aic_clustered(self) -> float:
        """`aic` with tr(I V) in place of the number of parameters, V the covariance clustered by rater.

        The criterion of Takeuchi (1976) with raters as the units.
        """
        return 2.0 * self.clustered.excess() - 2.0 * self.log_likelihood

    def probabilities(
        self, left: str, right: str, level: float = INTERVAL_LEVEL, **raters: object
    ) -> dict[str, tuple[float, float, float]]:
        """Of `left`, `tie` (where ties are modelled) and `right`: estimate, low and high; any pair of items will do."""
        return prediction.probabilities(self, left, right, level, raters)

    def bootstrapped(
        self, replicates: int, rng: np.random.Generator, show: Callable[[int], None] | None = None
    ) -> BradleyTerryFit:
        """The fit with intervals and ranks from drawing the raters anew; `show` is called with the number done."""
        drawn = bootstrap_of(self, replicates, rng, show)
        failed = f"{drawn.failed:,} of {replicates:,} draws of the raters left estimates infinite and are not used."
        settings = {**self.provenance.settings, "errors": f"bootstrap of raters ({replicates:,} draws)"}
        provenance = replace(self.provenance, settings=settings)
        return replace(
            self,
            posterior=drawn,
            provenance=provenance,
            notes=(*self.notes, *([failed] if drawn.failed else [])),
        )

    def residuals(self, by: str = "pair") -> list[dict[str, Any]]:
        """How observed and expected counts differ, pair by pair or rater by rater."""
        return residuals.by_pair(self) if by == "pair" else residuals.by_rater(self, by)

    def describe_table(self) -> str:
        """The table that the deviance is about, in words."""
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

    def summary(self, most: int = 40, parametrisation: Parametrisation = "log_worth") -> str:
        """Coefficients, deviance and likelihoods, as R prints them."""
        return write_summary(self, most, parametrisation)
