"""Add items to the file of a study that may be running. Existing items never change."""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from steelyard.errors import BadSetting, CannotWrite, ItemExists, UnknownName, UnreadableFile
from steelyard.judgments.files import SUFFIXES, csv_layout
from steelyard.judgments.unpacking import COMPRESSED, FIRST_BYTES
from steelyard.study.definition.items import Item, Items, open_sheet, read_items
from steelyard.study.definition.locked_folders import locked
from steelyard.study.definition.study import Study

Cell = str | int | float | None
Row = Mapping[str, Cell]
REQUEST = "the new items"  # their name in messages, which count rows from 1


@dataclass(frozen=True, slots=True)
class Added:
    """What was added to the items of a study.

    Attributes
    ----------
    added
        Ids of the new items.
    unchanged
        Ids of items that the study already had, with the same content.
    items
        Number of items of the study.
    """

    added: tuple[str, ...]
    unchanged: tuple[str, ...]
    items: int


def add_items(study: Study, rows: Sequence[Row]) -> Added:
    """Add items to the file of a study: all of them, or none if one has a mistake.

    The new file is written beside the old one, read and compared with it, and then put in its place. An item that the
    study already has with the same content is not added again, so that a request can be repeated.

    Parameters
    ----------
    study
        The study.
    rows
        One mapping per item, from the columns of the items file to cells. Cells that are left out are empty.

    Returns
    -------
    Added
        What was added.
    """
    settings, folder = study.definition.items, study.folder
    path = (folder / settings.file).resolve()  # a symbolic link stays one
    with locked(folder):
        columns = list(open_sheet(path, settings.file).columns)
        before = read_items(folder, settings)
        table = [_texts(row, columns) for row in rows]
        wanted = _checked(study, table)
        new = [at for at, item in enumerate(wanted.all) if item.id not in before.index]
        kept = [item for item in wanted.all if item.id in before.index]
        _refuse_changes(before, kept)
        if new:
            after = _put(study, path, [table[at] for at in new], [wanted[at] for at in new], before)
        items = after if new else before
        return Added(tuple(wanted[at].id for at in new), tuple(item.id for item in kept), len(items))


def _texts(row: Row, columns: Sequence[str]) -> dict[str, str | None]:
    """One row with all columns of the file, as texts; numbers are written as in JSON."""
    for name in row:
        if name not in columns:
            raise UnknownName("column", name, columns, REQUEST)
    cells = {name: row.get(name) for name in columns}
    return {
        name: cell if cell is None or isinstance(cell, str) else json.dumps(cell)
        for name, cell in cells.items()
    }


def _checked(study: Study, table: Sequence[Mapping[str, str | None]]) -> Items:
    """The rows as items, with the checks of an items file."""
    if not table:
        raise BadSetting(REQUEST, "there are none. Add at least one.")
    lines = "".join(json.dumps(row) + "\n" for row in table)
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "items.jsonl"
        file.write_text(lines, encoding="utf-8")
        return read_items(study.folder, study.definition.items, file, REQUEST)


def _refuse_changes(before: Items, kept: Sequence[Item]) -> None:
    for item in kept:
        if before[before.index[item.id]] != item:
            raise ItemExists(item.id)


def _put(
    study: Study, path: Path, table: Sequence[Mapping[str, str | None]], new: Sequence[Item], before: Items
) -> Items:
    """Put a file with the further rows in the place of the items file, after comparing it with what is wanted."""
    settings = study.definition.items
    with _beside(path) as temporary:
        _write_extended(path, temporary, table, settings.file)
        after = read_items(study.folder, settings, temporary, settings.file)
        if after.all != (*before.all, *new):
            raise UnreadableFile(
                settings.file,
                "the new items could not be added without changing others.",
                "Add them to the file by hand.",
            )
        study.with_items(after)  # checks that depend on other settings
        os.chmod(temporary, path.stat().st_mode & 0o777)
        os.replace(temporary, path)
    return after


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """Yield a hidden temporary file in the same folder, which is removed unless it was renamed."""
    try:
        descriptor, name = tempfile.mkstemp(prefix=".adding-", suffix=path.suffix, dir=path.parent)
        os.close(descriptor)
        try:
            yield Path(name)
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as reason:
        raise CannotWrite(str(path), reason.strerror) from reason


def _write_extended(path: Path, target: Path, table: Sequence[Mapping[str, str | None]], source: str) -> None:
    content = path.read_bytes()
    if content[:FIRST_BYTES].startswith(tuple(COMPRESSED)):
        raise BadSetting(source, "is compressed. Decompress it to add items while the study runs.")
    form = SUFFIXES.get(path.suffix.casefold(), "csv")
    if content.startswith(b"PAR1"):
        form = "parquet"
    elif content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"["):
        form = "json"
    if form == "parquet":
        _extend_parquet(path, target, table)
        return
    more = _json_rows if form == "json" else _csv_rows
    with open(target, "wb") as file:
        file.write(more(content.decode("utf-8-sig"), table, source).encode())
        file.flush()
        os.fsync(file.fileno())


def _json_rows(text: str, table: Sequence[Mapping[str, str | None]], source: str) -> str:
    """The text with further objects: in its list, or one per line."""
    rows = [json.dumps(row, ensure_ascii=False) for row in table]
    if text.lstrip().startswith("["):
        return f"{text.rstrip().removesuffix(']').rstrip()},\n{(',' + chr(10)).join(rows)}]\n"
    return f"{text}{'' if text.endswith(chr(10)) else chr(10)}{chr(10).join(rows)}\n"


def _csv_rows(text: str, table: Sequence[Mapping[str, str | None]], source: str) -> str:
    """The text with further lines, with the separator and the line ends of the file."""
    separator, header = csv_layout(text, source)
    end = "\r\n" if "\r\n" in text else "\n"
    added = io.StringIO(newline="")
    writer = csv.writer(added, delimiter=separator, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerows([row.get(name.strip()) or "" for name in header] for row in table)
    return f"{text}{'' if text.endswith((chr(10), chr(13))) else end}{added.getvalue()}"


def _extend_parquet(path: Path, target: Path, table: Sequence[Mapping[str, str | None]]) -> None:
    """Write a Parquet file with further rows; a cell that its column cannot hold is refused."""
    import duckdb  # DuckDB is slow to import

    connection = duckdb.connect()
    connection.read_parquet(str(path)).create("items")
    names = ", ".join(f'"{name.replace(chr(34), chr(34) * 2)}"' for name in table[0])
    marks = ", ".join("?" for _ in table[0])
    try:
        connection.executemany(
            f"INSERT INTO items ({names}) VALUES ({marks})", [list(row.values()) for row in table]
        )
    except duckdb.ConversionException as reason:
        raise BadSetting(REQUEST, f"a cell does not fit its column: {str(reason).splitlines()[0]}") from None
    connection.table("items").write_parquet(str(target))
