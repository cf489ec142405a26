"""Answers that are positions on a scale: checks, marks outside the scale, and simulated answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

import numpy as np

from steelyard.errors import BadAnswer
from steelyard.kinds.asked import AnswerScale, AskedQuestion
from steelyard.kinds.correctness import ELSE, HIGH, LOW
from steelyard.maths.arrays import Vector

BEYOND = 4.0  # largest distance beyond an end, in widths of the scale


class PlacedCell(Protocol):
    """A cell with a position on the scale, and a mark if it is outside."""

    @property
    def outside(self) -> bool:
        """Whether the position is beyond an end of the scale."""

    @property
    def ends(self) -> tuple[float, float] | None:
        """Lower and upper end of the position."""


AnyPlacedCell = TypeVar("AnyPlacedCell", bound=PlacedCell)


def check_inside(what: str, value: float, scale: AnswerScale) -> None:
    """Raise BadAnswer if a number is not on the scale, or too far beyond it where the study allows that.

    Parameters
    ----------
    what
        Name of the number in the message.
    value
        Number to check.
    scale
        Scale of the question.
    """
    past = BEYOND * (scale.high - scale.low) if scale.beyond else 0.0
    if not math.isfinite(value) or not scale.low - past <= value <= scale.high + past:
        raise BadAnswer(f"{what} {value:g} is outside {scale.low - past:g} to {scale.high + past:g}.")


def is_level(score: float, scale: AnswerScale) -> bool:
    """Whether this is the score of a level of the scale."""
    tolerance = 1e-9 * (scale.high - scale.low)
    return any(abs(score - value) <= tolerance for value in scale.level_values())


def mark_outside(cell: AnyPlacedCell, scale: AnswerScale, from_file: bool) -> AnyPlacedCell:
    """Return the cell with its `outside` mark set.

    Parameters
    ----------
    cell
        Cell with a position.
    scale
        Scale of the question.
    from_file
        Whether the answer comes from a results file. An answer from a page must already be marked.

    Returns
    -------
    PlacedCell
        The cell, marked if its position is beyond an end of the scale.
    """
    if cell.ends is None:
        return cell
    low, high = cell.ends
    outside = bool(low < scale.low or high > scale.high)
    if outside and not cell.outside and not from_file:
        raise BadAnswer(
            f"The answer is outside {scale.low:g} to {scale.high:g}, but is not marked as outside."
        )
    return replace(cell, outside=outside)  # type: ignore[type-var]


def side_off(value: float | None, right: float | None, tolerance: float) -> str | None:
    """Return on which side of the correct value a value is.

    Parameters
    ----------
    value
        The rater's value.
    right
        The correct value.
    tolerance
        Largest difference that counts as correct.

    Returns
    -------
    str or None
        LOW or HIGH, ELSE if a value is missing, and None if the value is correct.
    """
    if value is None or right is None:
        return ELSE
    return None if abs(value - right) <= tolerance else LOW if value < right else HIGH


def is_higher(
    upper: tuple[float, float] | None, lower: tuple[float, float] | None, least: float
) -> bool | None:
    """Whether the middle of one position is above that of another.

    Parameters
    ----------
    upper
        Ends of the position that should be above; None for "can't judge".
    lower
        Ends of the position that should be below; None for "can't judge".
    least
        Smallest accepted difference; 0 accepts any.

    Returns
    -------
    bool or None
        None if a position is missing.

    >>> is_higher((70.0, 70.0), (40.0, 40.0), 0.0), is_higher((70.0, 70.0), (70.0, 70.0), 0.0)
    (True, False)
    """
    if upper is None or lower is None:
        return None
    difference = (upper[0] + upper[1] - lower[0] - lower[1]) / 2.0
    return difference > 0.0 and difference >= least


def lies_on(value: object, asked: AskedQuestion) -> bool:
    """Whether this is a number on the scale."""
    return isinstance(value, float) and asked.scale.low <= value <= asked.scale.high


def to_scale(unit: Vector, scale: AnswerScale) -> Vector:
    """Return values in [0, 1] as answers on a study's scale, rounded to its steps or levels."""
    score = scale.low + unit * (scale.high - scale.low)
    if scale.levels:
        values: Vector = np.array(scale.level_values())
        nearest: Vector = values[np.abs(score[:, None] - values).argmin(axis=1)]
        return nearest
    step = scale.slider_step
    steps = scale.low + np.round((score - scale.low) / step) * step
    return np.clip(steps, scale.low, scale.high)


def between(value: float | None, wanted: float | None, positions: Sequence[float]) -> tuple[int, ...]:
    """Return the indexes of the positions between two values; none if a value is missing.

    Parameters
    ----------
    value
        Position that a rater gave.
    wanted
        Correct position.
    positions
        Positions of the examples.

    Returns
    -------
    tuple of int
        Indexes of the positions that lie strictly between the two values.
    """
    if value is None or wanted is None:
        return ()
    low, high = sorted((value, wanted))
    return tuple(index for index, position in enumerate(positions) if low < position < high)
