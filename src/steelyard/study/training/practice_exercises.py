"""The practice that ships with every protocol: pictures of dots, the same for all studies."""

from __future__ import annotations

from dataclasses import dataclass, field

from steelyard.kinds.cell import Cell
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.items import Item
from steelyard.study.definition.sections.asking import Question
from steelyard.study.definition.sections.scale import ScaleSettings
from steelyard.study.training.drawing import dots

TOLERANCE = 13.0
ANCHORS = (5, 12, 25, 55, 75, 90)  # dots; a picture of n dots is at n of 100


@dataclass(frozen=True, slots=True)
class Exhibit:
    """Something shown in an exercise, and its picture where that is generated."""

    item: Item
    svg: str = ""


@dataclass(frozen=True, slots=True)
class Exercise:
    """What an exercise shows and asks, and what is right."""

    shown: tuple[Exhibit, ...]
    question: Question
    right: tuple[Cell, ...]
    tolerance: float
    feedback: dict[str, str] = field(default_factory=dict)  # by "", "low" and "high"
    anchors: tuple[tuple[Exhibit, float, float], ...] = ()  # from low to high
    instructions: str = ""

    @property
    def exhibits(self) -> tuple[Exhibit, ...]:
        """All that is shown, the anchors last."""
        return (*self.shown, *(exhibit for exhibit, _, _ in self.anchors))


def interface_exercise(definition: StudyDefinition) -> Exercise:
    """The practice of the study's protocol, on a scale with as many levels as the study's."""
    practice = definition.asking.way.practice
    levels = definition.scale_of(definition.questions[0]).levels
    scale = ScaleSettings(labels=("Few dots", "Many dots"), levels=levels)
    question = Question(
        practice.question,
        "practice",
        lower="definitely fewer dots",
        not_lower="perhaps not fewer dots",
        higher="definitely more dots",
        not_higher="perhaps not more dots",
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
    return Exercise(shown, question, right, max(TOLERANCE, gap), {}, anchors, practice.instructions)


def _picture(count: int, seed: int) -> Exhibit:
    item = Item(f"practice-{count}-{seed}", "image", "", alt=f"A picture of {count} dots.")
    return Exhibit(item, dots(count, seed))
