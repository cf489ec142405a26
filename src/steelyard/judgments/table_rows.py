"""`Table`: the rows of one kind of judgment, and functions of its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import BadSetting, NoSystems
from steelyard.judgments.coded import Coded
from steelyard.judgments.coding import Vocabulary, code
from steelyard.judgments.findings import counted
from steelyard.judgments.table_kinds import (
    ITEM_COLUMNS,
    OPTIONAL_NUMBERS,
    OPTIONAL_TEXT,
    SYSTEM_COLUMNS,
    TableKind,
    system_column,
    vocabulary_of,
)
from steelyard.maths.arrays import Codes, Labels, Mask, Vector

if TYPE_CHECKING:
    from steelyard.judgments.table import Judgments

MISSING = -1  # the code of an empty text cell
ORDERED_BY = ("rater", "task", "question", "round")  # the first columns that rows are sorted by
# Sliders, probabilities and the common rating scales, narrowest first.
COMMON_RANGES = (
    (0.0, 1.0),
    (-1.0, 1.0),
    (1.0, 5.0),
    (1.0, 6.0),
    (1.0, 7.0),
    (1.0, 10.0),
    (0.0, 10.0),
    (0.0, 100.0),
)


@dataclass(frozen=True, eq=False)
class Table:
    """The rows of one kind of judgment, with integer codes for text and floats for numbers.

    Attributes
    ----------
    kind
        Columns and rules of the kind of judgment.
    codes
        Integer codes of each text column, by name; -1 where a cell is empty.
    numbers
        Values of each number column, by name; NaN where a cell is empty.
    """

    kind: TableKind
    codes: Mapping[str, Codes]
    numbers: Mapping[str, Vector]

    def __len__(self) -> int:
        return len(next(iter([*self.codes.values(), *self.numbers.values()])))

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, those that the kind requires first."""
        own = [name for name in (*self.kind.text, *self.kind.numbers) if name in self]
        return (*own, *(name for name in (*self.codes, *self.numbers) if name not in own))

    def __contains__(self, column: str) -> bool:
        return column in self.codes or column in self.numbers

    @property
    def weights(self) -> Vector:
        """Number of times that each row occurred: the count column, or 1."""
        counts = self.numbers.get("count")
        return np.ones(len(self)) if counts is None else np.where(np.isnan(counts), 1.0, counts)

    def where(self, keep: Mask | Codes) -> Table:
        """Return the selected rows, by mask or by index."""
        return Table(
            self.kind,
            {name: codes[keep] for name, codes in self.codes.items()},
            {name: values[keep] for name, values in self.numbers.items()},
        )


def empty_table(kind: TableKind) -> Table:
    """Return a table of this kind without rows."""
    codes = {name: np.empty(0, dtype=np.int64) for name in kind.text}
    return Table(kind, codes, {name: np.empty(0) for name in kind.numbers})


def extreme_scores(tables: Iterable[Table]) -> tuple[float, float] | None:
    """Return the lowest and highest score; None if there are no scores."""
    columns = [table.numbers[name] for table in tables for name in table.kind.positions]
    scores = np.concatenate(columns) if columns else np.empty(0)
    scores = scores[np.isfinite(scores)]
    return (float(scores.min()), float(scores.max())) if len(scores) else None


def inferred_range(tables: Iterable[Table]) -> tuple[float, float]:
    """Return the narrowest common range that contains every score, or the range of the scores."""
    extremes = extreme_scores(tables)
    if extremes is None:
        return COMMON_RANGES[0]
    return common_range(*extremes)


def common_range(low: float, high: float) -> tuple[float, float]:
    """Return the narrowest common range that contains these scores, or their own range."""
    for candidate in COMMON_RANGES:
        if candidate[0] <= low and high <= candidate[1]:
            return candidate
    return (low, high) if high > low else (low, low + 1.0)


