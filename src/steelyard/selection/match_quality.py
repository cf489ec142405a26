"""Match quality: how similar the positions of two items are, and so how informative their comparison is.

References: Sakaguchi & Van Durme (2018), Eqns 11 and 23 and Algorithm 1; Herbrich, Minka & Graepel (2006).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from steelyard.errors import BadSetting
from steelyard.maths.arrays import Codes, Mask, Vector
from steelyard.maths.sampling import largest, shuffled_order
from steelyard.scales.belief import Belief
from steelyard.selection.pairing import has_partner, unmet
from steelyard.selection.partners import NOBODY, MatchBelief, fill
from steelyard.selection.pool import Choice, Pool, Traits
from steelyard.selection.units import Units

GAMMA = 0.1  # "skill chain" of the paper's experiments
EVEN_WIN = 2.0 / np.pi  # w of Eqn 9 for a win between equals, epsilon = 0


def match_quality(
    position: float, variance: float, positions: Vector, variances: Vector, gamma: float = GAMMA
) -> Vector:
    """Return the match quality of one item with others.

    sqrt(2 gamma^2 / c^2) exp(-(M_i - M_j)^2 / (2 c^2)) with c^2 = 2 gamma^2 + V_i + V_j [Eqns 11, 23].

    Parameters
    ----------
    position
        Position M_i of the item.
    variance
        Variance V_i of the item.
    positions
        Positions M_j of the others.
    variances
        Variances V_j of the others.
    gamma
        Width, in units of the scale.

    Returns
    -------
    Vector
        Match quality with each of the others, between 0 and 1.
    """
    total = 2.0 * gamma**2 + variance + variances
    return np.sqrt(2.0 * gamma**2 / total) * np.exp(-((position - positions) ** 2) / (2.0 * total))


@dataclass(frozen=True, slots=True)
class MatchQuality:
    """Pairs or groups: every item once, then items that link separate parts, then the most uncertain items.

    Partners of an item are drawn in proportion to their match quality with it.

    Parameters
    ----------
    size
        Number of items in a task. Default 2.
    least
        Smallest number of items in a task. Default 2.
    gamma
        Width of the match quality, in units of the scale. Default 0.1, as in the paper's experiments.
    """

    name: ClassVar[str] = "match_quality"
    traits: ClassVar[Traits] = Traits(
        learns=True,
        needs=frozenset({"skills"}),
        default_models={"comparison": "trueskill"},
        more_accurate="balanced",
        method="Tasks contained the most uncertain items, each with items of similar strength (Herbrich et al., 2006).",
        references=(
            "Herbrich, R., Minka, T., & Graepel, T. (2006). TrueSkill: A Bayesian skill rating system. NIPS 19.",
        ),
    )
    size: int = 2
    least: int = 2
    gamma: float = GAMMA

    def round_size(self, pool: Pool) -> int:
        """Return k = N / n, rounded up and capped so that N - k >= n - 1 (units: items, or systems)."""
        units = len(Units.of(pool).open)
        return max(min(-(-units // self.size), units - (self.size - 1)), 1)

    def choose(self, pool: Pool, belief: Belief | None, tasks: int, rng: np.random.Generator) -> list[Choice]:
        """Choose tasks in which no item is head twice; each phase counts earlier tasks as pending answers."""
        if belief is None:
            raise BadSetting(
                "selection", "'match_quality' needs a model that learns online. Set model = \"trueskill\"."
            )
        tasks = min(tasks, -(-pool.remaining // self.size))
        choices: list[Choice] = []
        led = np.zeros(len(belief.position), dtype=bool)
        while len(choices) < tasks:
            units = Units.of(pool, choices)
            groups = self._groups(_Phase(units, belief, led, self.gamma), tasks - len(choices), rng)
            if not len(groups):
                break
            led[groups[:, 0]] = True
            choices += units.tasks(groups, self.least, rng)
        return choices

    def _groups(self, phase: _Phase, tasks: int, rng: np.random.Generator) -> Codes:
        """Return groups of the first phase that has any."""
        uncovered = np.flatnonzero(phase.may_lead & (phase.units.expected == 0))
        if len(uncovered):
            return phase.filled(self._covering(phase, uncovered, tasks, rng), rng)
        variance = self._anticipated(phase)
        bridges = phase.bridgeheads(variance, rng)[:tasks]
        if len(bridges):
            return phase.filled(self._led_by(bridges), rng, linking=True)
        most = int(phase.units.open.sum()) - (self.size - 1)
        count = min(tasks, max(most, 1), int(phase.may_lead.sum()))
        heads = largest(np.where(phase.may_lead, variance, -1.0), count, rng)
        return phase.filled(self._led_by(heads), rng)

    def _covering(self, phase: _Phase, uncovered: Codes, tasks: int, rng: np.random.Generator) -> Codes:
        """Return disjoint groups of unjudged units; the last of a segment may have empty places."""
        order = rng.permutation(uncovered)
        segment = phase.units.segment[order]
        order = order[np.argsort(segment, kind="stable")]
        segment = np.sort(segment)
        place = np.arange(len(order)) - np.searchsorted(segment, segment)
        row = np.cumsum(place % self.size == 0) - 1
        groups = np.full((int(row[-1]) + 1, self.size), NOBODY)
        groups[row, place % self.size] = order
        groups = rng.permutation(groups)[:tasks]
        if not phase.met:
            return groups
        return np.stack([self._row(unmet(group[group >= 0], self.size, phase.met)) for group in groups])

    def _led_by(self, heads: Codes) -> Codes:
        groups = np.full((len(heads), self.size), NOBODY)
        groups[:, 0] = heads
        return groups

    def _row(self, members: Codes) -> Codes:
        return np.append(members, np.full(self.size - len(members), NOBODY))

    def _anticipated(self, phase: _Phase) -> Vector:
        """Return the variances after the pending comparisons, each taken as a win between equals.

        V (1 - w V / c^2) for each [Eqn 7], with c^2 = 2 gamma^2 + 2 V and w = 2 / pi.
        """
        variance = phase.belief.variance
        drop = EVEN_WIN * variance / (2.0 * self.gamma**2 + 2.0 * variance)
        return np.asarray(variance * (1.0 - drop) ** (phase.units.pending * (self.size - 1)))


@dataclass(frozen=True, eq=False)
class _Phase:
    """The units, the belief about them, and the units that were already head of a task."""

    units: Units
    belief: Belief
    led: Mask
    gamma: float

    @cached_property
    def met(self) -> frozenset[tuple[int, int]]:
        """Pairs of units that must not be shown together; systems may, in another segment."""
        return frozenset() if self.units.pool.by_system else frozenset(self.units.pool.met)

    @cached_property
    def may_lead(self) -> Mask:
        """Units that can be head: open, not head yet, and with another unit to be shown with."""
        return has_partner(self.units.open, self.units.segment, self.met) & ~self.led

    def bridgeheads(self, variance: Vector, rng: np.random.Generator) -> Codes:
        """Return the most uncertain unit of each part of a segment except its largest, by variance."""
        if not self.units.has_parts:  # before anything is drawn, so that seeds give the same tasks as ever
            return np.empty(0, dtype=np.int64)
        order = shuffled_order(variance, rng)
        return self.units.bridgeheads(order[self.may_lead[order]])

    def filled(self, groups: Codes, rng: np.random.Generator, linking: bool = False) -> Codes:
        """Return the groups with partners from the heads' segments; with `linking`, from other parts first."""
        belief = MatchBelief(self.belief.position, self.belief.variance, self.gamma, self.met)
        is_head = np.zeros(len(self.led), dtype=bool)
        is_head[groups[:, 0]] = True
        groups = groups.copy()
        wanting = np.flatnonzero((groups == NOBODY).any(axis=1))
        for rows, near in self._by_segment(groups[:, 0], wanting):
            others = near[~is_head[near]]
            candidates = others if len(others) >= groups.shape[1] - 1 and not linking else near
            if linking:
                groups[rows] = fill(replace(belief, part=self.units.part), groups[rows], candidates, rng)
            groups[rows] = fill(belief, groups[rows], candidates, rng)
        return groups

    def _by_segment(self, heads: Codes, rows: Codes) -> list[tuple[Codes, Codes]]:
        """Return rows by the segment of their head, with the open units of that segment."""
        segment = self.units.segment
        near = np.flatnonzero(self.units.open)
        near = near[np.argsort(segment[near], kind="stable")]
        rows = rows[np.argsort(segment[heads[rows]], kind="stable")]
        wanted = np.unique(segment[heads[rows]])
        cuts = zip(_slices(segment[heads[rows]], wanted), _slices(segment[near], wanted), strict=True)
        return [(rows[cut], near[other]) for cut, other in cuts]


def _slices(ordered: Codes, codes: Codes) -> list[slice]:
    """Return the place of each code among ordered codes."""
    ends = (np.searchsorted(ordered, codes, "left"), np.searchsorted(ordered, codes, "right"))
    return [slice(int(start), int(stop)) for start, stop in zip(*ends, strict=True)]
