"""`Coded` columns, and columns that other libraries already hold as codes.

These are pandas categoricals, Arrow dictionaries and object arrays with shared objects. An object array holds the
addresses of its cells. Data frames and files mostly keep equal texts as one object, so comparing addresses, a few
passes over integers, avoids comparing every text.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.maths.arrays import Codes, Labels, Mask, object_cells

SLOT_BITS = 18  # size of the table of addresses: a few megabytes
MIXING = np.uint64(0x9E3779B97F4A7C15)  # Fibonacci hashing (Knuth 1973): 2^64 over the golden ratio
WORTHWHILE = 4096  # number of rows from which the table saves time
SHARED = 8  # smallest average number of rows per object


@dataclass(frozen=True, eq=False)
class Coded:
    """A column as the code of each cell (-1 where empty) and the labels of the codes.

    Labels may be None, may be equal, or may be unused. Changing cells changes the labels and leaves the codes.
    """

    codes: Codes
    labels: Labels

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, row: Any) -> Any:
        """Return the cell of one row, or the column of several rows."""
        if isinstance(row, int | np.integer):
            at = self.codes[row]
            return None if at < 0 else self.labels[at]
        return Coded(self.codes[row], self.labels)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Labels:
        """Return the cells; equal cells are one object."""
        return object_cells([*self.labels, None])[self.codes]

    def tolist(self) -> list[Any]:
        """Return the cells as a list."""
        cells: list[Any] = np.asarray(self).tolist()
        return cells

    def mapped(self, change: Callable[[Labels], Labels]) -> Coded:
        """Return the column with every label changed."""
        return Coded(self.codes, change(self.labels))

    def where(self, claim: Callable[[Any], bool], empty: bool = False) -> Mask:
        """Return which cells meet a condition, tested once per label; `empty` is the result for empty cells."""
        fits = [empty if label is None else claim(label) for label in self.labels]
        return np.array([*fits, empty], dtype=bool)[self.codes]


def coded_column(values: Any) -> Coded | None:
    """Return a column that is already coded, or None.

    Text columns of Arrow are coded by Arrow, which is installed if such a column exists.
    """
    if isinstance(values, Coded):
        return values
    library = type(values).__module__.partition(".")[0]
    reader = {"pandas": _pandas, "pyarrow": _arrow, "polars": _polars}.get(library)
    return None if reader is None else reader(values)


def shared_objects(values: Any) -> tuple[Codes, Codes] | None:
    """Return the codes of the objects of an array and the first row of each, or None if few cells share objects."""
    if not isinstance(values, np.ndarray) or values.dtype != object or len(values) < WORTHWHILE:
        return None
    if values.ndim != 1 or not values.flags.c_contiguous:
        return None
    rows = len(values)
    address = np.ctypeslib.as_array((ctypes.c_uint64 * rows).from_address(values.ctypes.data))
    slot = ((address * MIXING) >> np.uint64(64 - SLOT_BITS)).astype(np.int64)
    held = np.zeros(1 << SLOT_BITS, dtype=np.uint64)
    held[slot] = address
    crowded = held[slot] != address  # two objects in one slot: the later one takes it
    if 3 * int(crowded.sum()) > rows:
        return None
    taken = np.flatnonzero(held)
    apart, which = (
        np.unique(address[crowded], return_inverse=True) if crowded.any() else (taken[:0], taken[:0])
    )
    if SHARED * (len(taken) + len(apart)) > rows:
        return None
    place = np.empty(1 << SLOT_BITS, dtype=np.int64)
    place[taken] = np.arange(len(taken))
    codes = place[slot]
    codes[crowded] = len(taken) + which
    first = np.empty(len(taken) + len(apart), dtype=np.int64)
    first[codes[::-1]] = np.arange(rows - 1, -1, -1)  # for equal indices, the last value written stays
    return codes, first


def _pandas(values: Any) -> Coded | None:
    held = getattr(values, "array", values)
    if hasattr(held, "categories") and hasattr(held, "codes"):
        return Coded(np.asarray(held.codes, dtype=np.int64), object_cells(held.categories))
    if hasattr(held, "_pa_array"):  # the text columns of pandas 3
        return _arrow(held.__arrow_array__())
    return None


def _polars(values: Any) -> Coded | None:
    if str(values.dtype).partition("(")[0] not in ("Categorical", "Enum", "String"):
        return None
    try:
        return _arrow(values.to_arrow())
    except ImportError:  # Polars converts to Arrow only if pyarrow is installed
        return None


def _arrow(values: Any) -> Coded | None:
    kind = str(getattr(values, "type", ""))
    if kind in ("string", "large_string", "string_view"):
        values = values.dictionary_encode()
    elif not kind.startswith("dictionary"):
        return None
    if hasattr(values, "chunks"):
        values = values.unify_dictionaries().combine_chunks()
    if hasattr(values, "chunks"):  # no chunk at all
        return None
    codes = values.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
    return Coded(codes, object_cells(values.dictionary.to_pylist()))
