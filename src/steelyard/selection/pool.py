"""What every selection has in common: the pool it chooses from, the choices it returns, and the traits it declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import ClassVar, Protocol

import numpy as np

from steelyard.maths.arrays import Codes, Mask
from steelyard.scales.belief import Belief, BeliefFeature


@dataclass(frozen=True, eq=False)
class Pool:
    """Items by index, with the answers each has had or is about to get (open leases are answers to come).

    `segment` and `system` hold a code per item; lists stay inside one segment. With `by_system` the belief
    is about systems, and a list never shows two outputs of one system. A pair of items is (a, b) with a < b.
    """

    answers: Codes
    pending: Codes
    wanted: int | Codes  # answers that each item should get, the same for all or one number an item
    segment: Codes
    system: Codes
    allowed: Mask
    by_system: bool = False
    linked: Codes | None = None  # items that answers, had or to come, link directly or by way of others
    met: Set[tuple[int, int]] = frozenset()  # pairs that this rater has been shown together
    paired: Mapping[tuple[int, int], int] = field(default_factory=dict)  # answers had and to come, by pair
    groups: tuple[Codes, ...] = ()  # groups all of whose pairs are asked; without any, the segments

    def __len__(self) -> int:
        return len(self.answers)

    @property
    def expected(self) -> Codes:
        """Answers had and to come."""
        return self.answers + self.pending

    def asked(self, items: Sequence[int]) -> Pool:
        """The pool after these items, each of them once, were put into a task."""
        return replace(self, pending=self.pending + np.bincount(items, minlength=len(self)))

    @property
    def remaining(self) -> int:
        """Answers that the whole study still wants."""
        wanted = np.broadcast_to(self.wanted, len(self))
        return max(int(wanted.sum()) - int(self.expected.sum()), 0)


@dataclass(frozen=True, slots=True)
class Choice:
    """The items of one task in the order to show them, and the sequence that it belongs to, if any."""

    items: tuple[int, ...]
    sequence: int | None = None
    probe: bool = False  # repeats an item of its sequence


@dataclass(frozen=True, slots=True)
class Traits:
    """What a study has to know about a selection. It asks for these, and never for a selection by its name."""

    learns: bool = False  # chooses by a belief; then `redundancy` is what items get on average
    needs: frozenset[BeliefFeature] = (
        frozenset()
    )  # what the belief must state besides positions and variances
    default_models: Mapping[str, str] = field(default_factory=dict)  # by kind, of a study that names no model
    stand_in: str = ""  # the selection that chooses in its place where positions come from comparisons
    plans_sequences: bool = False  # plans everything at once, in sequences that each belong to one rater
    asks_every_pair: bool = False  # asks about every pair of a group, for protocols that need that
    takes_probes: bool = False  # can repeat an item of a sequence as a probe
    stops_raters_early: bool = True  # may give a rater no new tasks who carries too little information
    audit_share: float = 0.0  # default share of tasks that are chosen at random
    least_worth: float = 0.0  # default worth of an answer under which a rater is stopped early


class Selection(Protocol):
    """A way of choosing what to ask next."""

    name: ClassVar[str]
    traits: ClassVar[Traits]

    def choose(self, pool: Pool, belief: Belief | None, tasks: int, rng: np.random.Generator) -> list[Choice]:
        """Up to `tasks` tasks; fewer, or none, when nothing suitable is left."""

    def round_size(self, pool: Pool) -> int:
        """How many tasks make one round."""


def least(keys: Codes, among: Codes, size: int, rng: np.random.Generator) -> Codes:
    """The `size` members of `among` with the smallest keys, ties at random."""
    noisy = keys[among] + rng.random(len(among))
    if size >= len(among):
        return among[np.argsort(noisy)]
    nearest = np.argpartition(noisy, size)[:size]
    return among[nearest[np.argsort(noisy[nearest])]]


def shuffled(items: Codes, rng: np.random.Generator) -> tuple[int, ...]:
    """The items in random order, as plain integers."""
    return tuple(int(item) for item in rng.permutation(items))


def distinct_systems(items: Codes, system: Codes) -> Codes:
    """The items in order, each system once."""
    _, first = np.unique(system[items], return_index=True)
    return items[np.sort(first)]
