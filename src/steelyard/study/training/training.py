"""Training: exercises that a rater must solve before the first task, with feedback on each step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from steelyard.errors import BadAnswer
from steelyard.kinds.asked import several
from steelyard.kinds.cell import Cell
from steelyard.kinds.correctness import ELSE, HIGH, LOW
from steelyard.kinds.kind import Kind
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.items import Item, Medium
from steelyard.study.definition.study import Study
from steelyard.study.definition.training_settings import TrainingTask
from steelyard.study.log.ledger import Ledger
from steelyard.study.log.transaction import Transaction
from steelyard.study.training.practice_exercises import Exercise, Exhibit, interface_exercise

NOT_YET = "Not yet. Look again, and change your answer."
RIGHT = "That is right."


@dataclass(frozen=True, slots=True)
class Feedback:
    """Feedback on an attempt; `done` means that the exercise is finished.

    Attributes
    ----------
    items
        Indexes of the items whose answer is wrong.
    examples
        Indexes of the examples along the scale that are on the wrong side of the answer.
    """

    right: bool
    words: str
    done: bool
    items: tuple[int, ...] = ()
    examples: tuple[int, ...] = ()


def exercises_of(study: Study) -> tuple[Exercise, ...]:
    """Return the exercises of a study, for each of its protocols: the built-in practice, then those in study.toml."""
    return tuple(exercise for way in study.asked_ways for exercise in _exercises_of_way(way))


def _exercises_of_way(study: Study) -> tuple[Exercise, ...]:
    training = study.definition.training
    if training is None:
        return ()
    own = tuple(_own_exercise(task, study) for task in training.tasks)
    return ((interface_exercise(study.definition),) if training.interface else ()) + own


def exercise_at(study: Study, ledger: Ledger, number: int) -> Exercise | None:
    """Return an exercise as it is shown, or None if there is no exercise with this number.

    Exercises in study.toml show the seeds, which are the first anchors of the study, along their scale.

    Parameters
    ----------
    study
        The study.
    ledger
        State of the study, with its seeds.
    number
        Number of the exercise, from 0.

    Returns
    -------
    Exercise or None
        The exercise with its anchors.
    """
    exercises = exercises_of(study)
    return _with_seeds(exercises[number], study, ledger) if 0 <= number < len(exercises) else None


def shown_exercises(study: Study, ledger: Ledger) -> tuple[Exercise, ...]:
    """Return all exercises of a study as they are shown, with the seeds along their scales."""
    return tuple(_with_seeds(exercise, study, ledger) for exercise in exercises_of(study))


def _with_seeds(exercise: Exercise, study: Study, ledger: Ledger) -> Exercise:
    definition = study.definition
    if (
        exercise.anchors
        or "examples" not in definition.shows
        or exercise.question not in definition.questions
    ):
        return exercise
    shown, items = {each.item.id for each in exercise.shown}, study.items
    seeds = [each for each in ledger.ground.seeds or () if each.item in items.index]
    anchors = [(Exhibit(items[items.index[each.item]]), each.low, each.high) for each in seeds]
    return replace(exercise, anchors=tuple(each for each in anchors if each[0].item.id not in shown))


@dataclass(frozen=True, slots=True)
class Attempt:
    """The answer of a rater to an exercise, or to one step of it; exercises are numbered from 0."""

    exercise: int
    step: int | None
    cells: Sequence[Cell]


def attempt(
    transaction: Transaction, exercises: Sequence[Exercise], rater: str, attempted: Attempt
) -> Feedback:
    """Check and log an attempt at an exercise; a finished exercise stays finished.

    Raises BadAnswer if the exercise is not the next one of the rater.

    Parameters
    ----------
    transaction
        Open transaction of the study.
    exercises
        All exercises, from `shown_exercises`.
    rater
        Id of the rater.
    attempted
        The attempt.

    Returns
    -------
    Feedback
        Whether the answer is right, and what the rater reads.
    """
    record, number = transaction.ledger.rater(rater), attempted.exercise
    if number < record.exercises and number < len(exercises):
        return Feedback(True, RIGHT, True)
    if number != record.exercises or number >= len(exercises):
        raise BadAnswer("This is not your next exercise. Reload the page.")
    feedback = check_attempt(
        exercises[number], transaction.ledger.definition, attempted.step, attempted.cells
    )
    facts = {
        "task": number,
        "step": attempted.step,
        "answer": [asdict(cell) for cell in attempted.cells],
        "right": feedback.right,
        "done": feedback.done,
    }
    transaction.note("attempted", rater, facts)
    if feedback.done and number + 1 == len(exercises):
        transaction.note("trained", rater)
    return feedback


def check_attempt(
    exercise: Exercise, definition: StudyDefinition, step: int | None, cells: Sequence[Cell]
) -> Feedback:
    """Check the answer to an exercise, or the part of it that this step asks for.

    Parameters
    ----------
    exercise
        The exercise.
    definition
        Settings of the study.
    step
        Step of a kind that is answered in two steps, or None for the whole answer.
    cells
        The answer.

    Returns
    -------
    Feedback
        Whether the answer is right, and what the rater reads.
    """
    kind = definition.in_way(exercise.protocol).kind
    attempted = {cell.item: cell for cell in cells}
    if len(attempted) != len(cells) or set(attempted) != {cell.item for cell in exercise.right}:
        raise BadAnswer("Answer every item of this exercise.")
    if not all(isinstance(cell, kind.cell) for cell in cells):
        raise BadAnswer("This exercise needs another kind of answer. Reload the page.")
    partial = step if kind.two_steps else None
    checked = [
        (kind.mistake(right, attempted[right.item], exercise.tolerance, partial), right)
        for right in exercise.right
    ]
    mistakes = [(side, right) for side, right in checked if side is not None]
    if not mistakes:
        return Feedback(True, RIGHT, partial != 1)
    side, right = mistakes[0]
    cell, bounds = attempted[right.item], [(low, high) for _, low, high in exercise.anchors]
    return Feedback(
        False,
        _words(exercise, kind, side, right, cell),
        False,
        tuple(wrong.item for _, wrong in mistakes),
        kind.wrong_side(side, right, cell, bounds),
    )


def _words(exercise: Exercise, kind: Kind[Any], wrong: str, right: Cell, attempted: Cell) -> str:
    """Return the feedback to a mistake: that of study.toml, or else that of the kind."""
    own = exercise.feedback.get(wrong) or exercise.feedback.get(ELSE)
    return own or kind.feedback(wrong, right, attempted) or NOT_YET


def _own_exercise(task: TrainingTask, study: Study) -> Exercise:
    """Return an exercise of [[training.tasks]] in study.toml."""
    definition, training = study.definition, study.definition.training
    question = definition.questions[0]
    scale = definition.scale_of(question)
    shown = tuple(Exhibit(item) for item in _shown(task, study))
    return Exercise(
        shown,
        question,
        definition.kind.reference_cells(task, len(shown), definition.asked(0)) or (),
        task.tolerance or (scale.high - scale.low) / 10.0,
        {ELSE: task.feedback, LOW: task.feedback_low, HIGH: task.feedback_high},
        instructions=training.instructions if training is not None else "",
        protocol=definition.asking.way.name,
    )


def _shown(task: TrainingTask, study: Study) -> list[Item]:
    if several(task.item):
        return [study.items[study.items.index[str(id)]] for id in several(task.item)]
    medium: Medium = "text" if several(task.text) else "image"
    contents = [str(each) for each in several(task.text) or several(task.image)]
    alts = [*map(str, several(task.alt)), *[""] * len(contents)]
    return [Item(f"training-{at}", medium, each, alt=alts[at]) for at, each in enumerate(contents)]
