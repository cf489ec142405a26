"""Means of systems from ratings of their items.

For new segments, the estimate is the mean of a system's ratings, with errors clustered by rater and segment. For
these segments, it is the mean of the item means, with errors from the raters' residuals around them. Raters are fixed
if the target is these raters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from steelyard.errors import NoSystems, TooFewRatings
from steelyard.judgments.table import MISSING, Judgments
from steelyard.maths.arrays import Codes, Matrix, Vector, sum_by
from steelyard.maths.sandwich import ErrorType, at_least, cluster_freedom, clustered
from steelyard.models.clusters import ways_of
from steelyard.models.outputs import Outputs, outputs_of, target_in_words
from steelyard.models.samples import absent, left_out, sampled
from steelyard.scales.differences import Adjust, Differences, adjusted, check_adjustment, differences_of
from steelyard.scales.fit import Fit, Sample
from steelyard.scales.joint import Joint, JointNormal

DEFAULT = ("auto", "guarded")  # defaults of the settings cluster and few_clusters
DECIMALS = 10  # to which item means are rounded in rank tests
RANK_SUM = (
    "The p values and clusters are from Wilcoxon's rank-sum test of the items' z-scores. They generalise to new "
    "segments but not to new raters. Standard errors, intervals and probabilities refer to the mean score of each "
    "system, and to the target that is stated for them."
)
NOT_JOINT = (
    "Rank-sum tests have no joint distribution for single-step p values. Holm's adjustment is used instead."
)


@dataclass(frozen=True, eq=False)
class SystemRatings:
    """Scores of items that belong to a system, with the rater of each."""

    score: Vector
    weight: Vector
    item: Codes
    rater: Codes | None
    outputs: Outputs

    @property
    def system(self) -> Codes:
        """System of each rating."""
        return self.outputs.system[self.item]

    @property
    def segment(self) -> Codes:
        """Segment of each rating, or its item if items share no segments."""
        return self.item if self.outputs.segment is None else self.outputs.segment[self.item]


@dataclass(frozen=True, eq=False)
class SystemMeans:
    """Means of systems with their joint distribution."""

    joint: Joint
    errors: ErrorType
    notes: tuple[str, ...]


def ratings_behind(judgments: Judgments, scores: Vector, weights: Vector) -> SystemRatings | None:
    """Return the ratings of items that belong to a system.

    Parameters
    ----------
    judgments
        Ratings.
    scores
        Score of each rating, possibly standardised.
    weights
        Weight of each rating.

    Returns
    -------
    SystemRatings or None
        None if the ratings have no system column.
    """
    table = judgments.table("rating")
    if "system" not in table.codes:
        return None
    outputs, item = outputs_of(judgments), table.codes["item"]
    used = outputs.has_system[item] & (weights > 0.0) & np.isfinite(scores)
    rater = table.codes.get("rater", np.full(len(item), MISSING))[used]
    named = None if np.all(rater == MISSING) else np.where(rater == MISSING, rater.max() + 1, rater)
    return SystemRatings(scores[used], weights[used], item[used], named, outputs)


def system_means(
    ratings: SystemRatings,
    target: str,
    raters: str,
    of_items: bool = False,
    clusters: tuple[str, str] = DEFAULT,
) -> SystemMeans:
    """Return the means of systems with clustered errors.

    Parameters
    ----------
    ratings
        Scores of items that belong to a system.
    target
        `"new"` generalises to new segments, `"these"` describes these segments only.
    raters
        `"new"` generalises to new raters, `"these"` describes these raters only.
    of_items
        Whether to average item means for new segments too, instead of ratings.
    clusters
        Settings `cluster` and `few_clusters`. With `"auto"`, target and raters determine the clustering.

    Returns
    -------
    SystemMeans
        Means, covariance and degrees of freedom, with the type of standard errors.
    """
    if len(ratings.score) <= ratings.outputs.systems:
        raise TooFewRatings(len(ratings.score), ratings.outputs.systems)
    by_items = target == "these" or of_items or ratings.rater is None
    share = _item_shares(ratings) if by_items else _rating_shares(ratings)
    systems = ratings.outputs.systems
    mean = sum_by(ratings.system, share * ratings.score, systems)
    centre = _item_means(ratings) if target == "these" else mean[ratings.system]
    influence = np.zeros((len(share), systems))
    influence[np.arange(len(share)), ratings.system] = share * (ratings.score - centre)
    ways, notes = _ways(ratings, target, raters, clusters[0])
    factor = _factor(ratings, target, ways)
    covariance = factor * clustered(influence, [codes for _, codes in ways])
    errors = ErrorType(tuple((name, len(np.unique(codes))) for name, codes in ways if name != "rating"))
    guarded = clusters[1] == "guarded"
    if guarded and (errors.is_few or _has_no_width(covariance)):
        covariance = at_least(covariance, factor * np.diag(_independent_variances(ratings, share, centre)))
    freedom = _freedom(ratings, ways, share)
    warning = errors.warning if guarded else errors.plain_warning
    notes += [] if warning is None else [warning]
    return SystemMeans(Joint(mean, covariance, freedom), errors, tuple(notes))


def _independent_variances(ratings: SystemRatings, share: Vector, centre: Vector) -> Vector:
    """Return the variances of the means for independent ratings, using the pooled variance if one is 0."""
    systems, squares = ratings.outputs.systems, (ratings.score - centre) ** 2
    own = sum_by(ratings.system, share**2 * squares, systems)
    pooled = float(np.mean(squares)) * sum_by(ratings.system, share**2, systems)
    return np.where(own > 0.0, own, pooled)


def _has_no_width(covariance: Matrix) -> bool:
    """Whether a position or difference has no variance.

    Two-way clustering can give negative variances.
    """
    own = np.diag(covariance)
    between = own[:, None] + own - 2.0 * covariance + np.diag(own)
    return bool(np.any(between <= 1e-12 * np.max(np.abs(own), initial=1e-300)))


def _rating_shares(ratings: SystemRatings) -> Vector:
    """Return the share of each rating in the mean of its system's ratings."""
    return np.asarray(ratings.weight / sum_by(ratings.system, ratings.weight)[ratings.system])


