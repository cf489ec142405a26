"""The choice of the kind of the next question: the one that removes most variance per second of a rater's time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from steelyard.maths.arrays import Codes, Vector
from steelyard.scales.belief import Belief

FIRST_TASKS = 10  # answered tasks of each way of asking before their information is compared


@runtime_checkable
class BeliefOfKinds(Belief, Protocol):
    """A belief that predicts what answers of several kinds would add to it."""

    def in_kind(self, kind: str) -> Belief:
        """Return this belief in units of the noise of a kind that orders items."""

    def variance_removed(self, kind: str, items: Codes, pairs: Codes, weights: Vector, rater: str) -> float:
        """Return the weighted variance of positions that one answer about these items is expected to remove."""


@dataclass(frozen=True, slots=True)
class WayToAsk:
    """One way of asking, and the information of its next task.

    Attributes
    ----------
    share
        Planned share of the tasks.
    answered
        Number of answered tasks.
    seconds
        Time of a task.
    removed
        Variance that its next task is expected to remove; 0 if it has no task.
    """

    share: float
    answered: int
    seconds: float
    removed: float

    @property
    def per_second(self) -> float:
        """Variance removed per second."""
        return self.removed / self.seconds


def best_first(ways: Sequence[WayToAsk], explore: float) -> list[int]:
    """Return the indices of ways of asking, the one to ask next first.

    A way with share s of n answered tasks is first if it has less than  explore s n  of them, so that times and links
    of all kinds stay measured. Otherwise, the one that removes most variance per second is first.

    Parameters
    ----------
    ways
        The ways of asking.
    explore
        Part of each share that is always asked.

    Returns
    -------
    list of int
        Indices of all ways.

    Examples
    --------
    >>> lists, pairs = WayToAsk(0.5, 40, 60.0, 0.30), WayToAsk(0.5, 40, 10.0, 0.04)
    >>> best_first([lists, pairs], 0.1)  # .005 a second against .004
    [0, 1]
    >>> best_first([lists, WayToAsk(0.5, 40, 5.0, 0.04)], 0.1)
    [1, 0]
    >>> best_first([lists, WayToAsk(0.5, 1, 10.0, 0.04)], 0.1)  # too few pairs so far
    [1, 0]
    """
    total = sum(way.answered for way in ways)

    def rank(at: int) -> tuple[bool, float]:
        way = ways[at]
        return way.answered >= explore * way.share * (total + 1), -way.per_second

    return sorted(range(len(ways)), key=rank)


def is_measured(answered: Sequence[int]) -> bool:
    """Whether every way of asking has enough answered tasks for its information to be compared."""
    return min(answered) >= FIRST_TASKS
