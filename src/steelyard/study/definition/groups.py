"""Which items may stand on one page, and how many judgments each of them should get."""

from __future__ import annotations

import numpy as np

from steelyard.maths.arrays import Codes
from steelyard.selection import all_pairs
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.items import Items


def groups_of(definition: StudyDefinition, items: Items) -> tuple[Codes, ...]:
    """The items of each group all of whose pairs are asked; none where a protocol does not ask for all pairs."""
    if not definition.choosing.traits.asks_every_pair:
        return ()
    return all_pairs.groups_of(items.segments, definition.asking.group_size, definition.seed)


def others_of(groups: tuple[Codes, ...], segments: Codes) -> Codes:
    """With how many others each item may be shown: those of its groups, or of its segment."""
    if groups:
        return all_pairs.others_in(groups, len(segments))
    return np.asarray(np.bincount(segments)[segments] - 1)


def first_rounds(definition: StudyDefinition, items: int) -> Codes:
    """The round in which each item is first asked: they are dealt over the study's rounds by its seed."""
    rounds = np.empty(items, dtype=np.int64)
    order = np.random.default_rng(definition.seed).permutation(items)
    rounds[order] = 1 + np.arange(items) * definition.grounding.rounds.number // max(items, 1)
    return rounds


def wanted_of(definition: StudyDefinition, others: Codes) -> Codes:
    """The redundancy, for each other item where every pair is asked; none for items with too few others."""
    each = others if definition.choosing.traits.asks_every_pair else np.ones_like(others)
    return np.where(others + 1 < definition.asking.way.least, 0, definition.choosing.redundancy * each)
