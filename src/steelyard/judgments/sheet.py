"""`Sheet`: a file or data frame as it was written, before its columns are interpreted."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import RowMistakes
from steelyard.judgments.coded import Coded
from steelyard.judgments.coding import coded_cells
from steelyard.maths.arrays import Codes, Labels, Mask, Vector, object_cells

Cells: TypeAlias = NDArray[Any] | Coded
EMPTY_WORDS = frozenset(
    {"", "na", "n/a", "nan", "null", "none"}
)  # how R, pandas and SQL write a missing number
NO_JOINTS = str.maketrans("", "", " _-")  # characters that separate words in column names


@dataclass(frozen=True, eq=False)
class Sheet:
    """Columns of cells under the stripped names of the source.

    Cells are an object array of text and None, a numeric array, or a coded column. `find_lines` returns the line on
    which each row starts. Sources without lines have None, and their rows are numbered from 1.
    """

    source: str
    columns: Mapping[str, Cells]
    find_lines: Callable[[], Sequence[int]] | None = None
    ragged: RowMistakes | None = None
    left_out: tuple[str, ...] = ()  # columns of the source with unsupported types
    kept: Codes | None = None  # rows of the source that the sheet has; None for all

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    @property
    def unit(self) -> str:
        """What `place` counts: lines of a text file, otherwise rows."""
        return "row" if self.find_lines is None else "line"

    @property
    def header_line(self) -> int | None:
        """The line of the column names, or None if the source has no lines."""
        return None if self.find_lines is None else 1

    @cached_property
    def _lines(self) -> Sequence[int]:
        return range(1, sys.maxsize) if self.find_lines is None else self.find_lines()

    def place(self, row: int) -> int:
        """Return the number of the line or row by which a user finds a row."""
        return int(self._lines[row if self.kept is None else int(self.kept[row])])

    def where(self, keep: Mask) -> Sheet:
        """Return the selected rows, which keep their places."""
        rows = np.flatnonzero(keep)
        columns = {name: cells[rows] for name, cells in self.columns.items()}
        return replace(self, columns=columns, kept=rows if self.kept is None else self.kept[rows])

    def without(self, column: str) -> Sheet:
        """Return the sheet without a column."""
        return replace(self, columns={name: cells for name, cells in self.columns.items() if name != column})

    def named(self, *names: str) -> str | None:
        """Return the column with the first of these names that exists, or None.

        Case, spaces, hyphens and underscores are ignored: `WorkerId` matches `worker_id`.
        """
        for name in names:
            if name in self.columns:
                return name
            for same in (str.casefold, bare):
                if same(name) in self._folded[same]:
                    return self._folded[same][same(name)]
        return None

    @cached_property
    def _folded(self) -> dict[Callable[[str], str], dict[str, str]]:
        """Columns by name without case, and without case, spaces, hyphens and underscores."""
        columns = list(reversed(list(self.columns)))
        return {same: {same(column): column for column in columns} for same in (str.casefold, bare)}


def bare(name: str) -> str:
    """Return a name in lower case without spaces, hyphens and underscores.

    >>> bare("Worker-ID"), bare("worker_id")
    ('workerid', 'workerid')
    """
    return name.casefold().translate(NO_JOINTS)


def coded(cells: Cells) -> Coded:
    """Return cells by code, so that equal cells are processed once."""
    if isinstance(cells, Coded):
        return cells
    if cells.dtype != object:
        labels, codes = np.unique(cells, return_inverse=True)
        return Coded(codes, object_cells(labels.tolist()))
    by_code = coded_cells(cells)
    return Coded(np.arange(len(cells)), cells) if by_code is None else by_code


def coded_or_plain(cells: Labels) -> Cells:
    """Return cells by code if they share objects or are text, otherwise unchanged."""
    by_code = coded_cells(cells)
    return cells if by_code is None else by_code


def text_cells(cells: Cells) -> Coded:
    """Return cells as text, None where blank; whole numbers lose their `.0`, so that ids survive a float column."""
    return coded(cells).mapped(_texts)


def id_cells(cells: Cells) -> Coded:
    """Return cells as stripped text, None where blank: `tea ` and `tea` are one item."""
    return text_cells(cells).mapped(_stripped)


def _texts(labels: Labels) -> Labels:
    listed = labels.tolist()
    types = set(map(type, listed))
    if types <= {str, type(None)}:
        return object_cells([label if label and label.strip() else None for label in listed])
    return object_cells(map(str if types == {int} else _text, listed))


def _stripped(labels: Labels) -> Labels:
    return object_cells([None if label is None else label.strip() for label in labels.tolist()])


def plain_cells(values: Iterable[Any]) -> list[Any]:
    """Return Python values, with None for missing numbers."""
    listed = values.tolist() if isinstance(values, np.ndarray) else list(values)
    return [None if isinstance(value, float) and math.isnan(value) else value for value in listed]


def number_cells(cells: Cells) -> tuple[Vector, Mask]:
    """Return cells as numbers (NaN where empty), and which cells are not numbers."""
    values = _plain_numbers(cells)
    return _by_label(cells, _number) if values is None else _finite(values)


def time_cells(cells: Cells) -> tuple[Vector, Mask]:
    """Return cells as seconds since 1970 (NaN where empty), and which cells are not times.

    ISO text without a time zone is taken as UTC.
    """
    values = _plain_numbers(cells)
    return _by_label(cells, _seconds) if values is None else _finite(values)


def _plain_numbers(cells: Cells) -> Vector | None:
    """Return cells as floats if all are numbers or None, as in JSON, Parquet and data frames, otherwise None."""
    if isinstance(cells, Coded):
        return None
    if cells.dtype != object:
        return cells.astype(float)
    if not set(map(type, cells.tolist())) <= {int, float, type(None)}:
        return None
    try:
        return cells.astype(float) + 0.0  # None becomes NaN, and -0 becomes 0 as in text
    except OverflowError:  # an integer too large for a float
        return None


def _finite(values: Vector) -> tuple[Vector, Mask]:
    infinite = np.isinf(values)
    return np.where(infinite, np.nan, values), infinite


def _by_label(cells: Cells, parse: Callable[[Any], float | None]) -> tuple[Vector, Mask]:
    """Parse each distinct cell once; `parse` returns NaN for an empty cell and None for an invalid one."""
    text = text_cells(cells)
    parsed = [math.nan if label is None else parse(label) for label in text.labels.tolist()]
    values = np.array([math.nan if value is None else value for value in parsed] + [math.nan])
    bad = np.array([value is None for value in parsed] + [False])
    return values[text.codes], bad[text.codes]


def _number(text: str) -> float | None:
    if text.strip().casefold() in EMPTY_WORDS:
        return math.nan
    try:
        # Python reads 1_000 as a number, but in a file it is a mistake.
        value = float("x" if "_" in text else text)
    except ValueError:
        return {"true": 1.0, "false": 0.0}.get(text.strip().casefold())
    return value if math.isfinite(value) else None


def _seconds(text: str) -> float | None:
    number = _number(text)
    if number is not None:
        return number
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _text(value: Any) -> str | None:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime | date):
        return value.isoformat()
    text = str(value)
    return text if text.strip() else None
