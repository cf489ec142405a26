"""Columns as frames of pandas, Polars or PyArrow, none of which need be installed."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Literal, TypeAlias

from steelyard.errors import MissingLibrary

Library: TypeAlias = Literal["pandas", "polars", "pyarrow"]


def native_frame(columns: Mapping[str, Any], library: Library) -> Any:
    """Columns as a frame of this library; an error that names the library where it is not installed."""
    try:
        import_module(library)
    except ModuleNotFoundError as missing:
        raise MissingLibrary(missing.name if missing.name is not None else library) from None
    import narwhals as nw  # narwhals is slow to import

    return nw.from_dict(columns, backend=library).to_native()
