"""Answers that are positions on a scale: what lies on it, what lies outside, and how simulated raters use it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Protocol, TypeVar

import numpy as np

from steelyard.errors import BadAnswer
from steelyard.kinds.asked import AnswerScale, AskedQuestion
from steelyard.kinds.kind import ELSE, HIGH, LOW
from steelyard.maths.arrays import Vector

BEYOND = 4.0  # widths of the scale that a placement may lie past its end


class PlacedCell(Protocol):
    """A cell that names a part of the scale, and says where that lies outside."""

    @property
    def outside(self) -> bool:
        """Does it lie past an end of the scale?"""

    @property
    def ends(self) -> tuple[float, float] | None:
        """The part of the scale."""


AnyPlacedCell = TypeVar("AnyPlacedCell", bound=PlacedCell)


def check_inside(what: str, value: float, scale: AnswerScale) -> None:
    """A number of the scale or, where the study allows it, at most so many widths of it past an end."""
    past = BEYOND * (scale.high - scale.low) if scale.beyond else 0.0
    if not math.isfinite(value) or not scale.low - past <= value <= scale.high + past:
        raise BadAnswer(f"{what} {value:g} is outside {scale.low - past:g}-{scale.high + past:g}.")


def is_level(score: float, scale: AnswerScale) -> bool:
    """Is this the score of one of the scale's levels?"""
    tolerance = 1e-9 * (scale.high - scale.low)
    return any(abs(score - value) <= tolerance for value in scale.level_values())


def mark_outside(cell: AnyPlacedCell, scale: AnswerScale, from_file: bool) -> AnyPlacedCell:
    """The cell, marked `outside` where it is; a page must have said so itself."""
    if cell.ends is None:
        return cell
    low, high = cell.ends
    outside = bool(low < scale.low or high > scale.high)
    if outside and not cell.outside and not from_file:
        raise BadAnswer(f"This is outside {scale.low:g}-{scale.high:g}, and is not marked so.")
    return replace(cell, outside=outside)  # type: ignore[type-var]


def side_off(value: float | None, right: float | None, tolerance: float) -> str | None:
    """On which side of the right value a value is, where it is farther off than the tolerance."""
    if value is None or right is None:
        return ELSE
    return None if abs(value - right) <= tolerance else LOW if value < right else HIGH


def lies_on(value: object, asked: AskedQuestion) -> bool:
    """Is this a number of the scale?"""
    return isinstance(value, float) and asked.scale.low <= value <= asked.scale.high


def to_scale(unit: Vector, scale: AnswerScale) -> Vector:
    """Scores in [0, 1] as answers on a study's scale, at its steps or levels."""
    score = scale.low + unit * (scale.high - scale.low)
    if scale.levels:
        values: Vector = np.array(scale.level_values())
        nearest: Vector = values[np.abs(score[:, None] - values).argmin(axis=1)]
        return nearest
    step = scale.slider_step
    steps = scale.low + np.round((score - scale.low) / step) * step
    return np.clip(steps, scale.low, scale.high)
