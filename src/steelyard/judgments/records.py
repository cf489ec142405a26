"""The interface of single judgments, and the checks that records make when they are created."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, ClassVar, Protocol, TypeAlias

from steelyard.errors import MissingValue, NotANumber, ScoreOutOfRange

Row: TypeAlias = dict[str, Any]


class Judgment(Protocol):
    """One judgment of one kind.

    Each record has a `context` with its optional columns: question, system, segment, task, condition, round, at,
    milliseconds, count and any covariates.
    """

    kind: ClassVar[str]

    def check_range(self, low: float, high: float) -> None:
        """Raise ScoreOutOfRange if a number is outside the scale.

        Parameters
        ----------
        low
            Lower end of the scale.
        high
            Upper end of the scale.
        """

    def rows(self) -> Iterator[Row]:
        """Yield the rows of this judgment in the long table."""


def require_names(**names: str) -> None:
    """Raise MissingValue for the first column without a value."""
    for column, name in names.items():
        if not isinstance(name, str) or not name.strip():
            raise MissingValue(column)


def require_number(column: str, value: float) -> None:
    """Raise NotANumber if the value is not a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise NotANumber(column, value)


def require_inside(score: float, low: float, high: float) -> None:
    """Raise ScoreOutOfRange if the score is outside the scale.

    Parameters
    ----------
    score
        Score to check.
    low
        Lower end of the scale.
    high
        Upper end of the scale.
    """
    if not low <= score <= high:
        raise ScoreOutOfRange(score, low, high)
