"""Checks that judgments connect all items and that log-worths are finite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from steelyard.errors import Separated, Unconnected
from steelyard.maths.arrays import Codes, Labels

APART = (
    "Fit each group separately, or set pseudo above 0 (such as 0.5), which estimates the distance between groups from "
    "a prior only."
)
CROSS = (
    "Set pseudo above 0 (such as 0.5), collect judgments in which these items do not always win or lose, or exclude "
    "the items."
)


@dataclass(frozen=True, eq=False)
class Preferences:
    """A graph of items, with an edge from `upper` to `lower` if a judgment puts one item above the other or ties them.

    Finite maximum likelihood estimates exist if and only if the graph is strongly connected: for every split of the
    items into two groups, each group has an item above, or tied with, an item of the other (Ford 1957; Hunter 2004).
    """

    items: int
    upper: Codes
    lower: Codes

    def linked(self) -> Codes:
        """Return a group number for each item; items linked by a chain of judgments share it."""
        return self._components("weak")

    def mixed(self) -> Codes:
        """Return a group number for each item; items share it if chains lead from each to the other."""
        return self._components("strong")

    def check_linked(self, items: Labels, model: str, remedy: str) -> None:
        """Raise `Unconnected` if some items cannot be compared with the others.

        Parameters
        ----------
        items
            Item ids.
        model
            Name of the model, for the message.
        remedy
            Advice, for the message.
        """
        group = self.linked()
        if group.max(initial=0) > 0:
            raise Unconnected(model, sorted(named_groups(group, items), key=len, reverse=True), remedy)

    def check_mixed(self, items: Labels, remedy: str) -> None:
        """Raise `Separated` if some log-worths are infinite. Each group of linked items is checked separately."""
        group = self.mixed()
        across = group[self.upper] != group[self.lower]
        if across.any():
            # If one item beats a large group of mixed items, the message names that item and not the group.
            sizes = np.bincount(group)
            outside = (group != int(np.argmax(sizes))) | (sizes.max() == 1)
            has_upper, has_lower = (np.isin(group, group[side][across]) for side in (self.lower, self.upper))
            below, above = ~has_upper & has_lower & outside, ~has_lower & has_upper & outside
            raise Separated.by_items(items[below].tolist(), items[above].tolist(), remedy)

    def _components(self, connection: Literal["weak", "strong"]) -> Codes:
        from scipy.sparse import coo_array  # SciPy is slow to import
        from scipy.sparse.csgraph import connected_components  # SciPy is slow to import

        edges = (np.ones(len(self.upper), dtype=np.int8), (self.upper, self.lower))
        graph = coo_array(edges, shape=(self.items, self.items)).tocsr()
        component = connected_components(graph, directed=True, connection=connection)[1]
        return np.asarray(component, dtype=np.int64)


def check_without_pseudo(preferences: Preferences, items: Labels, model: str) -> None:
    """Raise an error if maximum likelihood without pseudo-judgments has no finite estimates.

    Parameters
    ----------
    preferences
        Graph of the judgments.
    items
        Item ids.
    model
        Name of the model, for the message.
    """
    preferences.check_linked(items, model, APART)
    preferences.check_mixed(items, CROSS)


def unlinked_parts(linked: Codes) -> Codes | None:
    """Return the group number of each item for `Fit.part`; None if all items are in one group."""
    return linked if linked.max(initial=0) > 0 else None


def named_groups(groups: Codes, items: Labels) -> tuple[tuple[str, ...], ...]:
    """Return the items of each group; empty if there is only one group."""
    if groups.max(initial=0) == 0:
        return ()
    return tuple(tuple(items[groups == at].tolist()) for at in range(int(groups.max()) + 1))
