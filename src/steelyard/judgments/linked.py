"""Which items a chain of judgments links, and the parts into which the items fall otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from steelyard.judgments.table import MISSING, Judgments, Table
from steelyard.maths.arrays import Codes, Labels

LISTED_PARTS, LISTED_ITEMS = 4, 3  # number of parts, and of items in each part, that a sentence names


def linked_groups(judgments: Judgments) -> Codes:
    """Return a group number for each item, equal for items that a chain of judgments links.

    Ratings and ranges link all items of a rater. Comparisons link the two compared items. Rankings and best-worst
    choices link the items of a task. A file without raters counts as one rater.
    """
    # Late: scipy alone takes longer to import than the rest of Steelyard.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    items = len(judgments.items)
    nodes = items
    ends: list[tuple[Codes, Codes]] = []
    for table in judgments.tables.values():
        if "left" in table.codes:
            ends.append((table.codes["left"], table.codes["right"]))
        else:
            hubs = hubs_of(table)
            ends.append((table.codes["item"], hubs + nodes))
            nodes += int(hubs.max(initial=-1)) + 1
    if not items:
        return np.empty(0, dtype=np.int64)
    left, right = (np.concatenate(side) for side in zip(*ends, strict=True))
    graph = coo_array((np.ones(len(left), dtype=np.int8), (left, right)), shape=(nodes, nodes))
    groups = connected_components(graph, directed=False)[1][:items]
    return np.asarray(groups, dtype=np.int64)


def hubs_of(table: Table) -> Codes:
    """Return what links the items of a row: the task if its rows are one answer, otherwise the rater."""
    rater = table.codes.get("rater", np.full(len(table), MISSING, dtype=np.int64))
    if not table.kind.per_task:
        return np.unique(rater, return_inverse=True)[1]
    tasks = np.column_stack([rater, table.codes["task"]])
    return np.asarray(np.unique(tasks, axis=0, return_inverse=True)[1]).ravel()


def only_raters_link(judgments: Judgments) -> bool:
    """Whether every judgment is about one item, as ratings and ranges are, so that only raters link items."""
    return all(_is_about_one_item(table) for table in judgments.tables.values())


def _is_about_one_item(table: Table) -> bool:
    return "left" not in table.codes and not table.kind.per_task


def parts_by_rater(judgments: Judgments) -> tuple[tuple[str, ...], ...]:
    """Return the rated items of each part that shares no rater with another, largest first. Empty if all are linked."""
    about_one = {kind: table for kind, table in judgments.tables.items() if _is_about_one_item(table)}
    ratings = replace(judgments, tables=about_one).compact()
    group = linked_groups(ratings)
    return parts_of(ratings.items, group) if group.max(initial=0) > 0 else ()


def parts_of(items: Labels, group: Codes) -> tuple[tuple[str, ...], ...]:
    """Return the items of each group, largest group first."""
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order])) + 1
    parts = [tuple(map(str, items[some])) for some in np.split(order, starts)]
    return tuple(sorted(parts, key=len, reverse=True))


def parts_in_words(parts: Sequence[Sequence[str]]) -> str:
    """Return a sentence about parts of the items that have no rater in common.

    >>> parts_in_words([("a", "b"), ("c",)])[:60]
    'The items form 2 parts without a common rater, so difference'
    """
    shown = [f"{_leading(part)} ({len(part):,})" for part in parts[:LISTED_PARTS]]
    more = [f"and {len(parts) - LISTED_PARTS:,} more"] if len(parts) > LISTED_PARTS else []
    return (
        f"The items form {len(parts):,} parts without a common rater, so differences between parts may be due to "
        f"their raters: {'; '.join([*shown, *more])}."
    )


def _leading(part: Sequence[str]) -> str:
    return ", ".join(part[:LISTED_ITEMS]) + (", ..." if len(part) > LISTED_ITEMS else "")
