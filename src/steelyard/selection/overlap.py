"""Groups of items that overlap, so that what is compared only within groups is on one scale.

Groups form a tree: each but the first borrows one item of an earlier group, and every item is lent at most once where
groups have two items of their own or more. From one group to any other it is then few steps, and no item is compared
much more often than the others.
"""

from __future__ import annotations

import numpy as np

from steelyard.maths.arrays import Codes

LEAST_BRANCHES = 2  # groups with one item of their own lend it twice, so that they do not form a chain


def overlapping_groups(items: Codes, size: int, least: int = 2) -> list[Codes]:
    """The items in groups of at most `size` (2 or more), all of them linked; none where there are too few.

    No group has fewer than `least` items, and no two groups share a pair. Where that leaves no other way, a group has
    more than `size` items.

    >>> [group.tolist() for group in overlapping_groups(np.arange(7), 3)]
    [[0, 1, 2], [1, 3, 4], [2, 5, 6]]
    """
    if len(items) < least:
        return []
    if len(items) <= size:
        return [items]
    own = np.array_split(items[1:], cuts_of(len(items) - 1, size - 1, least - 1))
    branches = max(len(own[-1]), LEAST_BRANCHES)
    groups = [np.append(items[:1], own[0])]
    for number, members in enumerate(own[1:]):
        parent = number // branches
        lent = own[parent][number % branches % len(own[parent])]
        groups.append(np.append(lent, members))
    return groups


def cuts_of(items: int, size: int, least: int) -> int:
    """Into how many parts of at most `size` so many items are cut; fewer where a part would have under `least`."""
    return max(min(-(-items // size), items // least), 1)
