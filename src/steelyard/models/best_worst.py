"""Best-worst scaling: how often an item is chosen as best, less how often as worst; or a model of these choices.

Counting scores are (best - worst) / times shown (Louviere, Flynn & Marley 2015; Kiritchenko & Mohammad 2017). The
model is maxdiff: of a task's items, i is called best and j worst with probability in proportion to exp(u_i - u_j)
over all ordered pairs (Marley & Louviere 2005). It is chosen over choosing the best first and the worst of the rest
because its likelihood needs only how often each item was best and worst in a task: published files without raters,
in which the answers to one task cannot be distinguished, give the same fit as those with them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from steelyard.errors import BadSetting, NothingToFit
from steelyard.judgments.counting import judgment_weights
from steelyard.judgments.keys import row_key
from steelyard.judgments.table import Judgments, Table
from steelyard.judgments.tasks import TOGETHER
from steelyard.maths.arrays import Codes, Labels, Mask, Matrix, Vector, sum_by
from steelyard.maths.precision import DensePrecision
from steelyard.maths.sandwich import ErrorType
from steelyard.models.choices import ChoiceLikelihood, ChosenScores, choices_of, signs_of
from steelyard.models.clusters import (
    Cluster,
    ClusteredPosterior,
    Clustering,
    FewClusters,
    Scored,
    Way,
    check_cluster,
    cluster_settings,
    rater_codes,
    segment_codes,
    too_many,
    ways_of,
    without_gaps,
)
from steelyard.models.holding import start_holding, update_holding
from steelyard.models.linking import Preferences, check_without_pseudo, unlinked_parts
from steelyard.models.model import Capabilities, in_sorted_order, provenance_of, rows_of
from steelyard.models.refitting import RefittingFit
from steelyard.models.worths import (
    GHOSTLY_VARIANCE,
    WorthPosterior,
    climb_worths,
    ghost_information,
    place_of,
    posterior_precision,
    zero_at,
)
from steelyard.scales.fit import Posterior
from steelyard.scales.held import HeldBelief
from steelyard.scales.quantity import Quantity

# An item's own variance counts beside this many degrees of freedom of the variance pooled over all items, so that
# an item that was best twice of twice has an interval (the moderated t of Smyth 2004, df fixed).
POOLED_FREEDOM = 4.0
UNIFORM_VARIANCE = 1.0 / 3.0  # of a score that may lie anywhere from -1 to 1
PAIR_STEEPNESS = 2.0  # of two items, i is best with log-odds 2 (u_i - u_j)


@dataclass(frozen=True, slots=True)
class BestWorstScaling:
    """Best-worst choices to a scale, by counting (from -1 to 1) or by the maxdiff model (log-worths, mean 0).

    In the model every item is also called best and worst `pseudo` times each in tasks of two with a ghost item, so
    that items that were always best stay finite (0 is plain maximum likelihood). `reference` names the item at 0.

    >>> from steelyard import BestWorst, Judgments
    >>> chosen = [BestWorst(r, "t", ("tea", "milk", "soup"), "tea", "soup") for r in ("ann", "bob")]
    >>> BestWorstScaling().fit(Judgments.of(chosen)).scale.position.tolist()
    [1.0, 0.0, -1.0]
    """

    name: ClassVar[str] = "best_worst"
    kinds: ClassVar[tuple[str, ...]] = ("best_worst",)
    capabilities: ClassVar[Capabilities] = Capabilities(online=True, remedy="pseudo=0.5")
    method: Literal["counting", "model"] = "counting"
    pseudo: float = 0.5
    reference: str | None = None
    cluster: Cluster = "auto"
    few_clusters: FewClusters = "guarded"
    seed: int = 0

    def __post_init__(self) -> None:
        check_cluster(self.cluster, self.few_clusters)
        if self.method not in ("counting", "model"):
            raise BadSetting("method", f"{self.method!r} is neither 'counting' nor 'model'.")
        if not 0.0 <= self.pseudo < np.inf:
            raise BadSetting("pseudo", f"{self.pseudo} is not a number from 0 up.")

    @property
    def quantity(self) -> Quantity:
        """The counting score, or the utility of the maxdiff model."""
        if self.method == "counting":
            return Quantity(
                "best-worst score",
                "the share of its tasks in which the {unit} was chosen as best, minus the share in which it was chosen "
                "as worst",
                "",
                (-1.0, 1.0),
            )
        return Quantity(
            "utility",
            "its utility in the maxdiff model. The probability that one {unit} is chosen as best and another as worst "
            f"grows with the exponential of the difference between their utilities. {zero_at(self.reference)}",
            "utility units",
        )

    def fit(self, judgments: Judgments) -> RefittingFit:
        """The scale that the choices give."""
        source = judgments
        judgments, places = in_sorted_order(judgments)
        table = rows_of(judgments, "best_worst", self.name)
        fit = self._counted if self.method == "counting" else self._modelled
        return replace(fit(judgments, table, places), source=source)

    def start(self, items: Labels) -> HeldBelief:
        """Nothing chosen yet: every item at 0, anywhere from -1 to 1, or as one that met only the ghost."""
        return start_holding(items, UNIFORM_VARIANCE if self.method == "counting" else GHOSTLY_VARIANCE)

    def update(self, belief: HeldBelief, judgments: Judgments) -> HeldBelief:
        """The belief after these choices too: a fit of all so far."""
        return update_holding(self, belief, judgments)

    def _counted(self, judgments: Judgments, table: Table, places: Codes) -> RefittingFit:
        sign = signs_of(judgments, table)
        ways = clusters_of(judgments, table, self.cluster)
        size, pooled = len(judgments.items), POOLED_FREEDOM if self.few_clusters == "guarded" else 0.0
        score_sets = [
            count_scores(table.codes["item"], sign, table.weights, way.codes, size, pooled_freedom=pooled)
            for way in ways
        ]
        scores = score_sets[0] if len(score_sets) == 1 else crossed_scores(*score_sets)
        errors = ErrorType(tuple((way.name, way.count) for way in ways[:2] if way.name != "task"))
        warning = errors.warning if self.few_clusters == "guarded" else errors.plain_warning
        settings: dict[str, Any] = {"method": "counting", **cluster_settings(self.cluster, self.few_clusters)}
        settings |= {"errors": errors}
        provenance = provenance_of(self.name, settings, judgments, self.seed, "best_worst")
        count = sum_by(table.codes["item"], table.weights, size)
        return RefittingFit(
            judgments.items,
            count,
            CountPosterior(scores),
            provenance,
            places=places,
            part=unlinked_parts(_in_one_task(judgments, table).linked()),
            notes=(() if warning is None else (warning,)),
            model=self,
        )

    def _modelled(self, judgments: Judgments, table: Table, places: Codes) -> RefittingFit:
        size, reference = len(judgments.items), place_of(self.reference, judgments.items)
        blocks, left_out = choices_of(judgments, table)
        if not blocks:
            raise NothingToFit(self.name, self.kinds, "no task has one best and one other worst item")
        likelihood = ChoiceLikelihood(size, tuple(blocks))
        preferences = likelihood.preferences()
        if self.pseudo == 0.0:
            check_without_pseudo(preferences, judgments.items, self.name)
        helped = likelihood.with_ghost(self.pseudo) if self.pseudo else likelihood
        best = climb_worths(helped, helped.answers)
        theta, ghost = best.place[:size], float(best.place[-1]) if self.pseudo else 0.0
        ghostly = ghost_information(theta, ghost, self.pseudo, PAIR_STEEPNESS)
        precision = posterior_precision(likelihood.at(theta).matrix, preferences.linked(), ghostly)
        worths = WorthPosterior(theta, precision, reference, self.seed)
        posterior, errors, clustered = self._with_clusters(worths, likelihood, judgments, table)
        settings = self._model_settings(left_out, errors)
        provenance = provenance_of(self.name, settings, judgments, self.seed, "best_worst")
        provenance = replace(provenance, converged=best.converged, iterations=best.steps)
        unused = f"{left_out:,} tasks without one best and one other worst item are not used."
        return RefittingFit(
            judgments.items,
            likelihood.count(),
            posterior,
            provenance,
            places=places,
            part=unlinked_parts(preferences.linked()),
            notes=(unused, *clustered) if left_out else tuple(clustered),
            model=self,
        )

    def _model_settings(self, left_out: int, errors: ErrorType) -> dict[str, Any]:
        """The settings that a signature shows; `left_out` tasks are among them where there are any."""
        settings: dict[str, Any] = {"method": "model", "pseudo": self.pseudo}
        settings |= {} if self.reference is None else {"reference": self.reference}
        settings |= {"tasks_left_out": left_out} if left_out else {}
        return settings | {**cluster_settings(self.cluster, self.few_clusters), "errors": errors}

    def _with_clusters(
        self, worths: WorthPosterior, likelihood: ChoiceLikelihood, judgments: Judgments, table: Table
    ) -> tuple[Posterior, ErrorType, tuple[str, ...]]:
        """Log-worths with clustered errors, where the settings and the choices give reason for them; notes on them."""
        row, answers = likelihood.row, likelihood.answers
        ways = ways_of(self.cluster, rater_codes(judgments, table)[row], segment_codes(table)[row], answers)
        many = too_many(likelihood.items, self.cluster) if ways else ()
        if not ways or many or not isinstance(worths.precision, DensePrecision):
            return worths, ErrorType(), many
        chosen = ChosenScores(likelihood, worths.theta)
        judged = Scored(
            chosen.scores, answers, worths.precision.covariance, chosen.information, np.eye(likelihood.items)
        )
        clustering = Clustering.of(judged, ways, self.few_clusters)
        rows = np.eye(likelihood.items)
        rows = rows - rows[slice(None) if worths.reference is None else [worths.reference]].mean(axis=0)
        posterior = ClusteredPosterior(worths.position, rows, clustering)
        return posterior, clustering.errors, clustering.notes


def _in_one_task(judgments: Judgments, table: Table) -> Preferences:
    """Edges between items that were shown in one task, whichever was chosen."""
    happened = table.where(table.weights > 0.0)
    key = row_key(happened, TOGETHER)
    order = np.argsort(key, kind="stable")
    item, same = happened.codes["item"][order], key[order][1:] == key[order][:-1]
    return Preferences(len(judgments.items), item[:-1][same], item[1:][same])


def clusters_of(judgments: Judgments, table: Table, cluster: str) -> tuple[Way, ...]:
    """Rows that may depend on each other, by rater or segment as `cluster` says; else those of one task.

    Two ways come with their cells as a third.
    """
    first, answers = judgment_weights(judgments, "best_worst")
    weight = np.zeros(len(table))
    weight[first] = answers
    ways = ways_of(cluster, rater_codes(judgments, table), segment_codes(table), weight)
    task = np.asarray(np.unique(row_key(table, TOGETHER), return_inverse=True)[1], dtype=np.int64)
    whole = tuple(Way(way.name, _of_tasks(way.codes, task)) for way in ways)
    if not whole:
        return (Way("task", task),)
    if len(whole) == 1:
        return whole
    return (*whole, Way("cell", without_gaps(whole[0].codes * whole[1].count + whole[1].codes)))


def _of_tasks(codes: Codes, task: Codes) -> Codes:
    """Clusters in which the rows of one task are together, also where nobody named theirs."""
    _, first = np.unique(task, return_index=True)
    return without_gaps(codes[first][task])


@dataclass(frozen=True, eq=False)
class Scores:
    """Counting scores with their standard errors and degrees of freedom, and whether the item was shown at all."""

    score: Vector
    error: Vector
    freedom: Vector
    seen: Mask


def crossed_scores(one: Scores, other: Scores, cells: Scores) -> Scores:
    """Two ways: V(one) + V(other) - V(cells), at least the larger of the two ways; the fewer degrees of freedom."""
    both = one.error**2 + other.error**2 - cells.error**2
    error = np.sqrt(np.maximum(both, np.maximum(one.error, other.error) ** 2))
    return Scores(one.score, error, np.minimum(one.freedom, other.freedom), one.seen)


def count_scores(
    item: Codes,
    sign: Vector,
    weights: Vector,
    cluster: Codes,
    size: int,
    *,
    pooled_freedom: float = POOLED_FREEDOM,
) -> Scores:
    """(best - worst) / shown, with moderated cluster-robust standard errors.

    Of an item shown n times to G clusters, with residual sums r_g: variance u / n, u = G / (G - 1) sum r_g^2 / n,
    brought towards the mean of u over all items by `pooled_freedom` beside the item's own G - 1.
    """
    shown = sum_by(item, weights, size)
    seen = shown > 0.0
    n = np.where(seen, shown, 1.0)
    score = np.where(seen, sum_by(item, weights * sign, size) / n, 0.0)
    group, at = np.unique(item * (int(cluster.max(initial=0)) + 1) + cluster, return_inverse=True)
    residual = sum_by(np.asarray(at), weights * (sign - score[item]), len(group))
    owner = group // (int(cluster.max(initial=0)) + 1)
    clusters = sum_by(owner, (sum_by(np.asarray(at), weights, len(group)) > 0.0).astype(float), size)
    own = np.maximum(clusters - 1.0, 0.0)
    squares = clusters * sum_by(owner, residual**2, size) / n  # (G - 1) u
    pooled = float(squares[own > 0].sum() / own.sum()) if own.sum() > 0 else 0.0
    # Where nothing is repeated, the variance is that of random choices.
    pooled = pooled if pooled > 0.0 else float(np.mean(sign**2))
    freedom = np.maximum(own + pooled_freedom, 1.0)
    return Scores(score, np.sqrt((squares + pooled_freedom * pooled) / freedom / n), freedom, seen)


@dataclass(frozen=True, eq=False)
class CountPosterior:
    """Independent t distributions around counting scores, intervals cut at -1 and 1.

    Of an item never shown nothing is known: it stands at 0, its interval is the whole scale.
    """

    scores: Scores

    @property
    def position(self) -> Vector:
        """Counting scores."""
        return self.scores.score

    @property
    def spread(self) -> Vector:
        """Standard deviations of the t distributions; uniform on the scale for an item never shown."""
        wide = np.sqrt(self.scores.freedom / np.maximum(self.scores.freedom - 2.0, 1.0))
        return np.where(self.scores.seen, self.scores.error * wide, 2.0 / np.sqrt(12.0))

    def interval(self, level: float) -> tuple[Vector, Vector]:
        """Score plus and minus the t quantile times the standard error, cut at the ends."""
        from scipy.special import stdtrit  # SciPy is slow to import

        reach = stdtrit(self.scores.freedom, 0.5 + level / 2.0) * self.scores.error
        low, high = self.position - reach, self.position + reach
        seen = self.scores.seen
        return np.where(seen, np.maximum(low, -1.0), -1.0), np.where(seen, np.minimum(high, 1.0), 1.0)

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Independent draws, uncut; those of an item never shown are uniform from -1 to 1."""
        noise = rng.standard_t(self.scores.freedom, size=(n, len(self.position)))
        drawn = self.position + noise * self.scores.error
        anywhere = rng.uniform(-1.0, 1.0, size=drawn.shape) if not self.scores.seen.all() else drawn
        return np.where(self.scores.seen, drawn, anywhere)


BestWorst = BestWorstScaling  # its earlier name, which programs may still import from here
