"""Simulated raters in the training: they answer what they perceive, and improve after each mistake."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from steelyard.maths.arrays import Vector
from steelyard.simulation.scenarios import Scenario, SimulatedRater, answer_task
from steelyard.study.collecting.session import Session
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.training.practice_exercises import Exercise
from steelyard.study.training.training import Attempt, attempt, exercises_of

MOST_ATTEMPTS = 10  # per exercise, before a rater gives up
LEARNT = 0.5  # share of the error that an honest rater corrects after each mistake
MIDDLE = 0.5


def train(
    session: Session, rater: str, habits: SimulatedRater, scenario: Scenario, rng: np.random.Generator
) -> bool:
    """Let one rater do the exercises of a study.

    Spammers ignore the items, and feedback does not change their answers.

    Parameters
    ----------
    session
        Session of the study.
    rater
        Id of the rater.
    habits
        Habits of the rater.
    scenario
        How raters differ.
    rng
        Source of randomness.

    Returns
    -------
    bool
        Whether the rater passed all exercises.
    """
    arm = session.study_of(rater)
    exercises = exercises_of(arm)
    for number, exercise in enumerate(exercises):
        study = replace(
            arm.definition.in_way(exercise.protocol), questions=(exercise.question,), training=None
        )
        done = False
        for seen in itertools.islice(_looks(exercise, study, habits, scenario, rng), MOST_ATTEMPTS):
            attempted = Attempt(number, None, study.kind.simulate(seen, 0, study.asked(0), rng))
            with session.transaction_of(rater) as transaction:
                done = attempt(transaction, exercises, rater, attempted).done
            if done:
                break
        if not done:
            return False
    return True


def _looks(
    exercise: Exercise,
    study: StudyDefinition,
    habits: SimulatedRater,
    scenario: Scenario,
    rng: np.random.Generator,
) -> Iterator[Vector]:
    """Yield the perceived positions of the items at each attempt, in [0, 1], closer to the truth each time."""
    truth = _positions(exercise, study)
    kept = 1.0
    while True:
        seen = answer_task(habits, scenario, truth, MIDDLE, rng)
        yield np.clip(truth + kept * (seen - truth), 0.0, 1.0)
        kept *= 1.0 if habits.spam else 1.0 - LEARNT


def _positions(exercise: Exercise, study: StudyDefinition) -> Vector:
    """Return the positions, in [0, 1], of the items of an exercise, from its correct answer."""
    places, asked = np.full(len(exercise.shown), MIDDLE), study.asked(0)
    for cell in exercise.right:
        places[cell.item] = study.kind.position(cell, asked, len(exercise.shown))
    return places
