"""Readers of text and Parquet files, with messages that name the line."""

from __future__ import annotations

import csv
import io
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import (
    LISTED,
    EmptyFile,
    RaggedLine,
    RowMistake,
    RowMistakes,
    UnreadableFile,
    WrongEncoding,
)
from steelyard.judgments.coded import Coded
from steelyard.judgments.json_files import read_json
from steelyard.judgments.sheet import Cells, Sheet, coded_or_plain
from steelyard.judgments.unpacking import plain_file
from steelyard.maths.arrays import object_cells

if TYPE_CHECKING:
    import duckdb

SEPARATORS = ",\t;"
SUFFIXES = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
}
HEADER_REACH = 1_000_000  # number of characters that contain the header
CELLS = "cells"  # name of the DuckDB table of a file
FEW_VALUES = 2**16  # largest number of distinct texts that DuckDB codes faster than it transfers them
ROWS_PER_VALUE = 8  # with fewer rows per value, coding takes longer
PARQUET_MARK = b"PAR1"  # the first and last four bytes of every Parquet file
UNQUOTE = "Put fields with quotes or line breaks in quotes, and double the quotes inside them."


def read_file(path: str | os.PathLike[str], source: str | None = None) -> Sheet:
    """Read a CSV, JSON or Parquet file; `source` is its name in messages.

    The suffix determines the format, or else the first bytes. CSV fields may be separated by commas, tabs or
    semicolons. JSON has one object per line, or is a list of objects. A pipe is read to its end. Files compressed
    with gzip, bzip2 or xz are decompressed. Columns without a name are omitted.
    """
    name = str(path) if source is None else source
    with plain_file(Path(path), name) as (place, start):
        match SUFFIXES.get(place.suffix.casefold(), _guess(start)):
            case "parquet":
                return _read_parquet(place, name)
            case "json":
                return read_json(_decoded(place.read_bytes(), name), name)
            case _:
                return _read_csv(place, name)


def read_stream(stream: IO[Any]) -> Sheet:
    """Read an open file, text or binary."""
    name = getattr(stream, "name", None)
    source = name if isinstance(name, str) else "the open file"
    content = stream.read()
    suffix = Path(source).suffix if Path(source).suffix.casefold() in SUFFIXES else ""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / f"judgments{suffix}"
        copy.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_file(copy, source)


def _guess(start: bytes) -> str:
    if start.startswith(PARQUET_MARK):
        return "parquet"
    return "json" if start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"{", b"[")) else "csv"


