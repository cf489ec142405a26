"""`Judgments`: one immutable table of everything people said, ids coded as integers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import BadSetting, UnknownName
from steelyard.judgments.coded import Coded
from steelyard.judgments.coding import Vocabulary, code, merge
from steelyard.judgments.reading import Reading
from steelyard.judgments.records import Judgment
from steelyard.judgments.table_kinds import (
    ITEM_COLUMNS,
    KINDS,
    OPTIONAL_NUMBERS,
    OPTIONAL_TEXT,
    SYSTEM_COLUMNS,
    TableKind,
    known_kind,
    system_column,
    vocabulary_of,
)
from steelyard.maths.arrays import Codes, Labels, Mask, Vector
from steelyard.maths.frames import Library

MISSING = -1  # the code of an empty text cell
ORDERED_BY = ("rater", "task", "question", "round")  # what rows are sorted by first


@dataclass(frozen=True, eq=False)
class Table:
    """The rows of one kind: integer codes for text columns, floats (NaN where empty) for numbers."""

    kind: TableKind
    codes: Mapping[str, Codes]
    numbers: Mapping[str, Vector]

    def __len__(self) -> int:
        return len(next(iter([*self.codes.values(), *self.numbers.values()])))

    @property
    def columns(self) -> tuple[str, ...]:
        """Column names, the kind's own first."""
        own = [name for name in (*self.kind.text, *self.kind.numbers) if name in self]
        return (*own, *(name for name in (*self.codes, *self.numbers) if name not in own))

    def __contains__(self, column: str) -> bool:
        return column in self.codes or column in self.numbers

    @property
    def weights(self) -> Vector:
        """How often each row happened: the count column, or ones."""
        counts = self.numbers.get("count")
        return np.ones(len(self)) if counts is None else np.where(np.isnan(counts), 1.0, counts)

    def where(self, keep: Mask | Codes) -> Table:
        """The chosen rows."""
        return Table(
            self.kind,
            {name: codes[keep] for name, codes in self.codes.items()},
            {name: values[keep] for name, values in self.numbers.items()},
        )


