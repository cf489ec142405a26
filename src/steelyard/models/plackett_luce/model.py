"""Plackett-Luce: a ranking is a sequence of choices, each in proportion to worth, with ties.

Plackett (1975), Luce (1959); ties of any size as in Turner, van Etten, Firth & Kosmidis (2020), "Modelling
rankings in R: the PlackettLuce package", whose numbers it reproduces. Of two items it is Bradley-Terry with
Davidson's (1970) ties.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb
from typing import Any, ClassVar, Literal

import numpy as np

from steelyard.errors import BadSetting, NothingToFit
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes, Labels, Matrix, Vector
from steelyard.maths.precision import DensePrecision, Precision, SparsePrecision
from steelyard.models.holding import start_holding, update_holding
from steelyard.models.linking import check_without_pseudo, named_groups
from steelyard.models.model import in_sorted_order, provenance_of
from steelyard.models.plackett_luce.likelihood import RankingLikelihood
from steelyard.models.plackett_luce.rankings import Rankings, rankings_of
from steelyard.models.worths import (
    GHOSTLY_VARIANCE,
    Slope,
    WorthPosterior,
    climb_worths,
    ghost_information,
    log_worth,
    place_of,
    posterior_precision,
)
from steelyard.scales.fit import Fit
from steelyard.scales.held import HeldBelief
from steelyard.scales.quantity import Quantity

BOUNDLESS = 1e3  # what has a larger standard error runs away: ties can hide that no finite maximum exists


@dataclass(frozen=True, slots=True)
class Tie:
    """The tie parameter of one size: log delta, and its standard error."""

    size: int
    log_delta: float
    standard_error: float


@dataclass(frozen=True, eq=False)
class PlackettLuceFit(Fit):
    """A scale of log-worths, and what a statistician asks for beside it.

    The log-likelihood is that of the judgments, without pseudo-rankings. `groups` holds the items of each group
    that no ranking links to another, when there is more than one: where they stand to each other is a guess.
    """

    posterior: WorthPosterior
    ties: tuple[Tie, ...] = ()
    log_likelihood: float = float("nan")
    freedom: float = float("nan")
    groups: tuple[tuple[str, ...], ...] = ()

    @property
    def covariance(self) -> Matrix:
        """The covariance of all log-worths, items in the order of `item`."""
        return self.posterior.covariance

    @property
    def worth(self) -> Vector:
        """Worths that add up to 1, items in the order of `item`."""
        worth = np.exp(self.posterior.position - self.posterior.position.max())
        return np.asarray(worth / worth.sum())

    @property
    def parameters(self) -> int:
        """Log-worths but one, and tie parameters."""
        return len(self.item) - 1 + len(self.ties)

    @property
    def deviance(self) -> float:
        """-2 log-likelihood, that of a model with a cell for every choice being 0."""
        return -2.0 * self.log_likelihood

    @property
    def aic(self) -> float:
        """-2 log-likelihood + 2 parameters."""
        return self.deviance + 2.0 * self.parameters

    def summary(self, most: int = 20) -> str:
        """The scale, then tie parameters, likelihood and unlinked groups, as plain text."""
        lines = [Fit.summary(self, most), ""]
        for tie in self.ties:
            told = f"log delta {tie.log_delta:.4f}, standard error {tie.standard_error:.4f}"
            lines.append(f"ties of {tie.size}: {told}")
        lines.append(
            f"log-likelihood {self.log_likelihood:.4f} | deviance {self.deviance:.4f} "
            f"on {self.freedom:g} degrees of freedom | AIC {self.aic:.4f}"
        )
        if self.groups:
            lines.append(
                f"No ranking links these {len(self.groups)} groups; how they stand to each other is a guess:"
            )
            lines.extend("  " + ", ".join(group) for group in self.groups)
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Estimate:
    """What maximum likelihood gives, before it is put in order for a reader."""

    posterior: WorthPosterior
    ties: tuple[Tie, ...]
    log_likelihood: float
    groups: Codes
    steps: int
    converged: bool


@dataclass(frozen=True, slots=True)
class PlackettLuce:
    """Rankings (and comparisons, which rank two) to log-worths, by maximum likelihood.

    Every item also wins and loses `pseudo` comparisons with a ghost item, so that items that always win stay
    finite (R's default, 0.5; 0 is plain maximum likelihood). `reference` names the item with log-worth 0, else
    their mean is 0. With `ties="drop"` rankings with ties are left out; ties of more than `largest_tie` items
    are refused.

    >>> from steelyard import Judgments, Ranking
    >>> ranked = [Ranking(r, "t", {"tea": 1, "milk": 2, "soup": 3}) for r in ("ann", "bob", "eve")]
    >>> fit = PlackettLuce().fit(Judgments.of(ranked))
    >>> fit.scale.ordered().item.tolist()
    ['tea', 'milk', 'soup']
    """

    name: ClassVar[str] = "plackett_luce"
    kinds: ClassVar[tuple[str, ...]] = ("ranking", "comparison")
    pseudo: float = 0.5
    ties: Literal["model", "drop"] = "model"
    largest_tie: int | None = None
    reference: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0.0 <= self.pseudo < np.inf:
            raise BadSetting("pseudo", f"{self.pseudo} is not a number from 0 up.")
        if self.ties not in ("model", "drop"):
            raise BadSetting("ties", f"{self.ties!r} is neither 'model' nor 'drop'.")
        if self.largest_tie is not None and self.largest_tie < 1:
            raise BadSetting("largest_tie", f"{self.largest_tie} is not a number of items from 1 up.")

    def start(self, items: Labels) -> HeldBelief:
        """Nothing ranked yet: log-worths of 0, as uncertain as those of an item that met only the ghost."""
        return start_holding(items, GHOSTLY_VARIANCE)

    def update(self, belief: HeldBelief, judgments: Judgments) -> HeldBelief:
        """The belief after these rankings too: a fit of all so far."""
        return update_holding(self, belief, judgments)

    @property
    def quantity(self) -> Quantity:
        """The log-worth."""
        return log_worth(self.reference)

    def fit(self, judgments: Judgments) -> PlackettLuceFit:
        """Log-worths with standard errors from the information in the judgments (pseudo-rankings not counted)."""
        ordered, places = in_sorted_order(judgments)
        rankings = self._rankings(judgments, places)
        if self.pseudo == 0.0:
            check_without_pseudo(rankings.preferences(), ordered.items, self.name)
        found = self._estimate(rankings, place_of(self.reference, ordered.items))
        kind = "ranking" if "ranking" in judgments.tables else "comparison"
        settings = {"pseudo": self.pseudo, "ties": self.ties, **self._told()}
        provenance = replace(
            provenance_of(self.name, settings, ordered, self.seed, kind),
            judgments=rankings.answers,
            converged=found.converged,
            iterations=found.steps,
        )
        return PlackettLuceFit(
            ordered.items,
            rankings.count(),
            found.posterior,
            provenance,
            places=places,
            ties=found.ties,
            log_likelihood=found.log_likelihood,
            freedom=_freedom(rankings),
            groups=named_groups(found.groups, ordered.items),
        )

    def _estimate(self, rankings: Rankings, reference: int | None) -> Estimate:
        """The maximum with the ghost's help; likelihood and information without it, at the same point."""
        likelihood = RankingLikelihood(rankings, rankings.orders)
        helped = replace(likelihood, rankings=rankings.with_ghost(self.pseudo)) if self.pseudo else likelihood
        best = climb_worths(helped, float(helped.rankings.weight.sum()))
        theta, log_deltas = best.place[: rankings.items], best.place[helped.items :]
        slope, groups = likelihood.at(np.r_[theta, log_deltas]), rankings.preferences().linked()
        ghost = float(best.place[rankings.items]) if self.pseudo else 0.0
        precision = posterior_precision(slope.matrix, groups, ghost_information(theta, ghost, self.pseudo))
        posterior = WorthPosterior(theta, precision, reference, self.seed)
        ties = _ties(likelihood, log_deltas, slope, precision)
        settled = best.converged and _bounded(ties, None if self.pseudo else posterior)
        return Estimate(posterior, ties, slope.value, groups, best.steps, settled)

    def _told(self) -> dict[str, Any]:
        return {} if self.reference is None else {"reference": self.reference}

    def _rankings(self, judgments: Judgments, places: Codes) -> Rankings:
        rankings = rankings_of(judgments, places)
        if self.ties == "drop":
            rankings = rankings.without_ties()
        if not len(rankings.choices[0]):
            given = f"these are {', '.join(judgments.kinds)}" if len(judgments) else "there are none"
            empty = "no ranking holds two items" if len(rankings) else given
            raise NothingToFit(self.name, self.kinds, empty)
        largest = int(rankings.orders[-1])
        if self.largest_tie is not None and largest > self.largest_tie:
            raise BadSetting(
                "largest_tie",
                f"there are ties of {largest} items. Allow them, or leave them out (ties='drop').",
            )
        return rankings


def _bounded(ties: tuple[Tie, ...], worths: WorthPosterior | None) -> bool:
    """Are all standard errors of a size that a finite maximum has? Pseudo-rankings bound the worths."""
    finite = worths is None or bool(worths.spread.max() < BOUNDLESS)
    return finite and all(tie.standard_error < BOUNDLESS for tie in ties)


def _ties(
    likelihood: RankingLikelihood, log_deltas: Vector, slope: Slope, precision: Precision
) -> tuple[Tie, ...]:
    """Tie parameters with standard errors that allow for the log-worths' own."""
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
    """Of (C - B' A^-1 B)^-1, A the information between items, C between ties, B across."""
    assert not isinstance(slope.matrix, np.ndarray)  # as a sparse precision was made of it
    across = slope.matrix[:items, items:].toarray()
    corner = slope.matrix[items:, items:].toarray()
    return np.diag(np.linalg.inv(corner - across.T @ precision.solve(across)))


def _freedom(rankings: Rankings) -> float:
    """Choices that were possible, less choices that were made, less parameters."""
    left, _, weight = rankings.choices
    sizes = range(int(left.max()) + 1)
    possible = [float(sum(comb(n, order) for order in rankings.orders.tolist())) for n in sizes]
    parameters = rankings.items - 1 + len(rankings.orders) - 1
    return float(np.sum(weight * (np.array(possible)[left] - 1.0)) - parameters)
