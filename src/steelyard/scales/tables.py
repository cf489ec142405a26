"""`Tabular`: results with columns, and their conversion to data frames and text."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar, overload

import numpy as np

from steelyard.maths.frames import Library, native_frame
from steelyard.scales.table_text import DIGITS, SHOWN_ROWS, as_html, as_latex, as_markdown, as_text

Record = TypeVar("Record")


class Tabular(ABC):
    """A result with named columns of equal length.

    A class that is a table derives from this one and defines :meth:`columns`. All other methods follow from it. If it
    has an attribute `described` (text) or `notes` (sentences), they are shown below the rows.
    """

    @abstractmethod
    def columns(self) -> dict[str, Any]:
        """Return the values of each column by name."""

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary per row."""
        columns = self.columns()
        cells = zip(*(_plain(values) for values in columns.values()), strict=True)
        return [dict(zip(columns, row, strict=True)) for row in cells]

    def to_pandas(self) -> Any:
        """Return the table as a pandas data frame. Needs pandas."""
        return self._frame("pandas")

    def to_polars(self) -> Any:
        """Return the table as a Polars data frame. Needs Polars."""
        return self._frame("polars")

    def to_arrow(self) -> Any:
        """Return the table as a PyArrow table. Needs PyArrow."""
        return self._frame("pyarrow")

    def to_markdown(self, digits: int = DIGITS) -> str:
        """Return the table in Markdown.

        Parameters
        ----------
        digits
            Decimals of numbers that are not whole, 3 by default.

        Returns
        -------
        str
            Lines of Markdown.
        """
        return as_markdown(self.columns(), digits)

    def to_latex(self, digits: int = DIGITS, caption: str | None = None, label: str | None = None) -> str:
        """Return the table in LaTeX, for documents that use the package booktabs.

        Parameters
        ----------
        digits
            Decimals of numbers that are not whole, 3 by default.
        caption
            Caption of the table. With a caption or a label the result is a `table`, otherwise a `tabular`.
        label
            Label for references.

        Returns
        -------
        str
            Lines of LaTeX.
        """
        return as_latex(self.columns(), digits, caption, label)

    def __repr__(self) -> str:
        shown, more = self._shown()
        return "\n".join([f"{type(self).__name__}: {self._size()}", as_text(shown), *more])

    def _repr_html_(self) -> str:
        """Return the first rows for notebooks."""
        shown, more = self._shown()
        return "".join([as_html(shown), *(f"<p>{html.escape(each)}</p>" for each in more)])

    def _frame(self, library: Library) -> Any:
        return native_frame({name: _plain(values) for name, values in self.columns().items()}, library)

    def _shown(self) -> tuple[dict[str, list[Any]], list[str]]:
        """The first rows, and sentences about the others and about the table."""
        columns = {name: _plain(values) for name, values in self.columns().items()}
        rows = len(next(iter(columns.values()), []))
        more = [f"... and {rows - SHOWN_ROWS:,} more rows"] if rows > SHOWN_ROWS else []
        about = [getattr(self, "described", ""), *getattr(self, "notes", ())]
        shown = {name: values[:SHOWN_ROWS] for name, values in columns.items()}
        return shown, [*more, *(each for each in about if each)]

    def _size(self) -> str:
        rows = len(next(iter(self.columns().values()), []))
        return f"{rows:,} row" if rows == 1 else f"{rows:,} rows"


class Rows(Tabular, Sequence[Mapping[str, Any]]):
    """A table that is made from rows, and that can be used as a sequence of them.

    Parameters
    ----------
    rows
        One mapping per row. Values that a row does not have are None.

    Examples
    --------
    >>> Rows([{"rater": "ann", "bias": 0.25}, {"rater": "bob", "bias": -1.0}])
    Rows: 2 rows
    rater    bias
    ann     0.250
    bob    -1.000
    """

    def __init__(self, rows: Sequence[Mapping[str, Any]] = ()) -> None:
        self._rows = tuple(rows)

    def columns(self) -> dict[str, Any]:
        """Return the values of each column by name."""
        names = dict.fromkeys(name for row in self._rows for name in row)
        return {name: [row.get(name) for row in self._rows] for name in names}

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, at: int) -> Mapping[str, Any]: ...
    @overload
    def __getitem__(self, at: slice) -> Rows: ...
    def __getitem__(self, at: int | slice) -> Mapping[str, Any] | Rows:
        return Rows(self._rows[at]) if isinstance(at, slice) else self._rows[at]

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self._rows)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (Rows, tuple, list)):
            return tuple(self) == tuple(other)
        return NotImplemented

    def __hash__(self) -> int:
        return id(self)


class Records(Tabular, tuple[Record, ...]):
    """A tuple of records of one dataclass, with one row per record.

    The columns are the fields whose values are numbers, texts or None. Fields with several texts are joined by "; ".

    Examples
    --------
    >>> from steelyard.quality.repeats import SideCounts
    >>> Records([SideCounts("ann", 9, 1, 0.02), SideCounts("bob", 5, 5, 1.0)]).columns()
    {'rater': ['ann', 'bob'], 'left': [9, 5], 'right': [1, 5], 'p': [0.02, 1.0]}
    """

    def columns(self) -> dict[str, Any]:
        """Return the values of each column by name."""
        if not self:
            return {}
        names = [each.name for each in fields(self[0])]  # type: ignore[arg-type]
        cells = {name: [_joined(getattr(record, name)) for record in self] for name in names}
        return {name: values for name, values in cells.items() if all(map(_is_cell, values))}


def as_rows(rows: Sequence[Mapping[str, Any]]) -> Rows:
    """Return rows as a table; a table is returned unchanged."""
    return rows if isinstance(rows, Rows) else Rows(rows)


def _joined(value: Any) -> Any:
    several = isinstance(value, tuple) and all(isinstance(each, str) for each in value)
    return "; ".join(value) if several else value


def _is_cell(value: Any) -> bool:
    return value is None or isinstance(value, (str, int, float, np.generic))


def _plain(values: Any) -> list[Any]:
    """A column as a list, with ids as text."""
    cells = values.tolist() if isinstance(values, np.ndarray) else list(values)
    return [str(cell) if isinstance(cell, str) else cell for cell in cells]
