"""The [training] section of study.toml: exercises with a reference answer, gated before the first task."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.errors import BadSetting
from steelyard.kinds.asked import AskedQuestion, several
from steelyard.kinds.known import kind_of
from steelyard.kinds.protocol import Protocol

Several = str | tuple[str, ...]  # one text, or one for each item of the page


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


def check_training(training: TrainingSettings, asks: Protocol, asked: AskedQuestion) -> None:
    """Does every exercise have something to show and a right answer that fits how the study asks?"""
    if not training.interface and not training.tasks:
        raise BadSetting("training", "has no exercise; set interface = true, or write [[training.tasks]].")
    for at, task in enumerate(training.tasks):
        where = f"training, tasks[{at}]"
        shown = [several(each) for each in (task.text, task.image, task.item) if several(each)]
        if len(shown) != 1:
            raise BadSetting(where, "shows one of text, image and item; write one of them.")
        _check_shown(len(shown[0]), asks, where)
        if kind_of(asks.name).reference_cells(task, len(shown[0]), asked) is None:
            raise BadSetting(where, f"has no reference answer that fits; write {asks.reference}.")
        if task.tolerance < 0:
            raise BadSetting(f"{where}, tolerance", f"{task.tolerance:g} is not at least 0.")


def _check_shown(shown: int, asks: Protocol, where: str) -> None:
    if asks.size is not None and shown != asks.size:
        raise BadSetting(where, f"shows {shown}; a page of {asks.name} has {asks.size}.")
    if shown < asks.least:
        raise BadSetting(where, f"shows {shown}; a page of {asks.name} has at least {asks.least}, in a list.")
