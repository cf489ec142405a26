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

from steelyard.errors import BadSetting, NothingCounted, NothingToFit, OnlyTies, Separated
from steelyard.judgments.counting import count_judgments
from steelyard.judgments.table import MISSING, Judgments
from steelyard.maths.arrays import Codes, Labels, Matrix, Vector
from steelyard.maths.newton import unit_of
from steelyard.maths.precision import DensePrecision, Precision, SparsePrecision
from steelyard.maths.sandwich import ErrorType
from steelyard.models.clusters import (
    Cluster,
    ClusteredPosterior,
    Clustering,
    FewClusters,
    check_cluster,
    cluster_settings,
    too_many,
    ways_of,
)
from steelyard.models.holding import start_holding, update_holding
from steelyard.models.linking import check_without_pseudo, unlinked_parts
from steelyard.models.model import Capabilities, in_sorted_order, provenance_of, refuse_other_kinds
from steelyard.models.plackett_luce.clustering import RankedScores, clustering_of
from steelyard.models.plackett_luce.likelihood import RankingLikelihood
from steelyard.models.plackett_luce.rankings import Rankings, answered_rankings, rankings_of
from steelyard.models.refitting import RefittingFit
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
from steelyard.scales.fit import Fit, whole_or_short
from steelyard.scales.held import HeldBelief
from steelyard.scales.quantity import Quantity

# What has a larger standard error, where a judgment counts 1, runs away: ties can hide that no finite maximum exists.
BOUNDLESS = 1e3
UNTIE = "set pseudo above 0 (such as 0.5), which keeps estimates finite"


@dataclass(frozen=True, slots=True)
class Tie:
    """The tie parameter of one size: log delta, and its standard error."""

    size: int
    log_delta: float
    standard_error: float


