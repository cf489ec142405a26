"""Direct assessment: the mean rating of each item."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from steelyard.errors import BadSetting
from steelyard.judgments.logs import SummedRatings
from steelyard.judgments.table import Judgments, Table
from steelyard.maths.arrays import Vector, sum_by
from steelyard.models.clusters import Cluster, FewClusters, check_cluster, cluster_settings
from steelyard.models.means import Ends, MeanPosterior, ScoreSums, means_of, moderated, trimmed
from steelyard.models.model import Capabilities, in_sorted_order, provenance_of, refuse_log, rows_of
from steelyard.models.system_means import ScoredFit, ratings_behind
from steelyard.scales.provenance import Provenance
from steelyard.scales.quantity import Quantity

WHOLE_Z = (-3.0, 3.0)  # z-scores have no ends, but few are beyond three standard deviations


@dataclass(frozen=True, slots=True)
class DirectAssessment:
    r"""Mean rating of each item, plain or after standardising the ratings of each rater.

    .. math::

        \mathrm{position}_i = \frac{1}{n_i} \sum_{r} z_{ri}, \qquad
        z_{ri} = s_{ri} \quad\text{or}\quad z_{ri} = \frac{s_{ri} - \bar{s}_r}{\mathrm{sd}_r}

    Intervals are moderated t intervals. The variance of each item is combined with the variance pooled over all
    items, which counts for four degrees of freedom (Smyth 2004). Two equal ratings therefore do not give an interval
    without width.

    An item without ratings gets the mean of the other items, or 0 among z-scores. Its interval is the whole range.

    Assumptions: ratings of an item are independent, and each item is rated by a similar mix of raters. Standardising
    needs many ratings per rater; with few it is less accurate than the plain mean. A rater whose ratings are all equal
    gets z-scores of 0.

    Parameters
    ----------
    standardise
        `"none"` (default) averages the ratings. `"rater"` first converts the ratings of each rater to z-scores, as in
        the WMT campaigns.
    trim
        Share of the ratings to cut from each end before averaging. From 0 (default) to below 0.5.
    divisor
        Divisor of the variance in z-scores: `"n"` (default, population variance) or `"n-1"`.
    cluster
        Clustering of the standard errors of system means: `"rater"`, `"segment"`, `"both"` or `"none"`. With
        `"auto"` (default), the arguments `target` and `raters` of `fit.systems` determine it.
    few_clusters
        `"guarded"` (default) raises clustered variances from few clusters to at least those of independent ratings.
        `"plain"` leaves them unchanged.
    seed
        Seed of random draws. Default: 0.

    References
    ----------
    Graham, Y., Baldwin, T., Moffat, A., & Zobel, J. (2013). Continuous measurement scales in human evaluation of
    machine translation. Linguistic Annotation Workshop.

    Smyth, G. K. (2004). Linear models and empirical Bayes methods for assessing differential expression in
    microarray experiments. Statistical Applications in Genetics and Molecular Biology, 3(1).

    Yuen, K. K. (1974). The two-sample trimmed t for unequal population variances. Biometrika, 61, 165-170.

    Examples
    --------
    >>> from steelyard import Judgments, Rating
    >>> scores = [Rating("ann", "tea", 20), Rating("bob", "tea", 40), Rating("ann", "soup", 70)]
    >>> DirectAssessment().fit(Judgments.of(scores, range=(0, 100))).scale.position.tolist()
    [30.0, 70.0]
    """

    name: ClassVar[str] = "direct_assessment"
    kinds: ClassVar[tuple[str, ...]] = ("rating",)
    capabilities: ClassVar[Capabilities] = Capabilities(needs_range=True, counts=True)
    standardise: Literal["none", "rater"] = "none"
    trim: float = 0.0
    divisor: Literal["n", "n-1"] = "n"
    cluster: Cluster = "auto"
    few_clusters: FewClusters = "guarded"
    seed: int = 0

    def __post_init__(self) -> None:
        check_cluster(self.cluster, self.few_clusters)
        if self.standardise not in ("none", "rater"):
            raise BadSetting("standardise", f"{self.standardise!r} is neither 'none' nor 'rater'.")
        if self.divisor not in ("n", "n-1"):
            raise BadSetting("divisor", f"{self.divisor!r} is neither 'n' nor 'n-1'.")
        if not 0.0 <= self.trim < 0.5:
            raise BadSetting(
                "trim", f"{self.trim} is not a share from 0 to below 0.5. Write, for example, 0.1."
            )

    @property
    def quantity(self) -> Quantity:
        """Meaning of the positions: mean ratings, trimmed or standardised according to the settings."""
        mean = f"trimmed mean ({self.trim:.0%} at each end)" if self.trim else "mean"
        if self.standardise == "none":
            return Quantity("mean rating", f"the {mean} of the ratings of the {{unit}}", "points")
        within = "after the ratings of each rater were standardised to mean 0 and standard deviation 1"
        return Quantity(
            "mean standardised rating",
            f"the {mean} of the ratings of the {{unit}}, {within}",
            "standard deviations",
        )

    def fit(self, judgments: Judgments | SummedRatings) -> ScoredFit:
        """Compute the mean, standard deviation and moderated t interval of every item.

        Parameters
        ----------
        judgments
            Ratings, or a log from `steelyard.connect`.

        Returns
        -------
        ScoredFit
            Mean ratings. `fit.systems()` averages them over systems.

        Raises
        ------
        NothingToFit
            If there are no judgments of this kind.
        """
        if isinstance(judgments, SummedRatings):
            return self._fit_log(judgments)
        refuse_log(judgments, self.kinds, self.name)
        judgments, places = in_sorted_order(judgments)
        ratings = rows_of(judgments, "rating", self.name)
        at, weights, size = ratings.codes["item"], ratings.weights, len(judgments.items)
        scores, ends = self._scores(ratings, judgments.score_range)
        cut = trimmed(scores, at, weights, self.trim)
        means = means_of(cut, at, size, ends)
        provenance = provenance_of(self.name, self._settings(), judgments, self.seed)
        if not ends.closed:  # z-scores do not depend on the range of the ratings
            provenance = replace(provenance, range=None)
        count = sum_by(at, weights, size)
        posterior = MeanPosterior(means, ends)
        behind = ratings_behind(judgments, scores, cut.kept)
        parts = (judgments.items, count, posterior, provenance)
        z_scores = self.standardise == "rater"
        clusters_by = (self.cluster, self.few_clusters)
        return ScoredFit(
            *parts, places=places, ratings=behind, standardised=z_scores, clusters_by=clusters_by
        )

    def _settings(self) -> dict[str, Any]:
        settings: dict[str, Any] = {"standardise": self.standardise, "trim": self.trim}
        settings |= {} if self.divisor == "n" else {"divisor": self.divisor}
        return settings | cluster_settings(self.cluster, self.few_clusters)

    def _fit_log(self, log: SummedRatings) -> ScoredFit:
        """Fit the sums of a log."""
        if self.trim:
            raise BadSetting(
                "trim", "a trimmed mean needs every score of an item. Use trim=0 for a large log."
            )
        sums = log.item_sums(self.standardise, 1.0 if self.divisor == "n-1" else 0.0)
        closed = self.standardise == "none"
        ends = Ends(log.score_range, closed=True) if closed else Ends(WHOLE_Z, closed=False)
        means = moderated(ScoreSums(sums.count, sums.count, sums.mean, sums.squares, sums.variance), ends)
        total = float(sums.count.sum())
        provenance = Provenance(
            self.name,
            self._settings(),
            len(sums.items),
            int(total) if total.is_integer() else total,
            sums.raters,
            ends.whole if closed else None,
            self.seed,
        )
        places = np.arange(len(sums.items))
        return ScoredFit(sums.items, sums.count, MeanPosterior(means, ends), provenance, places=places)

    def _scores(self, ratings: Table, scale: tuple[float, float]) -> tuple[Vector, Ends]:
        """Return the scores to average and the ends of their scale."""
        scores = ratings.numbers["score"]
        if self.standardise == "none":
            return scores, Ends(scale, closed=True)
        return standardised(scores, ratings, 1.0 if self.divisor == "n-1" else 0.0), Ends(
            WHOLE_Z, closed=False
        )


def standardised(scores: Vector, ratings: Table, lost: float = 0.0) -> Vector:
    """Return z-scores within raters: score minus the rater's mean, divided by the rater's standard deviation.

    Parameters
    ----------
    scores
        Score of each row.
    ratings
        Table with the rater and count of each row.
    lost
        Number subtracted from n in the divisor of the variance: 0 or 1.

    Returns
    -------
    Vector
        Z-score of each row; 0 for raters whose scores are all equal.
    """
    rater, weights = ratings.codes["rater"], ratings.weights
    total = sum_by(rater, weights)
    mean = sum_by(rater, weights * scores) / np.maximum(total, 1e-300)
    gap = scores - mean[rater]
    deviation = np.sqrt(sum_by(rater, weights * gap**2) / np.maximum(total - lost, 1e-300))[rater]
    steady = deviation <= 1e-12 * (1.0 + np.abs(mean[rater]))
    return np.where(steady, 0.0, gap / np.where(steady, 1.0, deviation))