def _item_shares(ratings: SystemRatings) -> Vector:
    """Return the share of each rating in the mean of its system's item means."""
    own = ratings.weight / sum_by(ratings.item, ratings.weight)[ratings.item]
    items = np.unique(ratings.item)
    count = np.bincount(ratings.outputs.system[items], minlength=ratings.outputs.systems)
    return np.asarray(own / count[ratings.system])


def _item_means(ratings: SystemRatings) -> Vector:
    total = np.maximum(sum_by(ratings.item, ratings.weight), 1e-300)
    return np.asarray((sum_by(ratings.item, ratings.weight * ratings.score) / total)[ratings.item])


def _ways(
    ratings: SystemRatings, target: str, raters: str, cluster: str
) -> tuple[list[tuple[str, Codes]], list[str]]:
    """Return the clusterings for this target or the chosen ones, and remarks about variation that they leave out.

    Each rating is a cluster if neither raters nor segments vary.
    """
    if cluster != "auto":
        return _chosen_ways(ratings, cluster), left_out(cluster, target, raters)
    named = "item" if ratings.outputs.segment is None else "segment"
    nobody: Codes = np.empty(0, dtype=np.int64)
    codes = {"rater": nobody if ratings.rater is None else ratings.rater, "segment": ratings.segment}
    wanted = {name: np.unique(codes[name], return_inverse=True) for name in sampled(target, raters)}
    ways = [
        (named if name == "segment" else name, np.asarray(coded, dtype=np.int64))
        for name, (levels, coded) in wanted.items()
        if len(levels) > 1
    ]
    notes = [absent(name, len(levels)) for name, (levels, _) in wanted.items() if len(levels) < 2]
    return (ways if ways else [("rating", np.arange(len(ratings.score)))]), notes


def _chosen_ways(ratings: SystemRatings, cluster: str) -> list[tuple[str, Codes]]:
    """Return the clusterings that the setting `cluster` names."""
    nobody = np.full(len(ratings.score), MISSING)
    rater, segment = (nobody if each is None else each for each in (ratings.rater, ratings.outputs.segment))
    segment = nobody if ratings.outputs.segment is None else segment[ratings.item]
    chosen = ways_of(cluster, rater, segment, ratings.weight)
    return (
        [(way.name, way.codes) for way in chosen] if chosen else [("rating", np.arange(len(ratings.score)))]
    )


def _factor(ratings: SystemRatings, target: str, ways: list[tuple[str, Codes]]) -> float:
    """Return (n - 1) / (n - p) for n ratings and p fitted means; 1 if only items vary."""
    if ratings.rater is None and target == "new":
        return 1.0
    fitted = len(np.unique(ratings.item)) if target == "these" else ratings.outputs.systems
    count = len(ratings.score)
    return (count - 1.0) / (count - fitted) if count > fitted else 1.0


