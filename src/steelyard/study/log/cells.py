"""One cell of an answer: what a rater said of one item of a task, under one question.

Every cell has a `value`, None for "can't judge". Which of them a page sends, its protocol says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Outcome = Literal["left", "right", "tie"]
Choice = Literal["best", "worst", "none"]


@dataclass(frozen=True, slots=True)
class Score:
    """How much of the quality the item has."""

    item: int
    question: int
    score: float | None
    outside: bool = False  # past an end of the scale, where the study lets raters go there

    @property
    def value(self) -> float | None:
        """The score."""
        return self.score


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the task's first item (left) or this one (right) has more, and if asked by how much (1 to 3)."""

    item: int
    question: int
    outcome: Outcome | None
    strength: int | None = None
    both_bad: bool = False

    @property
    def value(self) -> str | None:
        """The outcome."""
        return self.outcome


@dataclass(frozen=True, slots=True)
class Rank:
    """The item's place among those of the task, 1 = most; equal ranks tie."""

    item: int
    question: int
    rank: int | None

    @property
    def value(self) -> int | None:
        """The rank."""
        return self.rank


@dataclass(frozen=True, slots=True)
class Pick:
    """Whether the item was picked as the one with the most or with the least of the task."""

    item: int
    question: int
    choice: Choice | None

    @property
    def value(self) -> str | None:
        """The choice."""
        return self.choice


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where the item could stand: surely not below `low`, surely not above `high`.

    `kept_low` and `kept_high` say that the handle was left at its end of the scale by an explicit act.
    """

    item: int
    question: int
    low: float | None
    high: float | None
    kept_low: bool = False
    kept_high: bool = False
    outside: bool = False

    @property
    def value(self) -> tuple[float, float] | None:
        """Both bounds."""
        return None if self.low is None or self.high is None else (self.low, self.high)


Cell: TypeAlias = Score | Verdict | Rank | Pick | Bounds
CELLS: dict[str, type[Any]] = {
    "rating": Score,
    "comparison": Verdict,
    "ranking": Rank,
    "best_worst": Pick,
    "range": Bounds,
}
VALUES: dict[str, tuple[str, ...]] = {  # their columns
    "rating": ("score",),
    "comparison": ("outcome",),
    "ranking": ("rank",),
    "best_worst": ("choice",),
    "range": ("low", "high"),
}
PLACED = ("rating", "range")  # kinds whose answers are positions on a scale


def make_cell(kind: str, item: int, question: int, value: Any) -> Cell:
    """A cell of this kind that says this: what its `value` would be, None for "can't judge"."""
    several = len(VALUES[kind])
    told = (value,) if several == 1 else (None,) * several if value is None else value
    cell: Cell = CELLS[kind](item, question, *told)
    return cell


def ends_of(cell: Cell) -> tuple[float, float] | None:
    """The part of the scale that a cell names, a score being both of its ends; None where it names none."""
    if isinstance(cell, Score):
        return None if cell.score is None else (cell.score, cell.score)
    return cell.value if isinstance(cell, Bounds) else None


def columns_of(kind: str, cell: Cell) -> dict[str, Any]:
    """What a cell says, by column."""
    return {name: getattr(cell, name) for name in VALUES[kind]}


def plain(cell: Cell) -> tuple[Any, ...]:
    """The cell as a row of plain values, as its class takes them."""
    return tuple(getattr(cell, name) for name in cell.__slots__)


def kind_of(cell: Cell) -> str:
    """The kind of judgment that a cell is part of."""
    return next(kind for kind, made in CELLS.items() if isinstance(cell, made))
