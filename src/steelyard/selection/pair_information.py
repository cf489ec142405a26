"""Pairs by information: the comparisons that are expected to reduce the variance of positions most.

Positions are in units of the comparison noise and have the posterior N(m, S). One comparison of items i and j, whose
gap has mean g = m_i - m_j and variance v, has an expected covariance after it of  S - k uu'  with  u = S_.i - S_.j  and

    k(g, v) = phi(t)² / (Phi(t) Phi(-t)) / (1 + v),   t = g / sqrt(1 + v)

It reduces the sum of all variances, weighted by the aim, by  A = k u'Du.  With the entropy H of an outcome and
c = pi ln(2) / 2, its mutual information with all positions is (Houlsby et al. 2011)

    I = H(Phi(g / sqrt(1 + v))) - sqrt(c / (v + c)) exp(-g² / (2 (v + c)))

Pairs are chosen by A^(1-p) I^p with p = min(1/2, 12.5/n) for n items: A favours distances between items, I their order.
For many items the covariance is not kept; then each item takes the most informative of a few random partners.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np

from steelyard.errors import BadSetting
from steelyard.maths.arrays import Codes, Matrix, Vector, sum_by
from steelyard.scales.belief import Belief
from steelyard.selection.balanced import Balanced
from steelyard.selection.information import Aim, boundary_weights, density
from steelyard.selection.pool import Choice, Pool, Traits
from steelyard.selection.units import Units

FIRST_ANSWERS = 2  # of each item, from balanced pairs: with fewer, nothing is better than chance
STEPPED_ITEMS = 128  # divided by the items: steps of a round, after which the tasks chosen so far count
# Power p of the mutual information in A^(1-p) I^p: 1/2 up to 25 items, 12.5/n beyond. In simulations I alone orders few
# items better, and A alone recovers both order and distances of many items better.
MOST_POWER, ORDERED_ITEMS = 0.5, 12.5
MOST_PER_ROUND = 2  # tasks of one item in one round; without a limit a few items are asked again and again
MOST_WITH_COVARIANCE = 3  # the same from the full covariance, which shows when an item has been asked enough
NOBODY = -1  # an empty place of a task
LEAST_DRAWN = 16  # items whose candidates are drawn at once
BRIDGE_PARTNERS = 16  # candidates per place of a task that links parts
PARTNERS = 8  # candidates for the partner of an item where the covariance is not kept
OPEN_INFORMATION = 0.5  # of an open task about an item, at a gap of 0 with variance 0.3
FALL = 1.0 - 2.0 / np.pi  # of the information with the square of the gap


@runtime_checkable
class ComparisonBelief(Belief, Protocol):
    """A belief with positions in units of the comparison noise."""

    @property
    def covariance(self) -> Matrix | None:
        """Covariance of all items; None where there are too many."""


@dataclass(frozen=True, slots=True)
class PairInformation:
    """Tasks of `size` items whose comparisons carry most information about the aim.

    Every item is first shown twice in balanced pairs. Then parts that no comparison links are linked. After that the
    most informative tasks are chosen.

    Parameters
    ----------
    size
        Items per task.
    least
        Fewest items per task.
    aim
        ``"positions"`` (default), ``"ranking"``, ``"top_k"`` or ``"systems"``: which variances matter.
    top_k
        Size of the top group for the aim ``"top_k"``.
    """

    name: ClassVar[str] = "pair_information"
    traits: ClassVar[Traits] = Traits(
        learns=True,
        method="Tasks were chosen to carry the most information about the positions.",
        needs=frozenset({"comparisons"}),
        default_models={"comparison": "thurstone"},
        audit_share=0.1,
        chooses_groups=True,
    )
    size: int = 2
    least: int = 2
    aim: Aim = "positions"
    top_k: int = 10

    def round_size(self, pool: Pool) -> int:
        """Return the number of tasks that show every unit twice."""
        return max(MOST_PER_ROUND * len(Units.of(pool).open) // self.size, 1)

    def choose(self, pool: Pool, belief: Belief | None, tasks: int, rng: np.random.Generator) -> list[Choice]:
        """Choose tasks, each counting those before it as open.

        Parameters
        ----------
        pool
            Items with their answers, and what may be asked.
        belief
            Positions and their covariance.
        tasks
            Number of tasks wanted.
        rng
            Source of random choices.

        Returns
        -------
        list of Choice
            Fewer tasks than wanted where nothing suitable is left.
        """
        if not isinstance(belief, ComparisonBelief):
            raise BadSetting(
                "selection",
                "'information' for comparisons needs a model of their noise; set model = \"thurstone\".",
            )
        tasks = min(tasks, -(-pool.remaining // self.size))
        choices = self._first(pool, tasks, rng)
        for linking in (True, False):
            if len(choices) == tasks:
                break
            units = Units.of(pool, choices)
            scores = self._scores(units, belief)
            choose = scores.bridges if linking else scores.groups
            choices += units.tasks(choose(self.size, tasks - len(choices), rng), self.least, rng)
        return choices

    def _first(self, pool: Pool, tasks: int, rng: np.random.Generator) -> list[Choice]:
        """Balanced tasks while some item has fewer than the first answers."""
        missing = int(np.maximum(FIRST_ANSWERS - pool.expected[pool.allowed], 0).sum())
        tasks = min(-(-missing // self.size), tasks)
        balanced = Balanced(size=self.size, least=self.least)
        return balanced.choose(replace(pool, wanted=FIRST_ANSWERS), None, tasks, rng) if tasks else []

    def _scores(self, units: Units, belief: ComparisonBelief) -> _PairScores:
        met = frozenset() if units.pool.by_system else frozenset(units.pool.met)
        weights = self._weights(units, belief)
        if belief.covariance is None:
            variance = belief.variance / (1.0 + OPEN_INFORMATION * units.pending * belief.variance)
            return _PairScores(units, belief.position, variance, weights, met)
        covariance = _after_open_tasks(belief.covariance, units.pending)
        systems = units.pool.system if self._averages(units) else None
        return _FullScores(units, belief.position, np.diag(covariance), weights, met, covariance, systems)

    def _averages(self, units: Units) -> bool:
        """Whether the aim is the mean of each system's items."""
        return self.aim == "systems" and not units.pool.by_system

    def _weights(self, units: Units, belief: ComparisonBelief) -> Vector:
        """Weight of each variance in the aim."""
        pool = units.pool
        if self._averages(units):
            outputs = sum_by(pool.system, np.ones(len(pool)))
            return np.asarray(1.0 / outputs[pool.system] ** 2)
        low, high = float(belief.position.min()), float(belief.position.max())
        width = max(high - low, 1e-9)
        position, variance = (belief.position - low) / width, belief.variance / width**2
        if self.aim == "ranking":
            return density(position, variance)
        if self.aim == "top_k":
            return boundary_weights(position, variance, self.top_k)
        return np.ones(len(position))