def shared_range(ranges: Iterable[tuple[float, float] | None]) -> tuple[float, float] | None:
    """Return the one range of several tables, or None if none has a range; raise `BadSetting` if they differ."""
    stated = {each for each in ranges if each is not None}
    if len(stated) > 1:
        ends = ", ".join(f"{low:g} to {high:g}" for low, high in sorted(stated))
        raise BadSetting(
            "range", f"scales differ ({ends}). Give all judgments the same range to combine them."
        )
    return stated.pop() if stated else None


def used_labels(
    tables: Iterable[Table], vocabularies: Mapping[str, Vocabulary]
) -> tuple[dict[str, Vocabulary], dict[str, Codes]]:
    """Return the vocabularies without labels that no row uses, and the new code of every old code."""
    used: dict[str, list[Codes]] = {}
    for table in tables:
        for name, codes in table.codes.items():
            used.setdefault(vocabulary_of(name), []).append(codes)
    kept = {family: vocabularies[family].kept(np.concatenate(parts)) for family, parts in used.items()}
    return {family: each[0] for family, each in kept.items()}, {
        family: each[1] for family, each in kept.items()
    }


def with_missing(labels: Labels) -> Labels:
    """Return the labels by code, followed by None, which the code -1 of an empty cell selects."""
    extended = np.empty(len(labels) + 1, dtype=object)
    extended[:-1] = labels
    return extended


def coded_as(column: str, code: int, table: Table) -> Mask:
    """Return which rows have this code in a text column.

    Parameters
    ----------
    column
        Name of the column. A table without it has only empty cells.
    code
        Code to look for, `MISSING` for an empty cell.
    table
        Table to search.

    Returns
    -------
    Mask
        One value per row.
    """
    return np.equal(table.codes.get(column, np.full(len(table), MISSING)), code)


def numbered_as(column: str, value: float, table: Table) -> Mask:
    """Return which rows have this value in a numeric column.

    Parameters
    ----------
    column
        Name of the column. A table without it has only empty cells.
    value
        Number to look for.
    table
        Table to search.

    Returns
    -------
    Mask
        One value per row.
    """
    return np.equal(table.numbers.get(column, np.full(len(table), np.nan)), value)


def without_value(column: str, table: Table) -> Mask:
    """Return which rows are empty in the column."""
    coded = coded_as(column, MISSING, table)
    return coded & np.isnan(table.numbers.get(column, np.full(len(table), np.nan)))


def in_order(table: Table) -> Table:
    """Return the rows sorted by rater, task, question and round, then by item and answer."""
    named = (*ORDERED_BY, *table.kind.text, *table.kind.numbers)
    keys = [
        table.codes[name] if name in table.codes else table.numbers[name] for name in named if name in table
    ]
    return table.where(np.lexsort(keys[::-1]))


def of_systems(table: Table) -> Table:
    """Return the rows with systems in place of items.

    Rows without a system, and comparisons of a system with itself, are omitted.
    """
    places = [(name, system_column(name)) for name in ITEM_COLUMNS if name in table.codes]
    for _, system in places:
        if system not in table.codes:
            raise NoSystems(table.kind.name, table.kind.systems)
    made = [table.codes[system] for _, system in places]
    complete = np.logical_and.reduce([codes != MISSING for codes in made])
    apart = made[0] != made[1] if len(made) == 2 else complete
    rows = table.where(complete & apart)
    codes = {name: values for name, values in rows.codes.items() if name not in SYSTEM_COLUMNS}
    return replace(rows, codes={**codes, **{name: rows.codes[system] for name, system in places}})


def recoded(table: Table, recoding: Mapping[str, Codes]) -> Table:
    """Return the same rows with every code replaced by its new code; empty cells stay empty."""
    codes = {}
    for name, old in table.codes.items():
        new = np.append(recoding[vocabulary_of(name)], MISSING)
        codes[name] = new[old]
    return replace(table, codes=codes)


