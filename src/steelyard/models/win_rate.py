"""Win rate: the share of its comparisons that an item wins."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from steelyard.errors import BadSetting
from steelyard.judgments.comparison_arrays import TIE
from steelyard.judgments.counts import PairCounts
from steelyard.judgments.logs import CountedComparisons
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes, Labels, Matrix, Vector, sum_by
from steelyard.maths.sandwich import ErrorType
from steelyard.models.clusters import (
    Cluster,
    ClusteredPosterior,
    Clustering,
    FewClusters,
    Scored,
    check_cluster,
    rater_codes,
    segment_codes,
    too_many,
    ways_of,
)
from steelyard.models.model import Capabilities
from steelyard.models.online.learning import fit_in_order, settings_of, tallied_fit
from steelyard.models.online.steps import Steps, steps_of, steps_of_counts
from steelyard.models.streamed_clusters import chosen_clusters, one_way, streamed_scores
from steelyard.scales.fit import Fit
from steelyard.scales.joint import Joint
from steelyard.scales.provenance import Provenance
from steelyard.scales.quantity import Quantity
from steelyard.scales.tally import Rates, TallyBelief

LEAST_WEIGHT = 0.5  # least total weight alpha + beta of a Beta distribution, however large the variance


@dataclass(frozen=True, slots=True)
class WinRate:
    r"""Share of its comparisons that an item wins.

    With wins :math:`w_{ij}` and comparisons :math:`n_{ij}` of item i against item j, the pooled win rate and the win
    rate averaged over the :math:`m_i` opponents of item i are

    .. math::

        \frac{\sum_j w_{ij}}{\sum_j n_{ij}} \quad \text{and} \quad \frac{1}{m_i} \sum_j \frac{w_{ij}}{n_{ij}} .

    The average over opponents is called "expected wins" in the WMT campaigns. Intervals are those of Beta
    distributions. The order of the comparisons has no effect.

    Assumptions: opponents are comparable. Pooled rates favour items that met weak opponents. Averaged rates do not, but
    an opponent met once has as much weight as one met a thousand times. For sparse or unbalanced comparisons use
    `BradleyTerry`.

    Parameters
    ----------
    ties
        `"ignore"` (default) excludes ties. `"half"` counts a tie as half a win.
    average
        `"pooled"` (default) or `"opponents"`.
    cluster
        Clustering of standard errors. `"auto"` (default): by rater if at least two raters are identified and one of
        them answers more than once, otherwise none. `"rater"`, `"segment"`, `"both"` (two-way) or `"none"`.
    few_clusters
        `"guarded"` (default): with fewer than ten clusters, variances are at least those of independent comparisons.
        `"plain"`: the sandwich with the factor G / (G - 1), without this bound.
    seed
        Seed of simulated quantities. Default: 0.

    References
    ----------
    - Callison-Burch, C. et al. (2012). Findings of the 2012 workshop on statistical machine translation. WMT 2012.
    - Koehn, P. (2012). Simulating human judgment in machine translation evaluation campaigns. IWSLT 2012.
    - Bojar, O. et al. (2013). Findings of the 2013 workshop on statistical machine translation. WMT 2013.

    Examples
    --------
    >>> from steelyard import Comparison, Judgments
    >>> rows = [Comparison("ann", "tea", "milk", "left"), Comparison("bob", "tea", "milk", "tie")]
    >>> WinRate(ties="half").fit(Judgments.of(rows)).scale.position.tolist()
    [0.75, 0.25]
    """

    name: ClassVar[str] = "win_rate"
    kinds: ClassVar[tuple[str, ...]] = ("comparison",)
    capabilities: ClassVar[Capabilities] = Capabilities(counts=True, online=True)
    ties: Literal["ignore", "half"] = "ignore"
    average: Literal["pooled", "opponents"] = "pooled"
    cluster: Cluster = "auto"
    few_clusters: FewClusters = "guarded"
    seed: int = 0

    def __post_init__(self) -> None:
        check_cluster(self.cluster, self.few_clusters)
        if self.ties not in ("ignore", "half"):
            raise BadSetting("ties", f"{self.ties!r} is unknown. Use 'ignore' or 'half'.")
        if self.average not in ("pooled", "opponents"):
            raise BadSetting("average", f"{self.average!r} is unknown. Use 'pooled' or 'opponents'.")

    @property
    def quantity(self) -> Quantity:
        """Meaning of the positions: win rates, with the treatment of ties and opponents."""
        ties = "not counting ties" if self.ties == "ignore" else "counting a tie as half a win"
        over = ", averaged over its opponents" if self.average == "opponents" else ""
        return Quantity(
            "win rate", f"the share of its comparisons that the {{unit}} won, {ties}{over}", "", (0.0, 1.0)
        )

    def start(self, items: Labels) -> TallyBelief:
        """Return the belief before any comparison: every rate is 0.5.

        Parameters
        ----------
        items
            Item ids.

        Returns
        -------
        TallyBelief
            The prior belief.
        """
        return TallyBelief.fresh(items, self.ties, self.average)

    def update(self, belief: TallyBelief, judgments: Judgments) -> TallyBelief:
        """Return the belief after more comparisons.

        Adding comparisons in parts gives exactly the same rates as fitting all of them. A belief does not record
        raters, so its variances are those of `cluster="none"`.

        Parameters
        ----------
        belief
            Belief before the comparisons.
        judgments
            New comparisons.

        Returns
        -------
        TallyBelief
            The updated belief.
        """
        steps = steps_of(judgments, belief.item)
        return belief.added(*steps) if len(steps.left) else belief

    def fit(self, judgments: Judgments | CountedComparisons) -> Fit:
        """Compute the win rates of all items.

        Parameters
        ----------
        judgments
            Comparisons, or a log from `steelyard.connect`.

        Returns
        -------
        Fit
            Win rates with standard errors and intervals.
        """
        if isinstance(judgments, CountedComparisons):
            return self._fit_log(judgments)
        ties = self.ties == "half"
        fit = fit_in_order(self, judgments, lambda belief: RatePosterior(belief.rates), counts_ties=ties)
        steps, table = steps_of(judgments, fit.item), judgments.table("comparison")
        return self._with_clusters(fit, steps, rater_codes(judgments, table), segment_codes(table))

    def _fit_log(self, log: CountedComparisons) -> Fit:
        """Fit the counts of a log, with errors from its cells or, if these are too many, from a stream."""
        counts = log.pooled()
        steps = steps_of_counts(counts)
        belief = self.start(counts.items).added(*steps)
        settings, seed = settings_of(self)
        provenance = Provenance(
            self.name, settings, len(counts.items), counts.whole_judgments, log.rater_count, None, seed
        )
        posterior = RatePosterior(belief.rates)
        fit: Fit = tallied_fit(belief, posterior, provenance, steps, self.ties == "half")
        fit = replace(fit, places=counts.places)
        names = chosen_clusters(log, self.cluster)
        many = too_many(len(fit.item), self.cluster) if names else ()
        if not names or many:
            return _named(fit, ErrorType(), many)
        cells = log.cells(names, (), False)
        if cells is None:
            return self._streamed(fit, log, counts, one_way(names))
        split = steps_of_counts(cells)
        rater, segment = (np.tile(cells.codes_of(name), 3) for name in ("rater", "segment"))
        return self._with_clusters(fit, split, rater, segment)

    def _streamed(self, fit: Fit, log: CountedComparisons, counts: PairCounts, name: str) -> Fit:
        """Return the fit with errors clustered by the raters or segments of a stream."""
        assert isinstance(fit.posterior, RatePosterior)  # `_fit_log` made it
        steps = steps_of_counts(counts)
        used = np.flatnonzero((steps.weight > 0.0) & ((self.ties == "half") | (steps.outcome != TIE)))
        wins = Wins(steps.at(used), len(fit.item), self.average)
        units = wins.units(used, len(steps.left))
        scores = streamed_scores(log, counts, name, units, np.eye(len(fit.item)))
        model = wins.independent(fit.posterior.rates.variance)
        return _clustered(fit, Clustering((scores,), None, model, self.few_clusters))

    def _with_clusters(self, fit: Fit, steps: Steps, rater: Codes, segment: Codes) -> Fit:
        """Return the fit with clustered standard errors, if the settings and comparisons call for them."""
        assert isinstance(fit.posterior, RatePosterior)  # `fit` made it
        used = (steps.weight > 0.0) & ((self.ties == "half") | (steps.outcome != TIE))
        ways = ways_of(self.cluster, rater[used], segment[used], steps.weight[used]) if used.any() else ()
        many = too_many(len(fit.item), self.cluster) if ways else ()
        if not ways or many:
            return _named(fit, ErrorType(), many)
        wins = Wins(_sorted_sides(steps.at(used)), len(fit.item), self.average)
        model = wins.independent(fit.posterior.rates.variance)
        judged = Scored(wins.moves, wins.steps.weight, np.eye(len(fit.item)), model=model)
        return _clustered(fit, Clustering.of(judged, ways, self.few_clusters))


def _clustered(fit: Fit, clustering: Clustering) -> Fit:
    assert isinstance(fit.posterior, RatePosterior)  # `WinRate` made it
    posterior = ClusteredRatePosterior(fit.posterior.rates, clustering)
    return replace(_named(fit, clustering.errors, clustering.notes), posterior=posterior)


def _sorted_sides(steps: Steps) -> Steps:
    """Return the comparisons with the lower item code on the left, so that sums do not depend on sides."""
    left, right, outcome, weight = steps
    turned = left > right
    return Steps(
        np.where(turned, right, left),
        np.where(turned, left, right),
        np.where(turned, -outcome, outcome),
        weight,
    )


def _named(fit: Fit, errors: ErrorType, notes: tuple[str, ...]) -> Fit:
    """Return the fit with its error type in the signature, and with further notes."""
    settings = {**fit.provenance.settings, "errors": errors}
    return replace(fit, provenance=replace(fit.provenance, settings=settings), notes=(*fit.notes, *notes))


@dataclass(frozen=True, eq=False)
class Wins:
    """Influence of each comparison on the rates of its two items: weight in the rate times (score - rate)."""

    steps: Steps
    items: int
    average: str

    @cached_property
    def _moves(self) -> tuple[Vector, Vector]:
        """Influence of each comparison on its left and on its right item."""
        left, right, outcome, weight = self.steps
        score: Vector = 0.5 * (1.0 + outcome.astype(np.float64))
        return self._side(left, right, score, weight), self._side(right, left, 1.0 - score, weight)

    def _side(self, item: Codes, other: Codes, score: Vector, weight: Vector) -> Vector:
        at, against = np.r_[self.steps.left, self.steps.right], np.r_[self.steps.right, self.steps.left]
        won = np.r_[0.5 * (1.0 + self.steps.outcome), 0.5 * (1.0 - self.steps.outcome)]
        twice = np.r_[self.steps.weight, self.steps.weight]
        if self.average == "pooled":
            total = sum_by(at, twice, self.items)
            return (score - (sum_by(at, twice * won, self.items) / np.maximum(total, 1e-300))[item]) / total[
                item
            ]
        pairs, met = np.unique(at * self.items + against, return_inverse=True)
        total = sum_by(met, twice)
        here = np.searchsorted(pairs, item * self.items + other)
        opponents = np.bincount(pairs // self.items, minlength=self.items)
        return (score - (sum_by(met, twice * won) / total)[here]) / (total[here] * opponents[item])

    def moves(self, codes: Codes, count: int) -> Any:
        """Return the sums of influence by cluster as a sparse matrix, clusters x items."""
        from scipy.sparse import csr_array  # SciPy is slow to import

        weight = self.steps.weight
        values = np.r_[weight * self._moves[0], weight * self._moves[1]]
        ends = (np.r_[codes, codes], np.r_[self.steps.left, self.steps.right])
        return csr_array((values, ends), shape=(count, self.items))

    def units(self, entry: Codes, entries: int) -> Any:
        """Return the influence of one comparison as a sparse matrix, entries x items."""
        from scipy.sparse import csr_array  # SciPy is slow to import

        ends = (np.r_[entry, entry], np.r_[self.steps.left, self.steps.right])
        return csr_array((np.concatenate(self._moves), ends), shape=(entries, self.items))

    def independent(self, variance: Vector) -> Matrix:
        """Return the covariance of rates with these variances for independent comparisons."""
        from scipy.sparse import csr_array  # SciPy is slow to import

        (one, other), weight = self._moves, self.steps.weight
        left, right = self.steps.left, self.steps.right
        values = np.r_[weight * one**2, weight * other**2, weight * one * other, weight * one * other]
        ends = (np.r_[left, right, left, right], np.r_[left, right, right, left])
        squares = csr_array((values, ends), shape=(self.items, self.items)).toarray()
        own = np.diag(squares)
        scale = np.where(own > 0.0, np.sqrt(variance / np.where(own > 0.0, own, 1.0)), 0.0)
        covariance = scale[:, None] * squares * scale
        covariance[np.arange(self.items), np.arange(self.items)] = variance
        return np.asarray(covariance)


@dataclass(frozen=True, eq=False)
class RatePosterior:
    """Win rates with a Beta distribution each, for comparisons with these opponents."""

    rates: Rates

    @property
    def position(self) -> Vector:
        """Win rates."""
        return self.rates.rate

    @property
    def spread(self) -> Vector:
        """Standard deviations of the Beta distributions."""
        return np.sqrt(self.rates.variance)

    def interval(self, level: float) -> tuple[Vector, Vector]:
        """Return equal-tailed Beta intervals, extended to contain the rate, which may be 0 or 1."""
        from scipy.special import betaincinv  # SciPy is slow to import

        tail = (1.0 - level) / 2.0
        low = betaincinv(self.rates.alpha, self.rates.beta, tail)
        high = betaincinv(self.rates.alpha, self.rates.beta, 1.0 - tail)
        return np.minimum(low, self.rates.rate), np.maximum(high, self.rates.rate)

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Return independent Beta draws."""
        return rng.beta(self.rates.alpha, self.rates.beta, size=(n, len(self.rates.rate)))


