"""One judgment each, as frozen records that check themselves once, where they are made."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

from steelyard.errors import (
    BadChoice,
    BadRank,
    CrossedRange,
    MissingValue,
    NotANumber,
    ScoreOutOfRange,
    SelfComparison,
    UnknownOutcome,
)
from steelyard.judgments.kinds import OUTCOMES

Outcome = Literal["left", "right", "tie"]
Row: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Rating:
    """One rater's answer to: how much of the quality does this item have?

    `context` holds optional columns: question, system, segment, task, condition, round, at,
    milliseconds, count, and any covariates.
    """

    kind: ClassVar[str] = "rating"
    rater: str
    item: str
    score: float
    context: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _require_names(rater=self.rater, item=self.item)
        _require_number("score", self.score)

    def check_range(self, low: float, high: float) -> None:
        """Raise where a number lies outside the scale."""
        _require_inside(self.score, low, high)

    def rows(self) -> Iterator[Row]:
        """The record as rows of the long table."""
        yield {"rater": self.rater, "item": self.item, "score": float(self.score), **self.context}


@dataclass(frozen=True, slots=True)
class Comparison:
    """One rater's answer to: which of these two has more of the quality?"""

    kind: ClassVar[str] = "comparison"
    rater: str
    left: str
    right: str
    outcome: Outcome
    context: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _require_names(rater=self.rater, left=self.left, right=self.right)
        if self.left == self.right:
            raise SelfComparison(self.left, self.rater)
        if self.outcome not in OUTCOMES:
            raise UnknownOutcome(self.outcome)

    def check_range(self, low: float, high: float) -> None:
        """There are no scores that could lie outside the scale."""

    def rows(self) -> Iterator[Row]:
        """The record as rows of the long table."""
        sides = {"rater": self.rater, "left": self.left, "right": self.right}
        yield {**sides, "outcome": self.outcome, **self.context}


@dataclass(frozen=True, slots=True)
class Ranking:
    """One rater's order of a task's items; rank 1 has the most of the quality, equal ranks tie."""

    kind: ClassVar[str] = "ranking"
    rater: str
    task: str
    ranks: Mapping[str, int]
    context: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _require_names(rater=self.rater, task=self.task)
        for item, rank in self.ranks.items():
            _require_names(item=item)
            if not isinstance(rank, int) or isinstance(rank, bool) or rank < 1:
                raise BadRank(rank)

    def check_range(self, low: float, high: float) -> None:
        """There are no scores that could lie outside the scale."""

    def rows(self) -> Iterator[Row]:
        """The record as rows of the long table, one per item."""
        for item, rank in self.ranks.items():
            yield {"rater": self.rater, "task": self.task, "item": item, "rank": rank, **self.context}


@dataclass(frozen=True, slots=True)
class BestWorst:
    """One rater's answer to: which of these has the most of the quality, and which the least?"""

    kind: ClassVar[str] = "best_worst"
    rater: str
    task: str
    items: tuple[str, ...]
    best: str
    worst: str
    context: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _require_names(rater=self.rater, task=self.task)
        repeated = [item for item, times in Counter(self.items).items() if times > 1]
        if repeated:
            raise BadChoice(f"item {repeated[0]!r} stands twice in task {self.task!r}.")
        if self.best not in self.items or self.worst not in self.items:
            raise BadChoice(
                f"best {self.best!r} and worst {self.worst!r} must be items of task {self.task!r}."
            )
        if self.best == self.worst:
            raise BadChoice(f"item {self.best!r} is both best and worst of task {self.task!r}.")

    def check_range(self, low: float, high: float) -> None:
        """There are no scores that could lie outside the scale."""

    def rows(self) -> Iterator[Row]:
        """The record as rows of the long table, one per item."""
        choices = {self.best: "best", self.worst: "worst"}
        for item in self.items:
            choice = choices.get(item, "none")
            yield {"rater": self.rater, "task": self.task, "item": item, "choice": choice, **self.context}


@dataclass(frozen=True, slots=True)
class Range:
    """One rater's bounds for an item: surely not below `low`, surely not above `high`."""

    kind: ClassVar[str] = "range"
    rater: str
    item: str
    low: float
    high: float
    context: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _require_names(rater=self.rater, item=self.item)
        _require_number("low", self.low)
        _require_number("high", self.high)
        if self.low > self.high:
            raise CrossedRange(self.low, self.high)

    def check_range(self, low: float, high: float) -> None:
        """Raise where a number lies outside the scale."""
        _require_inside(self.low, low, high)
        _require_inside(self.high, low, high)

    def rows(self) -> Iterator[Row]:
        """The record as rows of the long table."""
        yield {
            "rater": self.rater,
            "item": self.item,
            "low": float(self.low),
            "high": float(self.high),
            **self.context,
        }


Judgment: TypeAlias = Rating | Comparison | Ranking | BestWorst | Range


def _require_names(**names: str) -> None:
    for column, name in names.items():
        if not isinstance(name, str) or not name.strip():
            raise MissingValue(column)


def _require_number(column: str, value: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise NotANumber(column, value)


def _require_inside(score: float, low: float, high: float) -> None:
    if not low <= score <= high:
        raise ScoreOutOfRange(score, low, high)
