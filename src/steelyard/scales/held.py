"""A belief that stores its judgments, for models that update by refitting all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.maths.arrays import Labels, Vector


@dataclass(frozen=True, eq=False)
class HeldBelief:
    """Positions and variances in units of the model's scale, with the judgments they were estimated from.

    Attributes
    ----------
    item
        Item ids.
    position
        Position of each item.
    variance
        Variance of each position.
    count
        Number of judgments of each item.
    columns
        Judgments of each kind as plain columns, so that the belief can be written to a file.
    """

    item: Labels
    position: Vector
    variance: Vector
    count: Vector
    columns: Mapping[str, Mapping[str, Sequence[Any]]]