def _decoded(content: bytes, source: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as mistake:
        # The decoder counts from after a byte order mark.
        at = mistake.start if mistake.object is content else content.find(mistake.object) + mistake.start
        raise WrongEncoding(source, content.count(b"\n", 0, at) + 1, content[at]) from None


def _read_parquet(path: Path, source: str) -> Sheet:
    import duckdb  # DuckDB is slow to import

    with tempfile.TemporaryDirectory() as folder:
        place = _without_wildcards(path, Path(folder))
        try:
            connection = duckdb.connect()
            described = connection.execute("DESCRIBE SELECT * FROM read_parquet(?)", [place]).fetchall()
            chosen = [(name, _selected(name, kind)) for name, kind, *_ in described]
            kept = [(name, column) for name, column in chosen if column is not None]
            wanted = ", ".join(f"{column} AS c{at}" for at, (_, column) in enumerate(kept))
            connection.read_parquet(place).project(wanted).create_view(CELLS)
            columns = _fetched(connection)
        except duckdb.Error:
            raise UnreadableFile(
                source, "this Parquet file is incomplete.", "Write or copy it again."
            ) from None
    left_out = tuple(name for name, column in chosen if column is None)
    return Sheet(source, _named([name for name, _ in kept], columns, source), left_out=left_out)


def _selected(name: str, kind: str) -> str | None:
    """Return the SQL of a Parquet column as text or number; None for lists, structs and bytes."""
    quoted = '"' + name.replace('"', '""') + '"'
    if kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION", "BLOB", "LIST")):
        return None
    if kind.startswith(("TIMESTAMP", "DATE")):
        return f"epoch({quoted})"
    if kind.endswith(("TINYINT", "SMALLINT", "INTEGER")) or kind in ("BIGINT", "FLOAT", "DOUBLE", "BOOLEAN"):
        return quoted
    return f"CAST({quoted} AS {'DOUBLE' if kind.startswith('DECIMAL') else 'VARCHAR'})"


def _fetched(connection: duckdb.DuckDBPyConnection) -> list[Cells]:
    """Return all columns of the table of cells; text columns with few distinct values are coded."""
    described = connection.execute(f"DESCRIBE {CELLS}").fetchall()
    few = _of_few_values(connection, [name for name, kind, *_ in described if kind == "VARCHAR"])
    for name in few:
        labels = f"SELECT DISTINCT {name} FROM {CELLS} WHERE {name} IS NOT NULL"
        connection.execute(f"CREATE TYPE {name}_labels AS ENUM ({labels})")
    # TRY_CAST looks up each entry of a Parquet dictionary once, CAST once per row.
    codes = {name: f"enum_code(TRY_CAST({name} AS {name}_labels)) AS {name}" for name in few}
    wanted = ", ".join(codes.get(name, name) for name, *_ in described)
    fetched = connection.execute(f"SELECT {wanted} FROM {CELLS}").fetchnumpy()
    return [
        _with_labels(connection, name, cells) if name in few else _unmasked(cells)
        for name, cells in fetched.items()
    ]


def _of_few_values(connection: duckdb.DuckDBPyConnection, columns: Sequence[str]) -> set[str]:
    """Return the columns that have few distinct values, with many rows each."""
    if not columns:
        return set()
    counts = ", ".join(f"approx_count_distinct({name})" for name in columns)
    rows, *distinct = connection.execute(f"SELECT count(*), {counts} FROM {CELLS}").fetchall()[0]
    few = min(FEW_VALUES, rows / ROWS_PER_VALUE)
    return {name for name, values in zip(columns, distinct, strict=True) if 0 < values <= few}


def _with_labels(connection: duckdb.DuckDBPyConnection, column: str, codes: NDArray[Any]) -> Coded:
    labels = connection.execute(f"SELECT unnest(enum_range(NULL::{column}_labels))").fetchall()
    filled = np.ma.filled(codes.astype(np.int64), -1)
    return Coded(filled, object_cells([label for (label,) in labels]))


def _unmasked(cells: NDArray[Any]) -> Cells:
    """Return cells with None (text) or NaN (numbers) where DuckDB masks empty cells."""
    if not isinstance(cells, np.ma.MaskedArray):
        return cells if cells.dtype != object else coded_or_plain(cells)
    empty = np.ma.getmaskarray(cells)
    if cells.dtype.kind == "f":
        return cells.filled(np.nan)
    plain = cells.data.astype(object)
    plain[empty] = None
    return coded_or_plain(plain)


def _without_wildcards(path: Path, folder: Path) -> str:
    """Return the path, or a link to it if DuckDB would read its characters as a pattern."""
    if not any(mark in str(path) for mark in "*?[{"):
        return str(path)
    link = folder / "plain"
    link.symlink_to(path.absolute())
    return str(link)


class _Reader(Protocol):
    """The interface of `csv.reader`: rows, and the number of lines read so far."""

    @property
    def line_num(self) -> int: ...

    def __iter__(self) -> Iterator[list[str]]: ...

    def __next__(self) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class _Parsed:
    """Every row of a text as Python's csv module reads it, with the line on which it starts."""

    rows: list[list[str]]
    lines: list[int]
    ragged: RowMistakes | None


def _read_csv(path: Path, source: str) -> Sheet:
    text = _decoded(path.read_bytes(), source)
    separator = _separator(text)
    header = _header(text, separator, source)
    columns = _quick_columns(path, separator, len(header)) if _is_plain(text, separator) else None
    if columns is not None and _is_whole(text, separator, columns):
        named = _named(header, columns, source)
        return Sheet(source, named, lambda: _parse(text, separator, source).lines)
    parsed = _parse(text, separator, source)
    if not parsed.rows and parsed.ragged is None:
        raise EmptyFile(source)
    plain = [[row[at] if row[at] else None for row in parsed.rows] for at in range(len(header))]
    cells = [coded_or_plain(object_cells(column)) for column in plain]
    return Sheet(source, _named(header, cells, source), lambda: parsed.lines, parsed.ragged)


def _is_plain(text: str, separator: str) -> bool:
    """Whether DuckDB reads the text as Python's csv module does.

    They differ on blank lines above the header, spaces next to quotes, and an empty last cell.
    """
    if text[:1] in "\r\n":
        return False
    return '"' not in text or not re.search(rf'[ \t]"|"[ \t]|{separator}(?:"")?(?:[\r\n]|\Z)', text)


def _is_whole(text: str, separator: str, columns: Sequence[Cells]) -> bool:
    """Whether every line has all cells: an unquoted text has one separator between two cells."""
    rows = len(columns[0])
    return rows > 0 and ('"' in text or text.count(separator) == (len(columns) - 1) * (rows + 1))


def _quick_columns(path: Path, separator: str, width: int) -> list[Cells] | None:
    """Return all cells as read by DuckDB; None if it finds a problem, which the slower reader explains."""
    import duckdb  # DuckDB is slow to import

    names = ", ".join(f"'c{at}': 'VARCHAR'" for at in range(width))
    query = (
        f"SELECT * FROM read_csv(?, delim = '{separator}', quote = '\"', escape = '\"', header = true, "
        f"auto_detect = false, strict_mode = true, columns = {{{names}}})"
    )
    with tempfile.TemporaryDirectory() as folder:
        try:
            connection = duckdb.connect()
            connection.execute(f"CREATE TABLE {CELLS} AS {query}", [_without_wildcards(path, Path(folder))])
            return _fetched(connection)
        except duckdb.Error:
            return None


def csv_layout(text: str, source: str) -> tuple[str, list[str]]:
    """Return the separator and the names in the header of a CSV text, as `read_file` reads it."""
    separator = _separator(text)
    return separator, _header(text, separator, source)


def _separator(text: str) -> str:
    """Return the separator that splits the header into the most names."""
    return max(SEPARATORS, key=lambda separator: len(next(filter(None, _first_rows(text, separator)), [])))


def _first_rows(text: str, separator: str, strict: bool = False) -> Iterator[list[str]]:
    """Return a reader of the first rows of a text, to find its header."""
    return _csv_rows(text[:HEADER_REACH], separator, strict)


def _csv_rows(text: str, separator: str, strict: bool) -> _Reader:
    """Return a csv reader for fields of any length.

    The limit applies to the whole process, so it is only ever raised.
    """
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    return csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=strict)


