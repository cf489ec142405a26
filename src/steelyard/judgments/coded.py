"""Columns that are codes already: categoricals of pandas and Polars, dictionaries of Arrow, and shared objects.

An object array holds the addresses of its cells. Frames and files mostly keep equal texts as one object, so that
telling addresses apart, a few passes over integers, spares looking at every text.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from steelyard.maths.arrays import Codes

SLOT_BITS = 18  # slots of the table of addresses: a few megabytes
MIXING = np.uint64(0x9E3779B97F4A7C15)  # Fibonacci hashing (Knuth 1973): 2^64 over the golden ratio
WORTHWHILE = 4096  # rows from which the table pays
SHARED = 8  # rows that an object must have on average


def coded_column(values: Any) -> tuple[Codes, Sequence[Any]] | None:
    """Codes (-1 where empty) and the labels that they stand for; None where the column is not coded.

    Text columns of Arrow are coded by Arrow, which is there when such a column is.
    """
    library = type(values).__module__.partition(".")[0]
    reader = {"pandas": _pandas, "pyarrow": _arrow, "polars": _polars}.get(library)
    return None if reader is None else reader(values)


def shared_objects(values: Any) -> tuple[Codes, Codes] | None:
    """Codes of the objects of an array, and the first row of each; None where objects are hardly shared."""
    if not isinstance(values, np.ndarray) or values.dtype != object or len(values) < WORTHWHILE:
        return None
    if values.ndim != 1 or not values.flags.c_contiguous:
        return None
    rows = len(values)
    address = np.ctypeslib.as_array((ctypes.c_uint64 * rows).from_address(values.ctypes.data))
    slot = ((address * MIXING) >> np.uint64(64 - SLOT_BITS)).astype(np.int64)
    held = np.zeros(1 << SLOT_BITS, dtype=np.uint64)
    held[slot] = address
    crowded = held[slot] != address  # two objects in one slot: the later one has it
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
    first[codes[::-1]] = np.arange(rows - 1, -1, -1)  # of equal indices the last one written stays
    return codes, first


def _pandas(values: Any) -> tuple[Codes, Sequence[Any]] | None:
    held = getattr(values, "array", values)
    if hasattr(held, "categories") and hasattr(held, "codes"):
        return np.asarray(held.codes, dtype=np.int64), list(held.categories)
    if hasattr(held, "_pa_array"):  # what pandas 3 keeps text in
        return _arrow(held.__arrow_array__())
    return None


def _polars(values: Any) -> tuple[Codes, Sequence[Any]] | None:
    if str(values.dtype).partition("(")[0] not in ("Categorical", "Enum", "String"):
        return None
    try:
        return _arrow(values.to_arrow())
    except ImportError:  # Polars hands over to Arrow only where pyarrow is installed
        return None


def _arrow(values: Any) -> tuple[Codes, Sequence[Any]] | None:
    joined = values.combine_chunks() if hasattr(values, "chunks") else values
    if hasattr(joined, "chunks"):  # a column too long for one chunk stays in several
        return None
    kind = str(joined.type)
    if kind in ("string", "large_string", "string_view"):
        joined = joined.dictionary_encode()
    elif not kind.startswith("dictionary"):
        return None
    codes = joined.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
    labels = joined.dictionary.to_pylist()
    empty = np.array([label is None for label in labels] + [True])
    return np.where(empty[codes], -1, codes), labels
