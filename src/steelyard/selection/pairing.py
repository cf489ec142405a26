"""Which items may be shown together: pairs that a rater has seen, and parts that comparisons link."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from itertools import chain, combinations

import numpy as np

from steelyard.maths.arrays import Codes, Mask

SEARCHED = 500  # items that a search for a full task looks at
Pair = tuple[int, int]


def pair_of(one: int, other: int) -> Pair:
    """Return the pair of two items, the smaller index first."""
    return (one, other) if one < other else (other, one)


def pairs_among(items: Iterable[int]) -> list[Pair]:
    """Return all pairs of a task's items."""
    return [pair_of(one, other) for one, other in combinations(items, 2)]


def unmet(order: Codes, size: int, met: Set[Pair]) -> Codes:
    """Return the first items in this order of which the rater has seen no two together.

    Parameters
    ----------
    order
        Items in order of preference.
    size
        Largest number of items to return.
    met
        Pairs that the rater has seen.

    Returns
    -------
    Codes
        The items.
    """
    if not met:
        return order[:size]
    kept: list[int] = []
    for item in order.tolist():
        if len(kept) == size:
            break
        if not any(pair_of(item, other) in met for other in kept):
            kept.append(item)
    return np.array(kept, dtype=np.int64)


def unmet_in_full(order: Codes, size: int, met: Set[Pair]) -> Codes:
    """Return `size` items, the first of this order among them, of which the rater has seen no two together.

    Earlier items are preferred. If a limited search finds no such items, the result is that of `unmet`.

    Parameters
    ----------
    order
        Items in order of preference.
    size
        Wanted number of items.
    met
        Pairs that the rater has seen.

    Returns
    -------
    Codes
        The items.
    """
    first = unmet(order, size, met)
    if len(first) == size or len(order) < size:
        return first
    steps = iter(range(SEARCHED))

    def extended(kept: list[int], others: list[int]) -> list[int] | None:
        if len(kept) == size:
            return kept
        while len(kept) + len(others) >= size and next(steps, None) is not None:
            item, *others = others
            longer = extended([*kept, item], [each for each in others if pair_of(item, each) not in met])
            if longer is not None:
                return longer
        return None

    head, *others = order.tolist()
    found = extended([head], [each for each in others if pair_of(head, each) not in met])
    return first if found is None else np.array(found, dtype=np.int64)


def pair_array(pairs: Set[Pair] | Mapping[Pair, int]) -> Codes:
    """Return pairs as an array of two columns."""
    return np.fromiter(chain.from_iterable(pairs), dtype=np.int64, count=2 * len(pairs)).reshape(-1, 2)


def has_partner(open_items: Mask, segment: Codes, met: Set[Pair]) -> Mask:
    """Return which open items have another open item in their segment that the rater has not seen with them.

    Parameters
    ----------
    open_items
        Items that may be shown.
    segment
        Segment of each item, as a code.
    met
        Pairs that the rater has seen.

    Returns
    -------
    Mask
        One value per item.
    """
    others = np.bincount(segment, open_items)[segment] - 1
    if met:
        pairs = pair_array(met)
        near = open_items[pairs].all(axis=1) & (segment[pairs[:, 0]] == segment[pairs[:, 1]])
        others = others - np.bincount(pairs[near].ravel(), minlength=len(segment))
    return np.asarray(open_items & (others > 0))


def parts_of(pairs: Codes, items: int) -> Codes:
    """Return, for each item, the first item that these pairs link it to."""
    # Late, because SciPy takes longer to import than the rest of Steelyard.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ends = (pairs[:, 0], pairs[:, 1])
    graph = coo_array((np.ones(len(pairs), dtype=np.int8), ends), shape=(items, items))
    part = connected_components(graph, directed=False)[1]
    return np.asarray(np.unique(part, return_index=True)[1][part], dtype=np.int64)


def joined(part: Codes, pairs: Codes) -> Codes:
    """Return the parts after these pairs are linked, too; linked items have the same number."""
    apart = part[pairs][part[pairs[:, 0]] != part[pairs[:, 1]]]
    if not len(apart):
        return part
    towards: dict[int, int] = {}
    for one, other in apart.tolist():
        first, second = _root(one, towards), _root(other, towards)
        towards[max(first, second)] = min(first, second)
    number = np.arange(int(part.max()) + 1)
    number[list(towards)] = [_root(each, towards) for each in towards]
    return number[part]


def _root(number: int, towards: dict[int, int]) -> int:
    while towards.get(number, number) != number:
        number = towards[number]
    return number
