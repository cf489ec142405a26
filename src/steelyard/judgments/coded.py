"""Columns that their library holds as codes already: categoricals of pandas and Polars, dictionaries of Arrow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from steelyard.maths.arrays import Codes


def coded_column(values: Any) -> tuple[Codes, Sequence[Any]] | None:
    """Codes (-1 where empty) and the labels that they stand for; None where the column is not coded.

    Text columns of Arrow are coded by Arrow, which is there when such a column is.
    """
    library = type(values).__module__.partition(".")[0]
    reader = {"pandas": _pandas, "pyarrow": _arrow, "polars": _polars}.get(library)
    return None if reader is None else reader(values)


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