def stacked(tables: Sequence[Table]) -> Table:
    """Return the rows of all tables, in order, with the columns of all of them."""
    codes = dict.fromkeys(name for table in tables for name in table.codes)
    numbers = dict.fromkeys(name for table in tables for name in table.numbers)
    return Table(
        tables[0].kind,
        {n: np.concatenate([t.codes.get(n, np.full(len(t), MISSING)) for t in tables]) for n in codes},
        {n: np.concatenate([t.numbers.get(n, np.full(len(t), np.nan)) for t in tables]) for n in numbers},
    )


def groups_by(
    column: str, labels: Labels, tables: Iterable[Table]
) -> Iterator[tuple[str | float, Callable[[Table], Mask]]]:
    """Yield the values of a column, each with a function that selects its rows in a table.

    Parameters
    ----------
    column
        Name of the column.
    labels
        Values of the column where it is text, by code.
    tables
        Tables whose numbers are looked up where the column is numeric.

    Yields
    ------
    tuple of str or float, and function
        The value and the function. "" comes last and selects empty cells.
    """
    for at, label in enumerate(labels):
        yield label, partial(coded_as, column, at)
    numbers = [table.numbers[column] for table in tables if column in table.numbers]
    values = np.unique(np.concatenate(numbers)) if numbers else np.empty(0)
    for value in values[~np.isnan(values)]:
        yield float(value), partial(numbered_as, column, float(value))
    yield "", partial(without_value, column)


def coded_table(
    kind: TableKind, columns: Mapping[str, Sequence[Any] | NDArray[Any] | Coded]
) -> tuple[Table, dict[str, Vocabulary]]:
    """Return whole columns as a table, and the vocabularies of its codes."""
    codes: dict[str, Codes] = {}
    numbers: dict[str, Vector] = {}
    vocabularies: dict[str, Vocabulary] = {}
    for name, values in columns.items():
        textual = name in (*kind.text, *ITEM_COLUMNS, *OPTIONAL_TEXT)
        if name in kind.numbers or name in OPTIONAL_NUMBERS or (not textual and _is_numeric(values)):
            numbers[name] = _numbers(values)
        else:
            family = vocabulary_of(name)
            codes[name], vocabularies[family] = code(values, vocabularies.get(family))
    return Table(kind, codes, numbers), vocabularies


def _numbers(values: Sequence[Any] | NDArray[Any] | Coded) -> Vector:
    if isinstance(values, np.ndarray) and values.dtype != object:
        return values.astype(float)
    return np.asarray([np.nan if value is None else value for value in values], dtype=float)


def _is_numeric(values: Sequence[Any] | NDArray[Any] | Coded) -> bool:
    if isinstance(values, Coded):
        return False
    if isinstance(values, np.ndarray) and values.dtype != object:
        return values.dtype.kind in "iuf"
    return bool(len(values)) and all(
        value is None or (isinstance(value, int | float | np.number) and not isinstance(value, bool))
        for value in values
    )


def transposed(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return rows as columns, with None where a row lacks a column."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def described(judgments: Judgments) -> str:
    """Return the counts and the range of judgments in one line, for interactive use.

    >>> from steelyard import Judgments, Rating
    >>> Judgments.of([Rating("ann", "tea", 10), Rating("bob", "tea", 20)], range=(0, 100))
    Judgments: 2 ratings, 1 item, 2 raters, range 0 to 100
    """
    tables = [(kind, table) for kind, table in judgments.tables.items() if len(table)]
    counts = [
        counted(len(table), f"{kind} row" if table.kind.per_task else table.kind.row)
        for kind, table in tables
    ]
    ends = [] if judgments.range is None else [f"range {judgments.range[0]:g} to {judgments.range[1]:g}"]
    sizes = [counted(len(judgments.items), "item"), counted(len(judgments.raters), "rater")]
    machine = [] if judgments.machine is None else [counted(len(judgments.machine), "machine answer")]
    return f"Judgments: {', '.join([*counts, *sizes, *ends, *machine])}"
