"""Stopping rules of a study, and the predicted reliability of its scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Vector
from steelyard.maths.gaussian import NORMAL_95

LEAST_ANSWERS = 2.0  # mean answers per item before the prediction is used: with one, its error is up to 0.16


@dataclass(frozen=True, slots=True)
class Stop:
    """Stopping rules: a study ends when the first rule that is set (not 0) is met.

    Parameters
    ----------
    reliability
        Predicted correlation of the positions with the truth, such as 0.95. 0 turns the rule off.
    interval_width
        Mean width of the 95% intervals, as a fraction of the scale, such as 0.1. 0 turns the rule off.
    budget
        Total number of judgments. 0 turns the rule off.
    """

    reliability: float = 0.0
    interval_width: float = 0.0
    budget: int = 0

    @property
    def looks_at_belief(self) -> bool:
        """Whether a rule needs positions and variances."""
        return self.reliability > 0.0 or self.interval_width > 0.0


def predicted_reliability(position: Vector, variance: Vector) -> float:
    """Return the predicted correlation of the positions with the truth, sqrt(1 - v / (v + var(position))).

    v is the mean posterior variance. Positions are posterior means, so their variance and v add up to the variance of
    the truth.
    """
    if len(position) < 2:
        return 0.0
    error, signal = float(np.mean(variance)), float(np.var(position))
    return float(np.sqrt(signal / (signal + error))) if signal > 0.0 else 0.0


def mean_width(variance: Vector) -> float:
    """Return the mean width of the 95% intervals, as a fraction of the scale."""
    return float(np.mean(2.0 * NORMAL_95 * np.sqrt(variance))) if len(variance) else 1.0


def should_stop(stop: Stop, position: Vector, variance: Vector, answers: Vector) -> bool:
    """Whether a stopping rule is met.

    Parameters
    ----------
    stop
        The rules.
    position
        Positions on the unit scale.
    variance
        Variances of the positions.
    answers
        Number of judgments of each item.

    Returns
    -------
    bool
        True if one of the rules is met.
    """
    total = float(np.sum(answers))
    if stop.budget and total >= stop.budget:
        return True
    if not stop.looks_at_belief or not len(answers) or np.mean(answers) < LEAST_ANSWERS:
        return False
    reliable = stop.reliability > 0.0 and predicted_reliability(position, variance) >= stop.reliability
    return reliable or (stop.interval_width > 0.0 and mean_width(variance) <= stop.interval_width)
