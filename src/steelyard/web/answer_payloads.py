"""Answers as pages send them. The fields of a cell depend on the kind of judgment of the study."""

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
from steelyard.study.log.entries import Answer

MOST_CELLS = 1_000
LONGEST_COMMENT = 2_000  # the limit of the comment field
LONGEST_TEXT = 2_000  # of a text in a cell
MOST_MOVES = 1_000
DAY_MS = 24 * 3600 * 1000  # longest time for one task
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
    """One cell of an answer: the fields of the study's kind of judgment, or cannot_judge."""

    cell: ClassVar[type[Cell]]
    foreign: ClassVar[frozenset[str]]  # fields that only other kinds have

    item: int = Field(strict=True, ge=0, lt=MOST_CELLS)
    question: int = Field(strict=True, ge=0, lt=MOST_CELLS)
    cannot_judge: bool = Field(default=False, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _is_of_one_kind(cls, sent: Any) -> Any:
        others = [name for name in cls.foreign if isinstance(sent, dict) and sent.get(name) is not None]
        if others:
            raise ValueError(f"Cells of this study have no field {others[0]}.")
        return sent

    @model_validator(mode="after")
    def _is_one_answer(self) -> Self:
        values = self.cell.values
        if any(getattr(self, name) is not None for name in values) + self.cannot_judge != 1:
            raise ValueError(f"A cell needs either {' and '.join(values)} or cannot_judge.")
        return self

    def record(self) -> Cell:
        """Return the cell as a record; "can't judge" is a record without a value."""
        return self.cell(**{each.name: getattr(self, each.name) for each in fields(self.cell)})


AnyCellIn = TypeVar("AnyCellIn", bound=CellIn)


class AnswerIn(BaseModel, Generic[AnyCellIn]):
    """One answer as the page sends it."""

    assignment: str = Field(max_length=64)
    answers: list[AnyCellIn] = Field(max_length=MOST_CELLS)
    comment: str = Field(default="", max_length=LONGEST_COMMENT)
    milliseconds: int | None = Field(default=None, ge=0, le=DAY_MS)
    interactions: list[Interaction] = Field(default_factory=list, max_length=MOST_MOVES)
    shown: dict[Word, Fact] = Field(default_factory=dict, max_length=20)

    def record(self) -> Answer:
        """Return the answer as a record. The session fills in the rater and the task."""
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
    """The assignment whose answer is to be undone."""

    assignment: str = Field(max_length=64)


@cache
def answer_in(*kinds: Kind[Any]) -> type[AnswerIn[CellIn]]:
    """Return the class of answers that pages of these kinds send."""
    form: Any = AnswerIn  # annotations cannot contain a type that is created at run time
    made: type[AnswerIn[CellIn]] = form[_cells_in(kinds)]
    return made


def attempt_in(*kinds: Kind[Any]) -> type[AttemptIn[CellIn]]:
    """Return the class of attempts that training pages of these kinds send."""
    form: Any = AttemptIn
    made: type[AttemptIn[CellIn]] = form[_cells_in(kinds)]
    return made


def _cells_in(kinds: tuple[Kind[Any], ...]) -> Any:
    """The type of a cell of any of these kinds; "can't judge" is read as the first of them."""
    return Union[tuple(_cell_in(kind) for kind in kinds)]  # noqa: UP007 - the members are in a list


@cache
def _cell_in(kind: Kind[Any]) -> type[CellIn]:
    """The class of cells that pages of this kind send: the fields of the record with their types."""
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
    """The type of what a page may send for a field; None means that the page leaves the field out."""
    if get_origin(hint) in (Union, UnionType):
        members = [_wire(each) for each in get_args(hint)]
        return Union[tuple(members)]  # noqa: UP007 - the members are in a list
    return WIRE.get(hint, hint)
