"""Means of scores with moderated t intervals, for models of ratings and ranges.

An item without scores gets the mean of the other items, or the middle of a scale without ends. Its interval is the
whole range and every rank is possible.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Codes, Mask, Matrix, Vector, sum_by
from steelyard.scales.joint import Joint

# Degrees of freedom of the variance pooled over all items in the variance of each item, so that two equal scores
# do not give an interval without width (moderated t of Smyth 2004 with fixed degrees of freedom).
POOLED_FREEDOM = 4.0
LEAST_FREEDOM = 3.0  # a t distribution has a finite standard deviation above 2, a stable one from about 3


@dataclass(frozen=True, slots=True)
class Ends:
    """Range of the scores. It contains all scores if `closed`, and nearly all otherwise."""

    whole: tuple[float, float]
    closed: bool

    @property
    def width(self) -> float:
        """Length of the range."""
        return self.whole[1] - self.whole[0]

    @property
    def uniform_variance(self) -> float:
        """Variance of a uniform distribution on the range."""
        return self.width**2 / 12.0

    def within(self, positions: Vector) -> Vector:
        """Return the positions, limited to a closed range."""
        return np.clip(positions, *self.whole) if self.closed else positions


@dataclass(frozen=True, eq=False)
class Trimmed:
    """Scores after trimming both ends of each item's scores."""

    scores: Vector
    weights: Vector
    kept: Vector  # weight of each row that remains
    winsorised: Vector  # scores, with each cut score replaced by the nearest kept score


def trimmed(scores: Vector, at: Codes, weights: Vector, trim: float) -> Trimmed:
    """Trim floor(trim x n) scores from each end of the n scores of every item, as R's mean(x, trim) does.

    Parameters
    ----------
    scores
        Score of each row.
    at
        Index of the item of each row.
    weights
        Count of each row.
    trim
        Share to trim from each end, from 0 to below 0.5.

    Returns
    -------
    Trimmed
        Scores with the weights that remain.
    """
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
    """Mean, standard error and degrees of freedom per item, and whether it has scores."""

    mean: Vector
    error: Vector
    freedom: Vector
    seen: Mask


def means_of(cut: Trimmed, at: Codes, size: int, ends: Ends) -> Means:
    """Return trimmed means with moderated standard errors.

    Yuen (1974): error^2 = SSW / (h (h - 1)), where h is the number of kept scores and SSW the sum of squares of
    the winsorised scores. SSW / (h - 1) is moderated by the pooled variance, scaled to the item's kept share h / n.

    Parameters
    ----------
    cut
        Scores after trimming.
    at
        Index of the item of each row.
    size
        Number of items.
    ends
        Range of the scores.

    Returns
    -------
    Means
        One entry per item.
    """
    kept = sum_by(at, cut.kept, size)
    sums = ScoreSums(
        kept,
        sum_by(at, cut.weights, size),
        sum_by(at, cut.kept * cut.scores, size) / np.where(kept > 0, kept, 1.0),
        _squares(cut.winsorised, at, cut.weights, size),
        float(np.var(cut.scores)) if len(cut.scores) > 1 else 0.0,
    )
    return moderated(sums, ends)


@dataclass(frozen=True, eq=False)
class ScoreSums:
    """Sums by item: number of kept scores, of all scores, mean of the kept, squares; and the variance of all scores."""

    kept: Vector
    count: Vector
    mean: Vector
    squares: Vector
    variance: float


def moderated(sums: ScoreSums, ends: Ends) -> Means:
    """Return means with moderated standard errors from sums by item; see `means_of`."""
    seen = sums.kept > 0
    h = np.where(seen, sums.kept, 1.0)
    share = h / np.where(seen, sums.count, 1.0)
    own = np.maximum(sums.kept - 1.0, 0.0)
    pooled = share * _pooled_variance(sums.variance, sums.squares / share, own, ends)
    freedom = own + min(POOLED_FREEDOM, max(float(own.sum()), 1.0))
    variance = (sums.squares + (freedom - own) * pooled) / freedom
    mean = np.where(seen, sums.mean, _unseen_position(sums.mean[seen], ends))
    return Means(mean, np.sqrt(variance / h), freedom, seen)


def _unseen_position(seen: Vector, ends: Ends) -> float:
    """Return the position of items without scores: the mean of the others or the middle of the range."""
    return float(np.mean(seen)) if ends.closed and len(seen) else sum(ends.whole) / 2.0


def _squares(scores: Vector, at: Codes, weights: Vector, size: int) -> Vector:
    """Return the sum of squared deviations from each item's mean."""
    total = np.maximum(sum_by(at, weights, size), 1e-300)
    mean = sum_by(at, weights * scores, size) / total
    return sum_by(at, weights * (scores - mean[at]) ** 2, size)


def _pooled_variance(total: float, squares: Vector, own: Vector, ends: Ends) -> float:
    """Return the variance of scores within items.

    Without repeated scores it is `total`, the variance of all scores. Without any variation it is that of a uniform
    answer.
    """
    repeated = own > 0  # a fractional score has no degrees of freedom
    if repeated.any() and squares[repeated].sum() > 0:
        return float(squares[repeated].sum() / own.sum())
    if repeated.any():  # all repeated scores are equal: use the variance of rounded answers
        return ends.uniform_variance * 1e-4
    return total if total > 0 else ends.uniform_variance


@dataclass(frozen=True, eq=False)
class MeanPosterior:
    """Independent t distributions around the means, with intervals limited to the scale.

    The interval of an item without scores is the whole range at any level.
    """

    means: Means
    ends: Ends

    @property
    def position(self) -> Vector:
        """Mean scores."""
        return self.means.mean

    @property
    def spread(self) -> Vector:
        """Standard deviations of the t distributions, error * sqrt(df / (df - 2)); uniform for items without scores.

        With fewer than 3 degrees of freedom (fewer than three repeated scores in total) the standard deviation of a t
        distribution is infinite or unstable. The value for 3 is used instead, which is too small. Use the interval.
        """
        freedom = np.maximum(self.means.freedom, LEAST_FREEDOM)
        spread = self.means.error * np.sqrt(freedom / (freedom - 2.0))
        return np.where(self.means.seen, spread, np.sqrt(self.ends.uniform_variance))

    def interval(self, level: float) -> tuple[Vector, Vector]:
        """Return mean plus and minus t quantile times standard error, limited to the scale."""
        from scipy.special import stdtrit  # SciPy is slow to import

        reach = stdtrit(self.means.freedom, 0.5 + level / 2.0) * self.means.error
        low, high = self.ends.within(self.means.mean - reach), self.ends.within(self.means.mean + reach)
        lowest, highest = self.ends.whole
        return np.where(self.means.seen, low, lowest), np.where(self.means.seen, high, highest)

    def joint(self) -> Joint:
        """Return independent errors. A difference has Welch's degrees of freedom.

        Items without scores have a variance so large that any rank is possible.
        """
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
        """Return independent draws, not limited to the scale, so that ranks at its ends are not tied.

        Draws of an item without scores are below, inside or above the range with probability 1/3 each.
        """
        noise = rng.standard_t(self.means.freedom, size=(n, len(self.means.mean)))
        drawn = self.means.mean + noise * self.means.error
        if self.means.seen.all():
            return drawn
        lowest, highest = self.ends.whole
        anywhere = rng.uniform(lowest - self.ends.width, highest + self.ends.width, size=drawn.shape)
        return np.where(self.means.seen, drawn, anywhere)