def _header(text: str, separator: str, source: str) -> list[str]:
    try:
        return next(row for row in _first_rows(text, separator, strict=True) if row)
    except csv.Error:
        raise UnreadableFile(source, "a quote in the header is not closed.", UNQUOTE, 1) from None


def _parse(text: str, separator: str, source: str) -> _Parsed:
    reader = _csv_rows(text, separator, strict=True)
    width = len(next(row for row in reader if row))
    rows: list[list[str]] = []
    lines: list[int] = []
    ragged: list[tuple[int | None, RowMistake]] = []
    before = reader.line_num
    try:
        for row in reader:
            if len(row) == width:
                rows.append(row)
                lines.append(before + 1)
            elif row:
                ragged.append((before + 1, RaggedLine(len(row), width)))
            before = reader.line_num
    except csv.Error as mistake:
        raise UnreadableFile(source, _reason(mistake), UNQUOTE, before + 1) from None
    return _Parsed(rows, lines, RowMistakes(ragged[:LISTED], len(ragged)) if ragged else None)


def _reason(mistake: csv.Error) -> str:
    """Return the problem that the csv module reports, in plain words."""
    message = str(mistake)
    if "unexpected end" in message:
        return "a quoted field is not closed."
    return "text follows the closing quote of a field." if "expected after" in message else f"{message}."


def _named(names: Sequence[str], columns: Sequence[Cells], source: str) -> dict[str, Cells]:
    """Return the columns under their stripped names, without columns that have no name."""
    named: dict[str, Cells] = {}
    for name, cells in zip(names, columns, strict=True):
        stripped = name.strip()
        if stripped in named:
            raise UnreadableFile(source, f"two columns have the name {stripped!r}.", "Rename one of them.", 1)
        if stripped:
            named[stripped] = cells
    return named
