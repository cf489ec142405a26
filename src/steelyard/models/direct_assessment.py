"""Direct assessment: an item stands at the mean of its scores.

With `standardise="rater"` each rater's scores are first turned into z-scores (population standard
deviation; a rater who never varies gives 0), as in the machine translation campaigns of WMT. That needs
many answers per rater: with few it is worse than the plain mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from steelyard.errors import BadSetting
from steelyard.judgments.table import Judgments, Table
from steelyard.maths.arrays import Codes, Matrix, Vector, sum_by
from steelyard.models.model import provenance_of, ratings_of
from steelyard.scales.fit import Fit

# An item's own variance counts beside this many degrees of freedom of the variance pooled over all items,
# so that two equal scores do not give an interval of no width (the moderated t of Smyth 2004, df fixed).
POOLED_FREEDOM = 4.0


@dataclass(frozen=True, slots=True)
class DirectAssessment:
    """Mean score per item, plain or standardised per rater, with a share `trim` cut from each end.

    >>> from steelyard import Judgments, Rating
    >>> scores = [Rating("ann", "tea", 20), Rating("bob", "tea", 40), Rating("ann", "soup", 70)]
    >>> DirectAssessment().fit(Judgments.of(scores, range=(0, 100))).scale.position.tolist()
    [30.0, 70.0]
    """

    name: ClassVar[str] = "direct_assessment"
    standardise: Literal["none", "rater"] = "none"
    trim: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.standardise not in ("none", "rater"):
            raise BadSetting("standardise", f"{self.standardise!r} is neither 'none' nor 'rater'.")
        if not 0.0 <= self.trim < 0.5:
            raise BadSetting("trim", f"{self.trim} is not a share from 0 up to, but not including, 0.5.")

    def fit(self, judgments: Judgments) -> Fit:
        """Mean, spread and moderated t interval of every item."""
        ratings = ratings_of(judgments, self.name)
        scores = ratings.numbers["score"]
        bounds = judgments.score_range if self.standardise == "none" else (-np.inf, np.inf)
        if self.standardise == "rater":
            scores = standardised(scores, ratings)
        at, weights, size = ratings.codes["item"], ratings.weights, len(judgments.items)
        means = _means(trimmed(scores, at, weights, self.trim), at, size, judgments.score_range)
        settings = {"standardise": self.standardise, "trim": self.trim}
        count = sum_by(at, weights, size)
        provenance = provenance_of(self.name, settings, judgments, self.seed)
        return Fit(judgments.items, count, MeanPosterior(means, *bounds), provenance)


def standardised(scores: Vector, ratings: Table) -> Vector:
    """Each rater's scores less their mean, over their population standard deviation (0 where that is 0)."""
    rater, weights = ratings.codes["rater"], ratings.weights
    total = sum_by(rater, weights)
    mean = sum_by(rater, weights * scores) / np.maximum(total, 1e-300)
    gap = scores - mean[rater]
    deviation = np.sqrt(sum_by(rater, weights * gap**2) / np.maximum(total, 1e-300))[rater]
    steady = deviation <= 1e-12 * (1.0 + np.abs(mean[rater]))
    return np.where(steady, 0.0, gap / np.where(steady, 1.0, deviation))


@dataclass(frozen=True, eq=False)
class Trimmed:
    """Scores with both ends of each item's scores cut off."""

    scores: Vector
    weights: Vector
    kept: Vector  # the weight of each row that is inside
    winsorised: Vector  # scores with the cut ones moved to the nearest kept one


