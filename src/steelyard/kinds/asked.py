"""What a kind of judgment needs to know about a page: the scale, the allowed answers and the reference answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class AnswerScale(Protocol):
    """The scale of a question."""

    @property
    def low(self) -> float:
        """Lower end of the scale."""

    @property
    def high(self) -> float:
        """Upper end of the scale."""

    @property
    def levels(self) -> int:
        """Number of levels; 0 for a slider."""

    @property
    def beyond(self) -> bool:
        """Whether raters may place items beyond the ends."""

    @property
    def slider_step(self) -> float:
        """Smallest step of the slider."""

    def level_values(self) -> tuple[float, ...]:
        """Return the scores of the levels; empty for a slider."""


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """One question of a study: its scale, and the answers that it allows.

    Parameters
    ----------
    scale
        Scale of the question.
    ties
        Whether ties are allowed.
    both_bad
        Whether raters can mark a tie as "both bad".
    strength
        Whether raters also answer how much more one item has.
    """

    scale: AnswerScale
    ties: bool = True
    both_bad: bool = False
    strength: bool = False


class Reference(Protocol):
    """The correct answer of an exercise, from a [[training.tasks]] entry of study.toml."""

    @property
    def answer(self) -> float | str | tuple[float, ...] | tuple[str, ...] | None:
        """One answer, or one for each item that the exercise asks about."""

    @property
    def low(self) -> float | None:
        """Lower bound of a range."""

    @property
    def high(self) -> float | None:
        """Upper bound of a range."""

    @property
    def ranks(self) -> tuple[int, ...]:
        """Rank of each item."""

    @property
    def best(self) -> int:
        """Number of the best item, from 1."""

    @property
    def worst(self) -> int:
        """Number of the worst item, from 1."""


def several(value: object) -> tuple[object, ...]:
    """Return one or several values as a tuple; empty for None or "".

    >>> several("left"), several((1.0, 2.0)), several(None)
    (('left',), (1.0, 2.0), ())
    """
    if value is None or value == "":
        return ()
    return value if isinstance(value, tuple) else (value,)
