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


Cell: TypeAlias = Score | Verdict | Rank | Pick
CELLS: dict[str, type[Any]] = {"rating": Score, "comparison": Verdict, "ranking": Rank, "best_worst": Pick}

VALUES = {
    "rating": "score",
    "comparison": "outcome",
    "ranking": "rank",
    "best_worst": "choice",
}  # their columns


def plain(cell: Cell) -> tuple[Any, ...]:
    """The cell as a row of plain values, as its class takes them."""
    return tuple(getattr(cell, name) for name in cell.__slots__)


def kind_of(cell: Cell) -> str:
    """The kind of judgment that a cell is part of."""
    return next(kind for kind, made in CELLS.items() if isinstance(cell, made))
