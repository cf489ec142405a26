"""Standard errors and tests clustered by rater.

Each rater's score is one observation. The covariance of the estimates and the degrees of freedom of t tests come from
`maths.adjusted_scores`, with raters as clusters.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from steelyard.errors import BadSetting
from steelyard.judgments.formats.layout import UNKNOWN_RATER
from steelyard.maths.adjusted_scores import MOST_NUMBERS, AdjustedScores, inverse_root
from steelyard.maths.arrays import Codes, Mask, Matrix, Vector
from steelyard.maths.sandwich import FEW
from steelyard.models.bradley_terry.inference import by_rater, rater_scores
from steelyard.models.bradley_terry.residuals import counted_by_rater

if TYPE_CHECKING:
    from steelyard.models.bradley_terry.design import Design
    from steelyard.models.bradley_terry.results import BradleyTerryFit

FEW_RATERS = FEW  # with fewer, the variance is the larger of the clustered and the model-based one
# With FEW_RATERS or more, this quantile of chi-square / df, times the model-based variance, is a lower bound.
LEAST_SHARE = 0.025
LEAST_SEEN = (
    0.5  # least expected share of the model-based variance at which a clustered variance is estimated
)
MOST_PARAMETERS = 2500


@dataclass(frozen=True, slots=True)
class ClusteredEstimate:
    """An estimate with its standard error, t test and interval, clustered by rater.

    Attributes
    ----------
    estimate
        Estimate.
    se
        Standard error that is used, chosen from the next two.
    clustered_se
        Clustered standard error.
    model_se
        Model-based standard error, for independent answers.
    df
        Degrees of freedom (Satterthwaite).
    t
        Test statistic, estimate / se.
    p
        Two-sided p value.
    low
        Lower limit of the interval.
    high
        Upper limit of the interval.
    raters
        Number of raters.
    """

    estimate: float
    se: float
    clustered_se: float
    model_se: float
    df: float
    t: float
    p: float
    low: float
    high: float
    raters: int


@dataclass(frozen=True, slots=True)
class ClusteredTest:
    """Joint F test of several effects, clustered by rater.

    Attributes
    ----------
    statistic
        F statistic.
    df
        Degrees of freedom of the numerator.
    df_within
        Degrees of freedom of the denominator.
    p
        P value.
    raters
        Number of raters.
    """

    statistic: float
    df: float
    df_within: float
    p: float
    raters: int


@dataclass(frozen=True, eq=False)
class RaterClusters:
    """Scores and information of every rater at the estimates, for results clustered by rater.

    Attributes
    ----------
    theta
        Estimates of all parameters.
    free
        Mask of the estimated parameters.
    scores
        Scores, raters x free parameters.
    information
        Information, raters x free parameters x free parameters. With very many raters or parameters it is the sum
        only. The factor G / (G - 1) then replaces the adjustment of each rater's scores, and the degrees of freedom
        are G - 1.
    """

    theta: Vector
    free: Mask
    scores: Matrix
    information: Matrix

    @staticmethod
    def of(fit: BradleyTerryFit) -> RaterClusters:
        """Return the scores of the raters of a fit; raise `BadSetting` if they are not identified."""
        if fit.settings.random_effects:
            raise BadSetting(
                "rater",
                "the random effects of this fit already model differences between raters. Use interval='wald'.",
            )
        codes, raters, split = by_rater(counted_by_rater(fit), fit.settings)
        free = fit.design.free.copy()
        free[len(fit.design.items) : fit.design.size] = False  # the ghost of pseudo-comparisons
        if int(free.sum()) > MOST_PARAMETERS:
            raise BadSetting(
                "rater",
                f"clustered standard errors need the full covariance, and {int(free.sum()):,} parameters are too many "
                f"(at most {MOST_PARAMETERS:,}). Use fewer items.",
            )
        scores = rater_scores(split, fit.likelihood, fit.theta, codes, len(raters))[:, free]
        apart = len(raters) * int(free.sum()) ** 2 <= MOST_NUMBERS
        groups = codes if apart else np.zeros_like(codes)
        informations = _informations(split, fit, groups, len(raters) if apart else 1, free)
        return RaterClusters(fit.theta, free, scores, informations)

    @property
    def raters(self) -> int:
        """Number of raters."""
        return len(self.scores)

    @property
    def _apart(self) -> bool:
        """Whether the information of each rater is available."""
        return len(self.information) == len(self.scores)

    @cached_property
    def _root(self) -> Matrix:
        """Inverse square root of the information of all raters."""
        return inverse_root(self.information.sum(axis=0))

    @cached_property
    def _adjusted(self) -> AdjustedScores | None:
        """Scores with the CR2 adjustment; None if the information of each rater is not available."""
        return AdjustedScores(self._root, self.scores, self.information) if self._apart else None

    @cached_property
    def covariance(self) -> Matrix:
        """Clustered covariance of the free parameters."""
        if self._adjusted is not None:
            return self._adjusted.covariance
        half = self.scores @ self.model_covariance
        return np.asarray(self.raters / (self.raters - 1.0) * half.T @ half)

    @cached_property
    def model_covariance(self) -> Matrix:
        """Inverse information: the covariance for independent answers."""
        return np.asarray(self._root @ self._root)

    def excess(self) -> float:
        """Return tr(I V), the effective number of parameters; with few raters at least the actual number."""
        effective = float(np.trace(self.information.sum(axis=0) @ self.covariance))
        return (
            max(effective, float(np.linalg.matrix_rank(self._root)))
            if self.raters < FEW_RATERS
            else effective
        )

    def estimate(self, row: Vector, level: float = 0.95) -> ClusteredEstimate | None:
        """Return `row @ theta` with a clustered standard error; None if it depends on a single rater."""
        from scipy.special import stdtr, stdtrit  # SciPy is slow to import

        inside = row[self.free]
        model = float(inside @ self.model_covariance @ inside)
        seen, df = self._degrees(inside)
        if self.raters < 2 or model <= 0.0 or seen < LEAST_SEEN * model:
            return None
        # The covariance has no negative eigenvalue; a variance near 0 can be rounded below it.
        clustered = max(0.0, float(inside @ self.covariance @ inside))
        se = float(np.sqrt(self._chosen(clustered, model, df)))
        value = float(row @ self.theta)
        reach = float(stdtrit(df, 0.5 + level / 2.0)) * se
        return ClusteredEstimate(
            value,
            se,
            float(np.sqrt(clustered)),
            float(np.sqrt(model)),
            df,
            value / se,
            float(2.0 * stdtr(df, -abs(value / se))),
            value - reach,
            value + reach,
            self.raters,
        )

    def _chosen(self, clustered: float, model: float, df: float) -> float:
        """Return the variance to use: with few raters the larger one, otherwise the clustered one with its bound."""
        from scipy.special import chdtri  # SciPy is slow to import

        if self.raters < FEW_RATERS:
            return max(clustered, model)
        return max(clustered, model * float(chdtri(df, 1.0 - LEAST_SHARE)) / df)

    def _degrees(self, inside: Vector) -> tuple[float, float]:
        """Return the expected clustered variance under independence, and Satterthwaite's degrees of freedom."""
        if self._adjusted is None:
            return float(inside @ self.model_covariance @ inside), self.raters - 1.0
        seen, freedom = self._adjusted.degrees(*self._adjusted.ends(inside[None, :]))
        return float(seen[0]), float(freedom[0])

    def joint(self, rows: Matrix, chi_square: float) -> ClusteredTest | None:
        """Return the likelihood ratio test of `rows @ theta` = 0, corrected for clustering (Rao & Scott 1984).

        Let d be the eigenvalues of (R B R')^-1 R V R', with the model-based covariance B and the clustered covariance
        V. The ratio divided by sum d has an F distribution on k and k (G - 1) degrees of freedom,
        k = (sum d)^2 / sum d^2. A single row is a t test. None if an effect depends on a single rater.
        """
        from scipy.special import fdtrc  # SciPy is slow to import

        if len(rows) == 1:
            one = self.estimate(rows[0])
            return None if one is None else ClusteredTest(one.t**2, 1.0, one.df, one.p, one.raters)
        inside = rows[:, self.free]
        shares = [self._degrees(row)[0] / float(row @ self.model_covariance @ row) for row in inside]
        if self.raters < 2 or min(shares) < LEAST_SEEN:
            return None
        plain = inside @ self.model_covariance @ inside.T
        effects = np.linalg.eigvals(np.linalg.solve(plain, inside @ self.covariance @ inside.T)).real
        least = 1.0 if self.raters < FEW_RATERS else self._chosen(0.0, 1.0, self.raters - 1.0)
        total = max(float(effects.sum()), least * len(rows))
        k = total**2 / max(float(np.sum(effects**2)), total**2 / len(rows))
        statistic = chi_square / total
        within = k * (self.raters - 1.0)
        return ClusteredTest(statistic, k, within, float(fdtrc(k, within, statistic)), self.raters)


