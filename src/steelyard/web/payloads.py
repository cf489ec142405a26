"""What the pages send: answers, and what they take back."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BaseModel, Field, model_validator

from steelyard.study.log.cells import Bounds, Cell, Choice, Outcome, Pick, Rank, Score, Verdict
from steelyard.study.log.interface import Answer

MOST_CELLS = 1_000
LONGEST_COMMENT = 2_000  # as long as the page lets one write
MOST_MOVES = 1_000
DAY_MS = 24 * 3600 * 1000  # nobody looks at one task for longer
LARGEST = 1e12
Word = Annotated[str, Field(max_length=64)]
Whole = Annotated[int, Field(strict=True, ge=-LARGEST, le=LARGEST)]
Number = Annotated[float, Field(strict=True, ge=-LARGEST, le=LARGEST, allow_inf_nan=False)]
Fact = Annotated[bool, Field(strict=True)] | Whole | Number | Word | None
Interaction = Annotated[list[Fact], Field(max_length=8)]


class CellIn(BaseModel):
    """One cell of an answer, as the page sends it: a score, an outcome, a rank, a choice, bounds or cannot_judge."""

    item: int = Field(strict=True, ge=0, lt=MOST_CELLS)
    question: int = Field(strict=True, ge=0, lt=MOST_CELLS)
    score: Number | None = None
    outcome: Outcome | None = None
    strength: int | None = Field(default=None, strict=True)
    both_bad: bool = Field(default=False, strict=True)
    rank: int | None = Field(default=None, strict=True)
    choice: Choice | None = None
    low: Number | None = None
    high: Number | None = None
    kept_low: bool = Field(default=False, strict=True)
    kept_high: bool = Field(default=False, strict=True)
    outside: bool = Field(default=False, strict=True)
    cannot_judge: bool = Field(default=False, strict=True)

    @model_validator(mode="after")
    def _is_one_answer(self) -> Self:
        bounds = self.low if self.low is not None else self.high
        told = [self.score, self.outcome, self.rank, self.choice, bounds]
        if sum(each is not None for each in told) + self.cannot_judge != 1:
            raise ValueError(
                "A cell has a score, an outcome, a rank, a choice, bounds or cannot_judge, and only one."
            )
        return self

    def record(self, kind: str) -> Cell:
        """The cell as a record; "can't judge" is one of the study's kind without a value."""
        if self.outcome is not None or (self.cannot_judge and kind == "comparison"):
            return Verdict(self.item, self.question, self.outcome, self.strength, self.both_bad)
        if self.rank is not None or (self.cannot_judge and kind == "ranking"):
            return Rank(self.item, self.question, self.rank)
        if self.choice is not None or (self.cannot_judge and kind == "best_worst"):
            return Pick(self.item, self.question, self.choice)
        if self.low is not None or self.high is not None or (self.cannot_judge and kind == "range"):
            kept = (self.kept_low, self.kept_high, self.outside)
            return Bounds(self.item, self.question, self.low, self.high, *kept)
        return Score(self.item, self.question, self.score, self.outside)


class AnswerIn(BaseModel):
    """One answer, as the page sends it."""

    assignment: str = Field(max_length=64)
    answers: list[CellIn] = Field(max_length=MOST_CELLS)
    comment: str = Field(default="", max_length=LONGEST_COMMENT)
    milliseconds: int | None = Field(default=None, ge=0, le=DAY_MS)
    interactions: list[Interaction] = Field(default_factory=list, max_length=MOST_MOVES)
    shown: dict[Word, Fact] = Field(default_factory=dict, max_length=20)

    def record(self, kind: str) -> Answer:
        """The answer as a record of this kind; whose it is, and of which task, the session knows."""
        return Answer(
            task="",
            rater="",
            assignment=self.assignment,
            cells=tuple(cell.record(kind) for cell in self.answers),
            comment=self.comment,
            milliseconds=self.milliseconds,
            interactions=self.interactions,
            shown=self.shown,
        )


class UndoIn(BaseModel):
    """Which answer to take back: that of this assignment."""

    assignment: str = Field(max_length=64)