def _freedom(ratings: SystemRatings, ways: list[tuple[str, Codes]], share: Vector) -> Matrix:
    """Return the degrees of freedom of each difference, from the balance of its ratings over clusters."""
    systems = ratings.outputs.systems
    information = []
    for _, codes in ways:
        table = np.zeros((int(codes.max(initial=0)) + 1, systems))
        np.add.at(table, (codes, ratings.system), share**2)
        information.append(table)
    freedom = np.empty((systems, systems))
    for one in range(systems):
        for other in range(one, systems):
            shares = [table[:, one] + table[:, other] for table in information]
            freedom[one, other] = freedom[other, one] = cluster_freedom(shares)
    return freedom


@dataclass(frozen=True, eq=False)
class ScoredFit(Fit):
    """Scale of items from scores, which can be averaged within systems.

    Parameters
    ----------
    ratings
        Scores of items that belong to a system. None if the ratings name no systems.
    standardised
        Whether scores are z-scores within raters.
    clusters_by
        Settings `cluster` and `few_clusters`. See `Fit` for the other fields.
    """

    ratings: SystemRatings | None = None
    standardised: bool = False
    clusters_by: tuple[str, str] = DEFAULT  # the settings cluster and few_clusters

    def systems(self, target: Sample = "new", raters: Sample = "new") -> Fit:
        """Return the scale of the systems: means of ratings with clustered errors.

        For standardised scores, the mean of a system is the mean of its item means.

        Parameters
        ----------
        target
            `"new"` (default) generalises to new segments. `"these"` describes only these segments.
        raters
            `"new"` (default) generalises to new raters. `"these"` describes only these raters.

        Returns
        -------
        Fit
            A fit whose items are the systems.
        """
        if self.ratings is None:
            raise NoSystems("rating", ("system",))
        outputs = self.ratings.outputs
        means = system_means(self.ratings, target, raters, self.standardised, self.clusters_by)
        about = {"unit": "system", "target": target_in_words(target, raters), "errors": means.errors}
        settings = {**self.provenance.settings, **about}
        provenance = replace(self.provenance, settings=settings, items=outputs.systems)
        count = sum_by(self.ratings.system, self.ratings.weight, outputs.systems)
        notes = (*self.notes, *outputs.notes, *means.notes)
        parts = (outputs.labels, count, JointNormal(means.joint), provenance)
        if not self.standardised:
            return Fit(*parts, notes=notes)
        return StandardisedSystems(*parts, notes=notes, item_scores=_item_scores(self.ratings))


@dataclass(frozen=True, eq=False)
class StandardisedSystems(Fit):
    """Systems by mean z-score, compared with Wilcoxon's rank-sum test as in the WMT campaigns.

    The test compares the z-scores of the systems' items. Standard errors and intervals are those of the clustered
    means.

    Attributes
    ----------
    item_scores
        Mean z-scores of the items of each system.
    """

    item_scores: tuple[Vector, ...] = ()

    def compared(self, adjust: Adjust, level: float) -> Differences:
        """Return differences of mean z-scores, with p values of the rank-sum test."""
        plain = differences_of(self.item, self.joint, "none", level)
        tested = [_rank_sum(one, other) for one, other in combinations(self.item_scores, 2)]
        p, sign = (
            (np.array(column) for column in zip(*tested, strict=True)) if tested else (plain.p, plain.sign)
        )
        check_adjustment(adjust)
        used, notes = (adjust, (RANK_SUM,)) if adjust != "single_step" else ("holm", (RANK_SUM, NOT_JOINT))
        return replace(plain, p=adjusted(p, used), sign=sign, adjust=used, notes=notes)


def _item_scores(ratings: SystemRatings) -> tuple[Vector, ...]:
    """Return the mean score of each item of each system, rounded so that equal means are ties."""
    means = np.round(_item_means(ratings), DECIMALS)
    items, at = np.unique(ratings.item, return_index=True)
    system = ratings.outputs.system[items]
    return tuple(means[at][system == each] for each in range(ratings.outputs.systems))


def _rank_sum(one: Vector, other: Vector) -> tuple[float, float]:
    """Return the two-sided p value of the rank-sum test and the sign of the difference.

    The test uses the normal approximation with corrections for ties and continuity.
    """
    from scipy.stats import mannwhitneyu  # SciPy is slow to import

    test = mannwhitneyu(one, other, use_continuity=True, method="asymptotic")
    return float(test.pvalue), float(np.sign(test.statistic - len(one) * len(other) / 2.0))
