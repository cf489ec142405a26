"""Machine judges beside people: prediction-powered estimates, and how far each judge can be trusted.

`machine_judges` returns the tables. `pool_of`, `cross_predictions` and `estimate_means` are its steps.
"""

from steelyard.quality.machine.pools import Pool, PoolSettings, pool_of
from steelyard.quality.machine.prediction_powered import Estimates, cross_predictions, estimate_means
from steelyard.quality.machine.reporting import (
    JudgeSettings,
    MachineJudges,
    machine_judges,
    with_probabilities,
)
from steelyard.quality.machine.trust import DifferenceRow, JudgeRow, difference_rows, judge_rows

__all__ = [
    "DifferenceRow",
    "Estimates",
    "JudgeRow",
    "JudgeSettings",
    "MachineJudges",
    "Pool",
    "PoolSettings",
    "cross_predictions",
    "difference_rows",
    "estimate_means",
    "judge_rows",
    "machine_judges",
    "pool_of",
    "with_probabilities",
]