@dataclass(frozen=True, eq=False)
class PlackettLuceFit(RefittingFit):
    """A scale of log-worths, and what a statistician asks for beside it.

    The log-likelihood is that of the judgments, without pseudo-rankings.
    """

    posterior: WorthPosterior | ClusteredPosterior
    ties: tuple[Tie, ...] = ()
    log_likelihood: float = float("nan")
    freedom: float = float("nan")

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
        """The scale, then tie parameters and likelihood, as plain text."""
        lines = [Fit.summary(self, most), ""]
        for tie in self.ties:
            tie_parameter = f"log delta {tie.log_delta:.4f}, standard error {tie.standard_error:.4f}"
            lines.append(f"ties of {tie.size}: {tie_parameter}")
        lines.append(
            f"log-likelihood {self.log_likelihood:.4f} | deviance {self.deviance:.4f} "
            f"on {self.freedom:g} degrees of freedom | AIC {self.aic:.4f}"
        )
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class RankingEstimate:
    """What maximum likelihood gives, before it is put in order for a reader."""

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
        """The error type in words."""
        return str(ErrorType() if self.clustering is None else self.clustering.errors)


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
    capabilities: ClassVar[Capabilities] = Capabilities(online=True, remedy="pseudo=0.5")
    pseudo: float = 0.5
    ties: Literal["model", "drop"] = "model"
    largest_tie: int | None = None
    reference: str | None = None
    cluster: Cluster = "auto"
    few_clusters: FewClusters = "guarded"
    seed: int = 0

    def __post_init__(self) -> None:
        check_cluster(self.cluster, self.few_clusters)
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
        """Log-worths with standard errors clustered as `cluster` says, in which pseudo-rankings do not count."""
        refuse_other_kinds(judgments, self.kinds, self.name)
        ordered, places = in_sorted_order(judgments)
        rankings = self._rankings(judgments, places)
        if self.pseudo == 0.0:
            check_without_pseudo(rankings.preferences(), ordered.items, self.name)
            _check_ties(rankings, self.name)
        estimated = self._with_clusters(self._estimate(rankings, ordered.items), rankings, judgments, places)
        settings = {
            "pseudo": self.pseudo,
            "ties": self.ties,
            **self._changed_settings(),
            "errors": estimated.errors,
        }
        provenance = replace(
            provenance_of(self.name, settings, ordered, self.seed, "ranking"),
            judgments=count_judgments(judgments, self.kinds),
            converged=estimated.converged,
            iterations=estimated.steps,
        )
        return PlackettLuceFit(
            ordered.items,
            rankings.count(),
            estimated.posterior,
            provenance,
            places=places,
            ties=estimated.ties,
            log_likelihood=estimated.log_likelihood,
            freedom=_freedom(rankings),
            part=unlinked_parts(estimated.groups),
            notes=(*self._left_out(rankings_of(judgments, places)), *estimated.notes),
            model=self,
            source=judgments,
        )

    def _with_clusters(
        self, estimated: RankingEstimate, rankings: Rankings, judgments: Judgments, places: Codes
    ) -> RankingEstimate:
        """The estimate with clustered errors, where the settings and the rankings give reason for them."""
        every, answers = answered_rankings(judgments, places)
        kept = _kept(every, self.ties)[answers.ranking]
        used = (answers.ranking != MISSING) & (kept != MISSING)
        ways = ways_of(self.cluster, answers.rater[used], answers.segment[used], answers.weight[used])
        many = too_many(len(estimated.parameters), self.cluster) if ways else ()
        if not ways or many or not isinstance(estimated.precision, DensePrecision):
            return replace(estimated, notes=many)
        reference = getattr(estimated.posterior, "reference", None)
        likelihood = RankingLikelihood(rankings, rankings.orders)
        scores = RankedScores(likelihood, estimated.parameters, kept[used], answers.weight[used])
        clustering = clustering_of(scores, ways, estimated.precision.covariance, self.few_clusters)
        middle = np.arange(rankings.items) if reference is None else [reference]
        rows = np.eye(rankings.items, likelihood.size)
        rows = rows - rows[middle].mean(axis=0)
        posterior = ClusteredPosterior(estimated.posterior.position, rows, clustering)
        errors = np.sqrt(np.maximum(np.diag(clustering.covariance)[rankings.items :], 0.0)).tolist()
        ties = tuple(
            replace(tie, standard_error=error) for tie, error in zip(estimated.ties, errors, strict=True)
        )
        return replace(
            estimated, posterior=posterior, ties=ties, clustering=clustering, notes=clustering.notes
        )

    def _estimate(self, rankings: Rankings, items: Labels) -> RankingEstimate:
        """The maximum with the ghost's help; likelihood and information without it, at the same point."""
        likelihood = RankingLikelihood(rankings, rankings.orders)
        helped = replace(likelihood, rankings=rankings.with_ghost(self.pseudo)) if self.pseudo else likelihood
        best = climb_worths(helped, helped.rankings.weight)
        theta, log_deltas = best.place[: rankings.items], best.place[helped.items :]
        slope, groups = likelihood.at(np.r_[theta, log_deltas]), rankings.preferences().linked()
        ghost = float(best.place[rankings.items]) if self.pseudo else 0.0
        precision = posterior_precision(slope.matrix, groups, ghost_information(theta, ghost, self.pseudo))
        posterior = WorthPosterior(theta, precision, place_of(self.reference, items), self.seed)
        ties = _ties(likelihood, log_deltas, slope, precision)
        limit = BOUNDLESS / np.sqrt(unit_of(rankings.weight))
        if self.pseudo == 0.0:
            _refuse_boundless(posterior, ties, items, limit)
        settled = best.converged and all(tie.standard_error < limit for tie in ties)
        parameters = np.r_[theta, log_deltas]
        return RankingEstimate(
            posterior, ties, slope.value, groups, best.steps, settled, parameters, precision
        )

    def _changed_settings(self) -> dict[str, Any]:
        settings = {} if self.reference is None else {"reference": self.reference}
        return {**settings, **cluster_settings(self.cluster, self.few_clusters)}

    def _rankings(self, judgments: Judgments, places: Codes) -> Rankings:
        rankings = rankings_of(judgments, places)
        if self.ties == "drop":
            rankings = rankings.without_ties()
        if not len(rankings.choices[0]):
            raise self._nothing(judgments, rankings)
        largest = int(rankings.orders[-1])
        if self.largest_tie is not None and largest > self.largest_tie:
            raise BadSetting(
                "largest_tie",
                f"there are ties of {largest} items. Allow them, or leave them out (ties='drop').",
            )
        return rankings

    def _left_out(self, every: Rankings) -> list[str]:
        """What is not used: rankings of one item, and those with ties where they are dropped."""
        alone = float(every.weight[every.size < 2].sum())
        tied = float(every.weight.sum() - every.without_ties().weight.sum()) if self.ties == "drop" else 0.0
        return [
            *([f"{whole_or_short(alone)} of the rankings hold one item and are not used."] if alone else []),
            *(
                [f"{whole_or_short(tied)} of the rankings have ties and are left out (ties=drop)."]
                if tied
                else []
            ),
        ]

    def _nothing(self, judgments: Judgments, rankings: Rankings) -> NothingToFit:
        """Why no ranking is left to fit."""
        tables = [judgments.tables[kind] for kind in self.kinds if kind in judgments.tables]
        if not any(len(table) for table in tables):
            return NothingToFit.among(self.name, self.kinds, judgments.kinds if len(judgments) else ())
        if not any(table.weights.any() for table in tables):
            return NothingCounted(self.name)
        tied = self.ties == "drop" and not len(rankings)
        reason = (
            "each of these has a tie, and ties='drop' leaves those out" if tied else "none holds two items"
        )
        return NothingToFit(self.name, self.kinds, reason)


def _kept(every: Rankings, ties: str) -> Codes:
    """The place of each ranking among those that are fitted, MISSING for one left out; MISSING has MISSING."""
    kept = ~every.tied if ties == "drop" else np.ones(len(every), dtype=bool)
    return np.append(np.where(kept, np.cumsum(kept) - 1, MISSING), MISSING)


def _check_ties(rankings: Rankings, model: str) -> None:
    """Refuse, without pseudo-rankings, a tie parameter that nothing bounds: whoever could make such a tie made it."""
    if not np.any(rankings.stage):
        raise OnlyTies("ranking or comparison", f"; or {UNTIE}")
    largest = rankings.largest_boundless()
    if largest:
        raise Separated.by_effects(model, [f"ties of {largest} items"], f"{UNTIE.capitalize()}.")


def _refuse_boundless(worths: WorthPosterior, ties: tuple[Tie, ...], items: Labels, limit: float) -> None:
    """Refuse estimates whose standard errors no finite maximum has: what ties hid from the checks before."""
    names = [str(item) for item in items[worths.spread >= limit]]
    names += [f"ties of {tie.size} items" for tie in ties if tie.standard_error >= limit]
    if names:
        raise Separated.by_effects(PlackettLuce.name, names, f"{UNTIE.capitalize()}.")


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
