"""Tables and JSON of the version before, compared with those of now."""

from __future__ import annotations

import csv
import io
import json
import math
import tempfile
from pathlib import Path

import duckdb

from tests.compatibility.renames import ADDED_COLUMNS, ADDED_KEYS, RENAMES, renamed

COMPUTED = (
    "raters",
    "scale",
    "fit",
)  # their numbers come from estimation; other machines may round otherwise
RELATIVE, ABSOLUTE = 1e-7, 1e-9


def check_table(table, form, before, now, same_writer=True):
    """Is the table of now the one from before, but for its renames: to the byte where nothing in it is estimated?

    `same_writer` says whether the library that writes Parquet has the same version.
    """
    if before == now:
        return
    old = decoded(before, form)
    new = without_added_columns(table, decoded(now, form), old[0])
    old = [[renamed(table, name) for name in old[0]], *old[1:]]
    if table in COMPUTED:
        assert [len(row) for row in new] == [len(row) for row in old]
        assert new[0] == old[0]
        pairs = ((a, b) for x, y in zip(old[1:], new[1:], strict=True) for a, b in zip(x, y, strict=True))
        assert all(_close(one, other) for one, other in pairs), (old, new)
        return
    assert new == old
    if form != "parquet" or same_writer:
        explained = {name for name, _ in (*RENAMES, *ADDED_COLUMNS)}
        assert table in explained, "the rows are the same, and the bytes are not"


def check_same_shape(table, form, before, now):
    """Has the table of now the columns and the rows of the one from before, whatever its numbers are?"""
    old = decoded(before, form)
    new = without_added_columns(table, decoded(now, form), old[0])
    assert new[0] == [renamed(table, name) for name in old[0]]
    assert sorted(str(row[0]) for row in new[1:]) == sorted(str(row[0]) for row in old[1:])


def without_added_columns(table, rows, before):
    """The rows of a table of now without the columns that were added on purpose, if the table before lacks them."""
    added = {name for name in rows[0] if (table, name) in ADDED_COLUMNS and name not in before}
    kept = [at for at, name in enumerate(rows[0]) if name not in added]
    return [[row[at] for at in kept] for row in rows]


def decoded(content, form):
    """The names of the columns and the rows; of Parquet also the types."""
    if form == "csv":
        return list(csv.reader(io.StringIO(content.decode(), newline="")))
    if form == "jsonl":
        rows = [json.loads(line) for line in content.decode().splitlines()]
        return [list(rows[0]) if rows else [], *([*row.items()] for row in rows)]
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        path = Path(folder) / "table.parquet"
        path.write_bytes(content)
        relation = connection.sql(f"SELECT * FROM read_parquet('{path}')")
        return [
            list(relation.columns),
            [str(kind) for kind in relation.types],
            *map(list, relation.fetchall()),
        ]


def _close(one, other):
    """Equal, or numbers that differ by rounding."""
    if one == other:
        return True
    if isinstance(one, tuple) and isinstance(other, tuple):
        return one[0] == other[0] and _close(one[1], other[1])
    try:
        return math.isclose(float(one), float(other), rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    except (TypeError, ValueError):
        return False


def without_links(transcript):
    """Requests after a personal link was opened, which redirected to the task page and now answers with it."""
    came_by_link = any(entry["path"] == "/r/…" for entry in transcript)
    return [entry for entry in transcript if not came_by_link or entry["path"] not in ("/r/…", "/task")]


def with_renames(content):
    """JSON from before with the names of now."""
    if isinstance(content, dict):
        return {renamed("served", name): with_renames(value) for name, value in content.items()}
    if isinstance(content, list):
        return [with_renames(each) for each in content]
    return renamed("served", content) if isinstance(content, str) else content


def without_added(content, inside=""):
    """JSON of now without the keys that were added on purpose; `inside` is the key that it is found under."""
    if isinstance(content, dict):
        kept = {name: value for name, value in content.items() if (inside, name) not in ADDED_KEYS}
        return {name: without_added(value, name) for name, value in kept.items()}
    if isinstance(content, list):
        return [without_added(each, inside) for each in content]
    return content
