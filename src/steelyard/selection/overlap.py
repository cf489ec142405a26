"""Overlapping groups of items, so that comparisons within groups give one scale.

Groups form a tree: each group except the first shares one item with an earlier group. If groups have at least two new
items, every item is shared at most once. Any two groups are then few steps apart, and no item is compared much more
often than the others.
"""

from __future__ import annotations

import numpy as np

from steelyard.maths.arrays import Codes

LEAST_BRANCHES = 2  # groups with one new item share it twice, so that they do not form a chain


def overlapping_groups(items: Codes, size: int, least: int = 2) -> list[Codes]:
    """Divide items into linked groups.

    No two groups share a pair. A group has more than `size` items only if there is no other way.

    Parameters
    ----------
    items
        Items to divide.
    size
        Largest number of items in a group, at least 2.
    least
        Smallest number of items in a group.

    Returns
    -------
    list of Codes
        The groups. The list is empty if there are fewer than `least` items.

    Examples
    --------
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
    """Return the number of parts of at most `size` items.

    Parameters
    ----------
    items
        Number of items.
    size
        Largest number of items in a part.
    least
        Smallest number of items in a part. It takes precedence over `size`.

    Returns
    -------
    int
        Number of parts, at least 1.
    """
    return max(min(-(-items // size), items // least), 1)
