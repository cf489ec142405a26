r"""Prediction-powered estimates of means: people's answers corrected by machine scores of many more units.

The estimate of the mean of a group is

.. math::

    \hat\theta = \lambda\, \frac1M \sum_u f_u + \frac{\sum_t w_t (y_t - \lambda f_{u(t)})}{\sum_t w_t}

The first sum is over all M units, the second over people's answers. f is the machine's prediction, y an answer, and w
the inverse of the probability that the answer was asked for. The second term removes the error of the machine on
average, however large it is. If all units are equally likely to be answered, this equals PPI++ [Angelopoulos, Duchi &
Zrnic 2023] with the factor lambda N / (N + n) for N units without and n with answers. lambda has the smallest estimated
variance ("power tuning"), and lambda = 0 is the mean of people's answers.

Several judges are combined by a regression of people's answers on their scores. The prediction for a unit comes from a
regression without the answers about the units of its fold [cross-prediction: Zrnic & Candes 2024].

Variances are sums of squared influences by cluster (segment, and rater), so answers of a rater and outputs of a segment
may be correlated.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steelyard.maths.arrays import Codes, Matrix, Vector, sum_by
from steelyard.maths.sandwich import sums_by_cluster
from steelyard.quality.machine.pools import Pool

FOLDS = 5
RIDGE = 1.0  # penalty on standardised weights, in answers
LEAST_FREEDOM = 1.0
LEAST_SHARE = 0.5  # smallest two-way variance, as a share of the variance by segment
LEAST_SQUARE = 1e-12  # share of the squares of the parts, below which a difference of sums is rounding error


@dataclass(frozen=True, eq=False)
class Estimates:
    """Estimated means of groups, and the influences from which their standard errors are computed.

    Attributes
    ----------
    mean
        Estimate of each group; NaN for a group without answers.
    influence
        Influence on each mean of every unit of the pool, then of every answer.
    pool
        Units and answers.
    power
        The factor lambda of the machine's predictions. 0 if they are not used.
    fitted
        Number of factors that were estimated: 1 or 0.
    """

    mean: Vector
    influence: Matrix
    pool: Pool
    power: float
    fitted: int

    def error(self, contrast: Vector) -> float:
        """Return the standard error of a sum of means with these weights, for new segments and new raters."""
        return float(np.sqrt(self._factor(contrast) * _variance(self.influence @ contrast, self.pool)))

    def pool_error(self, contrast: Vector) -> float:
        """Return the part of the standard error that no number of answers lowers: the units are a sample, too."""
        units = len(self.pool)
        influence = np.concatenate([self.influence[:units] @ contrast, np.zeros(len(self.pool.unit))])
        return float(np.sqrt(_variance(influence, self.pool)))

    def freedom(self, contrast: Vector) -> float:
        """Return the degrees of freedom of a standard error: the fewest clusters with answers, less 1."""
        counts = [self.labelled_clusters - self.fitted / len(self.mean)]
        if self.pool.raters >= 2:
            counts.append(_count_pairs(self.pool, self.pool.rater))
        return max(float(np.min(np.array(counts)[:, contrast != 0.0])) - 1.0, LEAST_FREEDOM)

    @cached_property
    def labelled_clusters(self) -> Vector:
        """Number of clusters with answers of each group."""
        return _count_pairs(self.pool, self.pool.cluster[self.pool.unit])

    def _factor(self, contrast: Vector) -> float:
        """Return G / (G - 1 - fitted) for the group with the fewest clusters G."""
        clusters = float(np.min(self.labelled_clusters[contrast != 0.0]))
        return clusters / max(clusters - 1.0 - self.fitted / len(self.mean), 1.0)


def _count_pairs(pool: Pool, of_answer: Codes) -> Vector:
    """Return the number of different values of the answers of each group."""
    pairs = np.unique(np.column_stack([pool.group[pool.unit], of_answer]), axis=0)
    return np.bincount(pairs[:, 0], minlength=len(pool.groups)).astype(float)


def cross_predictions(pool: Pool, rng: np.random.Generator) -> Vector:
    """Return the machine's prediction for each unit.

    With one judge, it is the judge's score. With several, it is a ridge regression of people's answers on the scores,
    without the answers of the unit's own fold of clusters. Units without answers get the mean over the folds.

    Parameters
    ----------
    pool
        Units with scores and answers.
    rng
        Source of randomness of the folds.

    Returns
    -------
    Vector
        One prediction per unit.
    """
    scores = pool.filled
    if scores.shape[1] == 1:
        return np.asarray(scores[:, 0])
    deviation = scores.std(axis=0)
    design = (scores - scores.mean(axis=0)) / np.where(deviation > 0.0, deviation, 1.0)
    fold = _folds(pool, rng)
    at = fold[pool.unit]
    shares = np.bincount(at, weights=pool.weight, minlength=FOLDS) / pool.weight.sum()
    predicted = np.zeros((FOLDS, len(pool)))
    for each in range(FOLDS):
        rest = at != each
        predicted[each] = _regressed(design, pool, rest) if rest.any() else pool.answer.mean()
    own = predicted[fold, np.arange(len(pool))]
    return np.where(pool.labelled, own, shares @ predicted)


def _folds(pool: Pool, rng: np.random.Generator) -> Codes:
    """Return a fold for each unit; units of a cluster share it."""
    clusters = int(pool.cluster.max(initial=0)) + 1
    labelled = np.unique(pool.cluster[pool.unit])
    of_cluster = rng.integers(FOLDS, size=clusters)
    of_cluster[rng.permutation(labelled)] = np.arange(len(labelled)) % FOLDS
    return np.asarray(of_cluster[pool.cluster])


def _regressed(design: Matrix, pool: Pool, rest: Codes) -> Vector:
    """Return predictions of a ridge regression on standardised scores, fitted to some answers."""
    rows, answer, weight = design[pool.unit[rest]], pool.answer[rest], pool.weight[rest]
    weight = weight * len(weight) / weight.sum()
    mean, centre = np.average(answer, weights=weight), np.average(rows, axis=0, weights=weight)
    gram = (rows - centre).T @ (weight[:, None] * (rows - centre)) + RIDGE * np.eye(rows.shape[1])
    slopes = np.linalg.solve(gram, (rows - centre).T @ (weight * (answer - mean)))
    return np.asarray(mean + (design - centre) @ slopes)


def estimate_means(pool: Pool, predicted: Vector, power: float | None = None) -> Estimates:
    """Return the prediction-powered mean of each group.

    Parameters
    ----------
    pool
        Units and answers.
    predicted
        Prediction of the machine for each unit.
    power
        The factor lambda. Default: the value with the smallest estimated variance, summed over groups.

    Returns
    -------
    Estimates
        Means with their covariance. They describe new segments and new raters.
    """
    people, machine = _influences(pool, pool.answer, predicted)
    tuned = _best_power(people, machine, pool, predicted) if power is None else power
    return Estimates(
        mean=_means(pool, predicted, tuned),
        influence=people + tuned * machine,
        pool=pool,
        power=float(tuned),
        fitted=0 if power is not None or tuned == 0.0 else 1,
    )


def _means(pool: Pool, predicted: Vector, power: float) -> Vector:
    groups = len(pool.groups)
    size = np.bincount(pool.group, minlength=groups)
    of_answer = pool.group[pool.unit]
    total = sum_by(of_answer, pool.weight, groups)
    rest = sum_by(of_answer, pool.weight * (pool.answer - power * predicted[pool.unit]), groups)
    rest = np.divide(rest, total, out=np.full(groups, np.nan), where=total > 0.0)
    return np.asarray(power * sum_by(pool.group, predicted, groups) / size + rest)


def _influences(pool: Pool, answer: Vector, predicted: Vector) -> tuple[Matrix, Matrix]:
    """Return the influences of units, then of answers, on the mean of each group: of people, and of the machine."""
    units, groups = len(pool), len(pool.groups)
    of_answer = pool.group[pool.unit]
    total = np.maximum(sum_by(of_answer, pool.weight, groups), 1e-300)
    people = np.zeros((units + len(answer), groups))
    machine = np.zeros_like(people)
    rows = units + np.arange(len(answer))
    share = pool.weight / total[of_answer]
    people[rows, of_answer] = share * (answer - sum_by(of_answer, share * answer, groups)[of_answer])
    of_unit = predicted[pool.unit]
    machine[rows, of_answer] = -share * (of_unit - sum_by(of_answer, share * of_unit, groups)[of_answer])
    machine[:units] = _pool_influence(pool, predicted)
    return people, machine


def _pool_influence(pool: Pool, predicted: Vector) -> Matrix:
    groups = len(pool.groups)
    size = np.bincount(pool.group, minlength=groups)
    mean = sum_by(pool.group, predicted, groups) / size
    influence = np.zeros((len(pool), groups))
    influence[np.arange(len(pool)), pool.group] = (predicted - mean[pool.group]) / size[pool.group]
    return influence


def _best_power(people: Matrix, machine: Matrix, pool: Pool, predicted: Vector) -> float:
    """Return the factor with the smallest sum of variances: -sum cov(people, machine) / sum var(machine).

    It is 0 if the machine removes no more of the variance than estimating the factor costs. It is at most the factor of
    a judge that agrees perfectly: the ratio of the standard deviations of answers and predictions.
    """
    answered = np.bincount(pool.group[pool.unit], minlength=len(pool.groups)) > 0
    segment = _segments(pool)
    alone = sums_by_cluster(people[:, answered], segment)
    added = sums_by_cluster(machine[:, answered], segment)
    total, square, cross = (float(np.sum(each)) for each in (alone**2, added**2, alone * added))
    if square <= LEAST_SQUARE * float(np.sum(machine[:, answered] ** 2)):
        return 0.0
    clusters = len(np.unique(pool.cluster[pool.unit]))
    if cross**2 * (clusters - 1) <= total * square:
        return 0.0
    most = _deviation(pool.answer, pool.group[pool.unit]) / _deviation(predicted, pool.group)
    return float(np.clip(-cross / square, -most, most))


def _deviation(values: Vector, group: Codes) -> float:
    """Return the standard deviation within groups."""
    count = np.maximum(np.bincount(group), 1)
    return float(np.sqrt(np.mean((values - (sum_by(group, values, len(count)) / count)[group]) ** 2)))


def _segments(pool: Pool) -> Codes:
    return np.concatenate([pool.cluster, pool.cluster[pool.unit]])


def _variance(influence: Vector, pool: Pool) -> float:
    """Return the variance of one estimate, clustered by segment and, with two raters or more, also by rater."""
    segment = _segments(pool)
    by_segment = _sum_of_squares(influence, segment)
    if pool.raters < 2:
        return by_segment
    answers = influence[len(pool) :]
    rater = np.unique(pool.rater, return_inverse=True)[1]
    both = segment[len(pool) :] * (int(rater.max()) + 1) + rater
    factor = pool.raters / (pool.raters - 1.0)
    by_rater = factor * _sum_of_squares(answers, rater) - _sum_of_squares(answers, both)
    return max(by_segment + by_rater, LEAST_SHARE * by_segment)


def _sum_of_squares(influence: Vector, cluster: Codes) -> float:
    codes = np.unique(cluster, return_inverse=True)[1]
    return float(np.sum(np.bincount(codes, weights=influence) ** 2))
