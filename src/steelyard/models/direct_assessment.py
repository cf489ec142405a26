"""Direct assessment: an item stands at the mean of its scores.

With `standardise="rater"` each rater's scores are first turned into z-scores (population standard
deviation; a rater who never varies gives 0), as in the machine translation campaigns of WMT. That needs
many answers per rater: with few it is worse than the plain mean.

An item without scores (a count of 0, or a name in the vocabulary only) stands at the mean of the other items,
at 0 among z-scores; its interval is the whole range and every rank is possible.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from steelyard.errors import BadSetting
from steelyard.judgments.table import Judgments, Table
from steelyard.maths.arrays import Vector, sum_by
from steelyard.models.clusters import Cluster, FewClusters, check_cluster, cluster_settings
from steelyard.models.means import Ends, MeanPosterior, means_of, trimmed
from steelyard.models.model import Capabilities, in_sorted_order, provenance_of, rows_of
from steelyard.models.system_means import ScoredFit, ratings_behind
from steelyard.scales.quantity import Quantity

WHOLE_Z = (-3.0, 3.0)  # z-scores have no ends; scores beyond three standard deviations are rare


@dataclass(frozen=True, slots=True)
class DirectAssessment:
    """Mean score per item, plain or standardised per rater, with a share `trim` cut from each end.

    `divisor` is that of the variance in a rater's z-scores. `cluster` and `few_clusters` are about means of systems:
    by what their errors are clustered, as `target` and `raters` say if `auto`.

    >>> from steelyard import Judgments, Rating
    >>> scores = [Rating("ann", "tea", 20), Rating("bob", "tea", 40), Rating("ann", "soup", 70)]
    >>> DirectAssessment().fit(Judgments.of(scores, range=(0, 100))).scale.position.tolist()
    [30.0, 70.0]
    """

    name: ClassVar[str] = "direct_assessment"
    kinds: ClassVar[tuple[str, ...]] = ("rating",)
    capabilities: ClassVar[Capabilities] = Capabilities(needs_range=True)
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
            raise BadSetting("trim", f"{self.trim} is not a share from 0 up to, but not including, 0.5.")

    @property
    def quantity(self) -> Quantity:
        """The mean rating, trimmed or of standardised ratings as the settings say."""
        mean = f"trimmed mean ({self.trim:.0%} at each end)" if self.trim else "mean"
        if self.standardise == "none":
            return Quantity("mean rating", f"the {mean} of the ratings of the {{unit}}", "points")
        within = "after the ratings of each rater were standardised to mean 0 and standard deviation 1"
        return Quantity(
            "mean standardised rating",
            f"the {mean} of the ratings of the {{unit}}, {within}",
            "standard deviations",
        )

    def fit(self, judgments: Judgments) -> ScoredFit:
        """Mean, spread and moderated t interval of every item."""
        judgments, places = in_sorted_order(judgments)
        ratings = rows_of(judgments, "rating", self.name)
        at, weights, size = ratings.codes["item"], ratings.weights, len(judgments.items)
        scores, ends = self._scores(ratings, judgments.score_range)
        cut = trimmed(scores, at, weights, self.trim)
        means = means_of(cut, at, size, ends)
        settings: dict[str, Any] = {"standardise": self.standardise, "trim": self.trim}
        settings |= {} if self.divisor == "n" else {"divisor": self.divisor}
        settings |= cluster_settings(self.cluster, self.few_clusters)
        provenance = provenance_of(self.name, settings, judgments, self.seed)
        if not ends.closed:  # z-scores are the same whatever range the ratings were given on
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

    def _scores(self, ratings: Table, scale: tuple[float, float]) -> tuple[Vector, Ends]:
        """The scores to average, and where their scale ends."""
        scores = ratings.numbers["score"]
        if self.standardise == "none":
            return scores, Ends(scale, closed=True)
        return standardised(scores, ratings, 1.0 if self.divisor == "n-1" else 0.0), Ends(
            WHOLE_Z, closed=False
        )


def standardised(scores: Vector, ratings: Table, lost: float = 0.0) -> Vector:
    """Each rater's scores less their mean, over their standard deviation (divisor n - `lost`); 0 where that is 0."""
    rater, weights = ratings.codes["rater"], ratings.weights
    total = sum_by(rater, weights)
    mean = sum_by(rater, weights * scores) / np.maximum(total, 1e-300)
    gap = scores - mean[rater]
    deviation = np.sqrt(sum_by(rater, weights * gap**2) / np.maximum(total - lost, 1e-300))[rater]
    steady = deviation <= 1e-12 * (1.0 + np.abs(mean[rater]))
    return np.where(steady, 0.0, gap / np.where(steady, 1.0, deviation))
