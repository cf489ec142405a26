"""Simulated raters in a real study: they get tasks from the session and answer through it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from steelyard.kinds.cell import Cell
from steelyard.kinds.on_scale import to_scale
from steelyard.maths.arrays import Matrix
from steelyard.simulation.scenarios import (
    Scenario,
    Shape,
    SimulatedRater,
    answer_task,
    closer,
    draw_raters,
    draw_truth,
    participation,
)
from steelyard.simulation.simulated_checks import followed, perceived
from steelyard.simulation.simulated_training import train
from steelyard.study.collecting.rater_state import Assignment
from steelyard.study.collecting.session import Session
from steelyard.study.definition.sections.joining import SurveyQuestion
from steelyard.study.grounding.cold_start import OWNER, agree, cold_start_of, draw, place
from steelyard.study.log.entries import Answer, Task
from steelyard.study.log.interface import Rater

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
    factors
        Factor of all differences between raters, by condition; 1 for other conditions.
    """

    scenario: Scenario
    raters: tuple[SimulatedRater, ...]
    truth: Matrix
    factors: Mapping[str, float] = field(default_factory=dict)

    def member(self, at: int, condition: str) -> tuple[SimulatedRater, Scenario]:
        """Return the habits of a rater in a condition."""
        factor = self.factors.get(condition, 1.0)
        rater = self.raters[at]
        return (rater, self.scenario) if factor == 1.0 else closer(rater, self.scenario, factor)

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

    The next rater is drawn by participation: a few raters do much, many do little. If the study has conditions, each
    rater is assigned to one of them first. If there is a training, raters take it before their first task, and those
    who do not pass get no task.

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
    people = _joined(session, len(crowd.raters))
    arms = np.array([_arm(session, person.id, rng) for person in people])
    for name in session.follower.arms:
        members = {people[at].id: at for at in np.flatnonzero(arms == name).tolist()}
        _place_seeds(session, crowd, name, members, rng)
    passed = [
        bool(arms[at]) and train(session, person.id, *crowd.member(at, arms[at]), rng)
        for at, person in enumerate(people)
    ]
    trained = np.array(passed)
    present = trained.copy()
    weights = participation(len(people))
    done, rounds = 0, {name: session.arm(name).ledger.round for name in session.follower.arms}
    while present.any() and (most_tasks is None or done < most_tasks):
        share = np.where(present, weights, 0.0)
        at = int(rng.choice(len(people), p=share / share.sum()))
        assignment = session.next_task(people[at].id).assignment
        number = session.arm(arms[at]).ledger.round
        if number != rounds[arms[at]]:  # raters who waited for the next round return
            rounds[arms[at]] = number
            present = np.where(arms == arms[at], trained, present)
        if assignment is None:
            present[at] = False
            continue
        session.accept(people[at].id, answer_as(crowd, at, assignment, session, rng))
        done += 1
        on_answer(done)
    return done


def _joined(session: Session, count: int) -> list[Rater]:
    """Return new raters who have agreed to take part."""
    people = [session.join(f"Simulated {at}", "simulated") for at in range(1, count + 1)]
    for person in people:
        session.note("consented", person.id)
    return people


def _arm(session: Session, rater: str, rng: np.random.Generator) -> str:
    """Assign a rater to a condition and return its name; empty if no condition needs raters."""
    definition = session.study.definition
    if not definition.conditions:
        return definition.condition
    if definition.strata_in_survey:
        answers = {each.id: _survey_answer(each, rng) for each in definition.joining.survey}
        session.note("surveyed", rater, answers)
    session.arrive(rater)
    return session.record(rater).condition


def _survey_answer(question: SurveyQuestion, rng: np.random.Generator) -> str | float:
    """Return a random answer to a question of the survey, which is independent of the rater's habits."""
    if question.kind == "choice":
        return str(rng.choice(question.choices))
    return float(rng.integers(18, 80)) if question.kind == "number" else ""


def _place_seeds(
    session: Session, crowd: Crowd, condition: str, members: Mapping[str, int], rng: np.random.Generator
) -> None:
    """Draw and place the first examples of an arm if needed; the simulated owner knows the truth."""
    arm = session.arm(condition)
    settings = arm.study.definition.grounding.cold_start
    if settings is None:
        return
    scale = arm.study.definition.scale_of(arm.study.definition.questions[0])
    for person in [OWNER] if settings.by == "owner" else members:
        with session.transaction() as whole:
            transaction = whole.in_arm(session.arm(condition).ledger)
            if transaction.ledger.ground.seeds is not None:
                return
            if cold_start_of(transaction.ledger, person).state == "draw":
                draw(transaction, person, [])
                agree(transaction, person)
            items = cold_start_of(transaction.ledger, person).items
            seen = crowd.truth[0][list(items)]
            if person != OWNER:
                habits, scenario = crowd.member(members[person], condition)
                seen = answer_task(habits, scenario, seen, float(crowd.truth[0].mean()), rng)
            place(transaction, person, dict(zip(items, to_scale(seen, scale).tolist(), strict=True)))


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
    condition = assignment.task.condition
    definition = session.arm(condition).study.definition.in_way(assignment.task.protocol)
    habits, scenario = crowd.member(rater, condition)
    ledger, task = session.arm(condition).ledger, assignment.task
    cells: list[Cell] = []
    for number, truth in enumerate(crowd.truth):
        positions = perceived(ledger, task, number, truth)
        seen = answer_task(habits, scenario, positions, float(truth.mean()), rng)
        simulated = definition.kind.simulate(seen, number, definition.asked(number), rng)
        cells += followed(ledger, task, number, habits) or simulated
    return Answer("", "", assignment.id, tuple(cells), milliseconds=_milliseconds(assignment.task, rng))


def _milliseconds(task: Task, rng: np.random.Generator) -> int:
    typical = SECONDS_PER_ITEM * len(task.items) * len(task.questions)
    return int(1000 * typical * np.exp(SECONDS_SPREAD * rng.standard_normal()))
