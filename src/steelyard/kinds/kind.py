"""`Kind`: everything that is known about one kind of judgment. Each kind is a subclass in a file of its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from steelyard.judgments.conversions import Conversion
from steelyard.judgments.formats.mturk import TICKED
from steelyard.judgments.records import Judgment
from steelyard.judgments.table import Judgments
from steelyard.judgments.table_kinds import TableKind
from steelyard.kinds.asked import AskedQuestion, Reference
from steelyard.kinds.cell import Cell
from steelyard.kinds.protocol import Protocol
from steelyard.maths.arrays import Vector

AnyCell = TypeVar("AnyCell", bound=Cell)
CellColumns = dict[str, list[Any]]
Setting = tuple[str, object, str]  # of study.toml: its name, its value and a remark
LOW, HIGH, ELSE = "low", "high", ""  # which side of an answer to an exercise is wrong


@dataclass(frozen=True, slots=True)
class FileAnswer:
    """What a results file has about one item of a task; no values are "can't judge".

    `item` is the item's number in the task, `beside` holds the marks of the row as text.
    """

    item: int
    values: tuple[Any, ...] | None
    beside: Mapping[str, str | None] = field(default_factory=dict)

    def ticked(self, mark: str) -> bool:
        """Does a mark of yes and no say yes?"""
        text = self.beside.get(mark)
        return text is not None and text.casefold() in TICKED


class Kind(ABC, Generic[AnyCell]):
    """One kind of judgment, from the answer on a page to the row of a file.

    `record` is the class of a single judgment, `table` its columns and row rules, `cell` the class of an answer about
    one item, and `protocols` are the ways of asking for it. `default_model` fits it where no model is named, in `fit`
    and in studies alike; `earlier_default_model` was that of studies whose log does not state it. `conversions` turn
    it into other kinds; `fitted_as` names the one that models get which do not take this kind itself. `marks` are
    further columns of an answer in results files and exports. `two_steps` says that a page asks, and training checks,
    in two steps. `scale_settings` and `question_settings` are lines of a new study.toml.
    """

    name: ClassVar[str]
    record: ClassVar[type[Judgment]]
    table: ClassVar[TableKind]
    cell: ClassVar[type[Cell]]
    protocols: ClassVar[tuple[Protocol, ...]]
    default_model: ClassVar[str]
    earlier_default_model: ClassVar[str] = ""
    conversions: ClassVar[tuple[Conversion, ...]] = ()
    fitted_as: ClassVar[str] = ""
    marks: ClassVar[tuple[str, ...]] = ()
    two_steps: ClassVar[bool] = False
    scale_settings: ClassVar[tuple[Setting, ...]] = ()
    question_settings: ClassVar[tuple[Setting, ...]] = ()

    @property
    def placed(self) -> bool:
        """Are answers positions on a scale?"""
        return self.table.placed

    @property
    def pointed(self) -> bool:
        """Is an answer one position on a scale?"""
        return self.table.pointed

    @property
    def per_task(self) -> bool:
        """Do the cells of one task make one judgment?"""
        return self.table.per_task

    @property
    def words(self) -> str:
        """The kind as messages write it."""
        return self.name.replace("_", "-")

    # Answers

    @abstractmethod
    def check(self, cells: Sequence[AnyCell], asked: AskedQuestion) -> None:
        """Raise BadAnswer where the cells of one question are no answer to what was asked."""

    def settle(self, cell: AnyCell, asked: AskedQuestion, from_file: bool) -> AnyCell:
        """A checked cell as it is stored."""
        return cell

    def make(self, item: int, question: int, value: Any) -> AnyCell:
        """A cell with this value, None for "can't judge"."""
        names = self.cell.values
        values = (value,) if len(names) == 1 else (None,) * len(names) if value is None else value
        made: AnyCell = self.cell(item, question, *values)  # type: ignore[assignment]
        return made

    # Results files

    def read_file(self, question: int, answers: Sequence[FileAnswer]) -> list[AnyCell]:
        """The cells of one question of a task, from the rows of a results file."""
        return [self._from_row(question, each) for each in answers]

    def _from_row(self, question: int, answer: FileAnswer) -> AnyCell:
        if answer.values is None:
            return self.make(answer.item, question, None)
        value = answer.values if len(answer.values) > 1 else answer.values[0]
        return replace(self.make(answer.item, question, value), **self.read_marks(answer))

    def read_marks(self, answer: FileAnswer) -> dict[str, Any]:
        """The fields of a cell that a results file has as marks beside the answer."""
        return {}

    def wrong_mark(self, beside: Mapping[str, str | None]) -> str | None:
        """What is wrong with the marks of a row of a results file; None where nothing is."""
        return None

    # Judgments

    def columns(self, cells: Sequence[AnyCell], asked: AskedQuestion) -> tuple[CellColumns, CellColumns]:
        """The columns of text and of numbers that answered cells have in a table of judgments."""
        columns = {name: [getattr(cell, name) for cell in cells] for name in self.cell.values}
        text = {name: values for name, values in columns.items() if name in self.table.text}
        return text, {name: values for name, values in columns.items() if name not in text}

    def mark_columns(self, cell: AnyCell, asked: AskedQuestion) -> dict[str, Any]:
        """Further columns of a cell in the export of answers."""
        return {}

    def scores(self, judgments: Judgments) -> Vector | None:
        """One number for each row by which raters of the same items can be compared; None where pairs are compared."""
        return None

    def fraction(self, cell: AnyCell, asked: AskedQuestion) -> float | None:
        """The answer as a fraction of the scale, to compare with a model's prediction; None where it is not one."""
        return None

    # Words

    def describe(self, cell: AnyCell, labels: Sequence[str]) -> tuple[str, float | str | None]:
        """What a cell is about and what it says, for the owner's list of new judgments."""
        return labels[cell.item], cell.value

    def page_words(self, protocol: Protocol, size: int, asked: AskedQuestion) -> str:
        """How a study with so many items on a page asks, for its report."""
        return f"{protocol.words} of {size}" if protocol.size is None else protocol.words

    # Practice and training

    @abstractmethod
    def practice_cells(self, dots: Sequence[int]) -> tuple[AnyCell, ...]:
        """The right answer to pictures of so many dots, where more dots are more of the quality."""

    @abstractmethod
    def reference_cells(
        self, reference: Reference, shown: int, asked: AskedQuestion
    ) -> tuple[AnyCell, ...] | None:
        """The right answer of an exercise that shows so many items; None where the reference does not fit."""

    def mistake(self, right: AnyCell, attempted: AnyCell, tolerance: float, step: int | None) -> str | None:
        """Which side of an attempt is wrong: LOW, HIGH, or ELSE where it has no sides; None where it is right."""
        return None if right.value == attempted.value else ELSE

    def feedback(self, side: str, right: AnyCell, attempted: AnyCell) -> str:
        """What to say about this mistake; "" where there is nothing particular to say."""
        return ""

    # Simulation

    @abstractmethod
    def simulate(
        self, seen: Vector, question: int, asked: AskedQuestion, rng: np.random.Generator
    ) -> list[AnyCell]:
        """The cells of a simulated rater to whom the items seem to have so much of the quality, in [0, 1]."""

    @abstractmethod
    def position(self, right: AnyCell, asked: AskedQuestion, items: int) -> float:
        """Where the item of a right answer is, in [0, 1], in an exercise of so many items."""
