"""What a kind needs to know about a page: its scale, what answers it takes, and the reference answer of an exercise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class AnswerScale(Protocol):
    """The scale that people answer on."""

    @property
    def low(self) -> float:
        """Its lower end."""

    @property
    def high(self) -> float:
        """Its upper end."""

    @property
    def levels(self) -> int:
        """How many steps it has; 0 for a slider."""

    @property
    def beyond(self) -> bool:
        """May raters place items past its ends?"""

    @property
    def slider_step(self) -> float:
        """The smallest step of the slider."""

    def level_values(self) -> tuple[float, ...]:
        """The scores that levels stand for; empty for a slider."""


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """What a study asks under one question: on which scale, and which answers it takes."""

    scale: AnswerScale
    ties: bool = True
    both_bad: bool = False
    strength: bool = False


class Reference(Protocol):
    """The right answer of an exercise, as the owner of a study writes it in [[training.tasks]]."""

    @property
    def answer(self) -> float | str | tuple[float, ...] | tuple[str, ...] | None:
        """One answer, or one for each item that is asked about."""

    @property
    def low(self) -> float | None:
        """The lower bound of a range."""

    @property
    def high(self) -> float | None:
        """The upper bound of a range."""

    @property
    def ranks(self) -> tuple[int, ...]:
        """The rank of each item."""

    @property
    def best(self) -> int:
        """The number of the best item, from 1."""

    @property
    def worst(self) -> int:
        """The number of the worst item, from 1."""


def several(value: object) -> tuple[object, ...]:
    """One or several values as several; none where there is nothing.

    >>> several("left"), several((1.0, 2.0)), several(None)
    (('left',), (1.0, 2.0), ())
    """
    if value is None or value == "":
        return ()
    return value if isinstance(value, tuple) else (value,)
