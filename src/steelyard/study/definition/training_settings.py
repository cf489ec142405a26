"""The [training] section of study.toml: exercises with a reference answer, gated before the first task."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.errors import BadSetting
from steelyard.judgments.kinds import OUTCOMES
from steelyard.study.definition.protocols import Protocol

Several = str | tuple[str, ...]  # one text, or one for each item of the page
REFERENCES = {
    "rating": "answer = 40",
    "list": "answer = [20, 70]",
    "comparison": 'answer = "left"',
    "comparison_list": 'answer = ["left", "tie"]',
    "ranking": "ranks = [2, 1, 3]",
    "best_worst": "best = 1 and worst = 3",
    "range": "low = 30 and high = 50",
}


@dataclass(frozen=True, slots=True)
class TrainingTask:
    """One exercise: what it shows (texts, images, or items of the study), the right answer, and what to say if wrong.

    `tolerance` is in units of the scale; 0 stands for a tenth of it.
    """

    text: Several = ()
    image: Several = ()
    item: Several = ()
    alt: Several = ()
    answer: float | str | tuple[float, ...] | tuple[str, ...] | None = None
    low: float | None = None
    high: float | None = None
    ranks: tuple[int, ...] = ()
    best: int = 0
    worst: int = 0
    tolerance: float = 0.0
    feedback: str = ""
    feedback_low: str = ""
    feedback_high: str = ""


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """Exercises about the page, which ship with every protocol, and exercises about the study's own task."""

    interface: bool = True
    instructions: str = ""
    tasks: tuple[TrainingTask, ...] = ()


def listed(told: object) -> tuple[object, ...]:
    """One or several values as several."""
    if told is None or told == "":
        return ()
    return told if isinstance(told, tuple) else (told,)


def check_training(training: TrainingSettings, asks: Protocol, span: tuple[float, float]) -> None:
    """Does every exercise have something to show and a right answer that fits how the study asks?"""
    if not training.interface and not training.tasks:
        raise BadSetting("training", "has no exercise; set interface = true, or write [[training.tasks]].")
    for at, task in enumerate(training.tasks):
        where = f"training, tasks[{at}]"
        shown = [listed(each) for each in (task.text, task.image, task.item) if listed(each)]
        if len(shown) != 1:
            raise BadSetting(where, "shows one of text, image and item; write one of them.")
        _check_shown(len(shown[0]), asks, where)
        if not _has_reference(task, len(shown[0]), asks, span):
            raise BadSetting(where, f"has no reference answer that fits; write {REFERENCES[asks.name]}.")
        if task.tolerance < 0:
            raise BadSetting(f"{where}, tolerance", f"{task.tolerance:g} is not at least 0.")


def _check_shown(shown: int, asks: Protocol, where: str) -> None:
    if asks.size is not None and shown != asks.size:
        raise BadSetting(where, f"shows {shown}; a page of {asks.name} has {asks.size}.")
    if shown < asks.least:
        raise BadSetting(where, f"shows {shown}; a page of {asks.name} has at least {asks.least}, in a list.")


def _has_reference(task: TrainingTask, shown: int, asks: Protocol, span: tuple[float, float]) -> bool:
    """Is there a right answer for each item that is asked about?"""
    answers = listed(task.answer)
    if asks.kind == "rating":
        return len(answers) == shown and all(_is_inside(each, span) for each in answers)
    if asks.kind == "comparison":
        return len(answers) == shown - 1 and set(answers) <= set(OUTCOMES)
    if asks.kind == "ranking":
        return len(task.ranks) == shown and set(task.ranks) == set(range(1, len(set(task.ranks)) + 1))
    if asks.kind == "best_worst":
        return task.best != task.worst and {task.best, task.worst} <= set(range(1, shown + 1))
    bounds = (task.low, task.high)
    return all(_is_inside(each, span) for each in bounds) and (task.low or 0.0) <= (task.high or 0.0)


def _is_inside(value: object, span: tuple[float, float]) -> bool:
    return isinstance(value, float) and span[0] <= value <= span[1]