def trimmed(scores: Vector, at: Codes, weights: Vector, trim: float) -> Trimmed:
    """Cut floor(trim x n) scores from each end of every item's n, as R's mean(x, trim) does."""
    if trim == 0.0:
        return Trimmed(scores, weights, weights, scores)
    order = np.lexsort((scores, at))
    group, weight = at[order], weights[order]
    total = sum_by(group, weight)[group]
    before = np.cumsum(weight) - weight
    first = np.r_[True, group[1:] != group[:-1]]
    start = before - before[np.maximum.accumulate(np.where(first, np.arange(len(group)), 0))]
    cut = np.floor(trim * total + 1e-9)
    inside = np.clip(np.minimum(start + weight, total - cut) - np.maximum(start, cut), 0.0, None)
    kept = np.empty(len(scores))
    kept[order] = inside
    lowest = np.full(int(at.max()) + 1, np.inf)
    highest = -lowest
    np.minimum.at(lowest, at[kept > 0], scores[kept > 0])
    np.maximum.at(highest, at[kept > 0], scores[kept > 0])
    return Trimmed(scores, weights, kept, np.clip(scores, lowest[at], highest[at]))


@dataclass(frozen=True, eq=False)
class Means:
    """Mean, standard error and degrees of freedom per item."""

    mean: Vector
    error: Vector
    freedom: Vector


def _means(cut: Trimmed, at: Codes, size: int, scale: tuple[float, float]) -> Means:
    """Trimmed means with moderated standard errors; an item without scores gets the middle and full width.

    The error of a trimmed mean is that of the winsorised scores over the kept share (Yuen 1974).
    """
    kept = sum_by(at, cut.kept, size)
    count = sum_by(at, cut.weights, size)
    seen = kept > 0
    safe = np.where(seen, kept, 1.0)
    mean = np.where(seen, sum_by(at, cut.kept * cut.scores, size) / safe, sum(scale) / 2.0)
    squares = _squares(cut.winsorised, at, cut.weights, size)
    own = np.maximum(kept - 1.0, 0.0)
    pooled = _pooled_variance(cut.scores, squares, own, scale)
    freedom = own + min(POOLED_FREEDOM, max(float(own.sum()), 1.0))
    variance = (squares + (freedom - own) * pooled) / freedom
    share = np.where(seen, kept / np.where(seen, count, 1.0), 1.0)
    return Means(mean, np.sqrt(variance / np.where(seen, count, 1.0)) / share, freedom)


def _squares(scores: Vector, at: Codes, weights: Vector, size: int) -> Vector:
    """Sum of squared deviations from the item's mean."""
    total = np.maximum(sum_by(at, weights, size), 1e-300)
    mean = sum_by(at, weights * scores, size) / total
    return sum_by(at, weights * (scores - mean[at]) ** 2, size)


def _pooled_variance(scores: Vector, squares: Vector, own: Vector, scale: tuple[float, float]) -> float:
    """Variance of scores within items; without repeats that of all scores; else that of a uniform answer."""
    uniform = (scale[1] - scale[0]) ** 2 / 12.0
    if own.sum() > 0 and squares.sum() > 0:
        return float(squares.sum() / own.sum())
    if own.sum() > 0:  # everyone agrees: no more variance than rounding of the answers would give
        return uniform * 1e-4
    return float(np.var(scores)) if len(scores) > 1 and np.var(scores) > 0 else uniform


@dataclass(frozen=True, eq=False)
class MeanPosterior:
    """Independent t distributions around the means, cut at the ends of the scale."""

    means: Means
    lowest: float
    highest: float

    @property
    def position(self) -> Vector:
        """Mean scores."""
        return self.means.mean

    @property
    def spread(self) -> Vector:
        """Standard errors."""
        return self.means.error

    def interval(self, level: float) -> tuple[Vector, Vector]:
        """Mean plus and minus the t quantile times the standard error, cut at the ends."""
        from scipy.special import stdtrit  # late: SciPy would double the time of `import steelyard`

        reach = stdtrit(self.means.freedom, 0.5 + level / 2.0) * self.means.error
        low = np.clip(self.means.mean - reach, self.lowest, self.highest)
        return low, np.clip(self.means.mean + reach, self.lowest, self.highest)

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Independent draws, uncut, so that ranks at the ends are not tied."""
        noise = rng.standard_t(self.means.freedom, size=(n, len(self.means.mean)))
        return self.means.mean + noise * self.means.error
