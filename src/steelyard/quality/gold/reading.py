"""`read_values`: gold values, or a scale as `steelyard fit` writes it, from a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.errors import (
    BadRows,
    BadSetting,
    DuplicateItem,
    EmptyFile,
    MissingColumn,
    MissingValue,
    NotANumber,
    RowMistake,
    RowMistakes,
    UnknownName,
)
from steelyard.judgments.files import read_file
from steelyard.judgments.findings import counted
from steelyard.judgments.frames import read_frame
from steelyard.judgments.sheet import Sheet, id_cells, number_cells
from steelyard.maths.arrays import Labels, Mask, Vector, object_cells
from steelyard.quality.gold.item_values import ItemValues

VALUE_NAMES = ("position", "gold", "value", "score")
ITEM_NAMES = ("item", "item_id", "id")


def read_values(source: Any, column: str | None = None, name: str | None = None) -> ItemValues:
    """Read one value per item from a file or data frame.

    The columns are item and a number. Instead of an item, a row may have a system and a segment, or only a system.
    The columns low and high are read as a 95% interval.

    Parameters
    ----------
    source
        Path of a CSV, JSON or Parquet file, a data frame, or a dict of columns.
    column
        Column with the values. Default: position, gold, value or score, whichever exists.
    name
        Name in tables and messages. Default: the name of the file without its suffix.

    Returns
    -------
    ItemValues
        The values. Rows without a value are left out and counted in `notes`.

    Examples
    --------
    >>> gold = read_values({"item": ["tea", "soup"], "gold": [20, 70]})
    >>> gold.item.tolist(), gold.value.tolist()
    (['tea', 'soup'], [20.0, 70.0])
    """
    is_path = isinstance(source, str | Path)
    sheet = source if isinstance(source, Sheet) else read_file(source) if is_path else read_frame(source)
    if sheet.ragged is not None:
        raise BadRows(sheet.source, [sheet.ragged])
    if not len(sheet):
        raise EmptyFile(sheet.source, sheet.header_line)
    chosen = _value_column(sheet, column)
    labels = {each: _labels(sheet, names) for each, names in _LABELS.items()}
    if labels["item"] is None and labels["system"] is None:
        present = list(sheet.columns)
        raise MissingColumn(sheet.source, ["item"], present, "a file of values per item", sheet.header_line)
    if labels["item"] is None and labels["segment"] is None:
        labels = {"item": labels["system"], "system": None, "segment": None}  # one value per system
    values = _numbers(sheet, chosen)
    kept = np.isfinite(values)
    _check_ids(sheet, labels, kept)
    low, high = (_bound(sheet, each, chosen) for each in ("low", "high"))
    notes = () if kept.all() else (_without_value(sheet, chosen, kept),)
    named = Path(sheet.source).stem if name is None else name
    item, system, segment = (None if each is None else each[kept] for each in labels.values())
    has_bounds = low is not None and high is not None
    low, high = (each[kept] if has_bounds and each is not None else None for each in (low, high))
    return ItemValues(named, item, values[kept], low, high, system, segment, notes=notes)


def is_scale(sheet: Sheet) -> bool:
    """Return whether a file has a scale, as `steelyard fit` writes it, instead of judgments."""
    names = {name.casefold() for name in sheet.columns}
    return {"item", "position"} <= names and not {"rater", "score", "left", "outcome"} & names


_LABELS = {"item": ITEM_NAMES, "system": ("system",), "segment": ("segment",)}


def _value_column(sheet: Sheet, column: str | None) -> str:
    if column is not None:
        found = sheet.named(column)
        if found is None:
            raise UnknownName("column", column, tuple(sheet.columns), sheet.source)
        return found
    candidates = [found for each in VALUE_NAMES if (found := sheet.named(each)) is not None]
    if not candidates:
        nameless = all(_labels(sheet, _LABELS[each]) is None for each in ("item", "system"))
        raise MissingColumn(
            sheet.source,
            ["item", "value"] if nameless else ["value"],
            list(sheet.columns),
            "a file of values per item",
            sheet.header_line,
        ).with_remedy(
            "Rename the column with the values to value, position, gold or score. With --gold of `steelyard compare`, "
            "--gold-column can name it instead."
        )
    if len(candidates) > 1 and candidates[0] != sheet.named("position"):
        raise BadSetting(
            sheet.source,
            f"several columns could hold the values: {', '.join(candidates)}. Use --gold-column.",
        )
    return candidates[0]


def _labels(sheet: Sheet, names: Sequence[str]) -> Labels | None:
    column = sheet.named(*names)
    return None if column is None else object_cells(id_cells(sheet.columns[column]).tolist())


def _numbers(sheet: Sheet, column: str) -> Vector:
    values, wrong = number_cells(sheet.columns[column])
    mistakes: list[tuple[int | None, RowMistake]] = [
        (sheet.place(int(row)), NotANumber(column, sheet.columns[column][int(row)]))
        for row in np.flatnonzero(wrong)
    ]
    _refuse(sheet, mistakes)
    return values


def _bound(sheet: Sheet, name: str, column: str) -> Vector | None:
    """The ends of intervals around positions; a file of gold values may use these names for something else."""
    found = sheet.named(name)
    return None if found is None or column != sheet.named("position") else _numbers(sheet, found)


def _check_ids(sheet: Sheet, labels: dict[str, Labels | None], kept: Mask) -> None:
    """Raise an error for rows without an id, and for ids that occur twice."""
    names = ("item",) if labels["item"] is not None else ("system", "segment")
    columns = [column for name in names if (column := labels[name]) is not None]
    first: dict[tuple[str, ...], int] = {}
    empty: list[tuple[int | None, RowMistake]] = []
    twice: list[tuple[int | None, RowMistake]] = []
    for row in np.flatnonzero(kept).tolist():
        key = tuple(column[row] for column in columns)
        if None in key:
            empty.append((sheet.place(row), MissingValue(names[key.index(None)])))
        elif key in first:
            twice.append((sheet.place(row), DuplicateItem("/".join(key), first[key])))
        else:
            first[key] = sheet.place(row)
    _refuse(sheet, empty, twice)


def _refuse(sheet: Sheet, *mistakes: Sequence[tuple[int | None, RowMistake]]) -> None:
    groups = [RowMistakes(rows, len(rows), sheet.unit) for rows in mistakes if rows]
    if groups:
        raise BadRows(sheet.source, groups)


def _without_value(sheet: Sheet, column: str, kept: Mask) -> str:
    rows = int(np.sum(~kept))
    verb = "is" if rows == 1 else "are"
    return f"{sheet.source}: {counted(rows, 'row')} without a value in {column} {verb} left out."
