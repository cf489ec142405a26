"""Best-worst scaling: counting scores, or the maxdiff model of best-worst choices."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from steelyard.errors import BadSetting, NothingToFit
from steelyard.judgments.keys import row_key
from steelyard.judgments.table import Judgments, Table
from steelyard.judgments.tasks import TOGETHER
from steelyard.maths.arrays import Codes, Labels, sum_by
from steelyard.maths.precision import DensePrecision
from steelyard.maths.sandwich import ErrorType
from steelyard.models.best_worst_counts import (
    POOLED_FREEDOM,
    CountPosterior,
    clusters_of,
    count_scores,
    crossed_scores,
)
from steelyard.models.choices import ChoiceLikelihood, ChosenScores, choices_of, signs_of
from steelyard.models.clusters import (
    Cluster,
    ClusteredPosterior,
    Clustering,
    FewClusters,
    Scored,
    check_cluster,
    cluster_settings,
    rater_codes,
    segment_codes,
    too_many,
    ways_of,
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

UNIFORM_VARIANCE = 1.0 / 3.0  # variance of a uniform distribution from -1 to 1
PAIR_STEEPNESS = 2.0  # in a task of two items, i is best with log-odds 2 (u_i - u_j)


@dataclass(frozen=True, slots=True)
class BestWorstScaling:
    r"""Best-worst scaling of items, by counting or by the maxdiff model.

    Counting gives each item the score (times best - times worst) / times shown, from -1 to 1. The score depends on the
    other items in the tasks. Standard errors are cluster-robust t intervals, moderated by the variance of all items.

    The maxdiff model estimates utilities :math:`u_i`. In a task with the items S, item i is chosen as best and j as
    worst with probability

    .. math::

        P(i, j) = \frac{e^{u_i - u_j}}{\sum_{k \ne l \in S} e^{u_k - u_l}} .

    The model adjusts for the other items in a task. Its likelihood needs only how often each item was best and worst in
    a task, so files without raters give the same estimates.

    Assumptions of the model: utilities are the same for all raters, and odds do not depend on the other items in the
    task. Standard errors allow for dependent answers of one rater, see `cluster`.

    Parameters
    ----------
    method
        `"counting"` (default) or `"model"`, the maxdiff model.
    pseudo
        In the model, every item is also best and worst this many times in tasks of two with a hypothetical item, so
        that utilities stay finite. From 0 up, default 0.5. 0 is maximum likelihood.
    reference
        Item with utility 0 in the model. Default: none, utilities have mean 0.
    cluster
        Clustering of standard errors. `"auto"` (default): by rater if at least two raters are identified and one of
        them answers more than once, otherwise none. `"rater"`, `"segment"`, `"both"` (two-way) or `"none"`.
    few_clusters
        `"guarded"` (default): counting moderates the variance of each item by that of all items. In the maxdiff model,
        variances with fewer than ten clusters are at least those of independent judgments. `"plain"`: cluster-robust
        variances without this.
    seed
        Seed of simulated quantities. Default: 0.

    References
    ----------
    - Louviere, J. J., Flynn, T. N. & Marley, A. A. J. (2015). Best-worst scaling: theory, methods and applications.
      Cambridge University Press.
    - Marley, A. A. J. & Louviere, J. J. (2005). Some probabilistic models of best, worst, and best-worst choices.
      Journal of Mathematical Psychology 49.
    - Kiritchenko, S. & Mohammad, S. M. (2017). Best-worst scaling more reliable than rating scales. ACL 2017.

    Examples
    --------
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
            raise BadSetting("method", f"{self.method!r} is unknown. Use 'counting' or 'model'.")
        if not 0.0 <= self.pseudo < np.inf:
            raise BadSetting("pseudo", f"must be a finite number of at least 0, not {self.pseudo}.")

    @property
    def quantity(self) -> Quantity:
        """Meaning of the positions: counting scores, or utilities of the maxdiff model."""
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
        """Fit the scale to best-worst choices.

        Parameters
        ----------
        judgments
            Best-worst choices.

        Returns
        -------
        RefittingFit
            Scores or utilities with standard errors. Notes count tasks that the model cannot use.

        Raises
        ------
        NothingToFit
            If there are no best-worst choices.
        Separated
            If some utilities would be infinite and `pseudo` is 0.
        """
        source = judgments
        judgments, places = in_sorted_order(judgments)
        table = rows_of(judgments, "best_worst", self.name)
        fit = self._counted if self.method == "counting" else self._modelled
        return replace(fit(judgments, table, places), source=source)

    def start(self, items: Labels) -> HeldBelief:
        """Return the belief before any choice: every item at 0, with the variance of an item never judged.

        Parameters
        ----------
        items
            Item ids.

        Returns
        -------
        HeldBelief
            The prior belief.
        """
        return start_holding(items, UNIFORM_VARIANCE if self.method == "counting" else GHOSTLY_VARIANCE)

    def update(self, belief: HeldBelief, judgments: Judgments) -> HeldBelief:
        """Return the belief after more choices, by fitting all choices so far.

        Parameters
        ----------
        belief
            Belief before the choices.
        judgments
            New choices.

        Returns
        -------
        HeldBelief
            The updated belief.
        """
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
        """Return the settings for the signature, with the number of excluded tasks if there are any."""
        settings: dict[str, Any] = {"method": "model", "pseudo": self.pseudo}
        settings |= {} if self.reference is None else {"reference": self.reference}
        settings |= {"tasks_left_out": left_out} if left_out else {}
        return settings | {**cluster_settings(self.cluster, self.few_clusters), "errors": errors}

    def _with_clusters(
        self, worths: WorthPosterior, likelihood: ChoiceLikelihood, judgments: Judgments, table: Table
    ) -> tuple[Posterior, ErrorType, tuple[str, ...]]:
        """Return the posterior with clustered standard errors if they apply, the error type and notes."""
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
    """Return a graph that connects items shown in the same task."""
    happened = table.where(table.weights > 0.0)
    key = row_key(happened, TOGETHER)
    order = np.argsort(key, kind="stable")
    item, same = happened.codes["item"][order], key[order][1:] == key[order][:-1]
    return Preferences(len(judgments.items), item[:-1][same], item[1:][same])


BestWorst = BestWorstScaling  # its earlier name, which programs may still import from here
