"""Which items can be shown together in a task, and how many judgments each item should receive."""

from __future__ import annotations

import numpy as np

from steelyard.maths.arrays import Codes
from steelyard.selection import all_pairs
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.items import Items


def groups_of(definition: StudyDefinition, items: Items) -> tuple[Codes, ...]:
    """Return the items of each group in which every pair is asked; empty for other protocols."""
    if not definition.choosing.traits.asks_every_pair:
        return ()
    return all_pairs.groups_of(items.segments, definition.asking.group_size, definition.seed)


def others_of(groups: tuple[Codes, ...], segments: Codes) -> Codes:
    """Return how many other items each item can be shown with: those in its groups, or in its segment."""
    if groups:
        return all_pairs.others_in(groups, len(segments))
    return np.asarray(np.bincount(segments)[segments] - 1)


def first_rounds(definition: StudyDefinition, items: int) -> Codes:
    """Return the round in which each item is asked first; the seed assigns items to rounds at random."""
    rounds = np.empty(items, dtype=np.int64)
    order = np.random.default_rng(definition.seed).permutation(items)
    rounds[order] = 1 + np.arange(items) * definition.grounding.rounds.number // max(items, 1)
    return rounds


def wanted_of(definition: StudyDefinition, others: Codes) -> Codes:
    """Return the number of judgments wanted for each item.

    This is the redundancy or, where every pair is asked, the redundancy times the number of other items. Items with
    too few others to fill a page get 0.
    """
    each = others if definition.choosing.traits.asks_every_pair else np.ones_like(others)
    return np.where(others + 1 < definition.asking.way.least, 0, definition.choosing.redundancy * each)