@dataclass(frozen=True, eq=False)
class Judgments:
    """Everything people said: one table per kind, over shared vocabularies of items, raters and the rest.

    `range` is the scale that scores were given on, when it is known; `reading` counts what was left out or
    treated specially when a file was read. Two of them add up with `+`.
    """

    tables: Mapping[str, Table]
    vocabularies: Mapping[str, Vocabulary]
    range: tuple[float, float] | None = None
    reading: Reading = field(default_factory=Reading)

    @staticmethod
    def of(records: Iterable[Judgment], range: tuple[float, float] | None = None) -> Judgments:
        """A table of single records.

        >>> from steelyard import Rating
        >>> ratings = [Rating("ann", "tea", 20), Rating("bob", "tea", 30), Rating("ann", "soup", 70)]
        >>> judgments = Judgments.of(ratings)
        >>> len(judgments), list(judgments.items)
        (3, ['tea', 'soup'])
        """
        rows: dict[str, list[dict[str, Any]]] = {}
        for record in records:
            if range is not None:
                record.check_range(*range)
            rows.setdefault(record.kind, []).extend(record.rows())
        parts = [Judgments.from_columns(kind, _transpose(some), range) for kind, some in rows.items()]
        return Judgments.concat(parts) if parts else Judgments({}, {}, range)

    @staticmethod
    def from_columns(
        kind: str,
        columns: Mapping[str, Sequence[Any] | NDArray[Any] | Coded],
        range: tuple[float, float] | None = None,
    ) -> Judgments:
        """A table of one kind from whole columns, taken as they are; `steelyard.read` checks first."""
        codes: dict[str, Codes] = {}
        numbers: dict[str, Vector] = {}
        vocabularies: dict[str, Vocabulary] = {}
        layout = KINDS[kind]
        for name, values in columns.items():
            textual = name in (*layout.text, *ITEM_COLUMNS, *OPTIONAL_TEXT)
            if name in layout.numbers or name in OPTIONAL_NUMBERS or (not textual and _is_numeric(values)):
                numbers[name] = _numbers(values)
            else:
                family = vocabulary_of(name)
                codes[name], vocabularies[family] = code(values, vocabularies.get(family))
        return Judgments({kind: Table(layout, codes, numbers)}, vocabularies, range)

    @staticmethod
    def concat(parts: Sequence[Judgments]) -> Judgments:
        """All rows of all parts, in order."""
        ranges = {part.range for part in parts if part.range is not None}
        if len(ranges) > 1:
            ends = ", ".join(f"{low:g}-{high:g}" for low, high in sorted(ranges))
            raise BadSetting("range", f"judgments on different scales ({ends}) cannot be put together.")
        vocabularies, recode = merge([part.vocabularies for part in parts])
        tables: dict[str, list[Table]] = {}
        for part, recoding in zip(parts, recode, strict=True):
            for kind, table in part.tables.items():
                tables.setdefault(kind, []).append(_recoded(table, recoding))
        joined = {kind: _stacked(some) for kind, some in tables.items()}
        reading = sum((part.reading for part in parts), start=Reading())
        return Judgments(joined, vocabularies, ranges.pop() if ranges else None, reading)

    def __add__(self, other: Judgments) -> Judgments:
        return Judgments.concat([self, other])

    def __len__(self) -> int:
        return sum(len(table) for table in self.tables.values())

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of judgment that are there."""
        return tuple(self.tables)

    @property
    def placed(self) -> bool:
        """Is any of these judgments given as positions on a scale?"""
        return any(table.kind.placed for table in self.tables.values())

    @property
    def items(self) -> Labels:
        """Item ids, by code."""
        return self.labels("item")

    @property
    def raters(self) -> Labels:
        """Rater ids, by code."""
        return self.labels("rater")

    def labels(self, column: str) -> Labels:
        """The values of a text column, by code; empty when the column is not there."""
        family = vocabulary_of(column)
        return self.vocabularies[family].labels if family in self.vocabularies else np.empty(0, dtype=object)

    def table(self, kind: str) -> Table:
        """The rows of one kind; an empty table when there are none."""
        if kind in self.tables:
            return self.tables[kind]
        spec = KINDS[kind]
        return Table(
            spec,
            {name: np.empty(0, dtype=np.int64) for name in spec.text},
            {name: np.empty(0) for name in spec.numbers},
        )

    def cells(self, kind: str, column: str) -> Labels | Vector:
        """A column as it was written: text (None where empty) or numbers."""
        table = self.table(kind)
        if column in table.numbers:
            return table.numbers[column]
        return with_missing(self.labels(column))[table.codes[column]]

    def to_pandas(self, kind: str | None = None) -> Any:
        """The rows of one kind as a pandas data frame; `kind` may be left out where there is only one."""
        return self._frame(kind, "pandas")

    def to_polars(self, kind: str | None = None) -> Any:
        """The rows of one kind as a Polars data frame."""
        return self._frame(kind, "polars")

    def to_arrow(self, kind: str | None = None) -> Any:
        """The rows of one kind as an Arrow table."""
        return self._frame(kind, "pyarrow")

    def _frame(self, kind: str | None, library: Library) -> Any:
        from steelyard.judgments.frames import to_frame  # late: frames know this class

        return to_frame(self, kind, library)

    def where(self, keep: Callable[[Table], Mask | Codes]) -> Judgments:
        """The rows that `keep` chooses in each table, over the same vocabularies."""
        return replace(self, tables={kind: table.where(keep(table)) for kind, table in self.tables.items()})

    def only(self, kind: str) -> Judgments:
        """The judgments of one kind, without items and raters that only others name."""
        chosen = known_kind(kind)
        if not len(self.table(chosen)):
            raise UnknownName("kind", kind, [name for name, table in self.tables.items() if len(table)])
        return replace(self, tables={chosen: self.tables[chosen]}).compact()

    def by(self, column: str) -> Iterator[tuple[str | float, Judgments]]:
        """Each value of a column with its rows, apart from all others (`--by question`).

        Rows without a value in that column come last, under "". All parts have the range of the whole.
        """
        columns = sorted({name for table in self.tables.values() for name in table.columns})
        if column not in columns:
            raise UnknownName("column", column, columns)
        whole = replace(self, range=self.score_range) if self.placed else self
        for name, keep in whole._groups(column):
            part = whole.where(keep).compact()
            if len(part):
                yield name, part

    def _groups(self, column: str) -> Iterator[tuple[str | float, Callable[[Table], Mask]]]:
        """The values of a column, and which rows of a table have each; "" is for those that have none."""
        for at, label in enumerate(self.labels(column)):
            yield label, partial(_coded_as, column, at)
        numbers = [table.numbers[column] for table in self.tables.values() if column in table.numbers]
        values = np.unique(np.concatenate(numbers)) if numbers else np.empty(0)
        for value in values[~np.isnan(values)]:
            yield float(value), partial(_numbered, column, float(value))
        yield "", partial(_without, column)

    def compact(self) -> Judgments:
        """The same rows without empty tables and without items, raters or labels that no row names."""
        tables = {kind: table for kind, table in self.tables.items() if len(table)}
        used: dict[str, list[Codes]] = {}
        for table in tables.values():
            for name, codes in table.codes.items():
                used.setdefault(vocabulary_of(name), []).append(codes)
        vocabularies: dict[str, Vocabulary] = {}
        recoding: dict[str, Codes] = {}
        for family, parts in used.items():
            vocabularies[family], recoding[family] = self.vocabularies[family].kept(np.concatenate(parts))
        recoded = {kind: _recoded(table, recoding) for kind, table in tables.items()}
        return replace(self, tables=recoded, vocabularies=vocabularies)

    def canonical(self) -> Judgments:
        """The same judgments with ids and rows in sorted order: a fit of it does not hang on the order of a file."""
        vocabularies: dict[str, Vocabulary] = {}
        recoding: dict[str, Codes] = {}
        for family, vocabulary in self.vocabularies.items():
            vocabularies[family], recoding[family] = vocabulary.in_order()
        tables = {kind: _in_order(_recoded(table, recoding)) for kind, table in self.tables.items()}
        return replace(self, tables=tables, vocabularies=vocabularies)

    def at_unit(self, unit: str) -> Judgments:
        """Judgments of items, or of the systems that made them, which then stand in the items' place."""
        if unit == "item":
            return self
        if unit != "system":
            raise UnknownName("unit", unit, ("item", "system"))
        tables = {kind: _of_systems(table) for kind, table in self.tables.items()}
        vocabularies = {**self.vocabularies, "item": self.vocabularies["system"]}
        del vocabularies["system"]
        return replace(self, tables=tables, vocabularies=vocabularies)

    @cached_property
    def score_range(self) -> tuple[float, float]:
        """The range of the scale: as stated, or the narrowest common range that contains every score."""
        return self.range if self.range is not None else _inferred_range(self)


