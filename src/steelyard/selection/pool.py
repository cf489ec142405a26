"""The interface of selections: the pool of items, the chosen tasks, and the traits of a selection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import ClassVar, Protocol

import numpy as np

from steelyard.maths.arrays import Codes, Mask
from steelyard.scales.belief import Belief, BeliefFeature


@dataclass(frozen=True, eq=False)
class Pool:
    """The items to choose from, by index, with their answers.

    Parameters
    ----------
    answers
        Number of answers of each item.
    pending
        Number of pending answers of each item: open assignments and planned tasks.
    wanted
        Number of answers that each item should get, one for all items or one per item.
    segment
        Code of the segment of each item. A list stays inside one segment.
    system
        Code of the system of each item.
    allowed
        Items that may be shown to this rater.
    by_system
        Whether the belief is about systems. Then a list never shows two outputs of one system.
    linked
        Part of each item: items that answers, given or pending, link directly or through others share a number.
    met
        Pairs (a, b), a < b, that this rater has seen together.
    paired
        Number of answers, given and pending, by pair.
    groups
        Groups whose pairs are all asked. By default, the segments.
    """

    answers: Codes
    pending: Codes
    wanted: int | Codes
    segment: Codes
    system: Codes
    allowed: Mask
    by_system: bool = False
    linked: Codes | None = None
    met: Set[tuple[int, int]] = frozenset()
    paired: Mapping[tuple[int, int], int] = field(default_factory=dict)
    groups: tuple[Codes, ...] = ()

    def __len__(self) -> int:
        return len(self.answers)

    @property
    def expected(self) -> Codes:
        """Number of answers of each item, given and pending."""
        return self.answers + self.pending

    def asked(self, items: Sequence[int]) -> Pool:
        """Return the pool after these items, each once, were put into a task."""
        return replace(self, pending=self.pending + np.bincount(items, minlength=len(self)))

    def withdrawn(self, items: Sequence[int]) -> Pool:
        """Return the pool after a task with these items, each once, was withdrawn."""
        return replace(self, pending=self.pending - np.bincount(items, minlength=len(self)))

    @property
    def short(self) -> Pool:
        """The pool in which only items that still need answers may be shown."""
        return replace(self, allowed=self.allowed & (self.expected < self.wanted))

    @property
    def remaining(self) -> int:
        """Number of answers that the whole study still wants."""
        wanted = np.broadcast_to(self.wanted, len(self))
        return max(int(wanted.sum()) - int(self.expected.sum()), 0)


@dataclass(frozen=True, slots=True)
class Choice:
    """One chosen task.

    Attributes
    ----------
    items
        Indices of the items, in display order.
    sequence
        Number of the sequence that the task belongs to; None without sequences.
    probe
        Whether the task is a probe.
    """

    items: tuple[int, ...]
    sequence: int | None = None
    probe: bool = False


@dataclass(frozen=True, slots=True)
class Traits:
    """Properties of a selection that a study uses, so that it never depends on the name of a selection.

    Parameters
    ----------
    learns
        Whether it chooses by a belief. Then `redundancy` is the average number of answers per item.
    needs
        Features that the belief must have besides positions and variances.
    default_models
        Default model of a study, by kind of judgment.
    stand_in
        Selection used in its place if positions come from comparisons.
    plans_sequences
        Whether it plans everything at once, in sequences that each belong to one rater.
    asks_every_pair
        Whether it asks about every pair of a group, for protocols that need that.
    chooses_groups
        Whether it chooses groups of any size to compare, which also suits protocols that ask every pair by default.
    across_kinds
        Whether it can choose between kinds of judgment, with a belief that has the feature "kinds".
    takes_probes
        Whether it can repeat an item of a sequence as a probe.
    stops_raters_early
        Whether raters whose answers carry too little information may be stopped early.
    audit_share
        Default share of tasks that are chosen at random.
    least_worth
        Default information in an answer, relative to an average rater, below which a rater is stopped early.
    more_accurate
        Selection that recovers positions more accurately from as many answers; empty if none is known.
    method
        How tasks were chosen, as a sentence for the methods section of a paper.
    references
        References of this sentence.
    """

    learns: bool = False
    needs: frozenset[BeliefFeature] = frozenset()
    default_models: Mapping[str, str] = field(default_factory=dict)
    stand_in: str = ""
    plans_sequences: bool = False
    asks_every_pair: bool = False
    chooses_groups: bool = False
    across_kinds: bool = False
    takes_probes: bool = False
    stops_raters_early: bool = True
    audit_share: float = 0.0
    least_worth: float = 0.0
    more_accurate: str = ""
    method: str = ""
    references: tuple[str, ...] = ()


class Selection(Protocol):
    """A rule for the choice of the next tasks: a frozen dataclass whose fields are its settings.

    Register it with `steelyard.register_selection` or in the entry point group `steelyard.selections`.

    Attributes
    ----------
    name
        Name of the selection in study.toml.
    traits
        Properties that a study uses.
    """

    name: ClassVar[str]
    traits: ClassVar[Traits]

    def choose(self, pool: Pool, belief: Belief | None, tasks: int, rng: np.random.Generator) -> list[Choice]:
        """Choose the next tasks.

        Parameters
        ----------
        pool
            Items to choose from, with their answers.
        belief
            Current belief of the model, or None if the study has no model that learns.
        tasks
            Largest number of tasks.
        rng
            Source of randomness.

        Returns
        -------
        list of Choice
            Up to `tasks` tasks. The list is shorter, or empty, if no suitable items are left.
        """

    def round_size(self, pool: Pool) -> int:
        """Return the number of tasks in one round."""


def least(keys: Codes, among: Codes, size: int, rng: np.random.Generator) -> Codes:
    """Return the members of `among` with the smallest keys, with random ties.

    Parameters
    ----------
    keys
        Integer key of each item.
    among
        Items to choose from.
    size
        Number of items to return.
    rng
        Source of randomness.

    Returns
    -------
    Codes
        The items, smallest key first.
    """
    noisy = keys[among] + rng.random(len(among))
    if size >= len(among):
        return among[np.argsort(noisy)]
    nearest = np.argpartition(noisy, size)[:size]
    return among[nearest[np.argsort(noisy[nearest])]]


def shuffled(items: Codes, rng: np.random.Generator) -> tuple[int, ...]:
    """Return the items in random order, as plain integers."""
    return tuple(int(item) for item in rng.permutation(items))


def distinct_systems(items: Codes, system: Codes) -> Codes:
    """Return the items in order, with each system once."""
    _, first = np.unique(system[items], return_index=True)
    return items[np.sort(first)]
