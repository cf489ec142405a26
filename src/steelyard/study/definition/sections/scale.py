"""[scale] of study.toml: the scale that raters answer on."""

from __future__ import annotations

import math
from dataclasses import dataclass

from steelyard.errors import BadSetting

STEPS = 100  # number of steps of a slider by default


@dataclass(frozen=True, slots=True)
class ScaleSettings:
    """The scale that raters answer on.

    Parameters
    ----------
    low
        Lower end of the scale.
    high
        Upper end of the scale, above `low`.
    step
        Smallest step of the slider. 0 is a hundredth of the scale.
    labels
        Labels, spaced evenly along the scale. The first is at the lower end.
    levels
        0 shows a slider. 5 shows five labelled steps. Write as many labels as levels, or 2 labels for the ends.
    show_value
        Show the number while the slider moves.
    zoom
        Let raters enlarge a part of the scale. The default is true for `range` and for scales that show examples or
        own answers.
    beyond
        Let raters place items past the ends. The answer is stored unchanged and marked `outside`. Closing the round
        maps all answers onto the scale. Needs one question, and a selection that does not use the current
        estimates.
    """

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
            raise BadSetting("scale", "low, high, step and high minus low must be finite numbers.")
        if self.high <= self.low:
            raise BadSetting(
                "scale", f"high {self.high:g} is not above low {self.low:g}. Write a larger high."
            )
        if self.step < 0 or self.step > self.high - self.low:
            raise BadSetting(
                "scale, step",
                f"{self.step:g} is not inside {self.low:g} to {self.high:g}. Write 0 for the default.",
            )
        if self.levels == 1 or self.levels < 0:
            raise BadSetting(
                "scale, levels",
                f"{self.levels} is too few. Write 0 for a slider, or at least 2.",
            )
        if self.levels and len(self.labels) not in (2, self.levels):
            raise BadSetting(
                "scale, labels", f"write {self.levels} labels, one for each level, or 2 for the ends."
            )
        if self.levels and self.beyond:
            raise BadSetting(
                "scale, beyond", "is possible only with a slider. Set levels = 0, or beyond = false."
            )

    @property
    def slider_step(self) -> float:
        """Smallest step of the slider: `step`, or a hundredth of the scale."""
        return self.step if self.step > 0 else (self.high - self.low) / STEPS

    def level_values(self) -> tuple[float, ...]:
        """Return the score of each level, evenly spaced over the range. Empty for a slider."""
        if not self.levels:
            return ()
        gap = (self.high - self.low) / (self.levels - 1)
        return tuple(self.low + gap * at for at in range(self.levels))