def expected_reduction(gap: Matrix, variance: Matrix) -> Matrix:
    """Return k, by which one comparison is expected to reduce the covariance along its gap.

    It is the expected square of the step of the mean, which is exact for a normal belief.

    >>> expected_reduction(np.array([0.0, 2.0]), np.array([0.0, 1.0])).round(3).tolist()
    [0.637, 0.149]
    """
    from scipy.special import log_ndtr  # SciPy is slow to import

    square = np.square(gap) / (1.0 + variance)
    size = np.sqrt(square)
    outcomes = log_ndtr(size) + log_ndtr(-size)
    return np.asarray(np.exp(-square - outcomes) / (2.0 * np.pi * (1.0 + variance)))


def mutual_information(gap: Matrix, variance: Matrix) -> Matrix:
    """Return the mutual information of one comparison and all positions, in bits.

    >>> mutual_information(np.array([0.0, 3.0]), np.array([1.0, 1.0])).round(2).tolist()
    [0.28, 0.04]
    """
    from scipy.special import ndtr  # SciPy is slow to import

    chance = np.clip(ndtr(np.abs(gap) / np.sqrt(1.0 + variance)), 0.5, 1.0 - 1e-12)
    entropy = -(chance * np.log2(chance) + (1.0 - chance) * np.log2(1.0 - chance))
    noise = np.pi * np.log(2.0) / 2.0
    expected = np.sqrt(noise / (variance + noise)) * np.exp(-(gap**2) / (2.0 * (variance + noise)))
    return np.asarray(np.maximum(entropy - expected, 0.0))


def rough_information(gap: Matrix, variance: Matrix) -> Matrix:
    """Return the expected information of one comparison with  phi(x)² / (Phi(x) Phi(-x))  ~  2/pi exp(-a x²).

    With a = 1 - 2/pi the expectation over x ~ N(gap, variance) has a closed form. The error is 13% at a gap of 2.

    >>> rough_information(np.array([0.0, 2.0]), np.array([0.0, 0.0])).round(3).tolist()
    [0.637, 0.149]
    """
    widened = 1.0 + 2.0 * FALL * variance
    return np.asarray(2.0 / np.pi * np.exp(-FALL * gap**2 / widened) / np.sqrt(widened))


