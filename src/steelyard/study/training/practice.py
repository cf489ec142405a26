"""The practice that ships with every protocol: pictures of dots, the same for all studies."""

from __future__ import annotations

from dataclasses import dataclass, field

from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.items import Item
from steelyard.study.definition.sections.asking import Question
from steelyard.study.definition.sections.scale import ScaleSettings
from steelyard.study.log.cells import Bounds, Cell, Pick, Rank, Score, Verdict
from steelyard.study.training.pictures import dots

TOLERANCE = 13.0
ANCHORS = (5, 12, 25, 55, 75, 90)  # dots; a picture of n dots stands at n of 100
SHOWN: dict[str, tuple[int, ...]] = {
    "rating": (70,),
    "list": (20, 85, 50),
    "comparison": (30, 60),
    "comparison_list": (50, 20, 80),
    "ranking": (45, 15, 80),
    "best_worst": (40, 90, 10, 60),
    "range": (40,),
}
QUESTIONS = {
    "rating": "How many dots are there?",
    "list": "How many dots does each picture have?",
    "comparison": "Which picture has more dots?",
    "comparison_list": "Which picture of each pair has more dots?",
    "ranking": "Which picture has more dots? Most first.",
    "best_worst": "Which picture has the most dots, and which the fewest?",
    "range": "Where could the picture stand, by its number of dots?",
}
INSTRUCTIONS = {
    "rating": "First, how this page works. Put the picture where it belongs between few dots and many.",
    "list": "First, how this page works. Give every picture its place between few dots and many.",
    "comparison": "First, how this page works. Say which of the two pictures has more dots.",
    "comparison_list": "First, how this page works. Compare the first picture with each of the others.",
    "ranking": "First, how this page works. Put the pictures in order, the one with the most dots first.",
    "best_worst": "First, how this page works. Pick the picture with the most dots and the one with the fewest.",
    "range": (
        "First, how this page works, in two steps. The lower handle moves up past every picture that has definitely "
        "fewer dots; stop where you are no longer sure. Then the upper handle comes down past every picture that has "
        "definitely more."
    ),
}


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
    name, counts = definition.asking.protocol, SHOWN[definition.asking.protocol]
    levels = definition.scale_of(definition.questions[0]).levels
    scale = ScaleSettings(labels=("Few dots", "Many dots"), levels=levels)
    question = Question(
        QUESTIONS[name],
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
        if name == "range"
        else ()
    )
    shown = tuple(_picture(count, 0) for count in counts)
    right = right_cells(definition, counts)
    return Exercise(shown, question, right, max(TOLERANCE, gap), {}, anchors, INSTRUCTIONS[name])


def right_cells(definition: StudyDefinition, counts: tuple[int, ...]) -> tuple[Cell, ...]:
    """The right answer to pictures of so many dots."""
    order = sorted(counts, reverse=True)
    kind = definition.asking.way.kind
    if kind == "rating":
        return tuple(Score(at, 0, float(count)) for at, count in enumerate(counts))
    if kind == "range":
        return (Bounds(0, 0, counts[0] - 2.0, counts[0] + 2.0),)
    if kind == "ranking":
        return tuple(Rank(at, 0, 1 + order.index(count)) for at, count in enumerate(counts))
    if kind == "comparison":
        others = enumerate(counts[1:], 1)
        return tuple(Verdict(at, 0, "right" if count > counts[0] else "left") for at, count in others)
    words = {order[0]: "best", order[-1]: "worst"}
    return tuple(Pick(at, 0, words.get(count, "none")) for at, count in enumerate(counts))  # type: ignore[arg-type]


def _picture(count: int, seed: int) -> Exhibit:
    item = Item(f"practice-{count}-{seed}", "image", "", alt=f"A picture of {count} dots.")
    return Exhibit(item, dots(count, seed))
