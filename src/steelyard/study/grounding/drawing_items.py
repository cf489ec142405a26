"""Which items the cold start draws: at random, spread over a column, or found by a search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from steelyard.study.definition.items import Item, Items
from steelyard.study.log.ledger import Ledger

MOST_FOUND = 8  # items that one search adds


def fresh_items(
    ledger: Ledger, drawn_before: Sequence[str], kept: Sequence[str], size: int, rng: np.random.Generator
) -> list[str]:
    """Return items to complete a set: new ones first, spread over the column of [cold_start] if it names one.

    Parameters
    ----------
    ledger
        State of the study.
    drawn_before
        Ids of items that were drawn before.
    kept
        Ids of the items in the set.
    size
        Number of items that the set needs.
    rng
        Source of randomness.

    Returns
    -------
    list of str
        Ids of the items to add, fewer if the study has no others.
    """
    settings, items = ledger.definition.grounding.cold_start, ledger.items
    asked = np.flatnonzero(items.asked)
    order = [items[int(at)].id for at in rng.permutation(asked) if items[int(at)].id not in set(kept)]
    seen = set(drawn_before)
    order.sort(key=lambda item: item in seen)
    missing = max(size - len(kept), 0)
    if settings is None or not settings.spread:
        return order[:missing]
    bins = _bins(items, settings.spread, size)
    chosen: list[str] = []
    for _ in range(min(missing, len(order))):
        taken = Counter(bins[item] for item in (*kept, *chosen))
        left = [item for item in order if item not in chosen]
        chosen.append(min(left, key=lambda item: (item in seen, taken[bins[item]])))
    return chosen


def _bins(items: Items, column: str, size: int) -> dict[str, object]:
    """Return the bin of each asked item: one of `size` bins of equal counts by value, or its group if it is text."""
    values = items.covariates.get(column, {})
    asked = [item.id for item, is_asked in zip(items.all, items.asked, strict=True) if is_asked]
    numbers = {item: values[item] for item in asked if isinstance(values.get(item), float)}
    if any(isinstance(values.get(item), str) for item in asked):
        return {item: values.get(item, "") for item in asked}
    ranked = sorted(numbers, key=lambda item: (numbers[item], item))
    by_rank: dict[str, object] = {item: rank * size // len(ranked) for rank, item in enumerate(ranked)}
    return {item: by_rank.get(item, "") for item in asked}


def found_items(ledger: Ledger, words: str, without: Sequence[str]) -> list[str]:
    """Return the ids of asked items that contain all words, in the order of the file; at most 8.

    Parameters
    ----------
    ledger
        State of the study.
    words
        Words to search for in the id, the text and the columns shown next to the item.
    without
        Ids of items that are left out.

    Returns
    -------
    list of str
        Ids of the items.
    """
    wanted = words.casefold().split()
    items = zip(ledger.items.all, ledger.items.asked, strict=True)
    matches = (
        item.id
        for item, is_asked in items
        if is_asked and item.id not in without and wanted and all(each in _text(item) for each in wanted)
    )
    return [item for item, _ in zip(matches, range(MOST_FOUND), strict=False)]


def _text(item: Item) -> str:
    return " ".join((item.id, item.content, item.alt, *(text for _, text in item.context))).casefold()
