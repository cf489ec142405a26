"""The built-in practice of every protocol: pictures of dots, which are the same in all studies."""

from __future__ import annotations

from dataclasses import dataclass, field

from steelyard.kinds.cell import Cell
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.items import Item
from steelyard.study.definition.sections.asking import Question
from steelyard.study.definition.sections.scale import ScaleSettings
from steelyard.study.training.drawing import dots

TOLERANCE = 13.0  # largest accepted difference from the right answer, on a scale from 0 to 100
ANCHORS = (5, 12, 25, 55, 75, 90)  # numbers of dots; a picture of n dots is at position n from 0 to 100


@dataclass(frozen=True, slots=True)
class Exhibit:
    """An item shown in an exercise; if its picture is generated, the SVG and the number of dots in it."""

    item: Item
    svg: str = ""
    dots: int = 0


@dataclass(frozen=True, slots=True)
class Exercise:
    """One exercise: what it shows, its question, and the right answer.

    Attributes
    ----------
    shown
        Items to judge.
    question
        Question of the exercise.
    right
        Cells of the right answer.
    tolerance
        Largest accepted difference from the right answer, in units of the scale.
    feedback
        Feedback to answers that are too low ("low"), too high ("high") or wrong in another way ("").
    anchors
        Examples along the scale, each with the low and the high end of its range.
    instructions
        Markdown text shown with the exercise.
    protocol
        Protocol of its page.
    """

    shown: tuple[Exhibit, ...]
    question: Question
    right: tuple[Cell, ...]
    tolerance: float
    feedback: dict[str, str] = field(default_factory=dict)
    anchors: tuple[tuple[Exhibit, float, float], ...] = ()
    instructions: str = ""
    protocol: str = ""

    @property
    def exhibits(self) -> tuple[Exhibit, ...]:
        """All items shown: those to judge, then the anchors."""
        return (*self.shown, *(exhibit for exhibit, _, _ in self.anchors))


def interface_exercise(definition: StudyDefinition) -> Exercise:
    """Return the practice exercise of the study's protocol, on a scale with the same number of levels."""
    practice = definition.asking.way.practice
    levels = definition.scale_of(definition.questions[0]).levels
    scale = ScaleSettings(labels=("Few dots", "Many dots"), levels=levels)
    question = Question(
        practice.question,
        "practice",
        lower="with definitely fewer dots",
        not_lower="that may have as many dots",
        higher="with definitely more dots",
        not_higher="that may have as few dots",
        scale=scale,
    )
    gap = 100.0 / (levels - 1) if levels else 0.0
    anchors = (
        tuple((_picture(count, 1), float(count), float(count)) for count in ANCHORS)
        if practice.anchored
        else ()
    )
    shown = tuple(_picture(count, 0) for count in practice.dots)
    right = definition.kind.practice_cells(practice.dots)
    tolerance, protocol = max(TOLERANCE, gap), definition.asking.way.name
    return Exercise(shown, question, right, tolerance, {}, anchors, practice.instructions, protocol)


def _picture(count: int, seed: int) -> Exhibit:
    return Exhibit(Item(f"practice-{count}-{seed}", "image", ""), dots(count, seed), count)
