"""Stored statistics of a log: its distinct rows with their counts, to which new files are added.

They are a Parquet file with the columns of judgments, further columns that were asked for, and `count`. It is a log
itself, so that every model fits it as it fits the whole log. Its metadata lists the files that were counted, or the
rows of a database by the largest value of a column that grows with every new row.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from steelyard.engines.columns import columns_of
from steelyard.errors import BadSetting

COUNT, ENTRY, ROWS_ENTRY = "count", "steelyard_files", "steelyard_rows"
ONE_EACH = f"1::BIGINT AS {COUNT}"  # the count of rows that were not counted yet


@dataclass(frozen=True)
class Stored:
    """Stored statistics: the place of their file, and size and modification time of each file counted in it."""

    path: Path
    files: Mapping[str, Sequence[int]]

    @staticmethod
    def at(connection: Any, path: str | os.PathLike[str]) -> Stored:
        """Return the statistics in a file; a missing file has none.

        Parameters
        ----------
        connection
            DuckDB connection.
        path
            Parquet file.

        Returns
        -------
        Stored
            Place and counted files.
        """
        return Stored(Path(path), _entry(connection, Path(path), ENTRY, "files"))

    def new_files(self, files: Sequence[str]) -> list[str]:
        """Return the files that are not counted yet, or raise an error if a counted one was changed or removed."""
        present = {
            os.path.abspath(each): each for each in files if Path(each).resolve() != self.path.resolve()
        }
        for name, marks in self.files.items():
            if name not in present or list(_marks(name)) != list(marks):
                what = "was changed" if name in present else "is missing"
                raise BadSetting(
                    "since",
                    f"{name} {what} since it was counted. Remove {self.path} to count all files again.",
                )
        return [file for name, file in present.items() if name not in self.files]

    def add(self, connection: Any, rows: Any, files: Sequence[str], kept: Sequence[str]) -> None:
        """Add the rows of new files, and replace the file.

        Parameters
        ----------
        connection
            DuckDB connection.
        rows
            Relation with all rows of the new files.
        files
            The new files.
        kept
            Columns of the statistics, besides the count.
        """
        listed = {**self.files, **{os.path.abspath(each): _marks(each) for each in files}}
        _add(connection, self.path, _Added(rows, kept, ONE_EACH), ENTRY, listed)


@dataclass(frozen=True)
class StoredRows:
    """Stored statistics of a table of a database.

    Attributes
    ----------
    path
        Place of their file.
    column
        Column that grows with every new row.
    last
        Its largest value in the rows that were counted; None before any were.
    rows
        Number of rows that were counted.
    """

    path: Path
    column: str
    last: int | None
    rows: int

    @staticmethod
    def at(connection: Any, path: str | os.PathLike[str], column: str, source: str) -> StoredRows:
        """Return the statistics in a file; a missing file has none.

        Parameters
        ----------
        connection
            DuckDB connection.
        path
            Parquet file.
        column
            Column that grows with every new row.
        source
            Name of the table, which must be that of the statistics.

        Returns
        -------
        StoredRows
            Place and counted rows.
        """
        place = Path(path)
        entry = _entry(connection, place, ROWS_ENTRY, "rows of a database")
        if not entry:
            return StoredRows(place, column, None, 0)
        if (entry["source"], entry["column"]) != (source, column):
            raise BadSetting(
                "since",
                f"{place} has the counts of {entry['source']} by {entry['column']}. Name another file.",
            )
        return StoredRows(place, column, entry["last"], entry["rows"])

    def refuse_changes(self, present: int) -> None:
        """Raise `BadSetting` if the number of rows up to `last` is not the number that were counted."""
        if present != self.rows:
            raise BadSetting(
                "since",
                f"{self.rows:,} rows were counted up to {self.column} = {self.last}, and there are {present:,} now. "
                f"Rows were removed, or added below the largest value. Remove {self.path} to count all rows again.",
            )

    def add(
        self, connection: Any, batches: Iterator[Any], kept: Sequence[str], source: str, last: int
    ) -> None:
        """Add counts of new rows, and replace the file.

        Parameters
        ----------
        connection
            DuckDB connection.
        batches
            Arrow batches with the columns of the statistics and `count`.
        kept
            Columns of the statistics, besides the count.
        source
            Name of the table.
        last
            Largest value of the growing column in the new rows.
        """
        import pyarrow as pa  # an optional dependency

        first = next(batches)
        stream = pa.RecordBatchReader.from_batches(first.schema, chain([first], batches))
        connection.register("streamed", stream)
        connection.execute("CREATE OR REPLACE TEMP TABLE counted AS SELECT * FROM streamed")
        connection.unregister("streamed")
        ((new,),) = connection.execute(f"SELECT sum({COUNT})::BIGINT FROM counted").fetchall()
        entry = {"source": source, "column": self.column, "last": last, "rows": self.rows + new}
        added = _Added(connection.table("counted"), kept, COUNT)
        _add(connection, self.path, added, ROWS_ENTRY, entry)
        connection.execute("DROP TABLE counted")


def _entry(connection: Any, place: Path, name: str, what: str) -> dict[str, Any]:
    """Return an entry of the metadata of a file of statistics; nothing if the file does not exist."""
    if not place.exists():
        return {}
    query = f"SELECT decode(key), value FROM parquet_kv_metadata({_quoted(place)})"
    entries = {key: value for key, value in connection.execute(query).fetchall()}
    if name not in entries:
        other = {ENTRY, ROWS_ENTRY} & set(entries)
        has = f"stored statistics, but not of {what}" if other else "no stored statistics"
        raise BadSetting("since", f"{place} has {has}. Name a file that does not exist yet.")
    content: dict[str, Any] = json.loads(bytes(entries[name]).decode())
    return content


@dataclass(frozen=True)
class _Added:
    """Rows to add: an Arrow table or relation, its columns to keep, and the SQL of the count of a row."""

    rows: Any
    kept: Sequence[str]
    count: str


def _add(connection: Any, path: Path, new: _Added, key: str, content: Mapping[str, Any]) -> None:
    """Add rows to a file of statistics, whose metadata get a new entry."""
    columns = ", ".join(map(_name, new.kept))
    added = f"SELECT {columns}, {new.count} FROM new_rows"
    if path.exists():
        _check_columns(connection, path, new.kept)
        added += f" UNION ALL SELECT {columns}, {COUNT} FROM read_parquet({_quoted(path)})"
    entry = f"{{{key}: {_quoted(json.dumps(content))}}}"
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    connection.register("new_rows", new.rows)
    try:
        connection.execute(
            f"COPY (SELECT {columns}, sum({COUNT})::BIGINT AS {COUNT} FROM ({added}) GROUP BY ALL) "
            f"TO {_quoted(beside)} (FORMAT parquet, COMPRESSION zstd, KV_METADATA {entry})"
        )
        os.replace(beside, path)
    finally:
        connection.unregister("new_rows")
        beside.unlink(missing_ok=True)


def _check_columns(connection: Any, path: Path, kept: Sequence[str]) -> None:
    present = connection.execute(f"DESCRIBE SELECT * FROM read_parquet({_quoted(path)})").fetchall()
    names = {row[0] for row in present} - {COUNT}
    if names != set(kept):
        listed = ", ".join(sorted(names))
        raise BadSetting(
            "since",
            f"{path} has counts by {listed}, and this fit needs {', '.join(sorted(kept))}. "
            "Use the same columns, or another file.",
        )


def columns_kept(names: Sequence[str], source: str, kind: str | None, wanted: Sequence[str]) -> list[str]:
    """Return the columns of a log that its statistics keep: those of judgments except the time, and `wanted`.

    Parameters
    ----------
    names
        All columns of the log.
    source
        Name of the log, for messages.
    kind
        Kind of judgment; None to recognise it.
    wanted
        Further columns, by role or name.

    Returns
    -------
    list of str
        Names of columns.
    """
    columns = columns_of(names, source, kind)
    if "count" in columns.roles:
        raise BadSetting("since", "the log has a column of counts already. Fit it without stored statistics.")
    roles = [column for role, column in columns.roles.items() if role != "at"]
    return list(dict.fromkeys([*roles, *(columns.column(name, names) for name in wanted)]))


def _marks(file: str) -> tuple[int, int]:
    status = os.stat(file)
    return status.st_size, status.st_mtime_ns


def _name(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


def _quoted(text: str | Path) -> str:
    return "'" + str(text).replace("'", "''") + "'"
