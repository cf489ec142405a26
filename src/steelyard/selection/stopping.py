"""When a study has enough: what its scale's reliability is predicted to be, and the rules that look at it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Vector
from steelyard.maths.gaussian import NORMAL_95

LEAST_ANSWERS = 2.0  # answers per item before the prediction can be trusted: at one it is off by up to .16


@dataclass(frozen=True, slots=True)
class Stop:
    """Stop when the first of the rules that are set (not 0) is met."""

    reliability: float = 0.0
    interval_width: float = 0.0
    budget: int = 0

    @property
    def looks_at_belief(self) -> bool:
        """Does any rule need positions and variances?"""
        return self.reliability > 0.0 or self.interval_width > 0.0


def predicted_reliability(position: Vector, variance: Vector) -> float:
    """Predicted correlation of the positions with the truth, sqrt(1 - v / (v + var(position))).

    v is the mean posterior variance; positions are posterior means, so that their variance and v add up to
    that of the truth.
    """
    if len(position) < 2:
        return 0.0
    error, signal = float(np.mean(variance)), float(np.var(position))
    return float(np.sqrt(signal / (signal + error))) if signal > 0.0 else 0.0


def mean_width(variance: Vector) -> float:
    """Mean length of the 95% intervals, as a share of the scale."""
    return float(np.mean(2.0 * NORMAL_95 * np.sqrt(variance))) if len(variance) else 1.0


def should_stop(stop: Stop, position: Vector, variance: Vector, answers: Vector) -> bool:
    """Is one of the rules met? `answers` are the judgments of each item, variances on the unit scale."""
    total = float(np.sum(answers))
    if stop.budget and total >= stop.budget:
        return True
    if not stop.looks_at_belief or not len(answers) or np.mean(answers) < LEAST_ANSWERS:
        return False
    reliable = stop.reliability > 0.0 and predicted_reliability(position, variance) >= stop.reliability
    return reliable or (stop.interval_width > 0.0 and mean_width(variance) <= stop.interval_width)
