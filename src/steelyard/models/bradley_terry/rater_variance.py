"""Errors and tests that allow for answers of one rater that go together.

Each rater's score is one observation: the covariance of the estimates and the degrees of freedom of t tests are those
of `maths.adjusted_scores` with raters as clusters.
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

FEW_RATERS = FEW  # below, the variance is the larger of the clustered and the model's own
LEAST_SHARE = (
    0.025  # from FEW_RATERS on: quantile of chi-square / df, times the model's variance, as a lower bound
)
LEAST_SEEN = 0.5  # share of a variance that the other raters must show for it to be estimated
MOST_PARAMETERS = 2500


@dataclass(frozen=True, slots=True)
class ClusteredEstimate:
    """An estimate with its clustered error, t test and interval.

    `se` is the error that was used; `clustered_se` and `model_se` are the two that it was chosen from.
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
    """A test of several effects at once, allowing for answers of one rater that go together."""

    statistic: float
    df: float
    df_within: float
    p: float
    raters: int


@dataclass(frozen=True, eq=False)
class RaterClusters:
    """Scores (raters x free parameters) and information (raters x free x free) of every rater at the estimates.

    With very many raters or parameters `information` holds the sum only: the covariance then has the factor G / (G - 1)
    in place of the adjustment of each rater's scores, and the degrees of freedom are G - 1.
    """

    theta: Vector
    free: Mask
    scores: Matrix
    information: Matrix

    @staticmethod
    def of(fit: BradleyTerryFit) -> RaterClusters:
        """Of the comparisons behind a fit, whose raters must be known."""
        if fit.settings.random_effects:
            raise BadSetting("rater", "the random effects of this fit already allow for raters who differ.")
        codes, raters, split = by_rater(counted_by_rater(fit), fit.settings)
        free = fit.design.free.copy()
        free[len(fit.design.items) : fit.design.size] = False  # the ghost of pseudo-comparisons
        if int(free.sum()) > MOST_PARAMETERS:
            raise BadSetting(
                "rater",
                f"errors clustered by rater need the covariance of all {int(free.sum()):,} parameters, and more than "
                f"{MOST_PARAMETERS:,} are too many. Use fewer items.",
            )
        scores = rater_scores(split, fit.likelihood, fit.theta, codes, len(raters))[:, free]
        apart = len(raters) * int(free.sum()) ** 2 <= MOST_NUMBERS
        groups = codes if apart else np.zeros_like(codes)
        informations = _informations(split, fit, groups, len(raters) if apart else 1, free)
        return RaterClusters(fit.theta, free, scores, informations)

    @property
    def raters(self) -> int:
        """How many raters answered."""
        return len(self.scores)

    @property
    def _apart(self) -> bool:
        """Is the information of each rater kept?"""
        return len(self.information) == len(self.scores)

    @cached_property
    def _root(self) -> Matrix:
        """The inverse root of the information of all raters."""
        return inverse_root(self.information.sum(axis=0))

    @cached_property
    def _adjusted(self) -> AdjustedScores | None:
        """The scores adjusted for few raters; None where the information of each rater is not kept."""
        return AdjustedScores(self._root, self.scores, self.information) if self._apart else None

    @cached_property
    def covariance(self) -> Matrix:
        """By the free parameters."""
        if self._adjusted is not None:
            return self._adjusted.covariance
        half = self.scores @ self.model_covariance
        return np.asarray(self.raters / (self.raters - 1.0) * half.T @ half)

    @cached_property
    def model_covariance(self) -> Matrix:
        """The inverse information, which takes all answers as independent."""
        return np.asarray(self._root @ self._root)

    def excess(self) -> float:
        """tr(I V): how many parameters the model has in effect; with few raters at least as many as it has."""
        effective = float(np.trace(self.information.sum(axis=0) @ self.covariance))
        return (
            max(effective, float(np.linalg.matrix_rank(self._root)))
            if self.raters < FEW_RATERS
            else effective
        )

    def estimate(self, row: Vector, level: float = 0.95) -> ClusteredEstimate | None:
        """`row @ theta` with its error; None where it rests on a single rater."""
        from scipy.special import stdtr, stdtrit  # SciPy is slow to import

        inside = row[self.free]
        model = float(inside @ self.model_covariance @ inside)
        seen, df = self._degrees(inside)
        if self.raters < 2 or model <= 0.0 or seen < LEAST_SEEN * model:
            return None
        clustered = float(inside @ self.covariance @ inside)
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
        """The larger of two variances with few raters; with more, the clustered one unless chance cannot explain it."""
        from scipy.special import chdtri  # SciPy is slow to import

        if self.raters < FEW_RATERS:
            return max(clustered, model)
        return max(clustered, model * float(chdtri(df, 1.0 - LEAST_SHARE)) / df)

    def _degrees(self, inside: Vector) -> tuple[float, float]:
        """The expected clustered variance under independence, and Satterthwaite's degrees of freedom."""
        if self._adjusted is None:
            return float(inside @ self.model_covariance @ inside), self.raters - 1.0
        seen, freedom = self._adjusted.degrees(*self._adjusted.ends(inside[None, :]))
        return float(seen[0]), float(freedom[0])

    def joint(self, rows: Matrix, chi_square: float) -> ClusteredTest | None:
        """A likelihood ratio that `rows @ theta` is 0, corrected for raters [Rao & Scott 1984].

        With d the eigenvalues of (R B R')^-1 R V R' the ratio over their sum is an F on k and k (G - 1) degrees of
        freedom, k = (sum d)^2 / sum d^2, B being the model's own covariance. One row is a t test.
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
    """X'WX of every rater's rows, by the free parameters."""
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
    """How many named raters a fit has, if some of them answered more than once; else 0."""
    raters = fit.provenance.raters
    if raters < 2 or raters >= fit.provenance.judgments or fit.settings.random_effects:
        return 0
    names = set(map(str, getattr(fit.source, "raters", ())))
    return 0 if UNKNOWN_RATER in names else raters
