"""Places for the labels of points, such that labels cover neither points nor each other where possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

Align = Literal["left", "center", "right"]
LETTER_WIDTH = 0.58  # of a letter, relative to the size of the font
LINE_HEIGHT = 1.15
GAP = 7.0  # from the point to its label


@dataclass(frozen=True, slots=True)
class Placed:
    """A label with the place of its point in pixels and its distance from the point."""

    text: str
    x: float
    y: float
    align: Align
    across: float
    down: float


class Box(NamedTuple):
    """A rectangle in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def overlap(self, other: Box) -> float:
        """Return the area that two rectangles share."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(width, 0.0) * max(height, 0.0)


SIDES: tuple[tuple[Align, float, float], ...] = (
    ("left", GAP, 0.0),
    ("right", -GAP, 0.0),
    ("left", GAP, -GAP),
    ("left", GAP, GAP),
    ("right", -GAP, -GAP),
    ("right", -GAP, GAP),
    ("center", 0.0, -2.0 * GAP),
    ("center", 0.0, 2.0 * GAP),
    ("left", GAP, -2.0 * GAP),
    ("left", GAP, 2.0 * GAP),
    ("right", -GAP, -2.0 * GAP),
    ("right", -GAP, 2.0 * GAP),
)


def place_labels(
    labels: Sequence[tuple[float, float, str]],
    obstacles: Sequence[Box],
    side: float,
    size: float,
) -> list[Placed]:
    """Return a place beside its point for each label.

    Labels are placed one after the other. Each takes the side on which it covers the least of the obstacles, of
    earlier labels, and of what is outside the chart.

    Parameters
    ----------
    labels
        Place of the point in pixels from the top left, and text of each label.
    obstacles
        What labels should not cover, such as points and intervals.
    side
        Width and height of the chart.
    size
        Size of the font.

    Returns
    -------
    list of Placed
        One place per label.

    Examples
    --------
    >>> [each.align for each in place_labels([(10, 50, "tea"), (90, 50, "soup")], [], 100, 10)]
    ['left', 'right']
    """
    taken = list(obstacles)
    placed: list[Placed] = []
    for x, y, text in labels:
        costs = [_cost(_box(x, y, text, at, size), taken, side) for at in SIDES]
        align, across, down = SIDES[costs.index(min(costs))]
        taken.append(_box(x, y, text, (align, across, down), size))
        placed.append(Placed(text, x, y, align, across, down))
    return placed


def _box(x: float, y: float, text: str, at: tuple[Align, float, float], size: float) -> Box:
    align, across, down = at
    width, height = LETTER_WIDTH * size * len(text), LINE_HEIGHT * size
    left = x + across - {"left": 0.0, "center": width / 2.0, "right": width}[align]
    return Box(left, y + down - height / 2.0, left + width, y + down + height / 2.0)


def _cost(box: Box, taken: Sequence[Box], side: float) -> float:
    inside = box.overlap(Box(0.0, 0.0, side, side))
    area = (box.right - box.left) * (box.bottom - box.top)
    return sum(box.overlap(each) for each in taken) + (area - inside)
