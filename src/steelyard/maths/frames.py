"""Columns as data frames of pandas, Polars or PyArrow; none of them is required."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Literal, TypeAlias

from steelyard.errors import MissingLibrary

Library: TypeAlias = Literal["pandas", "polars", "pyarrow"]
EXTRAS: dict[Library, str] = {"pandas": "pandas", "polars": "polars", "pyarrow": "arrow"}


def native_frame(columns: Mapping[str, Any], library: Library) -> Any:
    """Return columns as a data frame of this library; raise MissingLibrary if it is not installed."""
    try:
        import_module(library)
    except ModuleNotFoundError as missing:
        raise MissingLibrary(library if missing.name is None else missing.name, EXTRAS[library]) from None
    import narwhals as nw  # narwhals is slow to import

    return nw.from_dict(columns, backend=library).to_native()
