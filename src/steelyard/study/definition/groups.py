"""Which items can be shown together in a task, and how many judgments each item should receive."""

from __future__ import annotations

import numpy as np

from steelyard.maths.arrays import Codes, Mask
from steelyard.selection import all_pairs
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.items import Items


def groups_of(definition: StudyDefinition, items: Items) -> tuple[Codes, ...]:
    """Return the items of each group in which every pair is asked; empty for other protocols."""
    if not definition.choosing.traits.asks_every_pair:
        return ()
    asked = np.flatnonzero(items.asked)
    groups = all_pairs.groups_of(items.segments[asked], definition.asking.group_size, definition.seed)
    return tuple(asked[group] for group in groups)


def others_of(groups: tuple[Codes, ...], items: Items) -> Codes:
    """Return how many other items each item can be shown with: those in its groups, or asked in its segment."""
    if groups:
        return all_pairs.others_in(groups, len(items))
    in_segment = np.bincount(items.segments, weights=items.asked).astype(np.int64)
    return np.asarray(np.maximum(in_segment[items.segments] - 1, 0))


def first_rounds(definition: StudyDefinition, items: Items) -> Codes:
    """Return the round in which each item is asked first; the seed assigns items to rounds at random."""
    rounds = np.ones(len(items), dtype=np.int64)
    asked = np.flatnonzero(items.asked)
    order = asked[np.random.default_rng(definition.seed).permutation(len(asked))]
    rounds[order] = 1 + np.arange(len(asked)) * definition.grounding.rounds.number // max(len(asked), 1)
    return rounds


def wanted_of(definition: StudyDefinition, others: Codes, asked: Mask) -> Codes:
    """Return the number of judgments wanted for each item.

    This is the redundancy or, where every pair is asked, the redundancy times the number of other items. Items with
    too few others to fill a page get 0, and so do items that are not asked.

    Parameters
    ----------
    definition
        The study.
    others
        Number of other items that each item can be shown with.
    asked
        Whether each item is asked.

    Returns
    -------
    Codes
        Number of judgments per item.
    """
    each = others if definition.choosing.traits.asks_every_pair else np.ones_like(others)
    least = min(way.asking.way.least for way in definition.asked_ways)
    can_be_asked = asked & (others + 1 >= least)
    return np.where(can_be_asked, definition.choosing.redundancy * each, 0)
