"""Conversion of data frames to sheets, and of judgments to columns and data frames, by narwhals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import BadSetting, UnreadableFile
from steelyard.judgments.coded import Coded, coded_column, shared_objects
from steelyard.judgments.coding import coded_text
from steelyard.judgments.sheet import Cells, Sheet, coded_or_plain, plain_cells
from steelyard.judgments.table import Judgments
from steelyard.judgments.table_kinds import known_kind
from steelyard.maths.arrays import Labels, object_cells
from steelyard.maths.frames import Library, native_frame

if TYPE_CHECKING:
    import narwhals as nw

FRAME = "the data frame"  # name of a data frame in messages
OBJECTS = ("Object", "String")  # column types that may hold Python objects


def read_frame(frame: Any) -> Sheet:
    """Return a pandas, Polars or Arrow frame, or a dict of columns, as a sheet; a lazy frame is collected."""
    if isinstance(frame, Mapping):
        return Sheet(FRAME, {str(name).strip(): _column(values) for name, values in frame.items()})
    import narwhals as nw  # narwhals is slow to import

    try:
        native = nw.from_native(frame)
    except TypeError:
        remedy = "Use a path, an open file, a pandas, Polars or Arrow data frame, or a dict of columns."
        raise UnreadableFile(f"a {type(frame).__name__}", "this cannot be read.", remedy) from None
    eager = native.collect() if isinstance(native, nw.LazyFrame) else native
    return Sheet(FRAME, {name.strip(): _cells(eager[name]) for name in eager.columns})


def _column(values: Any) -> Cells:
    """Return a column of a dict: an array, a list, or a series of any library."""
    coded = coded_column(values)
    if coded is not None:
        return coded
    if isinstance(values, np.ndarray) and values.ndim == 1:
        if values.dtype.kind in "biuf":
            return values
        cells = values if values.dtype == object else object_cells(values)
    else:
        cells = object_cells(values)
    return coded_or_plain(cells)


def _cells(series: nw.Series[Any]) -> Cells:
    """Return a column of a frame, coded if that avoids processing every cell."""
    coded = coded_column(series.to_native())
    if coded is not None:
        return coded
    if series.dtype.is_numeric():
        return _numbers(series)
    if str(series.dtype) in OBJECTS:
        object_column = _objects(series)
        if object_column is not None:
            return object_column
    return coded_or_plain(_plain(series))


def _objects(series: nw.Series[Any]) -> Coded | None:
    """Return codes of Python objects that many cells share or that are text, otherwise None."""
    values = series.to_numpy()
    shared = shared_objects(values)
    if shared is None:
        return coded_text(values)
    codes, first = shared
    return Coded(codes, _plain(series[first]))


def _numbers(series: nw.Series[Any]) -> Cells:
    return _plain(series) if series.is_null().any() else np.asarray(series.to_numpy())


def _plain(series: nw.Series[Any]) -> Labels:
    cells = object_cells(series.to_list())
    cells[series.is_null().to_numpy()] = None
    return cells


def to_columns(judgments: Judgments, kind: str | None = None) -> dict[str, list[Any]]:
    """Return the rows of one kind as lists of text and numbers, with None for empty cells.

    `kind` may be omitted if there is only one.
    """
    chosen = _only_kind(judgments) if kind is None else known_kind(kind)
    return {name: _whole_or_plain(judgments.cells(chosen, name)) for name in judgments.table(chosen).columns}


def to_frame(judgments: Judgments, kind: str | None, library: Library) -> Any:
    """Return the rows of one kind as a data frame.

    Parameters
    ----------
    judgments
        The judgments.
    kind
        Name of the kind, or None if there is only one.
    library
        "pandas", "polars" or "pyarrow".

    Returns
    -------
    Any
        Data frame of the library.
    """
    return native_frame(to_columns(judgments, kind), library)


def _only_kind(judgments: Judgments) -> str:
    if len(judgments.kinds) != 1:
        present = ", ".join(judgments.kinds) or "none"
        raise BadSetting("kind", f"choose the kind of judgment. Kinds in this table: {present}.")
    return judgments.kinds[0]


def _whole_or_plain(cells: NDArray[Any]) -> list[Any]:
    """Return Python values; numbers are ints if all of the column are whole."""
    plain = plain_cells(cells)
    if cells.dtype == object:
        return plain
    filled = cells[~np.isnan(cells)]
    whole = bool(np.all(np.floor(filled) == filled)) and not np.any(np.abs(filled) > 2**53)
    return [None if value is None else int(value) for value in plain] if whole else plain
