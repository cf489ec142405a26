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
    text
        Text that the exercise shows. Set exactly one of `text`, `image` and `item`. Pages with several items take a
        list.
    image
        Image file in the study folder that the exercise shows, or a list of files.
    item
        Id of an item of the study that the exercise shows, or a list of ids.
    alt
        Text alternative for the image, or a list of them.
    answer
        The right answer: a number (`rating`), a list of numbers (`list`), `"left"`, `"right"` or `"tie"`
        (`comparison`), or a list of those (`comparison_list`).
    low
        `range`: the right lower bound.
    high
        `range`: the right upper bound.
    ranks
        `ranking`: the right ranks, 1 = most.
    best
        `best_worst`: which item is the best, 1 = the first.
    worst
        `best_worst`: which item is the worst, 1 = the first.
    tolerance
        Largest accepted difference from the right answer, in units of the scale. 0 is a tenth of the scale.
    feedback
        Text shown after a wrong answer. The default is a general sentence.
    feedback_low
        Text shown if a rating is too low, if the lower bound of a range is wrong, or if the best item is wrong. The
        default is `feedback`.
    feedback_high
        Text shown if a rating is too high, if the upper bound of a range is wrong, or if the worst item is wrong.
        The default is `feedback`.
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
        Begin with the practice of the protocol: pictures of dots, which are the same in all studies.
    instructions
        Text about the task, in Markdown. It is shown after the practice of the protocol: with the study's own exercises
        or, if there are none, on a page of its own.
    tasks
        The study's own exercises, in tables `[[training.tasks]]`.
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
