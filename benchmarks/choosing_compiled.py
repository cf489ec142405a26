"""`information` against ASAP with thousands of repetitions: estimator and rule of the package, compiled.

`choosing.py` runs the code of the package and takes about a second per repetition. This script has the same estimator
(Thurstone's model by expectation propagation, with the prior standard deviation at its mode for choosing and integrated
out for the result) and the same rule, compiled with numba. The first four answers per item come from random matchings.
--check compares it with the package on the same comparisons: positions, covariance and the score of every pair.

Both rules meet the same noise: item i has noise e_i1, e_i2, ... ~ N(0, 1/2) for its first, second, ... comparison, and
the first item of a pair wins if its position plus noise is larger. Every comparison has noise of its own.

"Slope" is that of the estimated on the true positions. "Scaled" is the RMSE after estimates are multiplied by the
factor that makes it smallest. With --against RULE@NUMBER, the last lines are the numbers of comparisons per item at
which `information` is equal to that rule, interpolated between those of --per-item, with 95% intervals from 2,000
bootstrap samples of repetitions.

    python benchmarks/choosing_compiled.py --items 16 --per-item 10 15 --repetitions 1000 --seed 1
    python benchmarks/choosing_compiled.py --items 200 --per-item 9.5 10.5 11.5 12.5 --against balanced@15
    python benchmarks/choosing_compiled.py --items 16 --check
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from math import erfc, exp, log, pi, sqrt

import numba
import numpy as np
from asap import next_round
from choosing import World, half_width, judgments_of, labels_of
from scipy.stats import norm, rankdata

from steelyard import Thurstone
from steelyard.selection.pair_scores import JointScores, mixed_goal, rank_goal, weighted_goal

FIRST_ANSWERS, MOST_PER_ROUND, STEPS = 4, 5, 32  # as in the package
PRIOR_SCALE, NEGLIGIBLE, LEAST_CURVATURE = 2.0, 5.0, 4.0
PRIOR_RANGE = (0.05, 50.0)
MOST_STEPS = 60  # of expectation propagation
CHOOSING, RESULT = 1e-3, 1e-4  # largest change of a factor at which the factors have converged


@numba.njit(cache=True)
def chance_of(x):
    """Phi(x)."""
    return max(0.5 * erfc(-x / 1.4142135623730951), 1e-300)


@numba.njit(cache=True)
def propagate(items, won, lost, count, factors, prior_sd, tolerance):
    """Covariance, means and log density of log prior_sd; `factors` has precision and shift per row and is updated."""
    covariance, mean, evidence = np.empty((items, items)), np.empty(items), 0.0
    matrix = np.empty((items, items))
    for _ in range(MOST_STEPS):
        matrix, shifts = np.eye(items) / prior_sd**2, np.zeros(items)
        for row in range(len(won)):
            i, j, weight, pull = (
                won[row],
                lost[row],
                count[row] * factors[row, 0],
                count[row] * factors[row, 1],
            )
            matrix[i, i] += weight
            matrix[j, j] += weight
            matrix[i, j] -= weight
            matrix[j, i] -= weight
            shifts[i] += pull
            shifts[j] -= pull
        covariance = np.linalg.inv(matrix)
        mean = covariance @ shifts
        change, evidence = 0.0, 0.5 * (shifts @ mean)
        for row in range(len(won)):
            i, j, precision, shift = won[row], lost[row], factors[row, 0], factors[row, 1]
            gap_variance = covariance[i, i] + covariance[j, j] - 2.0 * covariance[i, j]
            variance = 1.0 / max(1.0 / gap_variance - precision, 1e-9)
            gap = variance * ((mean[i] - mean[j]) / gap_variance - shift)
            scale = sqrt(1.0 + variance)
            t = gap / scale
            chance = chance_of(t)
            v = exp(-0.5 * t * t) / 2.5066282746310002 / chance
            curvature = v * (v + t) / scale**2
            new_precision = curvature / (1.0 - variance * curvature)
            new_shift = (v / scale + gap * curvature) / (1.0 - variance * curvature)
            gain = (gap / variance + shift) ** 2 / (1.0 / variance + precision) - gap * gap / variance
            evidence += count[row] * (log(chance) - 0.5 * gain + 0.5 * log(1.0 + variance * precision))
            change = max(change, abs(new_precision - precision), abs(new_shift - shift))
            factors[row, 0] += 0.7 * (new_precision - precision)
            factors[row, 1] += 0.7 * (new_shift - shift)
        if change < tolerance:
            break
    evidence -= 0.5 * (np.linalg.slogdet(matrix)[1] + 2.0 * items * log(prior_sd))
    density = evidence + log(prior_sd) - log(1.0 + (prior_sd / PRIOR_SCALE) ** 2)
    return covariance, mean, density


@numba.njit(cache=True)
def at_mode(items, won, lost, count, factors, start, tolerance):
    """Covariance, slope times standard deviation of log prior_sd, means, and the mode on the grid."""
    step = 1.0 / sqrt(2.0 * max(items, 4))
    mode, below, middle, above = start, factors.copy(), factors.copy(), factors.copy()
    covariance, mean, density = propagate(items, won, lost, count, middle, exp(mode * step), tolerance)
    _, mean_above, up = propagate(items, won, lost, count, above, exp((mode + 1) * step), tolerance)
    _, mean_below, down = propagate(items, won, lost, count, below, exp((mode - 1) * step), tolerance)
    while max(up, down) > density and log(PRIOR_RANGE[0]) < (mode - 1) * step < (mode + 1) * step < log(50.0):
        mode += 1 if up >= down else -1
        middle = above.copy() if up >= down else below.copy()
        below, above = middle.copy(), middle.copy()
        covariance, mean, density = propagate(items, won, lost, count, middle, exp(mode * step), tolerance)
        _, mean_above, up = propagate(items, won, lost, count, above, exp((mode + 1) * step), tolerance)
        _, mean_below, down = propagate(items, won, lost, count, below, exp((mode - 1) * step), tolerance)
    curvature = (2.0 * density - up - down) / step**2
    factors[:] = middle
    away = (mean_above - mean_below) / (2.0 * step) / sqrt(max(curvature, LEAST_CURVATURE))
    return covariance, away, mean, mode


@numba.njit(cache=True)
def integrated(items, won, lost, count, factors, start, tolerance):
    """Means and covariance with the prior standard deviation integrated out."""
    step = 1.0 / sqrt(2.0 * max(items, 4))
    mode = at_mode(items, won, lost, count, factors, start, tolerance)[3]
    least, most = int(log(PRIOR_RANGE[0]) / step), int(log(PRIOR_RANGE[1]) / step)
    means, weights, covariance, size = (
        np.empty((most - least + 3, items)),
        np.zeros(most - least + 3),
        np.eye(items),
        0,
    )
    highest, total = 0.0, np.zeros((items, items))
    for direction in (0, -1, 1):
        at, own = mode, factors.copy()
        while least < at < most:
            at += direction
            covariance, mean, density = propagate(items, won, lost, count, own, exp(at * step), tolerance)
            highest = density if direction == 0 else highest
            means[size], weights[size] = mean, exp(density - highest)
            total += weights[size] * covariance
            size += 1
            if direction == 0 or density < highest - NEGLIGIBLE:
                break
    weights /= weights.sum()
    mean, total = weights[:size] @ means[:size], total * weights[0]
    for at in range(size):
        total += weights[at] * np.outer(means[at] - mean, means[at] - mean)
    return mean, total


@numba.njit(cache=True)
def reduction_of(gap, variance):
    """Expected reduction k of the covariance along a gap."""
    square = gap * gap / (1.0 + variance)
    size = sqrt(square)
    return exp(-square) / (chance_of(size) * chance_of(-size)) / (2.0 * pi * (1.0 + variance))


@numba.njit(cache=True)
def goal_of(mean, covariance):
    """Distances and ranks in equal shares of the present uncertainty."""
    items = len(mean)
    centred, slopes = np.eye(items) - 1.0 / items, np.zeros((items, items))
    for i in range(items):
        for j in range(i):
            variance = max(covariance[i, i] + covariance[j, j] - 2.0 * covariance[i, j], 1e-12)
            density = exp(-((mean[i] - mean[j]) ** 2) / (2.0 * variance)) / sqrt(2.0 * pi * variance)
            slopes[i, j] = slopes[j, i] = -density
            slopes[i, i] += density
            slopes[j, j] += density
    ranks = slopes @ slopes
    return centred / np.sum(centred * covariance) + ranks / np.sum(ranks * covariance)


@numba.njit(cache=True)
def score_of(mean, covariance, effects, i, j):
    """Square root of the expected reduction of the goal times the mutual information."""
    gap, noise = mean[i] - mean[j], pi * log(2.0) / 2.0
    variance = max(covariance[i, i] + covariance[j, j] - 2.0 * covariance[i, j], 1e-12)
    drop = reduction_of(gap, variance) * max(effects[i, i] + effects[j, j] - 2.0 * effects[i, j], 1e-12)
    chance = min(chance_of(abs(gap) / sqrt(1.0 + variance)), 1.0 - 1e-12)
    entropy = -(chance * log(chance) + (1.0 - chance) * log(1.0 - chance)) / log(2.0)
    expected = sqrt(noise / (variance + noise)) * exp(-gap * gap / (2.0 * (variance + noise)))
    return sqrt(drop * max(entropy - expected, 0.0))


@numba.njit(cache=True)
def next_pairs(mean, covariance, tasks, at_once, tie_breaks):
    """Pairs of a round, a few at a time; each step counts the expected information of those before it."""
    items, uses, size = len(mean), np.zeros(len(mean), np.int64), 0
    pairs, effects = np.empty((tasks, 2), np.int64), covariance @ goal_of(mean, covariance) @ covariance
    first, second = np.empty(items * (items - 1) // 2, np.int64), np.empty(items * (items - 1) // 2, np.int64)
    while size < tasks:
        score, start, count = np.empty(len(first)), size, 0
        for i in range(items):
            for j in range(i):
                if max(uses[i], uses[j]) < MOST_PER_ROUND:
                    noise = 1.0 + 1e-3 * tie_breaks[i, j]
                    score[count] = -noise * score_of(mean, covariance, effects, i, j)
                    first[count], second[count] = i, j
                    count += 1
        for best in np.argsort(score[:count]):
            i, j = first[best], second[best]
            if size - start < at_once and size < tasks and max(uses[i], uses[j]) < MOST_PER_ROUND:
                pairs[size, 0], pairs[size, 1] = i, j
                uses[i] += 1
                uses[j] += 1
                size += 1
        if size == start:
            break
        for at in range(start, size):
            i, j = pairs[at]
            along, effect = covariance[:, i] - covariance[:, j], effects[:, i] - effects[:, j]
            reduction = reduction_of(mean[i] - mean[j], max(along[i] - along[j], 1e-12))
            crossed, square = np.outer(along, effect), np.outer(along, along)
            effects = effects - reduction * (crossed + crossed.T)
            effects += reduction**2 * (effect[i] - effect[j]) * square
            covariance = covariance - reduction * square
    return pairs[:size]


@dataclass
class Study:
    """The comparisons of one run, by winner and loser, with the factors of the last estimate."""

    truth: np.ndarray
    seed: int
    rows: dict = field(default_factory=dict)
    history: list = field(default_factory=list)
    factors: np.ndarray = field(default_factory=lambda: np.empty((0, 2)))
    mode: int = 0

    def __post_init__(self):
        items = len(self.truth)
        self.noise = np.random.default_rng([self.seed, items, 77]).normal(size=(items, 600)) / np.sqrt(2.0)
        self.shown = np.zeros(items, dtype=np.int64)

    def ask(self, i, j):
        felt = [self.truth[at] + self.noise[at, self.shown[at]] for at in (i, j)]
        self.shown[[i, j]] += 1
        self.history.append((i, j) if felt[0] > felt[1] else (j, i))
        self.rows[self.history[-1]] = self.rows.get(self.history[-1], 0.0) + 1.0

    def _arguments(self):
        won, lost = np.array(list(self.rows)).T
        new = np.full((len(won) - len(self.factors), 2), 0.2)
        self.factors = np.concatenate([self.factors, new])
        count = np.array(list(self.rows.values()))
        return len(self.truth), np.ascontiguousarray(won), np.ascontiguousarray(lost), count, self.factors

    def believe(self):
        covariance, away, mean, self.mode = at_mode(*self._arguments(), self.mode, CHOOSING)
        return mean, covariance + np.outer(away, away)

    def scores(self):
        """Spearman, RMSE, coverage of differences, slope of the estimate on the truth, RMSE after the best factor."""
        mean, covariance = integrated(*self._arguments(), self.mode, RESULT)
        mean, truth = mean - mean.mean(), self.truth - self.truth.mean()
        first, second = np.triu_indices(len(mean), 1)
        own = np.diag(covariance)
        reach = norm.ppf(0.975) * np.sqrt(own[first] + own[second] - 2.0 * covariance[first, second])
        error = np.abs(mean[first] - mean[second] - truth[first] + truth[second])
        spearman = np.corrcoef(rankdata(mean), rankdata(truth))[0, 1]
        slope, scaled = (mean @ truth) / (truth @ truth), (mean @ truth) / (mean @ mean) * mean
        errors = [np.sqrt(np.mean((some - truth) ** 2)) for some in (mean, scaled)]
        return [spearman, errors[0], np.mean(error <= reach), slope, errors[1]]


def matched(items, tasks, rng):
    """Pairs of random matchings."""
    pairs = []
    while len(pairs) < tasks:
        order = rng.permutation(items)
        pairs += [(order[2 * at], order[2 * at + 1]) for at in range(items // 2)]
    return pairs[:tasks]


def informative(study, tasks, rng):
    """Pairs by `information`."""
    items, missing = len(study.truth), FIRST_ANSWERS * len(study.truth) // 2 - len(study.history)
    if missing > 0:
        return matched(items, min(tasks, missing), rng)
    return next_pairs(*study.believe(), tasks, -(-items // STEPS), rng.random((items, items)))


def balanced(study, tasks, rng):
    return matched(len(study.truth), tasks, rng)


def by_asap(study, tasks, rng):
    """Pairs by compiled ASAP."""
    won, lost = np.array(study.history, dtype=np.int64).reshape(-1, 2).T
    return next_round(won, lost, len(study.truth), rng)[:tasks]


RULES = {"information": informative, "balanced": balanced, "asap": by_asap}


def repetition(rule, options, items, seed):
    """Scores after each number of comparisons per item."""
    name, _, own = rule.partition("@")
    truth = World(items, options.shape, options.width).truth(np.random.default_rng([seed, items]))
    study, rng, scores = Study(truth, seed), np.random.default_rng([seed, items, 3]), []
    for per_item in [float(own)] if own else options.per_item:
        total = round(per_item * items)
        while len(study.history) < total:
            for i, j in RULES[name](study, min(items, total - len(study.history)), rng):
                study.ask(int(i), int(j))
        scores.append(study.scores())
    return scores * len(options.per_item) if own else scores


def report(items, options):
    seeds = range(options.seed, options.seed + options.repetitions)
    own, other = (
        np.array([repetition(rule, options, items, seed) for seed in seeds])
        for rule in ("information", options.against)
    )
    for at, per_item in enumerate(options.per_item):
        gaps = (own - other)[:, at]
        paired = " | ".join(f"{gaps[:, of].mean():+.4f} ± {half_width(gaps[:, of]):.4f}" for of in (0, 1))
        for name, rows in (("information", own), (options.against, other)):
            shown = " | ".join(f"{value:.3f}" for value in rows[:, at].mean(axis=0))
            ending = paired if name == "information" else " | "
            print(f"| {items} | {per_item:g} | {len(seeds)} | {name} | {shown} | {ending} |", flush=True)
    if "@" in options.against:
        report_equal(options.per_item, own, other, options.seed)


def equal_at(amounts, curve, level):
    """The number at which a rising curve reaches a level: infinite above the last, the first number below it."""
    above = np.flatnonzero(curve >= level)
    if not len(above):
        return np.inf
    at = above[0]
    if at == 0:
        return amounts[0]
    share = (level - curve[at - 1]) / (curve[at] - curve[at - 1])
    return amounts[at - 1] + share * (amounts[at] - amounts[at - 1])


def report_equal(amounts, own, other, seed):
    """The comparisons per item at which both rules are equal in Spearman's correlation and in both RMSEs."""
    rng, repetitions = np.random.default_rng([seed, 5]), len(own)
    samples = [np.arange(repetitions), *rng.integers(repetitions, size=(2000, repetitions))]
    for name, of, sign in (("Spearman", 0, 1.0), ("RMSE", 1, -1.0), ("RMSE after the best factor", 4, -1.0)):
        equal = [
            equal_at(amounts, sign * own[rows, :, of].mean(axis=0), sign * other[rows, 0, of].mean())
            for rows in samples
        ]
        low, high = np.quantile(equal[1:], (0.025, 0.975), method="inverted_cdf")
        print(f"{name} is equal at {equal[0]:.2f} comparisons per item [{low:.2f}, {high:.2f}]", flush=True)


