"""The kinds of judgment as tables: the columns of each, and what its rows mean.

`steelyard.kinds` fills the registry: what reading, checking and counting need of a kind is handed down in a
`TableKind`, so that nothing here depends on a kind's name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from steelyard.errors import UnknownName
from steelyard.registry import Registry

if TYPE_CHECKING:  # these modules know the registry
    from steelyard.judgments.faults import Fault
    from steelyard.judgments.findings import Finding
    from steelyard.judgments.table import Judgments, Table
    from steelyard.maths.arrays import Codes

PEOPLE = (  # words for who judged, most certain first; each may also end in _id
    *("rater", "annotator", "worker", "judge", "user", "participant", "assessor", "evaluator"),
    *("respondent", "reviewer", "labeler", "labeller", "voter"),
)
RATER_NAMES = (*(name for word in PEOPLE for name in (word, f"{word}_id")), "prolific_pid", "username")
ITEM_COLUMNS = ("item", "left", "right")
SYSTEM_COLUMNS = ("system", "left_system", "right_system")  # a comparison has one on each side
OPTIONAL_TEXT = ("question", *SYSTEM_COLUMNS, "segment", "task", "condition")
OPTIONAL_NUMBERS = ("round", "at", "milliseconds", "count")
OUTCOMES = ("left", "right", "tie")

FieldCell = Callable[
    ..., "str | None"
]  # the cell of a field: by default of this slot and question, else slot 0


@dataclass(frozen=True, slots=True)
class BatchFields:
    """The answer fields of one kind in the results of an MTurk batch.

    `numbered` fields have one cell for each item of the page (Answer.score1), `whole` fields one for the page
    (Answer.best). `beside` fields may accompany an answer. `value` makes the columns of one row of what the fields
    hold; by default each field is the column of its name. `range` is the scale of files in which only a field other
    than the first holds answers.
    """

    numbered: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    value: Callable[[FieldCell, int], dict[str, str | None]] | None = None
    range: tuple[float, float] | None = None

    @property
    def holding(self) -> tuple[str, ...]:
        """The fields that hold an answer."""
        return (*self.numbered, *self.whole)

    def read(self, cell: FieldCell, slot: int) -> dict[str, str | None]:
        """The columns that the fields of one slot hold; none where nothing was answered."""
        if self.value is not None:
            return self.value(cell, slot)
        values = {field: cell(field) for field in self.numbered}
        return {} if set(values.values()) <= {None} else values


@dataclass(frozen=True, slots=True, eq=False)
class TableKind:
    """One kind of judgment as a table: its columns of text and of numbers, and what its rows mean.

    `positions` are the columns of numbers that are positions on the scale. `words` are the columns of text with a
    fixed set of words. `per_task` says that the rows of one task are one answer. `repeats` is what is done with a
    rater's repeated answers unless the user says otherwise, `noun` and `repeat` are the words for them.
    `row_faults` finds mistakes in single rows (by default words that are not in the set), `answer_faults` those that
    show only after repeats are separated, and `findings` what is worth a remark.
    """

    name: str
    text: tuple[str, ...]
    numbers: tuple[str, ...] = ()
    positions: tuple[str, ...] = ()
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    per_task: bool = False
    repeats: Literal["refuse", "keep"] = "keep"
    noun: str = ""
    repeat: str = "the same rater's answer about the same item"
    fields: BatchFields = field(default_factory=BatchFields)
    row_faults: Callable[[Judgments, Table], Iterator[Fault]] | None = None
    answer_faults: Callable[[Judgments, Codes], Iterator[Fault]] | None = None
    findings: Callable[[Judgments], Iterator[Finding]] | None = None

    @property
    def required(self) -> tuple[str, ...]:
        """Columns without which a row is no judgment (a published file may lack the rater)."""
        return tuple(column for column in (*self.text, *self.numbers) if column != "rater")

    @property
    def items(self) -> tuple[str, ...]:
        """The columns that name items: one, or the two sides of a comparison."""
        return tuple(column for column in self.text if column in ITEM_COLUMNS)

    @property
    def systems(self) -> tuple[str, ...]:
        """The columns that name the systems of these items."""
        return tuple(system_column(column) for column in self.items)

    @property
    def values(self) -> tuple[str, ...]:
        """The columns that hold the answer itself."""
        about = ("rater", "task", *ITEM_COLUMNS)
        return tuple(column for column in (*self.text, *self.numbers) if column not in about)

    @property
    def placed(self) -> bool:
        """Are answers positions on a scale?"""
        return bool(self.positions)

    @property
    def pointed(self) -> bool:
        """Is an answer one position on a scale?"""
        return len(self.positions) == 1

    @property
    def row(self) -> str:
        """What one row of it is called."""
        return self.noun or self.name.replace("_", "-")


KINDS: Registry[TableKind] = Registry("kind")


def per_task_kinds() -> list[str]:
    """The kinds of which several rows, those of a task, are one answer."""
    return [name for name, kind in KINDS.items() if kind.per_task]


def known_kind(kind: str) -> str:
    """The kind as Steelyard writes it; `best-worst` is `best_worst`."""
    plain = kind.strip().casefold().replace("-", "_")
    if plain not in KINDS:
        raise UnknownName("kind", kind, list(KINDS))
    return plain


def vocabulary_of(column: str) -> str:
    """The vocabulary that a text column is coded in: item, left and right share one, and so do their systems."""
    if column in ITEM_COLUMNS:
        return "item"
    return "system" if column in SYSTEM_COLUMNS else column


def system_column(item_column: str) -> str:
    """The column with the system of the item in this column.

    >>> system_column("item"), system_column("left")
    ('system', 'left_system')
    """
    return "system" if item_column == "item" else f"{item_column}_system"
