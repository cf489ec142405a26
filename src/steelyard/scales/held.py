"""A belief that holds all judgments: for models whose exact update is to fit everything again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.maths.arrays import Labels, Vector


@dataclass(frozen=True, eq=False)
class HeldBelief:
    """Positions and variances in the units of the model's scale, and the judgments behind them.

    `columns` holds the rows of each kind of judgment as plain columns, so that a belief can be kept in a file.
    """

    item: Labels
    position: Vector
    variance: Vector
    count: Vector
    columns: Mapping[str, Mapping[str, Sequence[Any]]]
