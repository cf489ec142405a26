"""Comparison of the arms of a study: how much raters disagree, how long they take, and which way of asking is better.

`compare_arms` returns an `ArmsComparison`. Raters are nested in arms, so intervals and tests are based on raters: each
statistic is computed without one rater at a time, and the resulting pseudo-values are permuted between arms.
"""

from steelyard.quality.arms.answers import ArmAnswers, arm_answers, arms_in
from steelyard.quality.arms.comparing import (
    ArmsComparison,
    ArmsSettings,
    ArmValue,
    ComparedMeasure,
    Contrast,
    compare_arms,
)
from steelyard.quality.arms.measures import MEASURES, Measure

__all__ = [
    "MEASURES",
    "ArmAnswers",
    "ArmValue",
    "ArmsComparison",
    "ArmsSettings",
    "ComparedMeasure",
    "Contrast",
    "Measure",
    "arm_answers",
    "arms_in",
    "compare_arms",
]
