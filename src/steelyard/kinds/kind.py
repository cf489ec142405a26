"""`Kind`: the interface of a kind of judgment. Its part about exercises and checks is in `correctness`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from steelyard.judgments.conversions import Conversion
from steelyard.judgments.records import Judgment
from steelyard.judgments.table import Judgments
from steelyard.judgments.table_kinds import TableKind
from steelyard.kinds.asked import AskedQuestion
from steelyard.kinds.cell import Cell
from steelyard.kinds.correctness import ELSE, HIGH, LOW, AnyCell, Correctness
from steelyard.kinds.file_answer import FileAnswer
from steelyard.kinds.form_field import FormField
from steelyard.kinds.protocol import Protocol
from steelyard.maths.arrays import Vector

__all__ = [
    "ELSE",
    "HIGH",
    "LOW",
    "CellColumns",
    "Kind",
    "Setting",
]  # the sides are for kinds of other packages

CellColumns = dict[str, list[Any]]
Setting = tuple[str, object, str]  # a line of study.toml: key, value and comment


class Kind(Correctness[AnyCell]):
    """A kind of judgment, from the answer on a page to the row of a file.

    To add a kind, write a subclass, set the class attributes, implement the abstract methods, and register an instance
    with `steelyard.register_kind` or in the entry point group `steelyard.kinds`. docs/how-to/extending.md has an
    example.

    Attributes
    ----------
    name
        Name of the kind, in files, in study.toml and on the command line.
    record
        Class of a single judgment. It has `kind`, `check_range` and `rows`.
    table
        Columns of the kind and rules for its rows.
    cell
        Class of the answer about one item.
    protocols
        Ways of asking for this kind on a page. At least one.
    default_model
        Name of the model for fits and studies that do not name one.
    earlier_default_model
        Default model of studies whose log does not record the model.
    conversions
        Conversions of this kind to other kinds.
    fitted_as
        Kind that the judgments are converted to for models that do not take this kind.
    marks
        Additional columns of an answer in results files and exports.
    agreement
        Names of the statistics of agreement that suit this kind, from `steelyard.quality.agreement.STATISTICS`.
        Default: those for numbers if the kind has `agreement_values`, otherwise those for comparisons.
    two_steps
        Whether a page asks, and training checks, in two steps.
    scale_settings
        Lines for the [scale] section of a new study.toml: key, value and comment.
    question_settings
        Lines for the [[questions]] section of a new study.toml: key, value and comment.
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
    agreement: ClassVar[tuple[str, ...]] = ()
    two_steps: ClassVar[bool] = False
    scale_settings: ClassVar[tuple[Setting, ...]] = ()
    question_settings: ClassVar[tuple[Setting, ...]] = ()

    @property
    def placed(self) -> bool:
        """Whether answers are positions on a scale."""
        return self.table.placed

    @property
    def pointed(self) -> bool:
        """Whether an answer is one position on a scale."""
        return self.table.pointed

    @property
    def per_task(self) -> bool:
        """Whether the cells of a task together are one judgment."""
        return self.table.per_task

    @property
    def words(self) -> str:
        """The name of the kind in messages."""
        return self.name.replace("_", "-")

    # Answers

    @abstractmethod
    def check(self, cells: Sequence[AnyCell], asked: AskedQuestion) -> None:
        """Raise BadAnswer if the cells of one question are not a valid answer."""

    def settle(self, cell: AnyCell, asked: AskedQuestion, from_file: bool) -> AnyCell:
        """Return a checked cell as it is stored.

        Parameters
        ----------
        cell
            Cell that passed `check`.
        asked
            The question.
        from_file
            Whether the answer comes from a results file instead of a page.

        Returns
        -------
        Cell
            The cell, possibly with marks that follow from its values.
        """
        return cell

    def make(self, item: int, question: int, value: Any) -> AnyCell:
        """Return a cell with this value.

        Parameters
        ----------
        item
            Index of the item in the task.
        question
            Index of the question in the study.
        value
            The answer, a tuple if the cell has several values, or None for "can't judge".

        Returns
        -------
        Cell
            The cell.
        """
        names = self.cell.values
        values = (value,) if len(names) == 1 else (None,) * len(names) if value is None else value
        made: AnyCell = self.cell(item, question, *values)  # type: ignore[assignment]
        return made

    # Results files

    def read_file(self, question: int, answers: Sequence[FileAnswer]) -> list[AnyCell]:
        """Return the cells of one question of a task, from the rows of a results file."""
        return [self._from_row(question, each) for each in answers]

    def _from_row(self, question: int, answer: FileAnswer) -> AnyCell:
        if answer.values is None:
            return self.make(answer.item, question, None)
        value = answer.values if len(answer.values) > 1 else answer.values[0]
        return replace(self.make(answer.item, question, value), **self.read_marks(answer))

    def read_marks(self, answer: FileAnswer) -> dict[str, Any]:
        """Return the fields of a cell that a results file has as marks."""
        return {}

    def wrong_mark(self, beside: Mapping[str, str | None]) -> str | None:
        """Return what is wrong with the marks of a row in a results file, or None."""
        return None

    def form_fields(self, asked: AskedQuestion, size: int) -> tuple[FormField, ...]:
        """Return the fields of a form that asks for this kind outside Steelyard's pages.

        Parameters
        ----------
        asked
            The question.
        size
            Number of items in the form.

        Returns
        -------
        tuple of FormField
            By default, the numbered fields of the table as numbers.
        """
        first = len(self.table.items)
        return tuple(FormField(name, name, first=first) for name in self.table.fields.numbered)

    # Judgments

    def columns(self, cells: Sequence[AnyCell], asked: AskedQuestion) -> tuple[CellColumns, CellColumns]:
        """Return the text columns and the numeric columns of answered cells in a table of judgments."""
        columns = {name: [getattr(cell, name) for cell in cells] for name in self.cell.values}
        text = {name: values for name, values in columns.items() if name in self.table.text}
        return text, {name: values for name, values in columns.items() if name not in text}

    def mark_columns(self, cell: AnyCell, asked: AskedQuestion) -> dict[str, Any]:
        """Return additional columns of a cell in the export of answers."""
        return {}

    def scores(self, judgments: Judgments) -> Vector | None:
        """Return one number per row to compare raters of the same items, or None if the kind compares pairs."""
        return None

    def agreement_values(self, judgments: Judgments) -> dict[str, Vector]:
        """Return the numbers on which raters may agree, one per row, by name; empty if the kind compares items."""
        scores = self.scores(judgments)
        return {} if scores is None else {"": scores}

    def fraction(self, cell: AnyCell, asked: AskedQuestion) -> float | None:
        """Return the answer as a fraction of the scale, to compare with a prediction, or None."""
        return None

    # Descriptions

    def describe(self, cell: AnyCell, labels: Sequence[str]) -> tuple[str, float | str | None]:
        """Return what a cell judges and its answer, for the owner's list of recent judgments."""
        return labels[cell.item], cell.value

    def page_words(self, protocol: Protocol, size: int, asked: AskedQuestion) -> str:
        """Return how the pages of a study ask, for its report.

        Parameters
        ----------
        protocol
            Protocol of the study.
        size
            Number of items per page.
        asked
            The question.

        Returns
        -------
        str
            A phrase such as "lists of 5, a slider for each item".
        """
        return f"{protocol.words} of {size}" if protocol.size is None else protocol.words

    # Simulation

    @abstractmethod
    def simulate(
        self, seen: Vector, question: int, asked: AskedQuestion, rng: np.random.Generator
    ) -> list[AnyCell]:
        """Return the answer of a simulated rater.

        Parameters
        ----------
        seen
            Amount of the quality in [0, 1] that the rater perceives in each item.
        question
            Index of the question in the study.
        asked
            The question.
        rng
            Source of randomness.

        Returns
        -------
        list of Cell
            One cell per item that the page asks about.
        """

    @abstractmethod
    def position(self, right: AnyCell, asked: AskedQuestion, items: int) -> float:
        """Return the position, in [0, 1], of the item of a correct answer.

        Parameters
        ----------
        right
            Correct answer about the item.
        asked
            The question.
        items
            Number of items in the exercise.

        Returns
        -------
        float
            Position that a simulated rater would perceive.
        """
