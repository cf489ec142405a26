"""Stored statistics of a log: its distinct rows with their counts, to which new files are added.

They are a Parquet file with the columns of judgments, further columns that were asked for, and `count`. It is a log
itself, so that every model fits it as it fits the whole log. Its metadata lists the files that were counted.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.engines.columns import columns_of
from steelyard.errors import BadSetting

COUNT, ENTRY = "count", "steelyard_files"


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
        place = Path(path)
        if not place.exists():
            return Stored(place, {})
        query = f"SELECT value FROM parquet_kv_metadata({_quoted(place)}) WHERE decode(key) = '{ENTRY}'"
        entries = connection.execute(query).fetchall()
        if not entries:
            raise BadSetting(
                "since", f"{place} has no stored statistics. Name a file that does not exist yet."
            )
        return Stored(place, json.loads(bytes(entries[0][0]).decode()))

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
        columns = ", ".join(map(_name, kept))
        added = f"SELECT {columns}, 1::BIGINT AS {COUNT} FROM new_rows"
        if self.files:
            self._check_columns(connection, kept)
            added += f" UNION ALL SELECT {columns}, {COUNT} FROM read_parquet({_quoted(self.path)})"
        listed = {**self.files, **{os.path.abspath(each): _marks(each) for each in files}}
        entry = _quoted(json.dumps(listed))
        beside = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        connection.register("new_rows", rows)
        try:
            connection.execute(
                f"COPY (SELECT {columns}, sum({COUNT})::BIGINT AS {COUNT} FROM ({added}) GROUP BY ALL) "
                f"TO {_quoted(beside)} (FORMAT parquet, COMPRESSION zstd, KV_METADATA {{{ENTRY}: {entry}}})"
            )
            os.replace(beside, self.path)
        finally:
            connection.unregister("new_rows")
            beside.unlink(missing_ok=True)

    def _check_columns(self, connection: Any, kept: Sequence[str]) -> None:
        present = connection.execute(f"DESCRIBE SELECT * FROM read_parquet({_quoted(self.path)})").fetchall()
        names = {row[0] for row in present} - {COUNT}
        if names != set(kept):
            listed = ", ".join(sorted(names))
            raise BadSetting(
                "since",
                f"{self.path} has counts by {listed}, and this fit needs {', '.join(sorted(kept))}. "
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