def _after_open_tasks(covariance: Matrix, pending: Codes) -> Matrix:
    """The covariance when every open task has added its expected information about the items it shows."""
    for item in np.flatnonzero(pending):
        column = covariance[:, item]
        added = OPEN_INFORMATION * float(pending[item])
        covariance = covariance - added / (1.0 + added * column[item]) * np.outer(column, column)
    return covariance


@dataclass(frozen=True, eq=False)
class _PairScores:
    """Scores of pairs from single variances: each item takes the best of a few random partners."""

    units: Units
    position: Vector
    variance: Vector
    weights: Vector
    met: frozenset[tuple[int, int]]

    def groups(self, size: int, tasks: int, rng: np.random.Generator) -> Codes:
        """Groups led by the units with the fewest answers, no unit in more than two of them."""
        rows: list[list[int]] = []
        for _ in range(MOST_PER_ROUND):
            self._add_disjoint(rows, size, tasks, rng)
        return np.array(rows, dtype=np.int64).reshape(-1, size)

    def _add_disjoint(self, rows: list[list[int]], size: int, tasks: int, rng: np.random.Generator) -> None:
        """Add groups without common units, until there are so many tasks or no unit is free."""
        heads, start = self._heads(rng), 0
        free = self.units.open.tolist()
        while start < len(heads) and len(rows) < tasks:
            block = heads[start : start + LEAST_DRAWN + 2 * (tasks - len(rows))]
            start += len(block)
            candidates = self._candidates(block, (size - 1) * PARTNERS, rng).tolist()
            for head, row in zip(block.tolist(), candidates, strict=True):
                if (
                    len(rows) < tasks
                    and free[head]
                    and len(group := self._group(head, row, size, free)) == size
                ):
                    rows.append(group)
                    for item in group:
                        free[item] = False

    def bridges(self, size: int, tasks: int, rng: np.random.Generator) -> Codes:
        """Groups that link the smaller parts of each segment to the others."""
        heads = self.units.bridgeheads(rng.permutation(np.flatnonzero(self.units.open)))
        part = self.units.part
        rows: list[list[int]] = []
        if part is None or not len(heads):
            return np.empty((0, size), dtype=np.int64)
        candidates, free = self._candidates(heads, BRIDGE_PARTNERS * size, rng), self.units.open.tolist()
        for head, row in zip(heads.tolist(), candidates, strict=True):
            others = row[part[row] != part[head]].tolist()
            if len(rows) < tasks and len(group := self._group(head, others, size, free)) > 1:
                rows.append(group + [NOBODY] * (size - len(group)))
        return np.array(rows, dtype=np.int64).reshape(-1, size)

    def _heads(self, rng: np.random.Generator) -> Codes:
        """Open units, those with the fewest answers first, at random among equals."""
        shown = rng.permutation(np.flatnonzero(self.units.open))
        return np.asarray(shown[np.argsort(self.units.expected[shown], kind="stable")])

    def _candidates(self, heads: Codes, count: int, rng: np.random.Generator) -> Codes:
        """Random units of each head's segment, the most informative first."""
        segment = self.units.segment
        shown = np.flatnonzero(self.units.open)
        shown = shown[np.argsort(segment[shown], kind="stable")]
        start = np.searchsorted(segment[shown], segment[heads], "left")
        stop = np.searchsorted(segment[shown], segment[heads], "right")
        drawn = start[:, None] + (rng.random((len(heads), count)) * (stop - start)[:, None]).astype(np.int64)
        candidates = shown[drawn]
        gap = self.position[heads][:, None] - self.position[candidates]
        variance = self.variance[heads][:, None] + self.variance[candidates]
        score = rough_information(gap, variance) * variance * self.weights[candidates]
        return np.take_along_axis(candidates, np.argsort(-score, axis=1), 1)

    def _group(self, head: int, candidates: list[int], size: int, free: Sequence[bool]) -> list[int]:
        """The head and the best of its candidates that are free and that the rater has not met with a member."""
        group = [head]
        for item in candidates:
            if len(group) == size:
                break
            met = self.met and any((min(item, other), max(item, other)) in self.met for other in group)
            if free[item] and item not in group and not met:
                group.append(item)
        return group


