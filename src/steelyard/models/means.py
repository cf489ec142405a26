"""Means of scores with moderated t intervals: what models of scores share.

An item without scores (a count of 0, or a name in the vocabulary only) stands at the mean of the other items, or
in the middle of a scale without ends; its interval is the whole range and every rank is possible.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Codes, Mask, Matrix, Vector, sum_by
from steelyard.scales.joint import Joint

# An item's own variance counts beside this many degrees of freedom of the variance pooled over all items,
# so that two equal scores do not give an interval of no width (the moderated t of Smyth 2004, df fixed).
POOLED_FREEDOM = 4.0
LEAST_FREEDOM = 3.0  # a t distribution has a standard deviation above 2, and one to rely on from about 3


@dataclass(frozen=True, slots=True)
class Ends:
    """The range that holds the scores: all of them where it is `closed`, nearly all where it is not."""

    whole: tuple[float, float]
    closed: bool

    @property
    def width(self) -> float:
        """From end to end."""
        return self.whole[1] - self.whole[0]

    @property
    def uniform_variance(self) -> float:
        """The variance of a position of which nothing is known."""
        return self.width**2 / 12.0

    def within(self, positions: Vector) -> Vector:
        """Positions cut at the ends of a closed range."""
        return np.clip(positions, *self.whole) if self.closed else positions


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
    """Mean, standard error and degrees of freedom per item, and whether it has scores at all."""

    mean: Vector
    error: Vector
    freedom: Vector
    seen: Mask


def means_of(cut: Trimmed, at: Codes, size: int, ends: Ends) -> Means:
    """Trimmed means with moderated standard errors.

    Yuen (1974): error^2 = SSW / (h (h - 1)) for the h scores that are kept, SSW the sum of squares of the
    winsorised scores. SSW / (h - 1) is moderated by the pooled one, brought to the item's kept share h / n.
    """
    kept, count = sum_by(at, cut.kept, size), sum_by(at, cut.weights, size)
    seen = kept > 0
    h = np.where(seen, kept, 1.0)
    share = h / np.where(seen, count, 1.0)
    squares = _squares(cut.winsorised, at, cut.weights, size)
    own = np.maximum(kept - 1.0, 0.0)
    pooled = share * _pooled_variance(cut.scores, squares / share, own, ends)
    freedom = own + min(POOLED_FREEDOM, max(float(own.sum()), 1.0))
    variance = (squares + (freedom - own) * pooled) / freedom
    mean = np.where(seen, sum_by(at, cut.kept * cut.scores, size) / h, 0.0)
    mean = np.where(seen, mean, _unseen_position(mean[seen], ends))
    return Means(mean, np.sqrt(variance / h), freedom, seen)


def _unseen_position(seen: Vector, ends: Ends) -> float:
    """Where an item without scores stands: at the mean of those with, or in the middle of the ends."""
    return float(np.mean(seen)) if ends.closed and len(seen) else sum(ends.whole) / 2.0


def _squares(scores: Vector, at: Codes, weights: Vector, size: int) -> Vector:
    """Sum of squared deviations from the item's mean."""
    total = np.maximum(sum_by(at, weights, size), 1e-300)
    mean = sum_by(at, weights * scores, size) / total
    return sum_by(at, weights * (scores - mean[at]) ** 2, size)


def _pooled_variance(scores: Vector, squares: Vector, own: Vector, ends: Ends) -> float:
    """Variance of scores within items; without repeats that of all scores; else that of a uniform answer."""
    repeated = own > 0  # half a score has squares of 0 and no freedom
    if repeated.any() and squares[repeated].sum() > 0:
        return float(squares[repeated].sum() / own.sum())
    if repeated.any():  # everyone agrees: no more variance than rounding of the answers would give
        return ends.uniform_variance * 1e-4
    return float(np.var(scores)) if len(scores) > 1 and np.var(scores) > 0 else ends.uniform_variance


@dataclass(frozen=True, eq=False)
class MeanPosterior:
    """Independent t distributions around the means, intervals cut at the ends of the scale.

    An item without scores may stand anywhere: its interval is the whole range at any level.
    """

    means: Means
    ends: Ends

    @property
    def position(self) -> Vector:
        """Mean scores."""
        return self.means.mean

    @property
    def spread(self) -> Vector:
        """Standard deviations of the t distributions, error * sqrt(df / (df - 2)); uniform where unseen.

        Below 3 degrees of freedom (fewer than three repeated scores in all) a t distribution has hardly any
        or no standard deviation: there the spread is that of 3, too small, and the interval is what to read.
        """
        freedom = np.maximum(self.means.freedom, LEAST_FREEDOM)
        spread = self.means.error * np.sqrt(freedom / (freedom - 2.0))
        return np.where(self.means.seen, spread, np.sqrt(self.ends.uniform_variance))

    def interval(self, level: float) -> tuple[Vector, Vector]:
        """Mean plus and minus the t quantile times the standard error, cut at the ends."""
        from scipy.special import stdtrit  # SciPy is slow to import

        reach = stdtrit(self.means.freedom, 0.5 + level / 2.0) * self.means.error
        low, high = self.ends.within(self.means.mean - reach), self.ends.within(self.means.mean + reach)
        lowest, highest = self.ends.whole
        return np.where(self.means.seen, low, lowest), np.where(self.means.seen, high, highest)

    def joint(self) -> Joint:
        """Independent errors; a difference has Welch's degrees of freedom. An unseen item may be anywhere."""
        means = self.means
        anywhere = (3.0 * self.ends.width) ** 2 / 12.0  # as in `draws`
        variance = np.where(means.seen, means.error**2, anywhere)
        own = np.where(means.seen, means.freedom, np.inf)
        share = variance[:, None] / np.maximum(variance[:, None] + variance, 1e-300)
        lost = share**2 / own[:, None] + share.T**2 / own
        freedom = np.where(lost > 0.0, 1.0 / np.where(lost > 0.0, lost, 1.0), np.inf)
        np.fill_diagonal(freedom, own)
        return Joint(means.mean, np.diag(variance), freedom)

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Independent draws, uncut, so that ranks at the ends are not tied.

        Those of an unseen item lie below, inside and above the range with a third each: any rank is possible.
        """
        noise = rng.standard_t(self.means.freedom, size=(n, len(self.means.mean)))
        drawn = self.means.mean + noise * self.means.error
        if self.means.seen.all():
            return drawn
        lowest, highest = self.ends.whole
        anywhere = rng.uniform(lowest - self.ends.width, highest + self.ends.width, size=drawn.shape)
        return np.where(self.means.seen, drawn, anywhere)
