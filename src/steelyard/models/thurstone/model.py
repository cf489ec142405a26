"""Thurstone's model (Case V) with a normal prior: positions in units of the comparison noise.

Thurstone (1927), "A law of comparative judgment"; ties as in Rao & Kupper (1967); the posterior by expectation
propagation (Minka 2001).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from steelyard.errors import OnlyTies
from steelyard.judgments.counts import PairCounts
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Labels
from steelyard.models.clusters import Cluster, FewClusters, check_cluster, cluster_settings
from steelyard.models.linking import Preferences, unlinked_parts
from steelyard.models.model import Capabilities, places_of, provenance_of, rows_of
from steelyard.models.online.settings import check_above_zero
from steelyard.models.online.steps import steps_of, times_judged
from steelyard.models.refitting import RefittingFit
from steelyard.models.thurstone.belief import ThurstoneBelief
from steelyard.models.thurstone.errors import errors_of
from steelyard.models.thurstone.outcomes import Outcomes
from steelyard.models.thurstone.prior import most_probable, posterior_of
from steelyard.scales.quantity import Quantity


@dataclass(frozen=True, eq=False)
class ThurstoneFit(RefittingFit):
    """Fit of Thurstone's model.

    Attributes
    ----------
    tie_width
        Tie width e, in units of the comparison noise; 0 without ties.
    prior_sd
        Standard deviation of the prior of positions, at its most probable value. See `Fit` for the other fields.
    """

    tie_width: float = 0.0
    prior_sd: float = 1.0


def _tie_notes(tie_width: float) -> tuple[str, ...]:
    """Return a sentence about the tie width if there are ties.

    >>> _tie_notes(0.5)
    ('Tie width 0.500: two items at the same position are tied with probability 38.3%.',)
    """
    if tie_width <= 0.0:
        return ()
    tied = math.erf(tie_width / math.sqrt(2.0))  # 2 Phi(e) - 1
    return (
        f"Tie width {tie_width:.3f}: two items at the same position are tied with probability {tied:.1%}.",
    )


@dataclass(frozen=True, slots=True)
class Thurstone:
    r"""Positions from comparisons, with a normal prior whose spread is learned from the data.

    Item i is preferred to item j with probability

    .. math:: P(i > j) = \Phi(x_i - x_j - e), \qquad P(\text{tie}) = \Phi(e - x_i + x_j) - \Phi(-e - x_i + x_j)

    with positions :math:`x_i \sim N(0, \tau^2)`, the tie width :math:`e`, and the comparison noise as the unit. Up to
    300 items, :math:`\tau` is integrated out with a half-Cauchy prior of scale 2. With more items it is estimated. The
    posterior is Gaussian, by expectation propagation. Because of the prior, estimates are finite for every set of
    comparisons, and intervals keep their level when pairs are chosen adaptively (docs/explanation/models/thurstone.md).

    Parameters
    ----------
    prior_sd
        Standard deviation of the prior of positions, in units of the comparison noise. Default: learned.
    cluster
        Cluster standard errors by ``"rater"``, ``"segment"`` or ``"both"``; ``"none"`` treats comparisons as
        independent. Default ``"auto"``: by rater where raters are named and repeat.
    few_clusters
        ``"guarded"`` (default): clustered variances are corrected for the influence of each cluster (CR2, up to 100
        clusters). With fewer than ten clusters they are at least those of the model. ``"plain"``: the sandwich
        with the factor G / (G - 1) and without these corrections.
    seed
        Not used by the fit, which is deterministic; part of the signature.

    References
    ----------
    Thurstone, L. L. (1927). A law of comparative judgment. Psychological Review 34.
    Rao, P. V. & Kupper, L. L. (1967). Ties in paired-comparison experiments. JASA 62.
    Minka, T. P. (2001). Expectation propagation for approximate Bayesian inference. UAI.

    Examples
    --------
    >>> from steelyard import Comparison, Judgments, Thurstone
    >>> rows = [Comparison("ann", "tea", "milk", "left"), Comparison("ann", "milk", "soup", "left")]
    >>> fit = Thurstone(prior_sd=1.0).fit(Judgments.of(rows))
    >>> [(row["item"], round(row["position"], 2)) for row in fit.scale.ordered().rows()]
    [('tea', 0.59), ('milk', 0.0), ('soup', -0.59)]
    """

    name: ClassVar[str] = "thurstone"
    kinds: ClassVar[tuple[str, ...]] = ("comparison",)
    capabilities: ClassVar[Capabilities] = Capabilities(
        online=True, refits=True, belief=frozenset({"comparisons", "intervals"})
    )
    prior_sd: float | None = None
    cluster: Cluster = "auto"
    few_clusters: FewClusters = "guarded"
    seed: int = 0

    def __post_init__(self) -> None:
        check_cluster(self.cluster, self.few_clusters)
        if self.prior_sd is not None:
            check_above_zero(prior_sd=self.prior_sd)

    @property
    def quantity(self) -> Quantity:
        """What the positions are, in words."""
        return Quantity(
            "Thurstone position",
            "its position in Thurstone’s model. The difference between the positions of two {unit}s is the probit of "
            "the probability that the first is preferred to the second if ties are not allowed. "
            "The mean of all positions is 0",
            "probits",
        )

    def start(self, items: Labels) -> ThurstoneBelief:
        """Return the belief before any comparison."""
        return ThurstoneBelief.fresh(items, 1.0 if self.prior_sd is None else self.prior_sd)

    def update(self, belief: ThurstoneBelief, judgments: Judgments) -> ThurstoneBelief:
        """Return the belief after these comparisons. Prior and tie width stay as the last refit estimated them."""
        steps = steps_of(judgments, belief.item)
        return belief.after(steps) if len(steps.left) else belief

    def believe(self, items: Labels, judgments: Judgments) -> ThurstoneBelief:
        """Return the belief from all comparisons at once, over all items of a study."""
        counts = PairCounts.of(judgments, ordered=False)
        place = places_of(counts.items, items)
        coded = Outcomes.of(counts)
        outcomes = Outcomes(len(items), place[coded.first], place[coded.second], coded.is_tie, coded.count)
        count = times_judged(steps_of(judgments, items), np.zeros(len(items)))
        return ThurstoneBelief.of(items, count, most_probable(outcomes, self.prior_sd))

    def fit(self, judgments: Judgments) -> ThurstoneFit:
        """Fit the model to all comparisons.

        Parameters
        ----------
        judgments
            Comparisons, with or without ties.

        Returns
        -------
        ThurstoneFit
            Positions with mean 0, their covariance and ranks, and the tie width.
        """
        rows_of(judgments, "comparison", self.name)
        counts = PairCounts.of(judgments, ordered=False)
        outcomes = Outcomes.of(counts)
        if outcomes.is_tie.all():
            raise OnlyTies()
        posterior = posterior_of(outcomes, self.prior_sd)
        scales = posterior.best.scales
        errors = errors_of(posterior, counts.items, judgments, self.cluster, self.few_clusters)
        settings = {**self._settings(), "errors": errors.error_type}
        provenance = provenance_of(self.name, settings, judgments, self.seed, "comparison")
        return ThurstoneFit(
            item=counts.items,
            count=counts.by_item,
            posterior=errors.posterior,
            provenance=replace(provenance, converged=posterior.converged, iterations=posterior.steps),
            places=counts.places,
            part=unlinked_parts(Preferences(outcomes.items, outcomes.first, outcomes.second).linked()),
            notes=(*_tie_notes(scales.tie_width), *errors.notes),
            model=self,
            source=judgments,
            tie_width=scales.tie_width,
            prior_sd=scales.prior_sd,
        )

    def _settings(self) -> dict[str, Any]:
        prior = {} if self.prior_sd is None else {"prior_sd": self.prior_sd}
        return {**prior, **cluster_settings(self.cluster, self.few_clusters)}
