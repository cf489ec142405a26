"""How a quantity runs along the scale: a parabola by least squares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.errors import NothingToTest
from steelyard.maths.arrays import Labels, Vector

FEWEST_PLACES = 3  # a parabola has three coefficients


@dataclass(frozen=True, slots=True)
class Trend:
    """size = constant + linear * position + quadratic * position^2; a negative `quadratic` is an arch.

    `r_squared` is the share of variance that the parabola accounts for (0 where nothing varies).
    """

    constant: float
    linear: float
    quadratic: float
    r_squared: float

    def at(self, position: Vector) -> Vector:
        """The height of the parabola."""
        return self.constant + position * (self.linear + position * self.quadratic)

    @property
    def turn(self) -> float | None:
        """The position of its highest or lowest point; None for a line."""
        return None if self.quadratic == 0.0 else -self.linear / (2.0 * self.quadratic)


@dataclass(frozen=True, eq=False)
class AlongScale:
    """A quantity of each item beside its position, and the trend of the one over the other."""

    item: Labels
    position: Vector
    size: Vector
    trend: Trend


def along_scale(item: Labels, position: Vector, size: Vector) -> AlongScale:
    """The items with their quadratic trend."""
    return AlongScale(item, position, size, quadratic_trend(position, size))


def quadratic_trend(position: Vector, size: Vector) -> Trend:
    """The parabola that is nearest in squares.

    >>> trend = quadratic_trend(np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, 2.0, 1.0, -2.0]))
    >>> round(trend.constant, 9), round(trend.linear, 9), round(trend.quadratic, 9)
    (1.0, 2.0, -1.0)
    """
    places = len(np.unique(position))
    if places < FEWEST_PLACES:
        raise NothingToTest(
            "Quadratic trend", f"items stand at {places} places.", "At least three are needed."
        )
    middle, reach = float(np.mean(position)), float(np.ptp(position))
    centred = (position - middle) / reach  # powers of far or large positions would not be distinguished
    (c, b, a), *_ = np.linalg.lstsq(np.vander(centred, 3, increasing=True), size, rcond=None)
    left = size - (c + centred * (b + centred * a))
    varies = float(np.sum((size - np.mean(size)) ** 2))
    share = 1.0 - float(left @ left) / varies if varies > 0 else 0.0
    b, a = b / reach, a / reach**2
    return Trend(
        float(c - b * middle + a * middle**2), float(b - 2.0 * a * middle), float(a), max(0.0, share)
    )
