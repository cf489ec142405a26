"""A kind of judgment from outside Steelyard: whether an item has the quality, yes or no."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from steelyard.errors import BadAnswer, UnknownWord
from steelyard.judgments.conversions import Conversion
from steelyard.judgments.records import require_names
from steelyard.judgments.table import Judgments, Table
from steelyard.judgments.table_kinds import KINDS, BatchFields, TableKind
from steelyard.kinds.asked import AskedQuestion, Reference, several
from steelyard.kinds.cell import Cell
from steelyard.kinds.kind import Kind
from steelyard.kinds.protocol import Demo, Practice, Protocol, Widget

WORDS = ("yes", "no")
HALF = 0.5


@dataclass(frozen=True, slots=True)
class YesNo:
    """One judgment: whether an item has the quality."""

    kind: ClassVar[str] = "yes_no"
    rater: str
    item: str
    answer: str
    context: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require_names(rater=self.rater, item=self.item)
        if self.answer not in WORDS:
            raise UnknownWord("answer", self.answer, WORDS)

    def check_range(self, low: float, high: float) -> None:
        """Do nothing: there is no score."""

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the row of this judgment in the long table."""
        yield {"rater": self.rater, "item": self.item, "answer": self.answer, **self.context}


@dataclass(frozen=True, slots=True)
class Word(Cell):
    """Whether the item has the quality; None for "can't judge"."""

    kind: ClassVar[str] = "yes_no"
    values: ClassVar[tuple[str, ...]] = ("answer",)
    answer: Literal["yes", "no"] | None


def _to_ratings(judgments: Judgments, tie_width: float) -> Judgments:
    """Yes as a score of 1, no as a score of 0."""
    table = judgments.table("yes_no")
    codes = {name: values for name, values in table.codes.items() if name != "answer"}
    rated = Table(KINDS["rating"], codes, {**table.numbers, "score": _scores(judgments)})
    return replace(judgments, tables={"rating": rated}, range=(0.0, 1.0))


def _scores(judgments: Judgments) -> np.ndarray:
    return np.equal(judgments.cells("yes_no", "answer"), "yes").astype(float)


class YesNoKind(Kind[Word]):
    """Yes or no, for one item at a time."""

    name = "yes_no"
    record = YesNo
    table = TableKind(
        "yes_no",
        ("rater", "item", "answer"),
        words={"answer": WORDS},
        repeats="refuse",
        fields=BatchFields(numbered=("answer",)),
    )
    cell = Word
    protocols = (
        Protocol(
            "yes_no",
            "yes_no",
            "one item, yes or no",
            Widget("yes_no.js", folder=Path(__file__).parent),
            Practice(
                (80,),
                "Are there many dots?",
                "This exercise shows how the page works. Choose whether the picture has many dots.",
            ),
            reference='answer = "yes"',
            size=1,
            becomes=("rating",),
            question="Does it have the quality?",
            demo=Demo("Would this fill you?", tasks=10, answers=15),
        ),
    )
    default_model = "steelyard"
    fitted_as = "rating"
    conversions = (
        Conversion(
            "yes_no_to_ratings",
            "yes_no",
            "rating",
            _to_ratings,
            "Nothing: yes becomes 1 and no becomes 0, so that positions are shares of yes.",
        ),
    )

    def check(self, cells: Sequence[Word], asked: AskedQuestion) -> None:
        """Check that each answer is yes or no."""
        for cell in cells:
            if cell.answer not in (*WORDS, None):
                raise BadAnswer(f"Answer {cell.answer!r} is not yes or no.")

    def scores(self, judgments: Judgments) -> np.ndarray:
        """1 for yes and 0 for no."""
        return _scores(judgments)

    def fraction(self, cell: Word, asked: AskedQuestion) -> float | None:
        """1 for yes and 0 for no."""
        return None if cell.answer is None else float(cell.answer == "yes")

    def practice_cells(self, dots: Sequence[int]) -> tuple[Word, ...]:
        """Return yes for pictures with more than 50 dots."""
        return tuple(_word(at, 0, count > 50) for at, count in enumerate(dots))

    def reference_cells(
        self, reference: Reference, shown: int, asked: AskedQuestion
    ) -> tuple[Word, ...] | None:
        """Return one word per item."""
        words = several(reference.answer)
        if len(words) != shown or not set(words) <= set(WORDS):
            return None
        return tuple(_word(at, 0, word == "yes") for at, word in enumerate(words))

    def simulate(
        self, seen: np.ndarray, question: int, asked: AskedQuestion, rng: np.random.Generator
    ) -> list[Word]:
        """Return yes for items that seem to have more than half of the quality."""
        return [_word(item, question, bool(share > HALF)) for item, share in enumerate(seen)]

    def position(self, right: Word, asked: AskedQuestion, items: int) -> float:
        """Return a position well above or below the middle."""
        return 0.9 if right.answer == "yes" else 0.1


def _word(item: int, question: int, yes: bool) -> Word:
    return Word(item, question, "yes" if yes else "no")


YES_NO = YesNoKind()
