"""Pairs by information: the comparisons that are expected to reduce the uncertainty of the aim most.

Their scores are in `pair_scores`, and the choice of groups by these scores is in `pair_groups`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np

from steelyard.errors import BadSetting
from steelyard.maths.arrays import Codes, Matrix, Vector, sum_by
from steelyard.scales.belief import Belief
from steelyard.selection.balanced import Balanced
from steelyard.selection.information import Aim, boundary_weights, density
from steelyard.selection.pair_groups import MOST_PER_ROUND, PairGroups
from steelyard.selection.pair_scores import (
    IndependentScores,
    JointScores,
    mixed_goal,
    rank_goal,
    system_goal,
    weighted_goal,
)
from steelyard.selection.pool import Choice, Pool, Traits
from steelyard.selection.units import Units

FIRST_ANSWERS = 4  # of each item, from balanced pairs, which also show the width of the scale
OPEN_INFORMATION = 0.5  # of an open task about an item, at a gap of 0 with variance 0.3


@runtime_checkable
class ComparisonBelief(Belief, Protocol):
    """A belief with positions in units of the comparison noise."""

    @property
    def covariance(self) -> Matrix | None:
        """Covariance of all items; None where there are too many."""


@dataclass(frozen=True, slots=True)
class PairInformation:
    """Tasks of `size` items whose comparisons carry most information about the aim.

    Every item is first shown four times in balanced pairs. Then parts that no comparison links are linked. After that
    the most informative tasks are chosen.

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
    first
        Answers that each item first gets in balanced tasks. Default 4. Studies that also ask for ratings, which show
        the width of the scale, use 1.
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
    first: int = FIRST_ANSWERS

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
        for choose in (self._bridges, self._best):
            if len(choices) == tasks:
                break
            units = Units.of(pool, choices)
            choices += units.tasks(choose(units, belief, tasks - len(choices), rng), self.least, rng)
        return choices

    def _first(self, pool: Pool, tasks: int, rng: np.random.Generator) -> list[Choice]:
        """Balanced tasks while some item has fewer than the first answers."""
        missing = int(np.maximum(self.first - pool.expected[pool.allowed], 0).sum())
        tasks = min(-(-missing // self.size), tasks)
        balanced = Balanced(size=self.size, least=self.least)
        return balanced.choose(replace(pool, wanted=self.first), None, tasks, rng) if tasks else []

    def _bridges(self, units: Units, belief: ComparisonBelief, tasks: int, rng: np.random.Generator) -> Codes:
        """Groups that link parts."""
        return self._groups(units).bridges(self._single(units, belief), tasks, rng)

    def _best(self, units: Units, belief: ComparisonBelief, tasks: int, rng: np.random.Generator) -> Codes:
        """The most informative groups."""
        groups = self._groups(units)
        if belief.covariance is None:
            return groups.disjoint(self._single(units, belief), tasks, rng)
        covariance = _after_open_tasks(belief.covariance, units.pending)
        return groups.best(self._joint(units, belief, covariance), tasks, rng)

    def _groups(self, units: Units) -> PairGroups:
        met = frozenset() if units.pool.by_system else frozenset(units.pool.met)
        return PairGroups(units, self.size, met)

    def _single(self, units: Units, belief: ComparisonBelief) -> IndependentScores:
        variance = belief.variance / (1.0 + OPEN_INFORMATION * units.pending * belief.variance)
        return IndependentScores(belief.position, variance, self._weights(units, belief))

    def _joint(self, units: Units, belief: ComparisonBelief, covariance: Matrix) -> JointScores:
        segment = units.segment
        comparable = (segment[:, None] == segment) & ~np.eye(len(segment), dtype=bool)
        usable = comparable & units.open[:, None] & units.open
        for one, other in () if units.pool.by_system else units.pool.met:
            usable[one, other] = usable[other, one] = False
        goals: list[Matrix] = []
        if self._averages(units):
            goals.append(system_goal(units.pool.system))
        elif self.aim != "ranking":
            goals.append(weighted_goal(self._weights(units, belief)))
        if self.aim in ("positions", "ranking"):
            goals.append(rank_goal(belief.position, covariance, comparable))
        return JointScores.towards(mixed_goal(goals, covariance), belief.position, covariance, usable)

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


def _after_open_tasks(covariance: Matrix, pending: Codes) -> Matrix:
    """The covariance when every open task has added its expected information about the items it shows."""
    for item in np.flatnonzero(pending):
        column = covariance[:, item]
        added = OPEN_INFORMATION * float(pending[item])
        covariance = covariance - added / (1.0 + added * column[item]) * np.outer(column, column)
    return covariance