# Sliders, probabilities and the common Likert widths, narrowest first.
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


def _inferred_range(judgments: Judgments) -> tuple[float, float]:
    tables = judgments.tables.values()
    columns = [table.numbers[name] for table in tables for name in table.kind.positions]
    scores = np.concatenate(columns) if columns else np.empty(0)
    scores = scores[np.isfinite(scores)]
    if not len(scores):
        return COMMON_RANGES[0]
    low, high = float(scores.min()), float(scores.max())
    for candidate in COMMON_RANGES:
        if candidate[0] <= low and high <= candidate[1]:
            return candidate
    return (low, high) if high > low else (low, low + 1.0)


def with_missing(labels: Labels) -> Labels:
    """Labels by code with None at the end, where the code of an empty cell finds it."""
    extended = np.empty(len(labels) + 1, dtype=object)
    extended[:-1] = labels
    return extended


def _coded_as(column: str, code: int, table: Table) -> Mask:
    return np.equal(table.codes.get(column, np.full(len(table), MISSING)), code)


def _numbered(column: str, value: float, table: Table) -> Mask:
    return np.equal(table.numbers.get(column, np.full(len(table), np.nan)), value)


def _without(column: str, table: Table) -> Mask:
    """Rows that have no value in the column."""
    coded = _coded_as(column, MISSING, table)
    return coded & np.isnan(table.numbers.get(column, np.full(len(table), np.nan)))


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


def _transpose(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _in_order(table: Table) -> Table:
    """Rows sorted by who judged what where, and then by what they said."""
    named = (*ORDERED_BY, *table.kind.text, *table.kind.numbers)
    keys = [
        table.codes[name] if name in table.codes else table.numbers[name] for name in named if name in table
    ]
    return table.where(np.lexsort(keys[::-1]))


def _of_systems(table: Table) -> Table:
    """The rows with systems in the items' place; rows without one, or of one system on both sides, are left out."""
    places = [(name, system_column(name)) for name in ITEM_COLUMNS if name in table.codes]
    for _, system in places:
        if system not in table.codes:
            raise BadSetting(
                "unit", f"{table.kind.name} judgments have no {system} column, so no systems can be scaled."
            )
    made = [table.codes[system] for _, system in places]
    complete = np.logical_and.reduce([codes != MISSING for codes in made])
    apart = made[0] != made[1] if len(made) == 2 else complete
    rows = table.where(complete & apart)
    codes = {name: values for name, values in rows.codes.items() if name not in SYSTEM_COLUMNS}
    return replace(rows, codes={**codes, **{name: rows.codes[system] for name, system in places}})


def _recoded(table: Table, recoding: Mapping[str, Codes]) -> Table:
    """The same rows with every code replaced by its new one; a missing cell stays missing."""
    codes = {}
    for name, old in table.codes.items():
        new = np.append(recoding[vocabulary_of(name)], MISSING)
        codes[name] = new[old]
    return replace(table, codes=codes)


def _stacked(tables: Sequence[Table]) -> Table:
    codes = dict.fromkeys(name for table in tables for name in table.codes)
    numbers = dict.fromkeys(name for table in tables for name in table.numbers)
    return Table(
        tables[0].kind,
        {n: np.concatenate([t.codes.get(n, np.full(len(t), MISSING)) for t in tables]) for n in codes},
        {n: np.concatenate([t.numbers.get(n, np.full(len(t), np.nan)) for t in tables]) for n in numbers},
    )
