"""Calibration of an estimate of a pilot: pilots like it are simulated, and estimated in the same way.

With few answers per rater and item, the model fits a part of the noise with slopes, offsets and positions, and its
estimate of the noise is too small. In simulated pilots, the true noise is known.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from steelyard.judgments.counting import count_raters
from steelyard.judgments.table import MISSING, Judgments
from steelyard.maths.arrays import Codes
from steelyard.planning.worlds import World
from steelyard.simulation.scenarios import answer_task, draw_raters

SIMULATED = 10  # pilots
MOST_RATINGS = 5_000  # in a pilot; with more, the estimate is used as it is, to save time
LIMITS = (0.5, 2.0)
SEED = 7


def noise_factor(judgments: Judgments, world: World, noise_of: Callable[[Judgments], float]) -> float:
    """Return the true noise over its estimate, the geometric mean over simulated pilots.

    Each has the raters, tasks and items of the pilot, with habits and positions drawn from its estimates.

    Parameters
    ----------
    judgments
        Ratings of the pilot.
    world
        Estimates of the pilot.
    noise_of
        Function that estimates the noise of ratings, as a root mean square over raters.

    Returns
    -------
    float
        The factor; 1 if the pilot has other judgments than ratings by identified raters, or too many.
    """
    is_rated = tuple(judgments.kinds) == ("rating",) and count_raters(judgments) > 0
    if not is_rated or len(judgments) > MOST_RATINGS:
        return 1.0
    rng, one = np.random.default_rng(SEED), world.scenario
    true = one.base_noise * math.exp(one.noise_spread**2)
    estimates = [noise_of(_simulated(judgments, world, rng)) for _ in range(SIMULATED)]
    return float(np.clip(true / np.exp(np.mean(np.log(np.maximum(estimates, 1e-6)))), *LIMITS))


def _simulated(judgments: Judgments, world: World, rng: np.random.Generator) -> Judgments:
    """Return the ratings with simulated scores."""
    table = judgments.table("rating")
    truth = rng.permutation(world.positions)
    # The last rater stands for ratings without one.
    raters = draw_raters(world.scenario, len(judgments.raters) + 1, rng)
    low, high = judgments.score_range
    score, mean = np.empty(len(table)), float(truth.mean())
    for rows in _tasks(judgments):
        rater = raters[table.codes["rater"][rows[0]]]
        seen = answer_task(rater, world.scenario, truth[table.codes["item"][rows]], mean, rng)
        score[rows] = low + (high - low) * seen
    rated = replace(table, numbers={**table.numbers, "score": score})
    return replace(judgments, tables={"rating": rated}, range=(low, high))


def _tasks(judgments: Judgments) -> list[Codes]:
    """Return the rows of each task; a row without a task is one of its own."""
    codes, size = judgments.table("rating").codes, len(judgments)
    task = codes.get("task", np.full(size, MISSING))
    rater = codes["rater"].astype(np.int64)
    pair = task * (len(judgments.raters) + 1) + rater + 1  # 0 or more, also without a rater
    key = np.where(task == MISSING, np.arange(size), size + pair)
    order = np.argsort(key, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(key[order])) + 1)
