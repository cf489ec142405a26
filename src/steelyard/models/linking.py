"""Which items a model of log-worths can place on one scale, and which would run away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from steelyard.errors import Separated, Unconnected
from steelyard.maths.arrays import Codes, Labels

APART = (
    "Fit each group apart, or set pseudo above 0 (such as 0.5), which guesses how they stand to each other."
)
CROSS = "Set pseudo above 0 (such as 0.5), collect judgments that cross, or leave these items out."


@dataclass(frozen=True, eq=False)
class Preferences:
    """A graph of items: an edge from `upper` to `lower` where judgments put the one above, or level with, the other.

    Finite maximum-likelihood estimates exist when in every split of the items into two, each part is somewhere put
    above, or level with, the other (Ford 1957; Hunter 2004): when the graph is strongly connected.
    """

    items: int
    upper: Codes
    lower: Codes

    def linked(self) -> Codes:
        """A group number for each item, the same for items that a chain of judgments links."""
        return self._components("weak")

    def mixed(self) -> Codes:
        """A group number for each item, the same for items each of which a chain puts above the other."""
        return self._components("strong")

    def check_linked(self, items: Labels, model: str, remedy: str) -> None:
        """Raise where some items cannot be compared with the others."""
        group = self.linked()
        if group.max(initial=0) > 0:
            raise Unconnected(model, sorted(named_groups(group, items), key=len, reverse=True), remedy)

    def check_mixed(self, items: Labels, model: str, remedy: str) -> None:
        """Raise where some log-worths are infinite, each group of linked items looked at by itself."""
        group = self.mixed()
        across = group[self.upper] != group[self.lower]
        if across.any():
            # Of many items that are mixed and one that beats them all, the one is to be named.
            sizes = np.bincount(group)
            outside = (group != int(np.argmax(sizes))) | (sizes.max() == 1)
            has_upper, has_lower = (np.isin(group, group[side][across]) for side in (self.lower, self.upper))
            below, above = ~has_upper & has_lower & outside, ~has_lower & has_upper & outside
            raise Separated.by_items(model, items[below].tolist(), items[above].tolist(), remedy)

    def _components(self, connection: Literal["weak", "strong"]) -> Codes:
        from scipy.sparse import coo_array  # SciPy is slow to import
        from scipy.sparse.csgraph import connected_components  # SciPy is slow to import

        edges = (np.ones(len(self.upper), dtype=np.int8), (self.upper, self.lower))
        graph = coo_array(edges, shape=(self.items, self.items)).tocsr()
        component = connected_components(graph, directed=True, connection=connection)[1]
        return np.asarray(component, dtype=np.int64)


def check_without_pseudo(preferences: Preferences, items: Labels, model: str) -> None:
    """Raise where plain maximum likelihood, without pseudo-judgments, has no finite answer."""
    preferences.check_linked(items, model, APART)
    preferences.check_mixed(items, model, CROSS)


def unlinked_parts(linked: Codes) -> Codes | None:
    """The group number of each item for `Fit.part`: None where all items are in one group."""
    return linked if linked.max(initial=0) > 0 else None


def named_groups(groups: Codes, items: Labels) -> tuple[tuple[str, ...], ...]:
    """The items of each group, when there are several."""
    if groups.max(initial=0) == 0:
        return ()
    return tuple(tuple(items[groups == at].tolist()) for at in range(int(groups.max()) + 1))
