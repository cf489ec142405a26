"""`Sheet`: a file or frame as it was written, before anyone says what its columns mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import RowMistakes
from steelyard.judgments.coding import code
from steelyard.maths.arrays import Labels, Mask, Vector, object_cells

Cells: TypeAlias = NDArray[Any]
EMPTY_WORDS = frozenset(
    {"", "na", "n/a", "nan", "null", "none"}
)  # what R, pandas and SQL write for no number


@dataclass(frozen=True, eq=False)
class Sheet:
    """Columns of cells under the names that the source gives them, spaces around the names taken off.

    Cells are an object array of text and None, or a numeric array. `find_lines` gives the physical line on
    which each row starts; sources without lines have none, and their rows are numbered from 1.
    """

    source: str
    columns: Mapping[str, Cells]
    find_lines: Callable[[], Sequence[int]] | None = None
    ragged: RowMistakes | None = None

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    @property
    def unit(self) -> str:
        """What `place` counts: lines of a text file, rows of anything else."""
        return "row" if self.find_lines is None else "line"

    @property
    def header_line(self) -> int | None:
        """The line of the column names; None where there are no lines."""
        return None if self.find_lines is None else 1

    @cached_property
    def _lines(self) -> Sequence[int]:
        return range(1, len(self) + 1) if self.find_lines is None else self.find_lines()

    def place(self, row: int) -> int:
        """The line or row number by which a user finds a row."""
        return int(self._lines[row])

    def named(self, *names: str) -> str | None:
        """The column called by the first of these names, in whatever case; None when there is none."""
        folded = {column.casefold(): column for column in reversed(list(self.columns))}
        for name in names:
            if name in self.columns:
                return name
            if name.casefold() in folded:
                return folded[name.casefold()]
        return None


def text_cells(cells: Cells) -> Labels:
    """Cells as text, None where blank; whole numbers lose their `.0`, so that ids survive a float column."""
    if cells.dtype != object:
        return object_cells([_text(value) for value in cells.tolist()])
    values = cells.tolist()
    if set(map(type, values)) <= {str, type(None)}:
        blank = {value for value in set(values) if value is not None and not value.strip()}
        return cells if not blank else object_cells([None if value in blank else value for value in values])
    return object_cells([_text(value) for value in values])


def id_cells(cells: Cells) -> Labels:
    """Cells as text without spaces around it, None where blank: `tea ` and `tea` are one item."""
    text = text_cells(cells)
    spaced = {
        value: value.strip() for value in set(text.tolist()) if value is not None and value != value.strip()
    }
    return object_cells([spaced.get(value, value) for value in text.tolist()]) if spaced else text


def plain_cells(values: Iterable[Any]) -> list[Any]:
    """Python values, None where a number is missing."""
    listed = values.tolist() if isinstance(values, np.ndarray) else list(values)
    return [None if isinstance(value, float) and math.isnan(value) else value for value in listed]


def number_cells(cells: Cells) -> tuple[Vector, Mask]:
    """Cells as numbers, NaN where empty, and which of them hold something that is no number."""
    values = _plain_numbers(cells)
    return _by_label(cells, _number) if values is None else _finite(values)


def time_cells(cells: Cells) -> tuple[Vector, Mask]:
    """Cells as seconds since 1970 (NaN where empty), and which of them hold no time.

    ISO text without a zone is taken as UTC.
    """
    values = _plain_numbers(cells)
    return _by_label(cells, _seconds) if values is None else _finite(values)


def _plain_numbers(cells: Cells) -> Vector | None:
    """Cells as floats where all of them are numbers or None, as JSON, Parquet and frames give them."""
    if cells.dtype != object:
        return cells.astype(float)
    if not set(map(type, cells.tolist())) <= {int, float, type(None)}:
        return None
    try:
        return cells.astype(float) + 0.0  # None becomes NaN, and -0 becomes 0 as in text
    except OverflowError:  # a whole number that no float holds
        return None


def _finite(values: Vector) -> tuple[Vector, Mask]:
    endless = np.isinf(values)
    return np.where(endless, np.nan, values), endless


def _by_label(cells: Cells, parse: Callable[[Any], float | None]) -> tuple[Vector, Mask]:
    """Parse each distinct cell once; `parse` answers NaN for an empty cell and None for a bad one."""
    codes, vocabulary = code(text_cells(cells).tolist())
    parsed = [parse(label) for label in vocabulary.labels]
    values = np.array([math.nan if value is None else value for value in parsed] + [math.nan])
    bad = np.array([value is None for value in parsed] + [False])
    return values[codes], bad[codes]


def _number(text: str) -> float | None:
    if text.strip().casefold() in EMPTY_WORDS:
        return math.nan
    try:
        # Python reads 1_000 as a number; nobody writes it so in a file on purpose.
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
