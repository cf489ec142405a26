"""The [training] section of study.toml: exercises with reference answers that raters pass before the first task."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.errors import BadSetting
from steelyard.kinds.asked import AskedQuestion, several
from steelyard.kinds.known import kind_of
from steelyard.kinds.protocol import Protocol

Several = str | tuple[str, ...]  # one text, or one per item of the page


@dataclass(frozen=True, slots=True)
class TrainingTask:
    """One exercise: what it shows, the right answer, and the feedback to a wrong answer.

    Attributes
    ----------
    text, image, item
        What the exercise shows. Exactly one of them is set: texts, image files, or ids of items of the study.
    alt
        Alternative texts of the images.
    answer, low, high, ranks, best, worst
        The right answer. Which of these is used depends on the protocol.
    tolerance
        Largest accepted difference from the right answer, in units of the scale; 0 means a tenth of the scale.
    feedback
        Feedback to a wrong answer.
    feedback_low, feedback_high
        Feedback to an answer that is too low or too high, instead of `feedback`.
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
    """Training before the first task.

    Attributes
    ----------
    interface
        Whether the training starts with the built-in exercise that explains the page.
    instructions
        Markdown text shown with the exercises in `tasks`.
    tasks
        Exercises of this study.
    """

    interface: bool = True
    instructions: str = ""
    tasks: tuple[TrainingTask, ...] = ()


def check_training(training: TrainingSettings, asks: Protocol, asked: AskedQuestion) -> None:
    """Raise BadSetting if an exercise shows nothing, or has no right answer that fits the protocol.

    Parameters
    ----------
    training
        Section with the exercises.
    asks
        Protocol of the study.
    asked
        Scale and answer options of the first question.
    """
    if not training.interface and not training.tasks:
        raise BadSetting("training", "has no exercises. Set interface = true, or add [[training.tasks]].")
    for at, task in enumerate(training.tasks):
        where = f"training, tasks[{at}]"
        shown = [several(each) for each in (task.text, task.image, task.item) if several(each)]
        if len(shown) != 1:
            raise BadSetting(where, "needs exactly one of text, image and item.")
        _check_shown(len(shown[0]), asks, where)
        if kind_of(asks.name).reference_cells(task, len(shown[0]), asked) is None:
            raise BadSetting(
                where,
                f"has no valid reference answer for the protocol {asks.name!r}. Write {asks.reference}.",
            )
        if task.tolerance < 0:
            raise BadSetting(f"{where}, tolerance", f"{task.tolerance:g} is negative. Use 0 or more.")


def _check_shown(shown: int, asks: Protocol, where: str) -> None:
    if asks.size is not None and shown != asks.size:
        raise BadSetting(where, f"needs {asks.size} items for the protocol {asks.name!r}, but has {shown}.")
    if shown < asks.least:
        reason = (
            f"needs a list of at least {asks.least} items for the protocol {asks.name!r}, but has {shown}."
        )
        raise BadSetting(where, reason)
