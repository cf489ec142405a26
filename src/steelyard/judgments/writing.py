"""Writers of CSV, JSONL and Parquet files."""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import CannotWrite, UnknownName
from steelyard.judgments.sheet import plain_cells
from steelyard.maths.arrays import object_cells

FORMATS = ("csv", "jsonl", "parquet")
# First characters of formulas and their full-width forms; spreadsheets skip a tab or line break before them.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def write_columns(
    columns: Mapping[str, Sequence[Any] | NDArray[Any]],
    target: str | os.PathLike[str] | IO[Any],
    format: str = "csv",
    foreign: Collection[str] = (),
) -> None:
    """Write columns of equal length, with None and NaN as empty cells.

    CSV does not distinguish an empty text from an empty cell; JSONL and Parquet do.

    Parameters
    ----------
    columns
        Column names and values.
    target
        Path or open stream, such as sys.stdout.
    format
        "csv", "jsonl" or "parquet".
    foreign
        Columns with text from people outside the project. In CSV, these texts are protected from becoming formulas
        of a spreadsheet.
    """
    plain = {name: plain_cells(values) for name, values in columns.items()}
    match format:
        case "csv":
            safe = {n: [as_text(cell) for cell in c] if n in foreign else c for n, c in plain.items()}
            content = _csv(safe).encode()
        case "jsonl":
            content = _jsonl(plain).encode()
        case "parquet":
            content = _parquet(plain)
        case _:
            raise UnknownName("format", format, FORMATS)
    if isinstance(target, str | os.PathLike):
        write_file(content, target)
    else:
        _send(content, target)


def as_text(cell: Any) -> Any:
    """Return the cell with an apostrophe before a text that a spreadsheet would read as a formula.

    >>> as_text("=1+1"), as_text("Ann"), as_text(-5)
    ("'=1+1", 'Ann', -5)
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA_STARTS) else cell


def write_file(content: bytes, path: str | os.PathLike[str]) -> None:
    """Write bytes to a path; raise CannotWrite with the reason if that fails."""
    try:
        Path(path).write_bytes(content)
    except BrokenPipeError:  # a pipe such as /dev/stdout whose reader has ended
        raise
    except OSError as reason:
        raise CannotWrite(str(path), reason.strerror) from None


def _send(content: bytes, stream: IO[Any]) -> None:
    # Bytes are written below a text stream if possible: its line endings and encoding may differ.
    beneath = getattr(stream, "buffer", None)
    if beneath is not None:
        stream.flush()
        beneath.write(content)
        beneath.flush()
    elif isinstance(stream, io.TextIOBase):
        stream.write(content.decode())
    else:
        stream.write(content)


def _csv(columns: Mapping[str, list[Any]]) -> str:
    text = io.StringIO(newline="")
    # The csv module does not quote a single carriage return, and then cannot read it back.
    returns = any(isinstance(value, str) and "\r" in value for values in columns.values() for value in values)
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def _jsonl(columns: Mapping[str, list[Any]]) -> str:
    rows = zip(*columns.values(), strict=True)
    encode = json.JSONEncoder(
        ensure_ascii=False
    ).encode  # one for all rows, because creating it takes longer than encoding a row
    return "".join(encode(dict(zip(columns, row, strict=True))) + "\n" for row in rows)


def write_parquet(
    columns: Mapping[str, Sequence[Any]], path: str | os.PathLike[str], types: Mapping[str, str]
) -> None:
    """Write columns as a Parquet file whose types do not depend on the values, so that files of a folder agree.

    Parameters
    ----------
    columns
        Column names and values, with None as empty cells.
    path
        File to write.
    types
        DuckDB type of each column, such as DOUBLE or VARCHAR.
    """
    plain = {name: plain_cells(values) for name, values in columns.items()}
    write_file(_parquet(plain, [types[name] for name in plain]), path)


def _parquet(columns: Mapping[str, list[Any]], kinds: Sequence[str] = ()) -> bytes:
    """Return Parquet bytes; DuckDB writes them from NumPy arrays, without pandas or pyarrow."""
    import duckdb  # late, to keep `import steelyard` fast

    kinds = kinds or [_kind(values) for values in columns.values()]
    cells = {
        f"c{at}": _array(v, kind) for at, (v, kind) in enumerate(zip(columns.values(), kinds, strict=True))
    }
    wanted = ", ".join(
        f'CAST(c{at} AS {kind}) AS "{_quoted(name)}"'
        for at, (name, kind) in enumerate(zip(columns, kinds, strict=True))
    )
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        result = Path(folder) / "rows.parquet"
        # DuckDB treats all objects as text, without a look at the first rows.
        connection.execute("SET pandas_analyze_sample = 0")
        connection.register("cells", cells)
        connection.execute(f"COPY (SELECT {wanted} FROM cells) TO '{result}' (FORMAT parquet)")
        return result.read_bytes()


def _array(values: list[Any], kind: str) -> NDArray[Any]:
    """Return values for DuckDB: numbers if none is missing or NaN can represent it, otherwise text and None."""
    if kind == "DOUBLE":
        return np.array([np.nan if value is None else value for value in values], dtype=float)
    if kind != "VARCHAR" and None not in values:
        return np.array(values)
    return object_cells(
        [value if value is None or isinstance(value, str) else _text(value) for value in values]
    )


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _quoted(name: str) -> str:
    return name.replace('"', '""')


def _kind(values: Sequence[Any]) -> str:
    """Return the narrowest DuckDB type that holds every value."""
    kinds = {type(value) for value in values} - {type(None)}
    if kinds and kinds <= {bool}:
        return "BOOLEAN"
    if kinds and kinds <= {int}:
        return "BIGINT"
    return "DOUBLE" if kinds and kinds <= {int, float} else "VARCHAR"
