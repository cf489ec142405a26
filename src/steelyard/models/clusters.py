"""Standard errors that allow for judgments of one rater, or about one segment, that go together.

A model hands over the scores of its judgments; this file groups them by rater, by segment or both ways, and chooses
what is used where clusters are few.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from steelyard.errors import BadSetting, UnknownName
from steelyard.judgments.opinions import named_raters
from steelyard.judgments.table import MISSING, Judgments, Table
from steelyard.maths.adjusted_scores import symmetric_root
from steelyard.maths.arrays import Codes, Mask, Matrix, Vector, sum_by
from steelyard.maths.cluster_scores import ClusterScores, keeps_information
from steelyard.maths.sandwich import FEW, ErrorType, at_least, positive_part
from steelyard.scales.joint import Joint, JointNormal

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Cluster = Literal["auto", "rater", "segment", "both", "none"]
FewClusters = Literal["guarded", "plain"]
CLUSTERS: tuple[str, ...] = get_args(Cluster)
FEW_CLUSTERS: tuple[str, ...] = get_args(FewClusters)
MOST_PARAMETERS = 2500  # beyond, no clustered covariance is computed
LEAST_SHARE = 0.05  # of the model's variance, which a variance of ten or more clusters has at least
FULL_SCORES = 20_000_000  # clusters x parameters up to which scores are a full matrix
DENSE_CODES = 2**24  # up to which codes are counted, not sorted
INDEFINITE = 1e-9  # of the largest eigenvalue, below minus which one counts as negative


def check_cluster(cluster: str, few_clusters: str) -> None:
    """Refuse names that are no ways of clustering."""
    if cluster not in CLUSTERS:
        raise UnknownName("cluster", cluster, CLUSTERS)
    if few_clusters not in FEW_CLUSTERS:
        raise UnknownName("few_clusters", few_clusters, FEW_CLUSTERS)


def cluster_settings(cluster: str, few_clusters: str) -> dict[str, str]:
    """The two settings where they are not the default, for a signature."""
    settings = {"cluster": (cluster, "auto"), "few_clusters": (few_clusters, "guarded")}
    return {name: value for name, (value, default) in settings.items() if value != default}


@dataclass(frozen=True, eq=False)
class Way:
    """One way of clustering: its name, and the cluster of each judgment."""

    name: str
    codes: Codes

    @property
    def count(self) -> int:
        """How many clusters there are."""
        return int(self.codes.max(initial=-1)) + 1

    def at(self, kept: Mask) -> Way:
        """The way of some of the judgments; clusters without any are gone."""
        return Way(self.name, without_gaps(self.codes[kept]))


def rater_codes(judgments: Judgments, table: Table) -> Codes:
    """The rater of each row, MISSING where the row names none."""
    codes = table.codes.get("rater", np.full(len(table), MISSING))
    return np.where(named_raters(judgments, table), codes, MISSING)


def segment_codes(table: Table) -> Codes:
    """The segment of each row, MISSING where it has none."""
    return table.codes.get("segment", np.full(len(table), MISSING))


def ways_of(cluster: str, rater: Codes, segment: Codes, weight: Vector) -> tuple[Way, ...]:
    """By what judgments with these raters, segments and weights are clustered; () where they count as independent.

    `auto` is by rater where at least two raters are named and one of them answers more than once. A judgment whose
    rater or segment is MISSING is a cluster of its own.
    """
    happened = weight > 0.0
    if cluster == "auto":
        cluster = "rater" if _repeats(rater[happened], weight[happened]) else "none"
    ways = []
    for name, codes in (("rater", rater), ("segment", segment)):
        if cluster in (name, "both"):
            named = int(np.count_nonzero(np.bincount(codes[happened & (codes != MISSING)])))
            if named < 2:
                raise BadSetting(
                    "cluster",
                    f"errors clustered by {name} need at least two {name}s, and these judgments name {named}. "
                    "Use cluster='none'.",
                )
            ways.append(Way(name, _with_singles(codes)))
    return tuple(ways)


def _repeats(rater: Codes, weight: Vector) -> bool:
    """Are there two named raters, one of whom answers more than once?"""
    named = rater != MISSING
    answers = sum_by(rater[named], weight[named])
    return bool(np.sum(answers > 0.0) > 1 and np.any(answers > 1.0))


def _with_singles(codes: Codes) -> Codes:
    """Codes without gaps, in which each missing one is a code of its own."""
    alone = codes == MISSING
    filled = np.where(alone, int(codes.max(initial=MISSING)) + np.cumsum(alone), codes)
    return np.asarray(np.unique(filled, return_inverse=True)[1], dtype=np.int64)


Summed = Callable[[Codes, int], Any]  # something of judgments, added up under their codes


@dataclass(frozen=True, eq=False)
class Scored:
    """Judgments as clustered errors need them.

    `scores(codes, count)` adds the scores of judgments up under each code (sparse, codes x parameters), `information`
    their information (codes x parameters x parameters). `bread` is the inverse information; `model` the covariance that
    takes judgments as independent, the bread where None; `tastes` that of item parameters if items vary by 1.
    """

    scores: Summed
    weight: Vector
    bread: Matrix
    information: Summed | None = None
    tastes: Matrix | None = None
    model: Matrix | None = None


def cluster_scores(judged: Scored, way: Way) -> ClusterScores:
    """The scores summed by cluster."""
    summed = judged.scores(way.codes, way.count)
    full = summed.toarray() if way.count * len(judged.bread) <= FULL_SCORES else None
    meat = (summed.T @ summed).toarray() if full is None else full.T @ full
    weight = sum_by(way.codes, judged.weight, way.count)
    if full is None or judged.information is None or not keeps_information(way.count, len(judged.bread)):
        return ClusterScores(way.name, weight, meat, judged.bread)
    own = judged.information(way.codes, way.count)
    return ClusterScores(way.name, weight, meat, judged.bread, full, own, judged.tastes)


def sum_rows(rows: csr_array[Any], codes: Codes, count: int) -> Any:
    """Sparse rows added up under their codes."""
    from scipy.sparse import csr_array  # SciPy is slow to import

    ends = (codes, np.arange(len(codes)))
    return csr_array((np.ones(len(codes)), ends), shape=(count, len(codes))) @ rows


def without_gaps(codes: Codes) -> Codes:
    """The codes numbered from 0 up, in the same order."""
    largest = int(codes.max(initial=0))
    if largest > DENSE_CODES:
        return np.asarray(np.unique(codes, return_inverse=True)[1], dtype=np.int64)
    used = np.bincount(codes, minlength=largest + 1) > 0
    return np.asarray((np.cumsum(used) - 1)[codes], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Clustering:
    """Covariance and degrees of freedom of estimates, clustered one way or two ways."""

    ways: tuple[ClusterScores, ...]
    crossed: Matrix | None  # plain covariance by cells of both ways
    model: Matrix
    few_clusters: str

    @staticmethod
    def of(judged: Scored, ways: Sequence[Way], few_clusters: str) -> Clustering:
        """The judgments' scores clustered in these ways."""
        crossed = None
        if len(ways) == 2:
            cells = Way("cell", without_gaps(ways[0].codes * ways[1].count + ways[1].codes))
            crossed = cluster_scores(replace(judged, information=None), cells).plain
        model = judged.bread if judged.model is None else judged.model
        return Clustering(tuple(cluster_scores(judged, way) for way in ways), crossed, model, few_clusters)

    @property
    def errors(self) -> ErrorType:
        """The error type in words."""
        return ErrorType(tuple((way.name, way.count) for way in self.ways))

    @cached_property
    def unguarded(self) -> Matrix:
        """V = B (sum u_g u_g') B G / (G - 1); two ways V(rater) + V(segment) - V(rater and segment)."""
        total = sum(way.plain for way in self.ways)
        return np.asarray(total if self.crossed is None else total - self.crossed)

    @cached_property
    def covariance(self) -> Matrix:
        """By the parameters. Guarded, it is at least that of each way alone, which is at least the model's if few."""
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
        """One way: with few clusters the larger of clustered and pooled variance, with more never nothing."""
        if way.count >= FEW:
            return at_least(way.adjusted, LEAST_SHARE * self.model, self._root)
        pooled = self.model if way.pooled is None else way.pooled.covariance
        return at_least(way.adjusted, pooled, symmetric_root(pooled))

    def freedom(self, rows: Matrix) -> Matrix:
        """Degrees of freedom of the rows' estimates (diagonal) and their differences: the fewest of the ways."""
        return np.asarray(np.minimum.reduce([self._freedom(way, rows) for way in self.ways]))

    def _freedom(self, way: ClusterScores, rows: Matrix) -> Matrix:
        if self.few_clusters == "guarded" and way.count < FEW and way.pooled is not None:
            return way.pooled.freedom(rows)
        return way.freedom(rows)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know: few clusters, and a two-way covariance that is not one."""
        few = self.errors.warning if self.few_clusters == "guarded" else self.errors.plain_warning
        negative = self._negative()
        indefinite = (
            f"The two-way clustered covariance matrix is indefinite ({negative} negative eigenvalues). "
            + (
                "A negative variance counts as 0."
                if self.few_clusters == "plain"
                else "Variances are at least those clustered each way alone."
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
    """Positions with clustered errors: t distributed around the estimates."""

    position: Vector
    rows: Matrix  # positions from parameters
    clustering: Clustering

    @cached_property
    def covariance(self) -> Matrix:
        """Of the positions."""
        return np.asarray(self.rows @ self.clustering.covariance @ self.rows.T)

    @cached_property
    def _joint(self) -> Joint:
        return Joint(self.position, self.covariance, self.clustering.freedom(self.rows))

    def joint(self) -> Joint:
        """Positions, covariance and degrees of freedom."""
        return self._joint

    @property
    def spread(self) -> Vector:
        """Standard errors."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    def interval(self, level: float) -> tuple[Vector, Vector]:
        """Position plus and minus the t quantile times the standard error."""
        return JointNormal(self._joint).interval(level)

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Joint draws of a multivariate t; negative eigenvalues of the covariance count as 0."""
        usable = Joint(self.position, positive_part(self.covariance), self._joint.freedom)
        return JointNormal(usable).draws(n, rng)


def too_many(parameters: int, cluster: str) -> tuple[str, ...]:
    """The note on a fit that has too many parameters for clustered errors, if it has."""
    if parameters <= MOST_PARAMETERS or cluster == "none":
        return ()
    return (
        f"{parameters:,} parameters are too many for clustered errors (at most {MOST_PARAMETERS:,}); "
        "errors take all judgments as independent.",
    )
