"""Counting scores of best-worst choices: (best - worst) / times shown, with cluster-robust standard errors.

References: Louviere, Flynn & Marley (2015), Kiritchenko & Mohammad (2017).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.judgments.counting import judgment_weights
from steelyard.judgments.keys import row_key
from steelyard.judgments.table import Judgments, Table
from steelyard.judgments.tasks import TOGETHER
from steelyard.maths.arrays import Codes, Mask, Matrix, Vector, sum_by
from steelyard.models.clusters import Way, rater_codes, segment_codes, ways_of, without_gaps

# Degrees of freedom of the variance pooled over all items, which moderates the item's own variance (the moderated t of
# Smyth 2004 with fixed df). An item that was best in both of two tasks then has an interval of positive width.
POOLED_FREEDOM = 4.0


def clusters_of(judgments: Judgments, table: Table, cluster: str) -> tuple[Way, ...]:
    """Return the clusters of rows: by rater or segment, or by task if judgments count as independent.

    Parameters
    ----------
    judgments
        Judgments with the raters and segments.
    table
        Rows of best-worst choices.
    cluster
        Setting of the model: `auto`, `rater`, `segment`, `both` or `none`.

    Returns
    -------
    tuple of Way
        One type of clustering, or two types followed by their cells.
    """
    first, answers = judgment_weights(judgments, "best_worst")
    weight = np.zeros(len(table))
    weight[first] = answers
    ways = ways_of(cluster, rater_codes(judgments, table), segment_codes(table), weight)
    task = np.asarray(np.unique(row_key(table, TOGETHER), return_inverse=True)[1], dtype=np.int64)
    whole = tuple(Way(way.name, _of_tasks(way.codes, task)) for way in ways)
    if not whole:
        return (Way("task", task),)
    if len(whole) == 1:
        return whole
    return (*whole, Way("cell", without_gaps(whole[0].codes * whole[1].count + whole[1].codes)))


def _of_tasks(codes: Codes, task: Codes) -> Codes:
    """Return clusters that keep the rows of one task together, also if rater or segment is missing."""
    _, first = np.unique(task, return_index=True)
    return without_gaps(codes[first][task])


@dataclass(frozen=True, eq=False)
class Scores:
    """Counting scores with standard errors and degrees of freedom. `seen` marks items that were shown."""

    score: Vector
    error: Vector
    freedom: Vector
    seen: Mask


def crossed_scores(one: Scores, other: Scores, cells: Scores) -> Scores:
    """Return scores with two-way clustered variances: V(one) + V(other) - V(cells).

    The variance is at least the larger of the two one-way variances, with the fewer degrees of freedom.

    Parameters
    ----------
    one
        Scores clustered the first way.
    other
        Scores clustered the second way.
    cells
        Scores clustered by the cells of both.

    Returns
    -------
    Scores
        Scores with two-way standard errors.
    """
    both = one.error**2 + other.error**2 - cells.error**2
    error = np.sqrt(np.maximum(both, np.maximum(one.error, other.error) ** 2))
    return Scores(one.score, error, np.minimum(one.freedom, other.freedom), one.seen)


def count_scores(
    item: Codes,
    sign: Vector,
    weights: Vector,
    cluster: Codes,
    size: int,
    *,
    pooled_freedom: float = POOLED_FREEDOM,
) -> Scores:
    """Return the scores (best - worst) / shown, with moderated cluster-robust standard errors.

    An item shown n times in G clusters, with residual sums r_g, has the variance u / n, u = G / (G - 1) sum r_g^2 / n.
    u is averaged with its pooled value over all items, with weights G - 1 and `pooled_freedom`.

    Parameters
    ----------
    item
        Item of each row.
    sign
        1 for best, -1 for worst, 0 for neither.
    weights
        Weight of each row.
    cluster
        Cluster of each row.
    size
        Number of items.
    pooled_freedom
        Degrees of freedom of the pooled variance. 0 uses the variance of each item only.

    Returns
    -------
    Scores
        One score per item.
    """
    shown = sum_by(item, weights, size)
    seen = shown > 0.0
    n = np.where(seen, shown, 1.0)
    score = np.where(seen, sum_by(item, weights * sign, size) / n, 0.0)
    group, at = np.unique(item * (int(cluster.max(initial=0)) + 1) + cluster, return_inverse=True)
    residual = sum_by(np.asarray(at), weights * (sign - score[item]), len(group))
    owner = group // (int(cluster.max(initial=0)) + 1)
    clusters = sum_by(owner, (sum_by(np.asarray(at), weights, len(group)) > 0.0).astype(float), size)
    own = np.maximum(clusters - 1.0, 0.0)
    squares = clusters * sum_by(owner, residual**2, size) / n  # (G - 1) u
    pooled = float(squares[own > 0].sum() / own.sum()) if own.sum() > 0 else 0.0
    # If no item has two clusters, the variance is that of random choices.
    pooled = pooled if pooled > 0.0 else float(np.mean(sign**2))
    freedom = np.maximum(own + pooled_freedom, 1.0)
    return Scores(score, np.sqrt((squares + pooled_freedom * pooled) / freedom / n), freedom, seen)


@dataclass(frozen=True, eq=False)
class CountPosterior:
    """Independent t distributions around counting scores, with intervals cut at -1 and 1.

    An item that was never shown has the position 0, and its interval is the whole scale.
    """

    scores: Scores

    @property
    def position(self) -> Vector:
        """Counting scores."""
        return self.scores.score

    @property
    def spread(self) -> Vector:
        """Standard deviations of the t distributions; of a uniform distribution for an item never shown."""
        wide = np.sqrt(self.scores.freedom / np.maximum(self.scores.freedom - 2.0, 1.0))
        return np.where(self.scores.seen, self.scores.error * wide, 2.0 / np.sqrt(12.0))

    def interval(self, level: float) -> tuple[Vector, Vector]:
        """Return score plus and minus the t quantile times the standard error, cut at -1 and 1."""
        from scipy.special import stdtrit  # SciPy is slow to import

        reach = stdtrit(self.scores.freedom, 0.5 + level / 2.0) * self.scores.error
        low, high = self.position - reach, self.position + reach
        seen = self.scores.seen
        return np.where(seen, np.maximum(low, -1.0), -1.0), np.where(seen, np.minimum(high, 1.0), 1.0)

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Return independent draws, not cut; those of an item never shown are uniform from -1 to 1."""
        noise = rng.standard_t(self.scores.freedom, size=(n, len(self.position)))
        drawn = self.position + noise * self.scores.error
        anywhere = rng.uniform(-1.0, 1.0, size=drawn.shape) if not self.scores.seen.all() else drawn
        return np.where(self.scores.seen, drawn, anywhere)
