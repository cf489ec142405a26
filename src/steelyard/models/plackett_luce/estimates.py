"""Maximum likelihood estimates of a Plackett-Luce model: tie parameters, infinite estimates, degrees of freedom."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np

from steelyard.errors import OnlyTies, Separated
from steelyard.maths.arrays import Codes, Labels, Vector
from steelyard.maths.precision import DensePrecision, Precision, SparsePrecision
from steelyard.maths.sandwich import ErrorType
from steelyard.models.clusters import ClusteredPosterior, Clustering
from steelyard.models.plackett_luce.likelihood import RankingLikelihood
from steelyard.models.plackett_luce.rankings import Rankings
from steelyard.models.plackett_luce.results import Tie
from steelyard.models.worths import Slope, WorthPosterior

# A larger standard error, for judgments of weight 1, means an infinite estimate, which ties can hide from other checks.
BOUNDLESS = 1e3
UNTIE = "set pseudo above 0 (such as 0.5), which keeps estimates finite"


@dataclass(frozen=True, eq=False)
class RankingEstimate:
    """Maximum likelihood estimates with their precision."""

    posterior: WorthPosterior | ClusteredPosterior
    ties: tuple[Tie, ...]
    log_likelihood: float
    groups: Codes
    steps: int
    converged: bool
    parameters: Vector
    precision: Precision
    clustering: Clustering | None = None
    notes: tuple[str, ...] = ()

    @property
    def errors(self) -> str:
        """Error type, for the signature."""
        return str(ErrorType() if self.clustering is None else self.clustering.errors)


def check_ties(rankings: Rankings) -> None:
    """Raise an error for an infinite tie parameter: all choices that could be ties of this size are ties."""
    if not np.any(rankings.stage):
        raise OnlyTies("ranking or comparison", f"; or {UNTIE}")
    largest = rankings.largest_boundless()
    if largest:
        raise Separated.by_effects([f"ties of {largest} items"], f"{UNTIE.capitalize()}.")


def refuse_boundless(worths: WorthPosterior, ties: tuple[Tie, ...], items: Labels, limit: float) -> None:
    """Raise `Separated` for estimates with unbounded standard errors, which ties can hide from earlier checks.

    Parameters
    ----------
    worths
        Log-worths with standard errors.
    ties
        Tie parameters.
    items
        Ids of the items.
    limit
        Smallest standard error of an infinite estimate.
    """
    names = [str(item) for item in items[worths.spread >= limit]]
    names += [f"ties of {tie.size} items" for tie in ties if tie.standard_error >= limit]
    if names:
        raise Separated.by_effects(names, f"{UNTIE.capitalize()}.")


def ties_of(
    likelihood: RankingLikelihood, log_deltas: Vector, slope: Slope, precision: Precision
) -> tuple[Tie, ...]:
    """Return tie parameters with standard errors from the joint information with the log-worths.

    Parameters
    ----------
    likelihood
        Likelihood of the rankings.
    log_deltas
        Logarithms of the tie parameters.
    slope
        Likelihood at the estimates, with the information of log-worths and tie parameters.
    precision
        Precision matrix from `posterior_precision`.

    Returns
    -------
    tuple of Tie
        One tie parameter for each size of ties.
    """
    items, sizes = likelihood.items, likelihood.orders[1:].tolist()
    if not sizes:
        return ()
    if isinstance(precision, DensePrecision):
        variances = np.diag(precision.covariance)[items:]
    else:
        variances = _tie_variances(slope, precision, items)
    errors = np.sqrt(np.maximum(variances, 0.0)).tolist()
    return tuple(Tie(*each) for each in zip(sizes, log_deltas.tolist(), errors, strict=True))


def _tie_variances(slope: Slope, precision: SparsePrecision, items: int) -> Vector:
    """Return the diagonal of (C - B' A^-1 B)^-1, with information A of items, C of ties and B between them."""
    assert not isinstance(slope.matrix, np.ndarray)  # a sparse precision has a sparse matrix
    across = slope.matrix[:items, items:].toarray()
    corner = slope.matrix[items:, items:].toarray()
    return np.diag(np.linalg.inv(corner - across.T @ precision.solve(across)))


def residual_freedom(rankings: Rankings) -> float:
    """Return the residual degrees of freedom: possible choices minus choices made minus parameters."""
    left, _, weight = rankings.choices
    sizes = range(int(left.max()) + 1)
    possible = [float(sum(comb(n, order) for order in rankings.orders.tolist())) for n in sizes]
    parameters = rankings.items - 1 + len(rankings.orders) - 1
    return float(np.sum(weight * (np.array(possible)[left] - 1.0)) - parameters)
