"""What kinds share that ask for items of a task against each other: ties, and simulated raters who see small gaps."""

from __future__ import annotations

import numpy as np

from steelyard.maths.arrays import Vector

TIE_WIDTH = 0.05  # items that seem this close, on [0, 1], are called equal by simulated raters
HAIR = 1e-9
MIDDLE = 0.5
FAR = 0.4  # how far from the middle an item is that an exercise calls more or less than another


def without_equals(seen: Vector, rng: np.random.Generator) -> Vector:
    """What is seen, with a hair's breadth added: items that seem equal are ordered by chance, not by side."""
    shaken: Vector = seen + HAIR * rng.standard_normal(len(seen))
    return shaken
