"""Votes that a leaderboard still needs to distinguish neighbours in its order."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.errors import BadSetting
from steelyard.maths.arrays import Vector
from steelyard.maths.gaussian import NORMAL_95
from steelyard.scales.fit import Fit
from steelyard.scales.tables import Tabular


@dataclass(frozen=True, eq=False)
class VotesNeeded(Tabular):
    """Votes still needed to distinguish each entry of a leaderboard from the next.

    Attributes
    ----------
    first, second
        Neighbours, the higher one first.
    difference, error
        Difference of their positions and its standard error.
    power
        Probability that a study as large as the present one finds this difference.
    total
        Votes needed in all, shared among entries as before.
    more
        Votes still needed; 0 if the present ones suffice.
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    difference: Vector
    error: Vector
    power: Vector
    total: Vector
    more: Vector

    def columns(self) -> dict[str, Any]:
        """Return the columns of the table."""
        return {
            "first": list(self.first),
            "second": list(self.second),
            "difference": self.difference.tolist(),
            "error": self.error.tolist(),
            "power": self.power.tolist(),
            "votes_needed": [_whole(each) for each in self.total.tolist()],
            "votes_more": [_whole(each) for each in self.more.tolist()],
        }


def votes_needed(fit: Fit, votes: float, power: float = 0.8) -> VotesNeeded:
    """Return how many more votes distinguish each entry of a leaderboard from the next.

    Standard errors fall with the square root of the votes. With N votes so far, a difference d with standard error s is
    significant at 5% (two-sided) with the wanted power after N ((1.96 + z(power)) s / d)² votes.

    Parameters
    ----------
    fit
        Fit of the votes. Its standard errors should be clustered by rater if raters vote repeatedly.
    votes
        Number of votes so far.
    power
        Wanted power. Default 0.8.

    Returns
    -------
    VotesNeeded
        One row per pair of neighbours, from the top.
    """
    from scipy.special import ndtr, ndtri  # SciPy is slow to import

    if not 0.1 <= power <= 0.999:
        raise BadSetting("--power", f"{power:g} is outside 0.1 to 0.999.")
    joint = fit.joint
    order = np.argsort(-fit.posterior.position, kind="stable")
    first, second = order[:-1], order[1:]
    difference = fit.posterior.position[first] - fit.posterior.position[second]
    error = np.sqrt(joint.variances(first, second))
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = ((NORMAL_95 + float(ndtri(power))) * error / difference) ** 2
    total = np.where(difference > 0.0, votes * factor, np.inf)
    names = [str(item) for item in fit.item]
    return VotesNeeded(
        tuple(names[at] for at in first),
        tuple(names[at] for at in second),
        difference,
        error,
        np.asarray(ndtr(difference / error - NORMAL_95)),
        total,
        np.maximum(total - votes, 0.0),
    )


def _whole(votes: float) -> int | None:
    return math.ceil(votes) if math.isfinite(votes) else None
