"""Choice by information: every item once, then the answers that lower the posterior variance most.

One more answer with variance s² takes an item's variance from v to v s² / (v + s²), a drop of v² / (v + s²).
Picks are made one at a time, each counting those before it and all open leases as answers to come.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, runtime_checkable

import numpy as np

from steelyard.errors import BadSetting
from steelyard.maths.arrays import Codes, Mask, Vector, sum_by
from steelyard.scales.belief import Belief
from steelyard.selection.pool import Choice, Pool, Traits, distinct_systems, shuffled

Aim = Literal["positions", "ranking", "top_k", "systems"]
AIMS: tuple[Aim, ...] = ("positions", "ranking", "top_k", "systems")
# How many answers an item may be ahead of the one with fewest. Variances come from a model of the raters; on real
# ratings a choice that trusts them without bounds leaves some items with one answer, and did worse than balance.
LEADS: dict[Aim, int] = {"positions": 1, "ranking": 2, "top_k": 8, "systems": 2}
TIE_BREAK = 1e-3  # relative size of the noise that breaks ties
LEAST_DEVIATION = 1e-3  # of a position, on the unit scale, where densities are taken
DENSITY_POINTS = 201


@runtime_checkable
class AnswerBelief(Belief, Protocol):
    """A belief that knows how far one answer is from the truth."""

    @property
    def answer_variance(self) -> float:
        """Variance of one honest answer about the item's position, on the unit scale."""


@dataclass(frozen=True, slots=True)
class Information:
    """Lists of `size`: the items whose answers are most informative about the aim of the study."""

    name: ClassVar[str] = "information"
    traits: ClassVar[Traits] = Traits(
        learns=True,
        needs=frozenset({"answer_variance"}),
        default_models={"rating": "steelyard", "comparison": "thurstone"},
        stand_in="pair_information",
        audit_share=0.1,
        least_worth=0.25,
    )
    size: int = 1
    aim: Aim = "positions"
    top_k: int = 10

    def round_size(self, pool: Pool) -> int:
        """Enough tasks to show every item once."""
        return -(-len(pool) // self.size)

    def choose(self, pool: Pool, belief: Belief | None, tasks: int, rng: np.random.Generator) -> list[Choice]:
        """Tasks one after the other; none past what the study wants altogether."""
        if not isinstance(belief, AnswerBelief):
            raise BadSetting("selection", "'information' needs the rater model; set model = \"steelyard\".")
        state = _InformationState(pool, belief, self._weights(pool, belief), LEADS[self.aim])
        choices: list[Choice] = []
        for _ in range(min(tasks, -(-pool.remaining // self.size))):
            items = self._next(state, rng)
            if not len(items):
                break
            state = state.asked(items)
            choices.append(Choice(shuffled(items, rng)))
        return choices

    def _next(self, state: _InformationState, rng: np.random.Generator) -> Codes:
        """The item with the largest gain, and those of its segment with the largest gains after it."""
        pool = state.pool
        gain = state.gain() * (1.0 + TIE_BREAK * rng.random(len(pool)))
        gain = np.where(state.open, gain, -1.0)
        if not state.open.any():
            return np.empty(0, dtype=np.int64)
        head = int(np.argmax(gain))
        near = np.flatnonzero(state.open & (pool.segment == pool.segment[head]))
        near = near[near != head]
        order = near[np.argsort(-gain[near])]
        list_order = np.concatenate([[head], _bridging(head, order, pool.linked)]).astype(np.int64)
        if pool.by_system:
            list_order = distinct_systems(list_order, pool.system)
        return list_order[: self.size]

    def _weights(self, pool: Pool, belief: AnswerBelief) -> Vector:
        """How much each item's variance matters to the aim."""
        if self.aim == "systems" or pool.by_system:
            outputs = sum_by(pool.system, np.ones(len(pool)))
            return 1.0 / outputs[pool.system] ** 2
        if self.aim == "ranking":
            return density(belief.position, belief.variance)
        if self.aim == "top_k":
            return boundary_weights(belief.position, belief.variance, self.top_k)
        return np.ones(len(pool))


@dataclass(frozen=True, eq=False)
class _InformationState:
    """What has been asked so far, and what the variances would be then."""

    pool: Pool
    belief: AnswerBelief
    weights: Vector
    lead: int
    extra: Codes | None = None

    @property
    def to_come(self) -> Codes:
        return self.pool.pending if self.extra is None else self.pool.pending + self.extra

    @property
    def open(self) -> Mask:
        """Items that may be shown: while any has no answer, had or to come, only those; then none too far ahead."""
        allowed = self.pool.allowed
        if not allowed.any():
            return allowed
        expected = self.pool.answers + self.to_come
        fewest = int(expected[allowed].min())
        return allowed & (expected <= (fewest + self.lead if fewest else 0))

    def gain(self) -> Vector:
        """Weighted drop of variance that one more answer brings."""
        noise = self.belief.answer_variance
        variance = self._variance()
        after = variance * noise / (noise + self.to_come * variance)
        return self.weights * after**2 / (after + noise)

    def _variance(self) -> Vector:
        if not self.pool.by_system:
            return self.belief.variance
        return self.belief.variance[self.pool.system]

    def asked(self, items: Codes) -> _InformationState:
        extra = np.zeros(len(self.pool), dtype=np.int64) if self.extra is None else self.extra.copy()
        extra[items] += 1
        return _InformationState(self.pool, self.belief, self.weights, self.lead, extra)


def _bridging(head: int, order: Codes, linked: Codes | None) -> Codes:
    """The order, but led by an item that no rater has linked to the head yet, where there is one.

    Raters' biases and positions can only be distinguished inside a linked part of the items.
    """
    if linked is None:
        return order
    apart = order[linked[order] != linked[head]]
    if not len(apart):
        return order
    return np.concatenate([apart[:1], order[order != apart[0]]])


def density(position: Vector, variance: Vector) -> Vector:
    """How many items are near each: where there are many, a small error exchanges ranks.

    A mixture of the items' own Gaussians on a grid, read off at each position; mean 1.
    """
    grid = np.linspace(0.0, 1.0, DENSITY_POINTS)
    width = max(float(np.sqrt(np.mean(variance))), LEAST_DEVIATION)
    counts, edges = np.histogram(np.clip(position, 0.0, 1.0), bins=DENSITY_POINTS - 1, range=(0.0, 1.0))
    centres = (edges[1:] + edges[:-1]) / 2.0
    height = np.exp(-0.5 * ((grid[:, None] - centres) / width) ** 2) @ counts
    return _mean_one(np.interp(np.clip(position, 0.0, 1.0), grid, height))


def boundary_weights(position: Vector, variance: Vector, top_k: int) -> Vector:
    """How likely each item is to be at the boundary of the top k; mean 1."""
    if not 0 < top_k < len(position):
        return np.ones(len(position))
    ordered = np.sort(position)[::-1]
    boundary = (ordered[top_k - 1] + ordered[top_k]) / 2.0
    deviation = np.maximum(np.sqrt(variance), LEAST_DEVIATION)
    return _mean_one(np.exp(-0.5 * ((position - boundary) / deviation) ** 2) / deviation)


def _mean_one(weights: Vector) -> Vector:
    return np.asarray(weights / max(float(weights.mean()), 1e-300))
