"""Likelihood ratios of nested models, and what allows for raters who answered more than once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from steelyard.errors import DifferentTables
from steelyard.models.bradley_terry import prediction
from steelyard.models.bradley_terry.goodness import upper_tail
from steelyard.models.bradley_terry.rater_variance import ClusteredTest, repeating_raters

if TYPE_CHECKING:
    from steelyard.models.bradley_terry.results import BradleyTerryFit


@dataclass(frozen=True, slots=True)
class LikelihoodRatio:
    """Twice the difference of two log-likelihoods on one table, and its p value.

    The p value takes all answers as independent. Where raters answered more than once `assumes` says so, and
    `clustered` is the test corrected for raters if the smaller model's parameters are among the larger one's.
    """

    chi_square: float
    df: int
    p: float
    assumes: str = ""
    clustered: ClusteredTest | None = None


def ratio_of(one: BradleyTerryFit, other: BradleyTerryFit) -> LikelihoodRatio:
    """The likelihood ratio of two nested models on the same table; refused on different ones."""
    prediction.check_comparable(one, other)
    wide, narrow = (one, other) if one.parameters >= other.parameters else (other, one)
    df = wide.parameters - narrow.parameters
    if df == 0:
        raise DifferentTables("both have as many parameters, so neither is a part of the other.")
    chi_square = 2.0 * (wide.goodness.kernel - narrow.goodness.kernel)
    if df == 1 and wide.settings.random_effects and not narrow.settings.random_effects:
        return LikelihoodRatio(max(chi_square, 0.0), df, boundary_p(chi_square))
    p = upper_tail(chi_square, df)
    clustered = _corrected(wide, narrow, chi_square)
    return LikelihoodRatio(chi_square, df, float(p or 0.0), independence(wide), clustered)


def boundary_p(chi_square: float) -> float:
    """Under an sd of 0 the ratio is 0 half the time, and a chi-square on 1 df otherwise [Self & Liang 1987]."""
    p = upper_tail(chi_square, 1)
    return 1.0 if p is None or chi_square <= 0.0 else 0.5 * p


def independence(fit: BradleyTerryFit) -> str:
    """What p values take for granted where raters answered more than once; empty elsewhere."""
    raters = repeating_raters(fit)
    return (
        f"takes the {fit.provenance.judgments:,} answers of {raters:,} raters as independent"
        if raters
        else ""
    )


def _corrected(wide: BradleyTerryFit, narrow: BradleyTerryFit, chi_square: float) -> ClusteredTest | None:
    """The likelihood ratio corrected for raters, where the smaller model only leaves parameters out."""
    names = set(narrow.design.names)
    if not repeating_raters(wide) or not names < set(wide.design.names):
        return None
    more = [at for at, name in enumerate(wide.design.names) if name not in names and wide.design.free[at]]
    if len(more) != wide.parameters - narrow.parameters:
        return None
    return wide.clustered.joint(np.eye(len(wide.design.names))[more], chi_square)
