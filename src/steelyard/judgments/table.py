"""`Judgments`: an immutable table of judgments of any kind, with ids coded as integers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import UnknownName
from steelyard.judgments.coded import Coded
from steelyard.judgments.coding import Vocabulary, merge
from steelyard.judgments.reading import Reading
from steelyard.judgments.records import Judgment
from steelyard.judgments.sources import apart, machine_part
from steelyard.judgments.table_kinds import KINDS, known_kind, vocabulary_of
from steelyard.judgments.table_rows import (
    MISSING,
    Table,
    coded_table,
    described,
    empty_table,
    groups_by,
    in_order,
    inferred_range,
    of_systems,
    recoded,
    shared_range,
    stacked,
    transposed,
    used_labels,
    with_missing,
)
from steelyard.maths.arrays import Codes, Labels, Mask, Vector
from steelyard.maths.frames import Library

__all__ = ["MISSING", "Judgments", "Table", "with_missing"]


@dataclass(frozen=True, eq=False)
class Judgments:
    """Judgments of any kind, from any number of raters, as an immutable table.

    Create one with `steelyard.read` from a file or data frame, or with `Judgments.of` from single records. Every
    model takes a `Judgments` in its `fit` method. `a + b` has the rows of both tables, and `len` counts rows.

    Parameters
    ----------
    tables
        One `Table` per kind of judgment. Text columns hold integer codes.
    vocabularies
        Labels of the codes, by column. The columns item, left and right share one vocabulary.
    range
        Lower and upper end of the scale of the scores, or None if it is not known.
    reading
        Counts of rows that were omitted or treated specially when a file was read.
    machine
        Answers of machine judges, which are in no table, vocabulary or count of people's answers. None if there are
        none. Models and statistics use people's answers, unless a model declares that it uses these, too.

    Examples
    --------
    >>> from steelyard import Comparison, Judgments
    >>> first = Judgments.of([Comparison("ann", "tea", "milk", "left")])
    >>> both = first + Judgments.of([Comparison("bob", "milk", "soup", "tie")])
    >>> len(both), both.kinds, both.items.tolist(), both.raters.tolist()
    (2, ('comparison',), ['tea', 'milk', 'soup'], ['ann', 'bob'])
    """

    tables: Mapping[str, Table]
    vocabularies: Mapping[str, Vocabulary]
    range: tuple[float, float] | None = None
    reading: Reading = field(default_factory=Reading)
    machine: Judgments | None = None
    __repr__ = described

    @staticmethod
    def of(records: Iterable[Judgment], range: tuple[float, float] | None = None) -> Judgments:
        """Return a table of single records.

        Parameters
        ----------
        records
            `Rating`, `Comparison`, `Ranking`, `BestWorst` or `Range` records, or records of a registered kind. The
            kinds may be mixed.
        range
            Lower and upper end of the scale. A score outside it raises `ScoreOutOfRange`. By default, the range is
            inferred when a model needs it (see `score_range`).

        Returns
        -------
        Judgments
            The records, in the same order.

        Examples
        --------
        >>> from steelyard import Judgments, Rating
        >>> ratings = [Rating("ann", "tea", 20), Rating("bob", "tea", 30), Rating("ann", "soup", 70)]
        >>> judgments = Judgments.of(ratings, range=(0, 100))
        >>> len(judgments), judgments.items.tolist()
        (3, ['tea', 'soup'])
        """
        rows: dict[str, list[dict[str, Any]]] = {}
        for record in records:
            if range is not None:
                record.check_range(*range)
            rows.setdefault(record.kind, []).extend(record.rows())
        parts = [Judgments.from_columns(kind, transposed(some), range) for kind, some in rows.items()]
        return Judgments.concat(parts) if parts else Judgments({}, {}, range)

    @staticmethod
    def from_columns(
        kind: str,
        columns: Mapping[str, Sequence[Any] | NDArray[Any] | Coded],
        range: tuple[float, float] | None = None,
    ) -> Judgments:
        """Return a table of one kind from whole columns, without any checks.

        Use `steelyard.read` for input that may contain mistakes.

        Parameters
        ----------
        kind
            Name of the kind of judgment, such as "rating".
        columns
            Column names and values of equal length. None marks an empty cell. Rows with "machine" in a column source
            are answers of machine judges.
        range
            Lower and upper end of the scale of the scores.

        Returns
        -------
        Judgments
            One row per row of the columns.

        Examples
        --------
        >>> from steelyard import Judgments
        >>> columns = {"rater": ["ann", "bob"], "item": ["tea", "tea"], "score": [20, 30]}
        >>> Judgments.from_columns("rating", columns).cells("rating", "score").tolist()
        [20.0, 30.0]
        """
        people, machine = apart(columns)
        table, vocabularies = coded_table(KINDS[kind], people)
        theirs = None if machine is None else Judgments.from_columns(kind, machine)
        return Judgments({kind: table}, vocabularies, range, machine=theirs)

    @staticmethod
    def concat(parts: Sequence[Judgments]) -> Judgments:
        """Return the rows of all tables, in order.

        Parameters
        ----------
        parts
            Tables to combine. `BadSetting` is raised if their ranges differ.

        Returns
        -------
        Judgments
            All rows, over common vocabularies.
        """
        vocabularies, recode = merge([part.vocabularies for part in parts])
        tables: dict[str, list[Table]] = {}
        for part, recoding in zip(parts, recode, strict=True):
            for kind, table in part.tables.items():
                tables.setdefault(kind, []).append(recoded(table, recoding))
        joined = {kind: stacked(some) for kind, some in tables.items()}
        reading = sum((part.reading for part in parts), start=Reading())
        machine = [part.machine for part in parts if part.machine is not None]
        theirs = Judgments.concat(machine) if machine else None
        return Judgments(joined, vocabularies, shared_range(part.range for part in parts), reading, theirs)

    def __add__(self, other: Judgments) -> Judgments:
        return Judgments.concat([self, other])

    def __len__(self) -> int:
        return sum(len(table) for table in self.tables.values())

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of judgment in the table."""
        return tuple(self.tables)

    @property
    def placed(self) -> bool:
        """Whether any judgment is a position on a scale (a rating or a range)."""
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
        """Return the distinct values of a text column, by code.

        Parameters
        ----------
        column
            Name of the column, such as "rater" or "question".

        Returns
        -------
        Labels
            Array of the values. It is empty if no table has the column.
        """
        family = vocabulary_of(column)
        return self.vocabularies[family].labels if family in self.vocabularies else np.empty(0, dtype=object)

    def table(self, kind: str) -> Table:
        """Return the rows of one kind as codes and numbers.

        Parameters
        ----------
        kind
            Name of the kind of judgment.

        Returns
        -------
        Table
            The rows; empty if there are none.
        """
        return self.tables[kind] if kind in self.tables else empty_table(KINDS[kind])

    def cells(self, kind: str, column: str) -> Labels | Vector:
        """Return a column with its values as they were written.

        Parameters
        ----------
        kind
            Name of the kind of judgment.
        column
            Name of the column.

        Returns
        -------
        Labels or Vector
            Text (None where empty) or numbers (NaN where empty), one per row.

        Examples
        --------
        >>> from steelyard import Judgments, Rating
        >>> judgments = Judgments.of([Rating("ann", "tea", 20, {"question": "taste"}), Rating("bob", "tea", 30)])
        >>> judgments.cells("rating", "question").tolist()
        ['taste', None]
        """
        table = self.table(kind)
        if column in table.numbers:
            return table.numbers[column]
        return with_missing(self.labels(column))[table.codes[column]]

    def to_pandas(self, kind: str | None = None) -> Any:
        """Return the rows of one kind as a pandas data frame.

        Parameters
        ----------
        kind
            Name of the kind of judgment. It may be omitted if the table has only one kind.

        Returns
        -------
        pandas.DataFrame
            One row per row of the table, with None where a cell is empty.
        """
        return self._frame(kind, "pandas")

    def to_polars(self, kind: str | None = None) -> Any:
        """Return the rows of one kind as a Polars data frame; `kind` as in `to_pandas`."""
        return self._frame(kind, "polars")

    def to_arrow(self, kind: str | None = None) -> Any:
        """Return the rows of one kind as an Arrow table; `kind` as in `to_pandas`."""
        return self._frame(kind, "pyarrow")

    def _frame(self, kind: str | None, library: Library) -> Any:
        from steelyard.judgments.frames import to_frame  # late: that module imports this one

        return to_frame(self, kind, library)

    def where(self, keep: Callable[[Table], Mask | Codes]) -> Judgments:
        """Return the selected rows, over the same vocabularies. All machine answers are kept.

        Parameters
        ----------
        keep
            Function that takes the `Table` of a kind and returns a mask or the indices of the rows to keep.

        Returns
        -------
        Judgments
            The selected rows. Use `compact` to also remove items and raters without rows.

        Examples
        --------
        >>> from steelyard import Judgments, Rating
        >>> judgments = Judgments.of([Rating("ann", "tea", 20), Rating("bob", "tea", 30)])
        >>> len(judgments.where(lambda table: table.numbers["score"] > 25))
        1
        """
        return replace(self, tables={kind: table.where(keep(table)) for kind, table in self.tables.items()})

    def only(self, kind: str) -> Judgments:
        """Return the judgments of one kind, without items and raters that occur only in other kinds.

        Parameters
        ----------
        kind
            Name of the kind of judgment. `UnknownName` is raised if there are no judgments of this kind.

        Returns
        -------
        Judgments
            The rows of this kind.
        """
        chosen = known_kind(kind)
        if not len(self.table(chosen)):
            raise UnknownName("kind", kind, [name for name, table in self.tables.items() if len(table)])
        return replace(self, tables={chosen: self.tables[chosen]}).compact()

    def by(self, column: str) -> Iterator[tuple[str | float, Judgments]]:
        """Yield the rows of each value of a column separately, as `--by` does on the command line.

        Parameters
        ----------
        column
            Name of the column, such as "question" or "condition".

        Yields
        ------
        tuple of str or float, and Judgments
            The value and its rows. Rows without a value come last, under "". All parts have the range of the whole
            table. Machine answers without a value belong to every part.

        Examples
        --------
        >>> from steelyard import Judgments, Rating
        >>> rows = [Rating("ann", "tea", 2, {"question": "taste"}), Rating("ann", "tea", 4, {"question": "smell"})]
        >>> [(value, len(part)) for value, part in Judgments.of(rows).by("question")]
        [('taste', 1), ('smell', 1)]
        """
        columns = sorted({name for table in self.tables.values() for name in table.columns})
        if column not in columns:
            raise UnknownName("column", column, columns)
        whole = replace(self, range=self.score_range) if self.placed else self
        for name, keep in groups_by(column, whole.labels(column), whole.tables.values()):
            part = whole.where(keep).compact()
            if len(part):
                yield name, replace(part, machine=machine_part(self.machine, column, name))

    def compact(self) -> Judgments:
        """Return the same rows without empty tables and without labels that no row uses."""
        tables = {kind: table for kind, table in self.tables.items() if len(table)}
        vocabularies, recoding = used_labels(tables.values(), self.vocabularies)
        kept = {kind: recoded(table, recoding) for kind, table in tables.items()}
        machine = None if self.machine is None else self.machine.compact()
        return replace(self, tables=kept, vocabularies=vocabularies, machine=machine)

    def canonical(self) -> Judgments:
        """Return the same judgments with sorted ids and rows: a fit of it does not depend on the file's order."""
        vocabularies: dict[str, Vocabulary] = {}
        recoding: dict[str, Codes] = {}
        for family, vocabulary in self.vocabularies.items():
            vocabularies[family], recoding[family] = vocabulary.in_order()
        tables = {kind: in_order(recoded(table, recoding)) for kind, table in self.tables.items()}
        machine = None if self.machine is None else self.machine.canonical()
        return replace(self, tables=tables, vocabularies=vocabularies, machine=machine)

    def at_unit(self, unit: str) -> Judgments:
        """Return judgments of items, or of the systems that produced the items.

        Parameters
        ----------
        unit
            "item" returns the table unchanged. "system" replaces each item by its system.

        Returns
        -------
        Judgments
            The judgments. Rows without a system, and comparisons of a system with itself, are omitted.
        """
        if unit == "item":
            return self
        if unit != "system":
            raise UnknownName("unit", unit, ("item", "system"))
        tables = {kind: of_systems(table) for kind, table in self.tables.items()}
        vocabularies = {**self.vocabularies, "item": self.vocabularies["system"]}
        del vocabularies["system"]
        machine = self.machine
        if machine is not None:
            machine = machine.at_unit(unit) if "system" in machine.vocabularies else None
        return replace(self, tables=tables, vocabularies=vocabularies, machine=machine)

    @cached_property
    def score_range(self) -> tuple[float, float]:
        """Lower and upper end of the scale: `range`, or else the narrowest common range that contains every score."""
        return self.range if self.range is not None else inferred_range(self.tables.values())
