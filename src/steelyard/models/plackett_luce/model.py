"""Plackett-Luce model of rankings with ties: a ranking is a sequence of choices in proportion to worth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from steelyard.errors import BadSetting, NothingCounted, NothingToFit
from steelyard.judgments.counting import count_judgments
from steelyard.judgments.logs import CountedRankings, HeldJudgments
from steelyard.judgments.table import MISSING, Judgments
from steelyard.maths.arrays import Codes, Labels
from steelyard.maths.newton import unit_of
from steelyard.maths.precision import DensePrecision
from steelyard.models.clusters import (
    Cluster,
    ClusteredPosterior,
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
from steelyard.models.plackett_luce.estimates import (
    BOUNDLESS,
    RankingEstimate,
    check_ties,
    refuse_boundless,
    residual_freedom,
    ties_of,
)
from steelyard.models.plackett_luce.likelihood import RankingLikelihood
from steelyard.models.plackett_luce.rankings import Rankings, answered_rankings, rankings_of
from steelyard.models.plackett_luce.results import PlackettLuceFit, Tie
from steelyard.models.worths import (
    GHOSTLY_VARIANCE,
    WorthPosterior,
    climb_worths,
    ghost_information,
    log_worth,
    place_of,
    posterior_precision,
)
from steelyard.scales.fit import whole_or_short
from steelyard.scales.held import HeldBelief
from steelyard.scales.quantity import Quantity


@dataclass(frozen=True, slots=True)
class PlackettLuce:
    r"""Plackett-Luce model of rankings and comparisons, with ties.

    A ranking is a sequence of choices: the best of all items, then the best of the remaining items, and so on. Item i
    has the worth :math:`\alpha_i`, and a set S of tied items counts as one alternative of strength

    .. math::

        f(S) = \delta_{|S|} \Big( \prod_{i \in S} \alpha_i \Big)^{1 / |S|} , \qquad \delta_1 = 1 .

    A choice of C from the remaining items has probability :math:`f(C) / \sum_T f(T)`, where T are all subsets up to the
    largest tie that occurs. For two items this is the Bradley-Terry model with Davidson's ties. Positions of the scale
    are log-worths.

    Assumptions: the odds of two items do not depend on the other items in the task, choices are made from the best item
    down, and all raters share the worths. Standard errors allow for dependent answers of one rater, see `cluster`.

    Parameters
    ----------
    pseudo
        Number of wins, and of losses, of every item against a hypothetical item, so that estimates stay finite. From 0
        up, default 0.5 as in R's PlackettLuce. 0 is maximum likelihood. Likelihood and standard errors do not include
        these pseudo-rankings.
    ties
        `"model"` (default) estimates tie parameters. `"drop"` excludes rankings with ties.
    largest_tie
        Largest number of tied items that is accepted. Default: no limit.
    reference
        Item whose log-worth is 0. Default: none, log-worths have mean 0.
    cluster
        Clustering of standard errors. `"auto"` (default): by rater if at least two raters are identified and one of
        them answers more than once, otherwise none. `"rater"`, `"segment"`, `"both"` (two-way) or `"none"`.
    few_clusters
        `"guarded"` (default): clustered variances are corrected for the influence of each cluster (CR2, up to 100
        clusters). With fewer than ten clusters they are at least those of the model. `"plain"`: the sandwich
        with the factor G / (G - 1) and without these corrections.
    seed
        Seed of simulated quantities. Default: 0.

    References
    ----------
    - Luce, R. D. (1959). Individual choice behavior. Wiley.
    - Plackett, R. L. (1975). The analysis of permutations. Applied Statistics 24.
    - Turner, H. L., van Etten, J., Firth, D. & Kosmidis, I. (2020). Modelling rankings in R: the PlackettLuce package.
      Computational Statistics 35.
    - Davidson, R. R. (1970). On extending the Bradley-Terry model to accommodate ties in paired comparison
      experiments. JASA 65.

    Examples
    --------
    >>> from steelyard import Judgments, Ranking
    >>> ranked = [Ranking(r, "t", {"tea": 1, "milk": 2, "soup": 3}) for r in ("ann", "bob", "eve")]
    >>> fit = PlackettLuce().fit(Judgments.of(ranked))
    >>> fit.scale.ordered().item.tolist()
    ['tea', 'milk', 'soup']
    """

    name: ClassVar[str] = "plackett_luce"
    kinds: ClassVar[tuple[str, ...]] = ("ranking", "comparison")
    capabilities: ClassVar[Capabilities] = Capabilities(online=True, counts=True, remedy="pseudo=0.5")
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
            raise BadSetting("pseudo", f"must be a finite number of at least 0, not {self.pseudo}.")
        if self.ties not in ("model", "drop"):
            raise BadSetting("ties", f"{self.ties!r} is unknown. Use 'model' or 'drop'.")
        if self.largest_tie is not None and self.largest_tie < 1:
            raise BadSetting("largest_tie", f"must be at least 1 item, not {self.largest_tie}.")

    def start(self, items: Labels) -> HeldBelief:
        """Return the belief before any ranking: log-worths of 0 with variance 4, as from pseudo-rankings only.

        Parameters
        ----------
        items
            Item ids.

        Returns
        -------
        HeldBelief
            The prior belief.
        """
        return start_holding(items, GHOSTLY_VARIANCE)

    def update(self, belief: HeldBelief, judgments: Judgments) -> HeldBelief:
        """Return the belief after more rankings, by fitting all rankings so far.

        Parameters
        ----------
        belief
            Belief before the rankings.
        judgments
            New rankings or comparisons.

        Returns
        -------
        HeldBelief
            The updated belief.
        """
        return update_holding(self, belief, judgments)

    @property
    def quantity(self) -> Quantity:
        """Meaning of the positions: log-worths."""
        return log_worth(self.reference)

    def fit(self, judgments: Judgments | CountedRankings | HeldJudgments) -> PlackettLuceFit:
        """Fit the model to rankings and comparisons.

        Parameters
        ----------
        judgments
            Rankings, comparisons or both, or a log from `steelyard.connect`, of which distinct rankings are counted.
            Counts for clustered standard errors are by rater; those for `cluster="none"` are fewer.

        Returns
        -------
        PlackettLuceFit
            Log-worths with standard errors, tie parameters and likelihood.

        Raises
        ------
        NothingToFit
            If there is no ranking or comparison of two or more items.
        Unconnected
            If `pseudo` is 0 and no judgment connects some items with the others.
        Separated
            If `pseudo` is 0 and some estimates would be infinite.
        """
        if isinstance(judgments, CountedRankings):
            judgments = judgments.counted(self.cluster != "none")
        elif isinstance(judgments, HeldJudgments):
            judgments = judgments.judgments()
        refuse_other_kinds(judgments, self.kinds, self.name)
        ordered, places = in_sorted_order(judgments)
        rankings = self._rankings(judgments, places)
        if self.pseudo == 0.0:
            check_without_pseudo(rankings.preferences(), ordered.items, self.name)
            check_ties(rankings)
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
            freedom=residual_freedom(rankings),
            part=unlinked_parts(estimated.groups),
            notes=(*self._left_out(rankings_of(judgments, places)), *estimated.notes),
            model=self,
            source=judgments,
        )

    def _with_clusters(
        self, estimated: RankingEstimate, rankings: Rankings, judgments: Judgments, places: Codes
    ) -> RankingEstimate:
        """Return the estimate with clustered standard errors, if the settings and rankings call for them."""
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
        ties: tuple[Tie, ...] = tuple(
            replace(tie, standard_error=error) for tie, error in zip(estimated.ties, errors, strict=True)
        )
        return replace(
            estimated, posterior=posterior, ties=ties, clustering=clustering, notes=clustering.notes
        )

    def _estimate(self, rankings: Rankings, items: Labels) -> RankingEstimate:
        """Maximise with pseudo-rankings, and evaluate likelihood and information without them at the same point."""
        likelihood = RankingLikelihood(rankings, rankings.orders)
        helped = replace(likelihood, rankings=rankings.with_ghost(self.pseudo)) if self.pseudo else likelihood
        best = climb_worths(helped, helped.rankings.weight)
        theta, log_deltas = best.place[: rankings.items], best.place[helped.items :]
        slope, groups = likelihood.at(np.r_[theta, log_deltas]), rankings.preferences().linked()
        ghost = float(best.place[rankings.items]) if self.pseudo else 0.0
        precision = posterior_precision(slope.matrix, groups, ghost_information(theta, ghost, self.pseudo))
        posterior = WorthPosterior(theta, precision, place_of(self.reference, items), self.seed)
        ties = ties_of(likelihood, log_deltas, slope, precision)
        limit = BOUNDLESS / np.sqrt(unit_of(rankings.weight))
        if self.pseudo == 0.0:
            refuse_boundless(posterior, ties, items, limit)
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
                f"is {self.largest_tie}, and there are ties of {largest} items. Increase it, or exclude rankings with "
                "ties (ties='drop').",
            )
        return rankings

    def _left_out(self, every: Rankings) -> list[str]:
        """Return remarks about rankings that are not used: those of one item, and with `ties="drop"` tied ones."""
        alone = float(every.weight[every.size < 2].sum())
        tied = float(every.weight.sum() - every.without_ties().weight.sum()) if self.ties == "drop" else 0.0
        return [
            *(
                [f"{whole_or_short(alone)} of the rankings contain one item and are not used."]
                if alone
                else []
            ),
            *(
                [f"{whole_or_short(tied)} of the rankings have ties and are excluded (ties=drop)."]
                if tied
                else []
            ),
        ]

    def _nothing(self, judgments: Judgments, rankings: Rankings) -> NothingToFit:
        """Return the error for the case that no ranking can be used."""
        tables = [judgments.tables[kind] for kind in self.kinds if kind in judgments.tables]
        if not any(len(table) for table in tables):
            return NothingToFit.among(self.name, self.kinds, judgments.kinds if len(judgments) else ())
        if not any(table.weights.any() for table in tables):
            return NothingCounted(self.name)
        tied = self.ties == "drop" and not len(rankings)
        reason = (
            "all of these have ties, which ties='drop' excludes" if tied else "none of these has two items"
        )
        return NothingToFit(self.name, self.kinds, reason)


def _kept(every: Rankings, ties: str) -> Codes:
    """Return the index of each ranking among those that are fitted, MISSING for excluded ones and for MISSING."""
    kept = ~every.tied if ties == "drop" else np.ones(len(every), dtype=bool)
    return np.append(np.where(kept, np.cumsum(kept) - 1, MISSING), MISSING)
