"""Which items a model of log-worths can place on one scale, and which would run away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from steelyard.errors import SeparatedItems, UnlinkedItems
from steelyard.maths.arrays import Codes, Labels


@dataclass(frozen=True, eq=False)
class Preferences:
    """A graph of items: an edge from `upper` to `lower` where judgments put the one above, or level with, the other."""

    items: int
    upper: Codes
    lower: Codes

    def linked(self) -> Codes:
        """A group number for each item, the same for items that a chain of judgments links."""
        return self._components("weak")

    def check_finite(self, items: Labels, model: str) -> None:
        """Raise where a log-worth is infinite or cannot be compared with another.

        Finite maximum-likelihood estimates exist when in every split of the items into two, each part is somewhere
        put above, or level with, the other (Ford 1957; Hunter 2004): when the graph is strongly connected.
        """
        group = self.linked()
        if group.max(initial=0) > 0:
            raise UnlinkedItems(model, [list(items[group == at]) for at in range(int(group.max()) + 1)])
        strong = self._components("strong")
        if strong.max(initial=0) > 0:
            across = strong[self.upper] != strong[self.lower]
            never_below = ~np.isin(strong, strong[self.lower][across])
            never_above = ~np.isin(strong, strong[self.upper][across])
            raise SeparatedItems(model, list(items[never_below]), list(items[never_above]))

    def _components(self, connection: Literal["weak", "strong"]) -> Codes:
        from scipy.sparse import coo_array  # late: `import steelyard` stays quick
        from scipy.sparse.csgraph import connected_components

        edges = (np.ones(len(self.upper), dtype=np.int8), (self.upper, self.lower))
        graph = coo_array(edges, shape=(self.items, self.items))
        found = connected_components(graph, directed=True, connection=connection)[1]
        return np.asarray(found, dtype=np.int64)


def named_groups(groups: Codes, items: Labels) -> tuple[tuple[str, ...], ...]:
    """The items of each group, when there are several."""
    if groups.max(initial=0) == 0:
        return ()
    return tuple(tuple(items[groups == at].tolist()) for at in range(int(groups.max()) + 1))
