"""Standard errors clustered by rater, by segment, or both ways.

A model provides the scores of its judgments. This module sums them by cluster and selects the method for few clusters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from steelyard.errors import BadSetting, UnknownName
from steelyard.judgments.opinions import named_raters
from steelyard.judgments.table import MISSING, Judgments, Table
from steelyard.maths.adjusted_scores import symmetric_root
from steelyard.maths.arrays import Codes, Mask, Matrix, Vector, sum_by
from steelyard.maths.cluster_scores import ClusterScores, keeps_information
from steelyard.maths.sandwich import FEW, ErrorType, at_least, positive_part
from steelyard.scales.joint import Joint, JointNormal

Cluster = Literal["auto", "rater", "segment", "both", "none"]
FewClusters = Literal["guarded", "plain"]
CLUSTERS: tuple[str, ...] = get_args(Cluster)
FEW_CLUSTERS: tuple[str, ...] = get_args(FewClusters)
MOST_PARAMETERS = 2500  # with more, no clustered covariance is computed
LEAST_SHARE = (
    0.05  # lower bound of a variance with ten or more clusters, as a share of the model-based variance
)
FULL_SCORES = 20_000_000  # clusters x parameters up to which scores are a full matrix
DENSE_CODES = 2**24  # largest code for which counting is used instead of sorting
INDEFINITE = 1e-9  # an eigenvalue counts as negative if it is below minus this share of the largest


def check_cluster(cluster: str, few_clusters: str) -> None:
    """Raise `UnknownName` for unknown values of the two settings."""
    if cluster not in CLUSTERS:
        raise UnknownName("cluster", cluster, CLUSTERS)
    if few_clusters not in FEW_CLUSTERS:
        raise UnknownName("few_clusters", few_clusters, FEW_CLUSTERS)


def cluster_settings(cluster: str, few_clusters: str) -> dict[str, str]:
    """Return the settings that differ from their defaults, for the signature."""
    settings = {"cluster": (cluster, "auto"), "few_clusters": (few_clusters, "guarded")}
    return {name: value for name, (value, default) in settings.items() if value != default}


@dataclass(frozen=True, eq=False)
class Way:
    """One type of clustering: its name, and the cluster of each judgment."""

    name: str
    codes: Codes

    @property
    def count(self) -> int:
        """Number of clusters."""
        return int(self.codes.max(initial=-1)) + 1

    def at(self, kept: Mask) -> Way:
        """Return the clustering of a subset of the judgments, without empty clusters."""
        return Way(self.name, without_gaps(self.codes[kept]))


def rater_codes(judgments: Judgments, table: Table) -> Codes:
    """Return the rater of each row, MISSING if it is not identified."""
    codes = table.codes.get("rater", np.full(len(table), MISSING))
    return np.where(named_raters(judgments, table), codes, MISSING)


def segment_codes(table: Table) -> Codes:
    """Return the segment of each row, MISSING if it has none."""
    return table.codes.get("segment", np.full(len(table), MISSING))


def ways_of(cluster: str, rater: Codes, segment: Codes, weight: Vector) -> tuple[Way, ...]:
    """Return the types of clustering for these judgments.

    `auto` clusters by rater if at least two raters are identified and one of them answers more than once. A judgment
    without a rater or segment is a cluster of its own.

    Parameters
    ----------
    cluster
        `auto`, `rater`, `segment`, `both` or `none`.
    rater
        Rater of each judgment, MISSING if it is not identified.
    segment
        Segment of each judgment, MISSING if it has none.
    weight
        Weight of each judgment.

    Returns
    -------
    tuple of Way
        None, one or two types of clustering.

    Raises
    ------
    BadSetting
        If there are fewer than two clusters.
    """
    counted = weight > 0.0
    if cluster == "auto":
        cluster = "rater" if _repeats(rater[counted], weight[counted]) else "none"
    ways = []
    for name, codes in (("rater", rater), ("segment", segment)):
        if cluster in (name, "both"):
            named = int(np.count_nonzero(np.bincount(codes[counted & (codes != MISSING)])))
            if named < 2:
                raise BadSetting(
                    "cluster",
                    f"clustering by {name} needs at least two {name}s, and these judgments have {named or 'none'}. "
                    f"Add a column {name!r}, or use cluster={_other_way(cluster, name)!r}.",
                )
            ways.append(Way(name, _with_singles(codes)))
    return tuple(ways)


def _other_way(cluster: str, lacking: str) -> str:
    """Return the clustering that remains possible without raters or without segments."""
    other = {"rater": "segment", "segment": "rater"}[lacking]
    return other if cluster == "both" else "none"


def _repeats(rater: Codes, weight: Vector) -> bool:
    """Whether at least two raters are identified and one of them answers more than once."""
    named = rater != MISSING
    answers = sum_by(rater[named], weight[named])
    return bool(np.sum(answers > 0.0) > 1 and np.any(answers > 1.0))


def _with_singles(codes: Codes) -> Codes:
    """Return codes without gaps, with a separate code for each missing one."""
    alone = codes == MISSING
    filled = np.where(alone, int(codes.max(initial=MISSING)) + np.cumsum(alone), codes)
    return np.asarray(np.unique(filled, return_inverse=True)[1], dtype=np.int64)


Summed = Callable[[Codes, int], Any]  # returns sums of a quantity over judgments by their codes


@dataclass(frozen=True, eq=False)
class Scored:
    """Scores and information of judgments.

    Attributes
    ----------
    scores
        `scores(codes, count)` returns the sums of scores by code: sparse, codes x parameters.
    weight
        Weight of each judgment.
    bread
        Inverse information matrix.
    information
        `information(codes, count)` returns the information by code: codes x parameters x parameters.
    tastes
        Covariance of the parameters if items have independent effects of variance 1.
    model
        Covariance for independent judgments. Default: `bread`.
    """

    scores: Summed
    weight: Vector
    bread: Matrix
    information: Summed | None = None
    tastes: Matrix | None = None
    model: Matrix | None = None


def cluster_scores(judged: Scored, way: Way) -> ClusterScores:
    """Return the scores summed by cluster."""
    summed = judged.scores(way.codes, way.count)
    full = summed.toarray() if way.count * len(judged.bread) <= FULL_SCORES else None
    meat = (summed.T @ summed).toarray() if full is None else full.T @ full
    weight = sum_by(way.codes, judged.weight, way.count)
    if full is None or judged.information is None or not keeps_information(way.count, len(judged.bread)):
        return ClusterScores(way.name, weight, meat, judged.bread)
    own = judged.information(way.codes, way.count)
    return ClusterScores(way.name, weight, meat, judged.bread, full, own, judged.tastes)


def without_gaps(codes: Codes) -> Codes:
    """Return the codes renumbered from 0 without gaps, in the same order."""
    largest = int(codes.max(initial=0))
    if largest > DENSE_CODES:
        return np.asarray(np.unique(codes, return_inverse=True)[1], dtype=np.int64)
    used = np.bincount(codes, minlength=largest + 1) > 0
    return np.asarray((np.cumsum(used) - 1)[codes], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Clustering:
    """Clustered covariance of estimates with degrees of freedom, one-way or two-way.

    The sandwich with the inverse information B and the scores u_g of G clusters is V = B (sum u_g u_g') B G / (G - 1).
    The two-way covariance is V(rater) + V(segment) - V(cells of both).

    References
    ----------
    - Cameron, A. C., Gelbach, J. B. & Miller, D. L. (2011). Robust inference with multiway clustering. JBES 29.
    - Bell, R. M. & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with multi-stage
      samples. Survey Methodology 28.
    """

    ways: tuple[ClusterScores, ...]
    crossed: Matrix | None  # unadjusted covariance by the cells of both types of clustering
    model: Matrix
    few_clusters: str

    @staticmethod
    def of(judged: Scored, ways: Sequence[Way], few_clusters: str) -> Clustering:
        """Return the clustered covariance.

        Parameters
        ----------
        judged
            Scores and information of the judgments.
        ways
            One or two types of clustering.
        few_clusters
            `guarded` or `plain`.

        Returns
        -------
        Clustering
            Covariance with degrees of freedom.
        """
        crossed = None
        if len(ways) == 2:
            cells = Way("cell", without_gaps(ways[0].codes * ways[1].count + ways[1].codes))
            crossed = cluster_scores(replace(judged, information=None), cells).plain
        model = judged.bread if judged.model is None else judged.model
        return Clustering(tuple(cluster_scores(judged, way) for way in ways), crossed, model, few_clusters)

    @property
    def errors(self) -> ErrorType:
        """Error type, for signature and summary."""
        return ErrorType(tuple((way.name, way.count) for way in self.ways))

    @cached_property
    def unguarded(self) -> Matrix:
        """Sandwich covariance without the safeguards for few clusters."""
        total = sum(way.plain for way in self.ways)
        return np.asarray(total if self.crossed is None else total - self.crossed)

    @cached_property
    def covariance(self) -> Matrix:
        """Covariance of the parameters.

        If guarded, the two-way covariance is at least each one-way covariance, and with few clusters that is at least
        the pooled or model-based one.
        """
        if self.few_clusters == "plain":
            return self.unguarded
        guarded = [self._guarded(way) for way in self.ways]
        if self.crossed is None:
            return guarded[0]
        covariance = np.asarray(sum(way.adjusted for way in self.ways) - self.crossed)
        for each in guarded:
            covariance = at_least(covariance, each, self._root)
        return covariance

    @cached_property
    def _root(self) -> Matrix:
        return symmetric_root(self.model)

    def _guarded(self, way: ClusterScores) -> Matrix:
        """Return the one-way covariance with its lower bound."""
        if way.count >= FEW:
            return at_least(way.adjusted, LEAST_SHARE * self.model, self._root)
        pooled = self.model if way.pooled is None else way.pooled.covariance
        return at_least(way.adjusted, pooled, symmetric_root(pooled))

    def freedom(self, rows: Matrix) -> Matrix:
        """Return the degrees of freedom of linear combinations (diagonal) and of their differences.

        With two types of clustering, the fewer degrees of freedom count.
        """
        return np.asarray(np.minimum.reduce([self._freedom(way, rows) for way in self.ways]))

    def _freedom(self, way: ClusterScores, rows: Matrix) -> Matrix:
        own = way.freedom(rows)
        if self.few_clusters == "plain" or way.count >= FEW or way.pooled is None or way.tastes is None:
            return own
        # The pooled variance is about effects of clusters on items, so it says nothing about order or ties.
        of_items = np.all(rows[:, np.diag(way.tastes) == 0.0] == 0.0, axis=1)
        return np.where(of_items[:, None] & of_items, way.pooled.freedom(rows), own)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Remarks about few clusters and about an indefinite two-way covariance."""
        few = self.errors.warning if self.few_clusters == "guarded" else self.errors.plain_warning
        negative = self._negative()
        indefinite = (
            f"The two-way clustered covariance matrix is indefinite ({negative} negative eigenvalues). "
            + (
                "Negative variances are set to 0."
                if self.few_clusters == "plain"
                else "Variances are at least the larger of the two one-way clustered variances."
            )
        )
        return (*([] if few is None else [few]), *([indefinite] if negative else []))

    def _negative(self) -> int:
        if self.crossed is None:
            return 0
        values = np.linalg.eigvalsh(self.unguarded)
        return int(np.sum(values < -INDEFINITE * np.max(np.abs(values), initial=1e-300)))


@dataclass(frozen=True, eq=False)
class ClusteredPosterior:
    """Positions with clustered standard errors and t distributions."""

    position: Vector
    rows: Matrix  # computes positions from parameters
    clustering: Clustering

    @cached_property
    def covariance(self) -> Matrix:
        """Covariance of the positions."""
        return np.asarray(self.rows @ self.clustering.covariance @ self.rows.T)

    @cached_property
    def _joint(self) -> Joint:
        return Joint(self.position, self.covariance, self.clustering.freedom(self.rows))

    def joint(self) -> Joint:
        """Return positions, covariance and degrees of freedom."""
        return self._joint

    @property
    def spread(self) -> Vector:
        """Standard errors."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    def interval(self, level: float) -> tuple[Vector, Vector]:
        """Return position plus and minus the t quantile times the standard error."""
        return JointNormal(self._joint).interval(level)

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Return joint draws from a multivariate t. Negative eigenvalues of the covariance are set to 0."""
        usable = Joint(self.position, positive_part(self.covariance), self._joint.freedom)
        return JointNormal(usable).draws(n, rng)


def too_many(parameters: int, cluster: str) -> tuple[str, ...]:
    """Return a remark if there are too many parameters for clustered standard errors."""
    if parameters <= MOST_PARAMETERS or cluster == "none":
        return ()
    return (
        f"{parameters:,} parameters are too many for clustered errors (at most {MOST_PARAMETERS:,}). "
        "Standard errors assume independent judgments.",
    )
