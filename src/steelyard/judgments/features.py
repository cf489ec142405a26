"""Columns that describe items rather than single judgments, in a file of judgments or in a file of items."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence

from steelyard.errors import BadSetting, MissingColumn, UnknownName
from steelyard.judgments.files import read_file
from steelyard.judgments.sheet import Sheet, number_cells, text_cells
from steelyard.judgments.table import Judgments

ID_COLUMNS = ("item", "id")
ItemValues = Mapping[str, str | float]


def item_columns(
    judgments: Judgments, names: Sequence[str], where: str = ""
) -> dict[str, dict[str, str | float]]:
    """Return the value of each item in these columns; raise BadSetting if an item has two different values.

    A judgment of two items has a column for each side, such as `metric_left` and `metric_right`.

    Parameters
    ----------
    judgments
        Judgments with these columns.
    names
        Names of the columns, without a side.
    where
        Option that names the columns, for error messages. Empty if there is none.

    Returns
    -------
    dict
        Value of each item, by the name of the column.

    Examples
    --------
    >>> from steelyard import Rating
    >>> rows = [Rating("ann", "tea", 20, {"metric": 0.3}), Rating("bob", "tea", 30, {"metric": 0.3})]
    >>> item_columns(Judgments.of(rows), ["metric"])
    {'metric': {'tea': 0.3}}
    """
    return {name: _item_values(judgments, name, where) for name in names}


def _item_values(judgments: Judgments, name: str, where: str) -> dict[str, str | float]:
    values: dict[str, str | float] = {}
    for kind, table in judgments.tables.items():
        sides = table.kind.items
        for side in sides:
            column = name if len(sides) == 1 else f"{name}_{side}"
            if column not in table:
                raise UnknownName("column", column, table.columns, where)
            cells = judgments.cells(kind, column).tolist()
            for item, value in zip(judgments.cells(kind, side), cells, strict=True):
                if value is None or (isinstance(value, float) and math.isnan(value)):
                    continue
                if values.setdefault(item, value) != value:
                    reason = f"item {item!r} has two different values. Use a column with one value per item."
                    raise BadSetting(name, reason)
    return values


def item_file_columns(
    path: str | os.PathLike[str], names: Sequence[str], ids: Sequence[str] = ID_COLUMNS
) -> dict[str, ItemValues]:
    """Return columns of a file with one row per item.

    Parameters
    ----------
    path
        CSV, JSONL or Parquet file with a column `item` or `id`.
    names
        Columns to read. Columns with text in some row are read as text, the others as numbers.
    ids
        Names that the column with the ids may have.

    Returns
    -------
    dict
        Value of each item in each column. Items with an empty cell are left out.

    Raises
    ------
    MissingColumn
        If the file has no column with the ids of the items.
    BadSetting
        If an item has two different values.
    """
    sheet = read_file(path)
    id_column = sheet.named(*ids)
    if id_column is None:
        raise MissingColumn(sheet.source, ["item"], list(sheet.columns), "an items file", sheet.header_line)
    items = [str(item) for item in text_cells(sheet.columns[id_column])]
    return {name: _values(sheet, items, name) for name in names}


def _values(sheet: Sheet, items: Sequence[str], name: str) -> dict[str, str | float]:
    if name not in sheet.columns:
        raise UnknownName("column", name, list(sheet.columns), sheet.source)
    cells = sheet.columns[name]
    numbers, unreadable = number_cells(cells)
    column: Sequence[str | float | None] = list(text_cells(cells)) if unreadable.any() else numbers.tolist()
    values: dict[str, str | float] = {}
    for item, value in zip(items, column, strict=True):
        if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
            continue
        if values.setdefault(item, value) != value:
            raise BadSetting(
                name, f"item {item!r} has two different values in {sheet.source}. Keep one row per item."
            )
    return values


def numeric_columns(columns: Mapping[str, ItemValues]) -> dict[str, dict[str, float]]:
    """Return columns as numbers. A column of text becomes one column of 0 and 1 for each level but the first.

    >>> numeric_columns({"size": {"a": "big", "b": "small", "c": "big"}, "age": {"a": 3.0}})
    {'size=small': {'a': 0.0, 'b': 1.0, 'c': 0.0}, 'age': {'a': 3.0}}
    """
    numeric: dict[str, dict[str, float]] = {}
    for name, values in columns.items():
        if not any(isinstance(value, str) for value in values.values()):
            numeric[name] = {item: float(value) for item, value in values.items()}
            continue
        for level in sorted({str(value) for value in values.values()})[1:]:
            numeric[f"{name}={level}"] = {item: float(value == level) for item, value in values.items()}
    return numeric
