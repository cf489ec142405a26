"""What every record of one judgment has, and the checks that records make of themselves once, where they are made."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, ClassVar, Protocol, TypeAlias

from steelyard.errors import MissingValue, NotANumber, ScoreOutOfRange

Row: TypeAlias = dict[str, Any]


class Judgment(Protocol):
    """One judgment of one kind; `context` holds its optional columns.

    These are question, system, segment, task, condition, round, at, milliseconds, count, and any covariates.
    """

    kind: ClassVar[str]

    def check_range(self, low: float, high: float) -> None:
        """Raise where a number lies outside the scale."""

    def rows(self) -> Iterator[Row]:
        """The record as rows of the long table."""


def require_names(**names: str) -> None:
    """Raise MissingValue for the first of these columns without a name."""
    for column, name in names.items():
        if not isinstance(name, str) or not name.strip():
            raise MissingValue(column)


def require_number(column: str, value: float) -> None:
    """Raise NotANumber where the value is no finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise NotANumber(column, value)


def require_inside(score: float, low: float, high: float) -> None:
    """Raise ScoreOutOfRange where the score lies outside the scale."""
    if not low <= score <= high:
        raise ScoreOutOfRange(score, low, high)
