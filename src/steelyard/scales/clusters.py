"""`Clusters`: groups of items that the data distinguish."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from steelyard.scales.scale import Scale
from steelyard.scales.tables import Tabular


class Clusters(Tabular, tuple[tuple[str, ...], ...]):
    """Groups of items, highest position first: a tuple with the item ids of each group, and a table.

    The table has the columns `cluster` (1 is the highest), `item`, `position`, and the ends `low` and `high` of the
    95% interval of the position.

    Parameters
    ----------
    groups
        Item ids of each group.
    scale
        Scale with the positions of these items.

    Examples
    --------
    >>> from steelyard import DirectAssessment, Judgments, Rating
    >>> scores = {"tea": (20, 30, 20), "milk": (30, 20, 30), "soup": (90, 80, 90)}
    >>> ratings = [Rating(f"r{at}", item, each) for item in scores for at, each in enumerate(scores[item])]
    >>> clusters = DirectAssessment().fit(Judgments.of(ratings, range=(0, 100))).clusters()
    >>> list(clusters)
    [('soup',), ('milk', 'tea')]
    >>> [(row["cluster"], row["item"]) for row in clusters.rows()]
    [(1, 'soup'), (2, 'milk'), (2, 'tea')]
    """

    scale: Scale

    def __new__(cls, groups: Sequence[Sequence[str]], scale: Scale) -> Clusters:
        """Make the tuple of groups."""
        made = super().__new__(cls, (tuple(group) for group in groups))
        made.scale = scale
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self), self.scale

    @property
    def described(self) -> str:
        """How standard errors were computed and, for systems, the target of the estimates."""
        return self.scale.described

    def columns(self) -> dict[str, Any]:
        """Return the values of each column by name."""
        items = [item for group in self for item in group]
        place = {str(item): at for at, item in enumerate(self.scale.item)}
        rows = np.array([place[item] for item in items], dtype=np.int64)
        return {
            "cluster": [number for number, group in enumerate(self, start=1) for _ in group],
            "item": items,
            **{name: getattr(self.scale, name)[rows] for name in ("position", "low", "high")},
        }