def check(items, seed):
    """Largest differences from the package on the same balanced comparisons."""
    study = Study(np.random.default_rng([seed, items]).uniform(0.0, 4.0, items), seed)
    for i, j in matched(items, 5 * items, np.random.default_rng(seed)):
        study.ask(int(i), int(j))
    mean, covariance, labels = *study.believe(), labels_of(items)
    belief = Thurstone().believe(labels, judgments_of(study.history, labels))
    every = ~np.eye(items, dtype=bool)
    goals = [weighted_goal(np.ones(items)), rank_goal(mean, covariance, every)]
    theirs = JointScores.towards(mixed_goal(goals, covariance), mean, covariance, every).all
    effects = covariance @ goal_of(mean, covariance) @ covariance
    ours = [[score_of(mean, covariance, effects, i, j) for j in range(items)] for i in range(items)]
    print(f"{items} items: positions {np.max(np.abs(mean - belief.position)):.1e}", end=", ")
    print(f"covariance {np.max(np.abs(covariance - belief.covariance)):.1e}", end=", ")
    print(f"scores {np.max(np.abs(np.array(ours) - theirs)[every] / theirs[every]):.1e} relative")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, nargs="+", default=[16])
    parser.add_argument("--per-item", type=float, nargs="+", default=[10, 15])
    parser.add_argument("--width", type=float, default=4.0)
    parser.add_argument("--shape", choices=("uniform", "normal"), default="uniform")
    parser.add_argument(
        "--against", default="asap", help="asap, or balanced@15 with its comparisons per item"
    )
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--check", action="store_true", help="compare with the package")
    options = parser.parse_args()
    if not options.check:
        print(
            "| items | per item | repetitions | rule | Spearman | RMSE | coverage | slope | scaled "
            "| Spearman less | RMSE less |"
        )
        print("|---" * 11 + "|")
    for items in options.items:
        if options.check:
            check(items, options.seed)
        else:
            report(items, options)


if __name__ == "__main__":
    main()
