"""Selection by information: every item once, then the items whose answers reduce the posterior variance most.

One more answer with variance s² reduces the variance of an item from v to v s² / (v + s²), a reduction of v² / (v +
s²). Items are chosen one at a time; each choice counts the choices before it and all open assignments as pending
answers.
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
# Largest number of answers by which an item may be ahead of the item with the fewest. Without this limit, errors in the
# estimated variances leave some items of real studies with one answer, and the scale is worse than a balanced one.
LEADS: dict[Aim, int] = {"positions": 1, "ranking": 2, "top_k": 8, "systems": 2}
TIE_BREAK = 1e-3  # relative size of the noise that breaks ties
LEAST_DEVIATION = 1e-3  # smallest standard deviation, on the unit scale, for densities
DENSITY_POINTS = 201


@runtime_checkable
class AnswerBelief(Belief, Protocol):
    """A belief that estimates the variance of an answer."""

    @property
    def answer_variance(self) -> float:
        """Variance of one honest answer around the position of the item, on the unit scale."""


@dataclass(frozen=True, slots=True)
class Information:
    """Lists of the items whose answers carry the most information for the aim of the study.

    Parameters
    ----------
    size
        Number of items in a list. Default 1.
    aim
        Purpose of the scale. "positions" (default) treats all items equally. "ranking" prefers items with close
        neighbours, "top_k" prefers items near the boundary of the top k, and "systems" aims at the means of systems.
    top_k
        Number of top items for the aim "top_k". Default 10.
    """

    name: ClassVar[str] = "information"
    traits: ClassVar[Traits] = Traits(
        learns=True,
        method="Tasks were chosen to carry the most information about the positions.",
        needs=frozenset({"answer_variance"}),
        default_models={"rating": "steelyard", "comparison": "thurstone"},
        stand_in="pair_information",
        audit_share=0.1,
        least_worth=0.25,
        across_kinds=True,
    )
    size: int = 1
    aim: Aim = "positions"
    top_k: int = 10

    def round_size(self, pool: Pool) -> int:
        """Return the number of tasks that show every item once."""
        return -(-len(pool) // self.size)

    def choose(self, pool: Pool, belief: Belief | None, tasks: int, rng: np.random.Generator) -> list[Choice]:
        """Choose tasks in turn, up to the number of answers that the study wants."""
        if not isinstance(belief, AnswerBelief):
            raise BadSetting("selection", "'information' needs the rater model. Set model = \"steelyard\".")
        weights = aim_weights(self.aim, self.top_k, pool, belief)
        state = _InformationState(pool, belief, weights, LEADS[self.aim])
        choices: list[Choice] = []
        for _ in range(min(tasks, -(-pool.remaining // self.size))):
            items = self._next(state, rng)
            if not len(items):
                break
            state = state.asked(items)
            choices.append(Choice(shuffled(items, rng)))
        return choices

    def _next(self, state: _InformationState, rng: np.random.Generator) -> Codes:
        """Return the item with the largest gain, and the items of its segment with the next largest gains."""
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


@dataclass(frozen=True, eq=False)
class _InformationState:
    """The answers asked for so far, and the variances that would result."""

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
        """Items that may be shown.

        While an item has no answer, given or pending, only such items. Then items that are not too far ahead.
        """
        allowed = self.pool.allowed
        if not allowed.any():
            return allowed
        expected = self.pool.answers + self.to_come
        fewest = int(expected[allowed].min())
        return allowed & (expected <= (fewest + self.lead if fewest else 0))

    def gain(self) -> Vector:
        """Return the weighted reduction of variance by one more answer."""
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
    """Return the order, with an item that is not yet linked to the head first, if there is one.

    Biases of raters and positions can only be distinguished inside a linked part of the items.
    """
    if linked is None:
        return order
    apart = order[linked[order] != linked[head]]
    if not len(apart):
        return order
    return np.concatenate([apart[:1], order[order != apart[0]]])


def aim_weights(aim: Aim, top_k: int, pool: Pool, belief: Belief) -> Vector:
    """Return the weight of the variance of each item for an aim.

    Parameters
    ----------
    aim
        Purpose of the scale.
    top_k
        Number of top items for the aim "top_k".
    pool
        The items.
    belief
        Their positions and variances.

    Returns
    -------
    Vector
        One weight per item.
    """
    if aim == "systems" or pool.by_system:
        outputs = sum_by(pool.system, np.ones(len(pool)))
        return np.asarray(1.0 / outputs[pool.system] ** 2)
    if aim == "ranking":
        return density(belief.position, belief.variance)
    if aim == "top_k":
        return boundary_weights(belief.position, belief.variance, top_k)
    return np.ones(len(pool))


def density(position: Vector, variance: Vector) -> Vector:
    """Return the density of items around each item, with mean 1; where it is high, small errors change ranks.

    The density is a mixture of Gaussians on a grid, evaluated at each position.
    """
    grid = np.linspace(0.0, 1.0, DENSITY_POINTS)
    width = max(float(np.sqrt(np.mean(variance))), LEAST_DEVIATION)
    counts, edges = np.histogram(np.clip(position, 0.0, 1.0), bins=DENSITY_POINTS - 1, range=(0.0, 1.0))
    centres = (edges[1:] + edges[:-1]) / 2.0
    height = np.exp(-0.5 * ((grid[:, None] - centres) / width) ** 2) @ counts
    return _mean_one(np.interp(np.clip(position, 0.0, 1.0), grid, height))


def boundary_weights(position: Vector, variance: Vector, top_k: int) -> Vector:
    """Return how likely each item is to be at the boundary of the top k, with mean 1.

    Parameters
    ----------
    position
        Positions on the unit scale.
    variance
        Variances of the positions.
    top_k
        Number of top items.

    Returns
    -------
    Vector
        One weight per item.
    """
    if not 0 < top_k < len(position):
        return np.ones(len(position))
    ordered = np.sort(position)[::-1]
    boundary = (ordered[top_k - 1] + ordered[top_k]) / 2.0
    deviation = np.maximum(np.sqrt(variance), LEAST_DEVIATION)
    return _mean_one(np.exp(-0.5 * ((position - boundary) / deviation) ** 2) / deviation)


def _mean_one(weights: Vector) -> Vector:
    return np.asarray(weights / max(float(weights.mean()), 1e-300))
