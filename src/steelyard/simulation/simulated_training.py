"""Simulated raters at the training: they answer what they see, and look again after each mistake."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from steelyard.maths.arrays import Vector
from steelyard.simulation.scenarios import Scenario, SimulatedRater, answer_task
from steelyard.simulation.simulated_cells import simulated_cells
from steelyard.study.collecting.session import Session
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.log.cells import Bounds, Cell, Pick, Rank, Score, Verdict
from steelyard.study.training.practice import Exercise
from steelyard.study.training.training import Attempt, attempt, exercises_of

MOST_ATTEMPTS = 10  # at one exercise, before a rater gives up
LEARNT = 0.5  # of the distance to the right answer that an honest rater makes up after each mistake
MIDDLE = 0.5
FAR = 0.4  # how far from the middle an item is that exercises call more or less than another


def train(
    session: Session, rater: str, habits: SimulatedRater, scenario: Scenario, rng: np.random.Generator
) -> bool:
    """Let one rater do the exercises of a study; whether they got through all of them.

    Spammers do not look at the items, and feedback changes nothing for them.
    """
    exercises = exercises_of(session.study)
    for number, exercise in enumerate(exercises):
        asked = replace(session.study.definition, questions=(exercise.question,), training=None)
        done = False
        for seen in itertools.islice(_looks(exercise, asked, habits, scenario, rng), MOST_ATTEMPTS):
            attempted = Attempt(number, None, simulated_cells(seen, 0, asked, rng))
            with session.transaction() as transaction:
                done = attempt(transaction, exercises, rater, attempted).done
            if done:
                break
        if not done:
            return False
    return True


def _looks(
    exercise: Exercise,
    asked: StudyDefinition,
    habits: SimulatedRater,
    scenario: Scenario,
    rng: np.random.Generator,
) -> Iterator[Vector]:
    """What a rater sees in the items at each attempt, in [0, 1]: nearer to what is right from one to the next."""
    scale = asked.scale_of(exercise.question)
    truth = _positions(exercise, (scale.low, scale.high))
    kept = 1.0
    while True:
        seen = answer_task(habits, scenario, truth, MIDDLE, rng)
        yield np.clip(truth + kept * (seen - truth), 0.0, 1.0)
        kept *= 1.0 if habits.spam else 1.0 - LEARNT


def _positions(exercise: Exercise, ends: tuple[float, float]) -> Vector:
    """Where the items of an exercise are, in [0, 1], as its right answer has them."""
    low, high = ends
    places = np.full(len(exercise.shown), MIDDLE)
    for cell in exercise.right:
        places[cell.item] = _position(cell, low, high, len(exercise.shown))
    return places


def _position(cell: Cell, low: float, high: float, items: int) -> float:
    if isinstance(cell, Score) and cell.score is not None:
        return (cell.score - low) / (high - low)
    if isinstance(cell, Bounds) and cell.low is not None and cell.high is not None:
        return ((cell.low + cell.high) / 2.0 - low) / (high - low)
    if isinstance(cell, Rank) and cell.rank is not None:
        return 1.0 - (cell.rank - MIDDLE) / items
    signs = {"right": 1.0, "left": -1.0, "best": 1.0, "worst": -1.0}
    if isinstance(cell, Verdict | Pick) and cell.value is not None:
        return MIDDLE + FAR * signs.get(cell.value, 0.0)
    return MIDDLE
