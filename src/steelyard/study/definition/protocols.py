"""The protocols: what a page asks, and what kind of judgment comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Name = Literal["rating", "list", "comparison", "comparison_list", "ranking", "best_worst", "range"]


@dataclass(frozen=True, slots=True)
class Protocol:
    """One way of asking: the kind of judgment, how many items a page has, and which of them it asks about.

    Where items are asked `against` each other, a rater may meet an item again in other company, but no pair of
    items twice; elsewhere no item twice.
    """

    name: Name
    kind: str
    words: str
    selection: str = "balanced"  # of a new study that names none
    size: int | None = None  # items of a page; None where the study says it
    usual_size: int = 5  # what a new study says
    usual_answers: int = 3  # judgments that each item should get, in a new study
    least: int = 1  # fewest items that make a page
    against: bool = False
    first: int = 0  # the first item that is asked about; the ones before are what it is compared with

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of judgment that a model can be given: the protocol's own, and comparisons within a page."""
        return (self.kind,) if self.kind == "comparison" or self.size == 1 else (self.kind, "comparison")

    def asked(self, items: int) -> range:
        """Which items of a task of so many need a cell."""
        return range(self.first, items)

    def loads(self, items: int) -> Sequence[int]:
        """How many judgments each item of a task takes part in: a reference is compared with every other."""
        return [items - 1] * self.first + [1] * (items - self.first)

    def pairs(self, items: Sequence[int]) -> list[tuple[int, int]]:
        """The pairs of items, smaller index first, that a task asks about."""
        if not self.against:
            return []
        firsts = items[: self.first] if self.first else items
        pairs = ((one, other) for at, one in enumerate(firsts) for other in items[at + 1 :])
        return [(min(pair), max(pair)) for pair in pairs]


PROTOCOLS: dict[str, Protocol] = {
    each.name: each
    for each in (
        Protocol("rating", "rating", "one item", size=1),
        Protocol("list", "rating", "lists"),
        Protocol(
            "comparison",
            "comparison",
            "two items",
            size=2,
            usual_answers=10,
            least=2,
            against=True,
            first=1,
        ),
        Protocol(
            "comparison_list",
            "comparison",
            "one item against the others of its group",
            "all_pairs",
            least=2,
            against=True,
            first=1,
        ),
        Protocol("ranking", "ranking", "rankings", usual_answers=5, least=2, against=True),
        Protocol(
            "best_worst",
            "best_worst",
            "best and worst",
            usual_size=4,
            usual_answers=6,
            least=3,
            against=True,
        ),
        Protocol("range", "range", "one item, its bounds in two steps", size=1),
    )
}
