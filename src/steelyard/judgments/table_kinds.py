"""The kinds of judgment as tables: their columns and the rules for their rows.

`steelyard.kinds` fills the registry with one `TableKind` per kind, so that no module of this package depends on the
name of a kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from steelyard.errors import UnknownName
from steelyard.registry import Registry

if TYPE_CHECKING:  # these modules import the registry
    from steelyard.judgments.faults import Fault
    from steelyard.judgments.findings import Finding
    from steelyard.judgments.orders import Orders
    from steelyard.judgments.table import Judgments, Table
    from steelyard.maths.arrays import Codes

PEOPLE = (  # names for the rater, most likely first; each may also end in _id
    *("rater", "annotator", "worker", "judge", "user", "participant", "assessor", "evaluator"),
    *("respondent", "reviewer", "labeler", "labeller", "voter"),
)
RATER_NAMES = (*(name for word in PEOPLE for name in (word, f"{word}_id")), "prolific_pid", "username")
SEGMENT_NAMES = ("segment", "prompt_id", "prompt")  # names for the segment in files of comparisons
COLUMN_ROLES = {"rater": RATER_NAMES, "segment": (*SEGMENT_NAMES, "question_id")}  # columns by names in files
ITEM_COLUMNS = ("item", "left", "right")
SYSTEM_COLUMNS = ("system", "left_system", "right_system")  # a comparison has one on each side
OPTIONAL_TEXT = ("question", *SYSTEM_COLUMNS, "segment", "task", "condition", "family")
OPTIONAL_NUMBERS = ("round", "at", "milliseconds", "count")
OUTCOMES = ("left", "right", "tie")

FieldCell = Callable[
    ..., "str | None"
]  # returns the cell of a field, by default for the current slot and question


def decides_all(items: int) -> float:
    """Return 1: an answer decides every pair of a task with this number of items."""
    del items
    return 1.0


@dataclass(frozen=True, slots=True)
class BatchFields:
    """The answer fields of one kind in the results of an MTurk batch.

    Parameters
    ----------
    numbered
        Fields with one cell per item of the page, such as Answer.score1.
    whole
        Fields with one cell per page, such as Answer.best.
    beside
        Fields that may accompany an answer.
    value
        Function that returns the columns of one row from the fields. By default, each field is a column.
    range
        Scale of files in which only a field other than the first has answers.
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
        """Return the columns that the fields of one slot hold; empty if there is no answer."""
        if self.value is not None:
            return self.value(cell, slot)
        values = {field: cell(field) for field in self.numbered}
        return {} if set(values.values()) <= {None} else values


@dataclass(frozen=True, slots=True, eq=False)
class TableKind:
    """A kind of judgment as a table: its columns and the rules for its rows.

    Parameters
    ----------
    name
        Name of the kind.
    text
        Required text columns.
    numbers
        Required numeric columns.
    positions
        Numeric columns that are positions on the scale.
    words
        Text columns with a fixed set of words, and these words.
    per_task
        Whether the rows of a task together are one answer.
    repeats
        Default treatment of a rater's repeated answers: "refuse" or "keep".
    noun
        Name of a row in messages. Default: the name of the kind.
    repeat
        What a repeated row repeats, in messages.
    fields
        Answer fields in MTurk results.
    row_faults
        Function that yields the mistakes in single rows. By default, it finds words that are not allowed.
    answer_faults
        Function that yields mistakes that show only after repeated answers are separated.
    findings
        Function that yields remarks for `steelyard check`.
    orders
        Function that returns the judgments as statements about the order of items, for models of a latent scale. None
        if answers do not order items.
    decided
        Function that returns the share of the pairs of a task with this number of items that one answer decides.
        Default: all.
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
    orders: Callable[[Judgments], Orders] | None = None
    decided: Callable[[int], float] = decides_all

    @property
    def required(self) -> tuple[str, ...]:
        """Columns that a row must have; a published file may lack the rater."""
        return tuple(column for column in (*self.text, *self.numbers) if column != "rater")

    @property
    def items(self) -> tuple[str, ...]:
        """Columns with item ids: one, or the two sides of a comparison."""
        return tuple(column for column in self.text if column in ITEM_COLUMNS)

    @property
    def systems(self) -> tuple[str, ...]:
        """Columns with the systems of these items."""
        return tuple(system_column(column) for column in self.items)

    @property
    def values(self) -> tuple[str, ...]:
        """Columns that hold the answer."""
        about = ("rater", "task", *ITEM_COLUMNS)
        return tuple(column for column in (*self.text, *self.numbers) if column not in about)

    @property
    def placed(self) -> bool:
        """Whether answers are positions on a scale."""
        return bool(self.positions)

    @property
    def pointed(self) -> bool:
        """Whether an answer is one position on a scale."""
        return len(self.positions) == 1

    @property
    def paired(self) -> bool:
        """Whether a row is about two items."""
        return len(self.items) > 1

    @property
    def for_machines(self) -> bool:
        """Whether machine judges can give these answers: one position of an item, or which of two items has more."""
        return self.pointed or (self.paired and "outcome" in self.values)

    @property
    def row(self) -> str:
        """Name of a row in messages."""
        return self.noun or self.name.replace("_", "-")


KINDS: Registry[TableKind] = Registry("kind")


def per_task_kinds() -> list[str]:
    """Return the kinds in which the rows of a task together are one answer."""
    return [name for name, kind in KINDS.items() if kind.per_task]


def kinds_for_machines() -> tuple[str, ...]:
    """Return the kinds that machine judges can give.

    >>> import steelyard.kinds.known
    >>> kinds_for_machines()
    ('rating', 'comparison')
    """
    return tuple(name for name, kind in KINDS.items() if kind.for_machines)


def known_kind(kind: str) -> str:
    """Return the registered name of a kind; `best-worst` is `best_worst`."""
    plain = kind.strip().casefold().replace("-", "_")
    if plain not in KINDS:
        raise UnknownName("kind", kind, list(KINDS))
    return plain


def vocabulary_of(column: str) -> str:
    """Return the vocabulary of a text column: item, left and right share one, and so do their systems."""
    if column in ITEM_COLUMNS:
        return "item"
    return "system" if column in SYSTEM_COLUMNS else column


def system_column(item_column: str) -> str:
    """Return the column with the system of the item in this column.

    >>> system_column("item"), system_column("left")
    ('system', 'left_system')
    """
    return "system" if item_column == "item" else f"{item_column}_system"
