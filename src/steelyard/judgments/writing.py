"""Plain columns to CSV, JSONL and Parquet, on a path or an open stream."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import UnknownName

FORMATS = ("csv", "jsonl", "parquet")


def write_columns(
    columns: Mapping[str, Sequence[Any] | NDArray[Any]],
    target: str | os.PathLike[str] | IO[Any],
    format: str = "csv",
) -> None:
    """Write columns of equal length, None and NaN as empty cells; `target` may be sys.stdout.

    CSV cannot tell an empty text from an empty cell; the other two can.
    """
    plain = {name: _plain(values) for name, values in columns.items()}
    match format:
        case "csv":
            content = _csv(plain).encode()
        case "jsonl":
            content = _jsonl(plain).encode()
        case "parquet":
            content = _parquet(plain)
        case _:
            raise UnknownName("format", format, FORMATS)
    if isinstance(target, str | os.PathLike):
        Path(target).write_bytes(content)
    else:
        _send(content, target)


def _send(content: bytes, stream: IO[Any]) -> None:
    # Bytes go beneath a text stream where they can: its own line endings and encoding may be others.
    beneath = getattr(stream, "buffer", None)
    if beneath is not None:
        stream.flush()
        beneath.write(content)
        beneath.flush()
    elif isinstance(stream, io.TextIOBase):
        stream.write(content.decode())
    else:
        stream.write(content)


def _plain(values: Sequence[Any] | NDArray[Any]) -> list[Any]:
    listed = values.tolist() if isinstance(values, np.ndarray) else list(values)
    return [None if isinstance(value, float) and math.isnan(value) else value for value in listed]


def _csv(columns: Mapping[str, list[Any]]) -> str:
    text = io.StringIO(newline="")
    # The csv module leaves a lone carriage return unquoted, and then cannot read it back.
    returns = any(isinstance(value, str) and "\r" in value for values in columns.values() for value in values)
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def _jsonl(columns: Mapping[str, list[Any]]) -> str:
    rows = zip(*columns.values(), strict=True)
    return "".join(
        json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False) + "\n" for row in rows
    )


def _parquet(columns: Mapping[str, list[Any]]) -> bytes:
    """DuckDB writes Parquet from JSON lines, so that neither pandas nor pyarrow is needed."""
    import duckdb  # late: `import steelyard` stays quick

    kinds = ", ".join(f"'c{at}': '{_kind(values)}'" for at, values in enumerate(columns.values()))
    names = ", ".join(f'c{at} AS "{_quoted(name)}"' for at, name in enumerate(columns))
    lines = _jsonl({f"c{at}": values for at, values in enumerate(columns.values())})
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        source, result = Path(folder) / "rows.jsonl", Path(folder) / "rows.parquet"
        source.write_text(lines, encoding="utf-8")
        rows = f"read_json('{source}', format = 'newline_delimited', columns = {{{kinds}}})"
        connection.execute(f"COPY (SELECT {names} FROM {rows}) TO '{result}' (FORMAT parquet)")
        return result.read_bytes()


def _quoted(name: str) -> str:
    return name.replace('"', '""')


def _kind(values: Sequence[Any]) -> str:
    """The narrowest of DuckDB's types that holds every value."""
    kinds = {type(value) for value in values} - {type(None)}
    if kinds and kinds <= {bool}:
        return "BOOLEAN"
    if kinds and kinds <= {int}:
        return "BIGINT"
    return "DOUBLE" if kinds and kinds <= {int, float} else "VARCHAR"
