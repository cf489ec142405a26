"""[scale] of study.toml: the scale that people answer on."""

from __future__ import annotations

import math
from dataclasses import dataclass

from steelyard.errors import BadSetting

STEPS = 100  # of a slider whose step is not set


@dataclass(frozen=True, slots=True)
class ScaleSettings:
    """The scale that people answer on: its ends, its labels, and steps instead of a slider if wanted."""

    low: float = 0.0
    high: float = 100.0
    step: float = 0.0
    labels: tuple[str, ...] = ("Not at all", "Extremely")
    levels: int = 0
    show_value: bool = False
    zoom: bool | None = None  # None: where it helps
    beyond: bool = False

    def __post_init__(self) -> None:
        if not math.isfinite(self.high - self.low) or not math.isfinite(self.step):
            raise BadSetting("scale", "low, high, step and the width of the scale are not finite numbers.")
        if self.high <= self.low:
            raise BadSetting("scale", f"high {self.high:g} is not above low {self.low:g}.")
        if self.step < 0 or self.step > self.high - self.low:
            raise BadSetting("scale, step", f"{self.step:g} is not a step inside {self.low:g}-{self.high:g}.")
        if self.levels == 1 or self.levels < 0:
            raise BadSetting("scale, levels", f"{self.levels} levels make no scale; 0 gives a slider.")
        if self.levels and len(self.labels) not in (2, self.levels):
            raise BadSetting("scale, labels", f"give {self.levels} labels, one a level, or 2 for the ends.")
        if self.levels and self.beyond:
            raise BadSetting("scale, beyond", "there is nothing past the last level; set levels = 0.")

    @property
    def slider_step(self) -> float:
        """The smallest step of the slider: as set, or a hundredth of the scale."""
        return self.step if self.step > 0 else (self.high - self.low) / STEPS

    def level_values(self) -> tuple[float, ...]:
        """The scores that levels stand for, evenly over the range; empty for a slider."""
        if not self.levels:
            return ()
        gap = (self.high - self.low) / (self.levels - 1)
        return tuple(self.low + gap * at for at in range(self.levels))