def _informations(split: Design, fit: BradleyTerryFit, codes: Codes, raters: int, free: Mask) -> Matrix:
    """Return the information X'WX of every rater by the free parameters."""
    ability, tie = split.predictors(fit.theta)
    slopes = fit.likelihood.evaluate(ability, tie, split.outcomes)[1]
    informations = np.zeros((raters, int(free.sum()), int(free.sum())))
    for rater in range(raters):
        rows = np.flatnonzero(codes == rater)
        x = split.matrix[rows].toarray()[:, free]
        informations[rater] = (x.T * slopes.ability_ability[rows]) @ x
        if slopes.ability_tie is not None and slopes.tie_tie is not None and split.ties.shape[1]:
            z = split.tie_matrix[rows].toarray()[:, free]
            cross = (x.T * slopes.ability_tie[rows]) @ z
            informations[rater] += cross + cross.T + (z.T * slopes.tie_tie[rows]) @ z
    return informations


def repeating_raters(fit: BradleyTerryFit) -> int:
    """Return the number of identified raters if some answered more than once; otherwise 0."""
    raters = fit.provenance.raters
    if raters < 2 or raters >= fit.provenance.judgments or fit.settings.random_effects:
        return 0
    names = set(map(str, getattr(fit.source, "raters", ())))
    return 0 if UNKNOWN_RATER in names else raters
