"""`Cell`: the answer of a rater about one item of a task, for one question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self


@dataclass(frozen=True, slots=True)
class Cell:
    """The answer about one item, for one question of a task.

    A subclass adds the fields of its kind. `values` names the fields that hold the answer; all of them are None for
    "can't judge". Fields are numbers, text, booleans or None, in the order in which the log stores them. A page sends
    the same fields.

    Parameters
    ----------
    item
        Index of the item in the task.
    question
        Index of the question in the study.
    """

    kind: ClassVar[str]
    values: ClassVar[tuple[str, ...]]

    item: int
    question: int

    @property
    def value(self) -> Any:
        """The answer: one value, or a tuple of several; None for "can't judge"."""
        held = tuple(getattr(self, name) for name in self.values)
        if None in held:
            return None
        return held[0] if len(held) == 1 else held

    @property
    def ends(self) -> tuple[float, float] | None:
        """Lower and upper end of the answer on the scale (equal for a score), or None if it has no position."""
        return None

    def moved(self, move: Callable[[float], float]) -> Self:
        """Return the cell with its positions moved along the scale; cells without positions stay unchanged."""
        return self

    def plain(self) -> tuple[Any, ...]:
        """Return the values of all fields, in the order of the constructor."""
        return tuple(getattr(self, each.name) for each in fields(self))
