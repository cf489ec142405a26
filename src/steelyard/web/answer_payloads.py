"""Answers as pages send them: the fields of a cell are those of the kind that the study asks for."""

from __future__ import annotations

from dataclasses import MISSING, fields
from functools import cache
from types import UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Generic,
    Self,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import BaseModel, Field, create_model, model_validator

from steelyard.kinds.cell import Cell
from steelyard.kinds.kind import Kind
from steelyard.kinds.known import KINDS
from steelyard.study.log.interface import Answer

MOST_CELLS = 1_000
LONGEST_COMMENT = 2_000  # as long as the page lets one write
LONGEST_TEXT = 2_000  # of a text in a cell
MOST_MOVES = 1_000
DAY_MS = 24 * 3600 * 1000  # nobody looks at one task for longer
LARGEST = 1e12
Word = Annotated[str, Field(max_length=64)]
Whole = Annotated[int, Field(strict=True, ge=-LARGEST, le=LARGEST)]
Number = Annotated[float, Field(strict=True, ge=-LARGEST, le=LARGEST, allow_inf_nan=False)]
Fact = Annotated[bool, Field(strict=True)] | Whole | Number | Word | None
Interaction = Annotated[list[Fact], Field(max_length=8)]
WIRE: dict[Any, Any] = {  # what a page may send for a field of this type
    bool: Annotated[bool, Field(strict=True)],
    int: Whole,
    float: Number,
    str: Annotated[str, Field(max_length=LONGEST_TEXT)],
}


class CellIn(BaseModel):
    """One cell of an answer: the fields that the study's kind adds, or cannot_judge."""

    cell: ClassVar[type[Cell]]
    foreign: ClassVar[frozenset[str]]  # what only cells of other kinds hold

    item: int = Field(strict=True, ge=0, lt=MOST_CELLS)
    question: int = Field(strict=True, ge=0, lt=MOST_CELLS)
    cannot_judge: bool = Field(default=False, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _is_of_one_kind(cls, sent: Any) -> Any:
        others = [name for name in cls.foreign if isinstance(sent, dict) and sent.get(name) is not None]
        if others:
            raise ValueError(f"A cell of this study has no {others[0]}.")
        return sent

    @model_validator(mode="after")
    def _is_one_answer(self) -> Self:
        values = self.cell.values
        if any(getattr(self, name) is not None for name in values) + self.cannot_judge != 1:
            raise ValueError(f"A cell has {' and '.join(values)}, or cannot_judge, and not both.")
        return self

    def record(self) -> Cell:
        """The cell as a record; "can't judge" is one without a value."""
        return self.cell(**{each.name: getattr(self, each.name) for each in fields(self.cell)})


AnyCellIn = TypeVar("AnyCellIn", bound=CellIn)


class AnswerIn(BaseModel, Generic[AnyCellIn]):
    """One answer, as the page sends it."""

    assignment: str = Field(max_length=64)
    answers: list[AnyCellIn] = Field(max_length=MOST_CELLS)
    comment: str = Field(default="", max_length=LONGEST_COMMENT)
    milliseconds: int | None = Field(default=None, ge=0, le=DAY_MS)
    interactions: list[Interaction] = Field(default_factory=list, max_length=MOST_MOVES)
    shown: dict[Word, Fact] = Field(default_factory=dict, max_length=20)

    def record(self) -> Answer:
        """The answer as a record; whose it is, and of which task, the session knows."""
        return Answer(
            task="",
            rater="",
            assignment=self.assignment,
            cells=tuple(cell.record() for cell in self.answers),
            comment=self.comment,
            milliseconds=self.milliseconds,
            interactions=self.interactions,
            shown=self.shown,
        )


class AttemptIn(BaseModel, Generic[AnyCellIn]):
    """An attempt at an exercise, or at one step of it."""

    task: int = Field(strict=True, ge=0, lt=MOST_CELLS)
    step: int | None = Field(default=None, strict=True, ge=1, le=2)
    answers: list[AnyCellIn] = Field(max_length=MOST_CELLS)


class UndoIn(BaseModel):
    """Which answer to take back: that of this assignment."""

    assignment: str = Field(max_length=64)


def answer_in(kind: Kind[Any]) -> type[AnswerIn[CellIn]]:
    """The answer that a page of this kind sends."""
    form: Any = AnswerIn  # a type that is known only now has no place in an annotation
    made: type[AnswerIn[CellIn]] = form[_cell_in(kind)]
    return made


def attempt_in(kind: Kind[Any]) -> type[AttemptIn[CellIn]]:
    """The attempt that a training page of this kind sends."""
    form: Any = AttemptIn
    made: type[AttemptIn[CellIn]] = form[_cell_in(kind)]
    return made


@cache
def _cell_in(kind: Kind[Any]) -> type[CellIn]:
    """The cell that a page sends: the fields of its record, checked by their types."""
    cell = kind.cell
    hints = get_type_hints(cell)
    own = [each for each in fields(cell) if each.name not in CellIn.model_fields]
    added: dict[str, Any] = {
        each.name: (_wire(hints[each.name]), None if each.default is MISSING else each.default)
        for each in own
    }
    made = create_model(f"{cell.__name__}In", __base__=CellIn, **added)
    made.cell = cell
    made.foreign = frozenset(name for each in KINDS.values() for name in each.cell.values) - set(added)
    return made


def _wire(hint: Any) -> Any:
    """What a page may send for a field of this type; None stands for a field that it leaves out."""
    if get_origin(hint) in (Union, UnionType):
        members = [_wire(each) for each in get_args(hint)]
        return Union[tuple(members)]  # noqa: UP007 - made of a list
    return WIRE.get(hint, hint)
