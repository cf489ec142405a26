"""Training: exercises before the first task, feedback at each partial step, and no way on before it is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, cast

from steelyard.errors import BadAnswer
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.items import Item, Medium
from steelyard.study.definition.study import Study
from steelyard.study.definition.training_settings import TrainingTask, listed
from steelyard.study.log.cells import Bounds, Cell, Choice, Outcome, Pick, Rank, Score, Verdict
from steelyard.study.log.ledger import Ledger
from steelyard.study.log.transaction import Transaction
from steelyard.study.training.practice import Exercise, Exhibit, interface_exercise

STEPPED = ("range", "best_worst")  # kinds whose answer is made, and checked, in two steps
LOW, HIGH, ELSE = "low", "high", ""
WORDS = {
    "rating": ("Too low: there is more of it than that.", "Too high: there is less of it than that."),
    "best_worst": ("Not yet: another one has the most.", "Not yet: another one has the least."),
}
NOT_YET = "Not yet. Look again, and change your answer."
RIGHT = "That is right."
FARTHER = {
    (LOW, True): "Not yet: the lower handle has gone too far up. Move it down.",
    (LOW, False): "Not yet: the lower handle can go further up.",
    (HIGH, True): "Not yet: the upper handle can come further down.",
    (HIGH, False): "Not yet: the upper handle has come too far down. Move it up.",
}


@dataclass(frozen=True, slots=True)
class Feedback:
    """What became of an attempt; `done` when the exercise is over."""

    right: bool
    words: str
    done: bool


def exercises_of(study: Study) -> tuple[Exercise, ...]:
    """All exercises of a study, in order: how the page works, then how the task is meant."""
    training = study.definition.training
    if training is None:
        return ()
    own = tuple(_own_exercise(task, study) for task in training.tasks)
    return ((interface_exercise(study.definition),) if training.interface else ()) + own


def exercise_at(study: Study, ledger: Ledger, number: int) -> Exercise | None:
    """An exercise as it is shown: those of the study's own have the study's first anchors along their scale."""
    exercises = exercises_of(study)
    if not 0 <= number < len(exercises):
        return None
    exercise, definition = exercises[number], study.definition
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
    """A rater's answer to the exercise of this number, or to one step of it."""

    exercise: int
    step: int | None
    cells: Sequence[Cell]


def attempt(
    transaction: Transaction, exercises: Sequence[Exercise], rater: str, attempted: Attempt
) -> Feedback:
    """Check a rater's attempt at an exercise and log it; one that is done already stays done.

    Raises BadAnswer for an exercise that is not their turn.
    """
    record, number = transaction.ledger.rater(rater), attempted.exercise
    if number < record.exercises and number < len(exercises):
        return Feedback(True, RIGHT, True)
    if number != record.exercises or number >= len(exercises):
        raise BadAnswer("This exercise is not the next one. Load the page again.")
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
    """Is the answer, or the part of it that this step asks for, right? If not, what to say."""
    kind = definition.asking.way.kind
    given = {cell.item: cell for cell in cells}
    if len(given) != len(cells) or set(given) != {cell.item for cell in exercise.right}:
        raise BadAnswer("Answer everything that this exercise shows.")
    partial = step if kind in STEPPED else None
    for right in exercise.right:
        wrong = _wrong(right, given[right.item], exercise.tolerance, partial)
        if wrong is not None:
            return Feedback(False, _words(exercise, kind, wrong, right, given[right.item]), False)
    return Feedback(True, RIGHT, partial != 1)


def _wrong(right: Cell, given: Cell, tolerance: float, step: int | None) -> str | None:
    """Which side of an answer is wrong: "low", "high", "" where it has no sides; None where it is right."""
    if type(given) is not type(right):
        raise BadAnswer("This exercise asks for another kind of answer.")
    if isinstance(right, Score) and isinstance(given, Score):
        return _off(given.score, right.score, tolerance)
    if isinstance(right, Bounds) and isinstance(given, Bounds):
        if _off(given.low, right.low, tolerance) is not None:
            return LOW
        return None if step == 1 or _off(given.high, right.high, tolerance) is None else HIGH
    if isinstance(right, Pick) and isinstance(given, Pick):
        if (right.choice == "best") != (given.choice == "best"):
            return LOW
        return None if step == 1 or right.choice == given.choice else HIGH
    return None if right.value == given.value else ELSE


def _off(given: float | None, right: float | None, tolerance: float) -> str | None:
    if given is None or right is None:
        return ELSE
    return None if abs(given - right) <= tolerance else LOW if given < right else HIGH


def _words(exercise: Exercise, kind: str, wrong: str, right: Cell, given: Cell) -> str:
    """What the study says about this mistake, or what is usually said."""
    own = exercise.feedback.get(wrong) or exercise.feedback.get(ELSE)
    if own:
        return own
    if isinstance(right, Bounds) and isinstance(given, Bounds):
        value, wanted = (given.low, right.low) if wrong == LOW else (given.high, right.high)
        return NOT_YET if value is None or wanted is None else FARTHER[wrong, value > wanted]
    if wrong == ELSE or kind not in WORDS:
        return NOT_YET
    return WORDS[kind][wrong == HIGH]


def _own_exercise(task: TrainingTask, study: Study) -> Exercise:
    """An exercise that the study's owner wrote."""
    definition, training = study.definition, study.definition.training
    question = definition.questions[0]
    scale = definition.scale_of(question)
    return Exercise(
        tuple(Exhibit(item) for item in _shown(task, study)),
        question,
        _reference(task, definition),
        task.tolerance or (scale.high - scale.low) / 10.0,
        {ELSE: task.feedback, LOW: task.feedback_low, HIGH: task.feedback_high},
        instructions=training.instructions if training is not None else "",
    )


def _shown(task: TrainingTask, study: Study) -> list[Item]:
    if listed(task.item):
        return [study.items[study.items.index[str(id)]] for id in listed(task.item)]
    medium: Medium = "text" if listed(task.text) else "image"
    contents = [str(each) for each in listed(task.text) or listed(task.image)]
    alts = [*map(str, listed(task.alt)), *[""] * len(contents)]
    return [Item(f"training-{at}", medium, each, alt=alts[at]) for at, each in enumerate(contents)]


def _reference(task: TrainingTask, definition: StudyDefinition) -> tuple[Cell, ...]:
    """The right answer as cells."""
    answers, kind = cast("tuple[Any, ...]", listed(task.answer)), definition.asking.way.kind
    if kind == "rating":
        return tuple(Score(at, 0, each) for at, each in enumerate(answers))
    if kind == "comparison":
        return tuple(Verdict(at, 0, cast(Outcome, each)) for at, each in enumerate(answers, 1))
    if kind == "ranking":
        return tuple(Rank(at, 0, rank) for at, rank in enumerate(task.ranks))
    if kind == "range":
        return (Bounds(0, 0, task.low, task.high),)
    shown = len(listed(task.text) or listed(task.image) or listed(task.item))
    words: dict[int, Choice] = {task.best - 1: "best", task.worst - 1: "worst"}
    return tuple(Pick(at, 0, words.get(at, "none")) for at in range(shown))
