"""Which items the raters of a large log link."""

from __future__ import annotations

import numpy as np

from steelyard.judgments.linked import parts_in_words, parts_of
from steelyard.maths.arrays import Codes, Labels
from steelyard.models.steelyard.large.store import Blocks


def linked_items(blocks: Blocks) -> Codes:
    """Return a group number for each item, equal for items that a chain of raters links."""
    from scipy.sparse import coo_array  # SciPy is slow to import
    from scipy.sparse.csgraph import connected_components

    group, size = np.arange(blocks.items), blocks.items
    for _, layout in blocks.layouts():
        rater, item = layout.rater, group[layout.ratings.item]
        same = rater[1:] == rater[:-1]
        ends = (item[:-1][same], item[1:][same])
        graph = coo_array((np.ones(int(same.sum()), dtype=np.int8), ends), shape=(size, size))
        size, merged = connected_components(graph, directed=False)
        group = merged.astype(np.int64)[group]
    return group


def sentence_of_parts(group: Codes, items: Labels) -> str:
    """Return a sentence about items that no rater links; empty if all are linked."""
    return parts_in_words(parts_of(items, group)) if group.max(initial=0) > 0 else ""
