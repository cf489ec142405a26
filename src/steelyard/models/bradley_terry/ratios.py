"""Likelihood ratio tests of nested models, with a correction for repeated answers of raters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.errors import DifferentTables
from steelyard.models.bradley_terry import prediction
from steelyard.models.bradley_terry.goodness import upper_tail
from steelyard.models.bradley_terry.rater_variance import ClusteredTest, repeating_raters
from steelyard.scales.tables import Tabular

if TYPE_CHECKING:
    from steelyard.models.bradley_terry.results import BradleyTerryFit


@dataclass(frozen=True, repr=False)
class LikelihoodRatio(Tabular):
    """Likelihood ratio test of two nested models on one table.

    Attributes
    ----------
    chi_square
        Twice the difference of the log-likelihoods.
    df
        Difference of the numbers of parameters.
    p
        P value, for independent answers.
    assumes
        Statement that answers are assumed to be independent, if raters answered more than once; otherwise empty.
    clustered
        Test clustered by rater. None if no rater repeats, or if the smaller model is not obtained by removing
        parameters from the larger one.
    """

    chi_square: float
    df: int
    p: float
    assumes: str = ""
    clustered: ClusteredTest | None = None

    def columns(self) -> dict[str, Any]:
        """Return one row: `chi_square`, `df` and `p`, and the F test clustered by rater if there is one."""
        own = {"chi_square": [self.chi_square], "df": [self.df], "p": [self.p]}
        return {**own, **({} if self.clustered is None else clustered_columns([self.clustered]))}


def ratio_of(one: BradleyTerryFit, other: BradleyTerryFit) -> LikelihoodRatio:
    """Return the likelihood ratio test of two nested models; raise `DifferentTables` if they are not comparable."""
    prediction.check_comparable(one, other)
    wide, narrow = (one, other) if one.parameters >= other.parameters else (other, one)
    if wide.parameters == narrow.parameters:
        raise DifferentTables("both have the same number of parameters, so they are not nested.")
    return ratio_between(wide, narrow, 2.0 * (wide.goodness.kernel - narrow.goodness.kernel))


def ratio_between(wide: BradleyTerryFit, narrow: BradleyTerryFit, chi_square: float) -> LikelihoodRatio:
    """Return the test of a model against a smaller one.

    Parameters
    ----------
    wide
        Fit of the larger model.
    narrow
        Fit of the smaller model.
    chi_square
        Twice the difference of their log-likelihoods.

    Returns
    -------
    LikelihoodRatio
        The test. That of a random effect is on the boundary of the parameter space.
    """
    df = wide.parameters - narrow.parameters
    if df == 1 and wide.settings.random_effects and not narrow.settings.random_effects:
        return LikelihoodRatio(max(chi_square, 0.0), df, boundary_p(chi_square))
    p = upper_tail(chi_square, df)
    clustered = _corrected(wide, narrow, chi_square)
    return LikelihoodRatio(chi_square, df, float(p or 0.0), independence(wide), clustered)


def clustered_columns(tests: Sequence[ClusteredTest | None]) -> dict[str, list[float | None]]:
    """Return the columns of F tests clustered by rater: statistic, degrees of freedom and p value of each."""
    names = {"f": "statistic", "f_df": "df", "f_df_within": "df_within", "p_clustered": "p"}
    return {
        column: [None if test is None else getattr(test, name) for test in tests]
        for column, name in names.items()
    }


def boundary_p(chi_square: float) -> float:
    """Return the p value for a standard deviation of 0: half that of a chi-square on 1 df (Self & Liang 1987)."""
    p = upper_tail(chi_square, 1)
    return 1.0 if p is None or chi_square <= 0.0 else 0.5 * p


def independence(fit: BradleyTerryFit) -> str:
    """Return the independence assumption of p values as text; empty if no rater answered more than once."""
    raters = repeating_raters(fit)
    return (
        f"assumes that the {fit.provenance.judgments:,} answers of {raters:,} raters are independent"
        if raters
        else ""
    )


def _corrected(wide: BradleyTerryFit, narrow: BradleyTerryFit, chi_square: float) -> ClusteredTest | None:
    """Return the likelihood ratio test clustered by rater, if the smaller model only removes parameters."""
    names = set(narrow.design.names)
    if not repeating_raters(wide) or not names < set(wide.design.names):
        return None
    more = [at for at, name in enumerate(wide.design.names) if name not in names and wide.design.free[at]]
    if len(more) != wide.parameters - narrow.parameters:
        return None
    return wide.clustered.joint(np.eye(len(wide.design.names))[more], chi_square)
