"""Simulated raters in a real study: they get tasks from the session and answer through it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from steelyard.kinds.cell import Cell
from steelyard.kinds.on_scale import to_scale
from steelyard.maths.arrays import Matrix
from steelyard.simulation.scenarios import (
    Scenario,
    Shape,
    SimulatedRater,
    answer_task,
    draw_raters,
    draw_truth,
    participation,
)
from steelyard.simulation.simulated_training import train
from steelyard.study.collecting.rater_state import Assignment
from steelyard.study.collecting.session import Session
from steelyard.study.grounding.cold_start import OWNER, agree, cold_start_of, draw, place
from steelyard.study.log.interface import Answer, Task

SECONDS_PER_ITEM = 6.0
SECONDS_SPREAD = 0.5  # standard deviation of the log time


@dataclass(frozen=True, eq=False)
class Crowd:
    """Simulated raters, and the true positions of the items.

    Attributes
    ----------
    scenario
        How raters differ.
    raters
        The simulated raters.
    truth
        True position of each item (column) for each question (row).
    """

    scenario: Scenario
    raters: tuple[SimulatedRater, ...]
    truth: Matrix

    @staticmethod
    def draw(
        session: Session, scenario: Scenario, count: int, shape: Shape, rng: np.random.Generator
    ) -> Crowd:
        """Draw a crowd for a study, with true positions for each question.

        Parameters
        ----------
        session
            Session of the study.
        scenario
            How raters differ.
        count
            Number of raters.
        shape
            Distribution of the true positions.
        rng
            Source of randomness.

        Returns
        -------
        Crowd
            The raters and the true positions.
        """
        questions, items = len(session.study.definition.questions), len(session.study.items)
        truth = np.stack([draw_truth(shape, items, rng) for _ in range(questions)])
        return Crowd(scenario, tuple(draw_raters(scenario, count, rng)), truth)


def simulate(
    session: Session,
    crowd: Crowd,
    rng: np.random.Generator,
    most_tasks: int | None = None,
    on_answer: Callable[[int], None] = lambda done: None,
) -> int:
    """Let the crowd answer tasks until no task is left, or until `most_tasks` are answered.

    The next rater is drawn by participation: a few raters do much, many do little. If the study has a training,
    raters take it first, and those who do not pass get no task.

    Parameters
    ----------
    session
        Session of the study.
    crowd
        Simulated raters.
    rng
        Source of randomness.
    most_tasks
        Largest number of tasks, or None for no limit.
    on_answer
        Function that receives the number of answered tasks after each one.

    Returns
    -------
    int
        Number of answered tasks.
    """
    people = [session.join(f"Simulated {at}", "simulated") for at in range(1, len(crowd.raters) + 1)]
    for person in people:
        session.note("consented", person.id)
    _place_seeds(session, crowd, [person.id for person in people], rng)
    trained = [
        train(session, person.id, habits, crowd.scenario, rng)
        for person, habits in zip(people, crowd.raters, strict=True)
    ]
    present = np.array(trained, dtype=bool)
    weights = participation(len(people))
    done, number = 0, session.ledger.round
    while present.any() and (most_tasks is None or done < most_tasks):
        share = np.where(present, weights, 0.0)
        at = int(rng.choice(len(people), p=share / share.sum()))
        assignment = session.next_task(people[at].id).assignment
        if session.ledger.round != number:  # raters who waited for the next round return
            present[:], number = trained, session.ledger.round
        if assignment is None:
            present[at] = False
            continue
        session.accept(people[at].id, answer_as(crowd, at, assignment, session, rng))
        done += 1
        on_answer(done)
    return done


def _place_seeds(session: Session, crowd: Crowd, people: list[str], rng: np.random.Generator) -> None:
    """Draw and place the first examples if raters or the owner have to; the simulated owner knows the truth."""
    settings = session.study.definition.grounding.cold_start
    if settings is None:
        return
    scale = session.study.definition.scale_of(session.study.definition.questions[0])
    for number, person in enumerate([OWNER] if settings.by == "owner" else people):
        if session.fresh_ledger().ground.seeds is not None:
            return
        with session.transaction() as transaction:
            if cold_start_of(transaction.ledger, person).state == "draw":
                draw(transaction, person, [])
                agree(transaction, person)
            items = cold_start_of(transaction.ledger, person).items
        seen = crowd.truth[0][list(items)]
        if person != OWNER:
            seen = answer_task(crowd.raters[number], crowd.scenario, seen, float(crowd.truth[0].mean()), rng)
        positions = dict(zip(items, to_scale(seen, scale).tolist(), strict=True))
        with session.transaction() as transaction:
            place(transaction, person, positions)


def answer_as(
    crowd: Crowd, rater: int, assignment: Assignment, session: Session, rng: np.random.Generator
) -> Answer:
    """Return the answer of one simulated rater to one task.

    Parameters
    ----------
    crowd
        Simulated raters.
    rater
        Index of the rater.
    assignment
        The task.
    session
        Session of the study.
    rng
        Source of randomness.

    Returns
    -------
    Answer
        The answer, with a simulated time.
    """
    definition = session.study.definition
    at = np.array([session.study.items.index[item] for item in assignment.task.items])
    cells: list[Cell] = []
    for number, truth in enumerate(crowd.truth):
        seen = answer_task(crowd.raters[rater], crowd.scenario, truth[at], float(truth.mean()), rng)
        cells += definition.kind.simulate(seen, number, definition.asked(number), rng)
    return Answer("", "", assignment.id, tuple(cells), milliseconds=_milliseconds(assignment.task, rng))


def _milliseconds(task: Task, rng: np.random.Generator) -> int:
    typical = SECONDS_PER_ITEM * len(task.items) * len(task.questions)
    return int(1000 * typical * np.exp(SECONDS_SPREAD * rng.standard_normal()))