@dataclass(frozen=True, eq=False)
class ClusteredRatePosterior:
    """Win rates with clustered errors: Beta distributions with these variances, and t distributed differences."""

    rates: Rates
    clustering: Clustering

    @cached_property
    def _joint(self) -> ClusteredPosterior:
        return ClusteredPosterior(self.rates.rate, np.eye(len(self.rates.rate)), self.clustering)

    @property
    def position(self) -> Vector:
        """Win rates."""
        return self.rates.rate

    @property
    def spread(self) -> Vector:
        """Clustered standard errors."""
        return self._joint.spread

    def joint(self) -> Joint:
        """Return rates, covariance and degrees of freedom."""
        return self._joint.joint()

    def interval(self, level: float) -> tuple[Vector, Vector]:
        """Return equal-tailed Beta intervals, with the standard deviation scaled by the ratio of t and normal."""
        from scipy.special import betaincinv, ndtri  # SciPy is slow to import

        tail, own = (1.0 - level) / 2.0, np.arange(len(self.rates.rate))
        wider = self.joint().quantiles(1.0 - tail, own, own) / float(ndtri(1.0 - tail))
        middle = self.rates.alpha / (self.rates.alpha + self.rates.beta)
        whole = middle * (1.0 - middle) / np.maximum((wider * self.spread) ** 2, 1e-300) - 1.0
        whole = np.maximum(whole, LEAST_WEIGHT)
        low = betaincinv(middle * whole, (1.0 - middle) * whole, tail)
        high = betaincinv(middle * whole, (1.0 - middle) * whole, 1.0 - tail)
        return np.minimum(low, self.rates.rate), np.maximum(high, self.rates.rate)

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Return joint draws, cut at 0 and 1."""
        return np.clip(self._joint.draws(n, rng), 0.0, 1.0)
