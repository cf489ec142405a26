"""Shared by kinds that compare the items of a task: tie width and simulated perception."""

from __future__ import annotations

import numpy as np

from steelyard.maths.arrays import Vector

TIE_WIDTH = 0.05  # difference, on [0, 1], below which simulated raters answer a tie
HAIR = 1e-9
MIDDLE = 0.5
FAR = 0.4  # distance from the middle of an item that an exercise calls more or less


def without_equals(seen: Vector, rng: np.random.Generator) -> Vector:
    """Return the perceived values with tiny noise added, so that equal items are ordered at random."""
    shaken: Vector = seen + HAIR * rng.standard_normal(len(seen))
    return shaken