@dataclass(frozen=True, eq=False)
class _FullScores(_PairScores):
    """Scores of all pairs from the full covariance."""

    covariance: Matrix
    systems: Codes | None = None  # system of each unit, where the aim is the mean of each system

    def groups(self, size: int, tasks: int, rng: np.random.Generator) -> Codes:
        """The best groups, no unit in more than three of them while others are open.

        They are chosen a few at a time. Before the next ones, the covariance is that after their expected information,
        because groups that are informative for the same reason would repeat each other.
        """
        scores, rows = self, list[list[int]]()
        uses = self.units.pending - int(self.units.pending[self.units.open].min(initial=0))
        shown = max(int(self.units.open.sum()), 1)
        at_once = -(-shown // max(STEPPED_ITEMS // shown, 1))
        while len(rows) < tasks:
            added = scores._best(size, min(at_once, tasks - len(rows)), uses, rng)
            if not added:
                break
            rows += added
            scores = scores._after(added)
        return np.array(rows, dtype=np.int64).reshape(-1, size)

    def _best(self, size: int, tasks: int, uses: Codes, rng: np.random.Generator) -> list[list[int]]:
        """The groups with the highest scores; `uses` counts the tasks of each unit and is kept up to date."""
        scores = self._all_scores()
        first, second = np.triu_indices(len(scores), 1)
        free = uses < MOST_WITH_COVARIANCE
        usable = (scores[first, second] > 0.0) & free[first] & free[second]
        first, second = first[usable], second[usable]
        best = np.argsort(-scores[first, second] * (1.0 + 1e-3 * rng.random(len(first))))
        rows: list[list[int]] = []
        for pair in np.stack([first[best], second[best]], axis=1).tolist():
            if len(rows) == tasks:
                break
            if max(uses[pair[0]], uses[pair[1]]) >= MOST_WITH_COVARIANCE:
                continue
            group = self._extended(pair, scores, size, uses)
            if len(group) < min(size, int(self.units.open.sum())):
                continue
            uses[group] += 1
            rows.append(group + [NOBODY] * (size - len(group)))
        return rows

    def _after(self, groups: Sequence[Sequence[int]]) -> _FullScores:
        """The scores after the expected information of these groups, from their neighbouring members."""
        covariance = self.covariance.copy()
        for group in groups:
            shown = [item for item in group if item != NOBODY]
            for one, other in pairwise(shown):
                along = covariance[:, one] - covariance[:, other]
                variance = max(float(along[one] - along[other]), 1e-12)
                gap = self.position[one] - self.position[other]
                reduction = float(expected_reduction(np.array(gap), np.array(variance)))
                covariance -= reduction * np.outer(along, along)
        return replace(self, covariance=covariance, variance=np.diag(covariance).copy())

    def _all_scores(self) -> Matrix:
        """A^(1-p) I^p for each pair; 0 for pairs that may not be shown."""
        covariance, variance = self.covariance, self.variance
        gap = self.position[:, None] - self.position
        spread = np.maximum(variance[:, None] + variance - 2.0 * covariance, 1e-12)
        squares = self._squares()
        own = np.diag(squares)
        drop = expected_reduction(gap, spread) * (own[:, None] + own - 2.0 * squares)
        usable = self.units.open[:, None] & self.units.open
        usable &= self.units.segment[:, None] == self.units.segment
        drop = np.where(usable, drop, 0.0)
        np.fill_diagonal(drop, 0.0)
        for one, other in self.met:
            drop[one, other] = drop[other, one] = 0.0
        power = min(MOST_POWER, ORDERED_ITEMS / len(drop))
        return np.asarray(drop ** (1.0 - power) * mutual_information(gap, spread) ** power)

    def _squares(self) -> Matrix:
        """S D S, with D the weights of the aim on its diagonal, or the averages over systems."""
        if self.systems is None:
            return np.asarray(self.covariance @ (self.weights[:, None] * self.covariance))
        means = np.zeros((int(self.systems.max()) + 1, len(self.systems)))
        means[self.systems, np.arange(len(self.systems))] = np.sqrt(self.weights)
        averaged = means @ self.covariance
        return np.asarray(averaged.T @ averaged)

    def _extended(self, pair: list[int], scores: Matrix, size: int, uses: Codes) -> list[int]:
        """The pair with the items whose comparisons with all members carry most information."""
        group = list(pair)
        while len(group) < size:
            among = scores[group]
            gain = np.where((among > 0.0).all(axis=0) & (uses < MOST_WITH_COVARIANCE), among.sum(axis=0), 0.0)
            best = int(np.argmax(gain))
            if gain[best] <= 0.0:
                break
            group.append(best)
        return group
