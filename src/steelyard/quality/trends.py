"""Quadratic trend of a quantity along the scale, by least squares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.errors import NothingToTest
from steelyard.maths.arrays import Labels, Vector

FEWEST_PLACES = 3  # a parabola has three coefficients


@dataclass(frozen=True, slots=True)
class Trend:
    """Quadratic trend: size = constant + linear * position + quadratic * position^2.

    Attributes
    ----------
    constant
        Constant coefficient.
    linear
        Linear coefficient.
    quadratic
        Quadratic coefficient. A negative value means a maximum.
    r_squared
        Share of variance explained; 0 if the quantity does not vary.
    """

    constant: float
    linear: float
    quadratic: float
    r_squared: float

    def at(self, position: Vector) -> Vector:
        """Return the values of the trend at these positions."""
        return self.constant + position * (self.linear + position * self.quadratic)

    @property
    def turn(self) -> float | None:
        """Position of the maximum or minimum; None for a straight line."""
        return None if self.quadratic == 0.0 else -self.linear / (2.0 * self.quadratic)


@dataclass(frozen=True, eq=False)
class AlongScale:
    """A quantity of each item along the scale.

    Attributes
    ----------
    item
        Item ids.
    position
        Position of each item.
    size
        Quantity of each item.
    trend
        Quadratic trend of the quantity.
    """

    item: Labels
    position: Vector
    size: Vector
    trend: Trend


def along_scale(item: Labels, position: Vector, size: Vector) -> AlongScale:
    """Return the quantity along the scale with its quadratic trend.

    Parameters
    ----------
    item
        Item ids.
    position
        Position of each item.
    size
        Quantity of each item.

    Returns
    -------
    AlongScale
        Items with the trend.
    """
    return AlongScale(item, position, size, quadratic_trend(position, size))


def quadratic_trend(position: Vector, size: Vector) -> Trend:
    """Return the quadratic trend by least squares.

    Parameters
    ----------
    position
        Positions, at least three distinct ones.
    size
        Quantity at each position.

    Returns
    -------
    Trend
        Coefficients and share of variance explained.

    Raises
    ------
    NothingToTest
        If there are fewer than three distinct positions.

    Examples
    --------
    >>> trend = quadratic_trend(np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, 2.0, 1.0, -2.0]))
    >>> round(trend.constant, 9), round(trend.linear, 9), round(trend.quadratic, 9)
    (1.0, 2.0, -1.0)
    """
    places = len(np.unique(position))
    if places < FEWEST_PLACES:
        raise NothingToTest(
            "Quadratic trend", f"items have {places} distinct positions.", "At least three are needed."
        )
    middle, reach = float(np.mean(position)), float(np.ptp(position))
    centred = (position - middle) / reach  # powers of large positions would be collinear
    (c, b, a), *_ = np.linalg.lstsq(np.vander(centred, 3, increasing=True), size, rcond=None)
    left = size - (c + centred * (b + centred * a))
    varies = float(np.sum((size - np.mean(size)) ** 2))
    share = 1.0 - float(left @ left) / varies if varies > 0 else 0.0
    b, a = b / reach, a / reach**2
    return Trend(
        float(c - b * middle + a * middle**2), float(b - 2.0 * a * middle), float(a), max(0.0, share)
    )
