"""One cell of an answer: what a rater answered about one item of a task, under one question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self


@dataclass(frozen=True, slots=True)
class Cell:
    """What every cell has: the item and the question that it is about, by number.

    A subclass adds its fields, of which `values` names those that hold the answer; all of them are None for "can't
    judge". Fields are numbers, text, booleans or None, in the order in which the log stores them. They are also the
    fields that a page sends.
    """

    kind: ClassVar[str]
    values: ClassVar[tuple[str, ...]]

    item: int
    question: int

    @property
    def value(self) -> Any:
        """The answer: one value, or several together; None for "can't judge"."""
        held = tuple(getattr(self, name) for name in self.values)
        if None in held:
            return None
        return held[0] if len(held) == 1 else held

    @property
    def ends(self) -> tuple[float, float] | None:
        """The part of the scale that the cell names, a score being both of its ends; None where it names none."""
        return None

    def moved(self, move: Callable[[float], float]) -> Self:
        """The cell with its positions moved along the scale; cells without any stay as they are."""
        return self

    def plain(self) -> tuple[Any, ...]:
        """The cell as a row of plain values, in the order in which its class takes them."""
        return tuple(getattr(self, each.name) for each in fields(self))
