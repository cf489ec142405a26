"""Items that several columns identify together, such as segment and item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from steelyard.errors import BadSetting, MissingValue, UnknownName
from steelyard.judgments.coded import Coded
from steelyard.judgments.faults import Fault, rows_where
from steelyard.judgments.keys import joined_key
from steelyard.judgments.sheet import Cells, Sheet, id_cells
from steelyard.judgments.table_kinds import ITEM_COLUMNS
from steelyard.maths.arrays import object_cells

JOINT = "/"  # separates the parts of an item id


def with_item_column(sheet: Sheet, key: Sequence[str]) -> Sheet:
    """Return the sheet with an item column, if the key consists of other columns and there is no item column."""
    sources = [sheet.named(name) for name in key]
    if "item" in key or None in sources or sheet.named(*ITEM_COLUMNS) is not None:
        return sheet
    first = sheet.columns[str(sources[0])]  # `joined_items` replaces it by the whole key
    return replace(sheet, columns={**sheet.columns, "item": first})


def joined_items(columns: Mapping[str, Cells], key: Sequence[str]) -> tuple[dict[str, Cells], list[Fault]]:
    """Return the columns with item ids made from all columns of the key, and the rows with an empty part.

    In comparisons, `item` means left and right in turn, and `system` means left_system and right_system.
    """
    joined: dict[str, Cells] = dict(columns)
    faults: list[Fault] = []
    names: dict[str, tuple[str | None, ...]] = {}
    for item_column in (name for name in ITEM_COLUMNS if name in columns):
        sources = [_source(name, item_column, columns) for name in key]
        parts = [id_cells(columns[source]) for source in sources]
        joined[item_column] = _together(parts, names)
        for source, part in zip(sources, parts, strict=True):
            if source != item_column:
                empty = part.where(lambda label: False, empty=True)
                faults.append(Fault(MissingValue, rows_where(empty), partial(_say_empty, source)))
    return joined, faults


def _source(name: str, item_column: str, columns: Mapping[str, Cells]) -> str:
    """Return the column that a name of the key means for this item column."""
    if name == "item":
        return item_column
    sided = f"{item_column}_{name}"
    source = sided if sided in columns else name
    if source not in columns:
        unknown = UnknownName(
            "column", name, list(dict.fromkeys(("item", *columns))), where="item_key (--item-key)"
        )
        if item_column != "item":
            unknown.add_note(
                "In comparisons, item means the columns left and right: segment,item makes the ids segment/left and "
                "segment/right."
            )
        raise unknown
    return source


def _together(parts: Sequence[Coded], names: dict[str, tuple[str | None, ...]]) -> Coded:
    """Return the parts as one column; `names` records the parts of each id, so that no two items share one."""
    codes = np.zeros(len(parts[0]), dtype=np.int64)
    for part in parts:
        codes = joined_key(codes, part.codes + 1)
    _, first, number = np.unique(codes, return_index=True, return_inverse=True)
    labels = []
    for row in first.tolist():
        cells = tuple(part[row] for part in parts)
        label = JOINT.join("" if cell is None else cell for cell in cells)
        if names.setdefault(label, cells) != cells:
            raise BadSetting(
                "item_key",
                f"two items would have the id {label!r}. Rename ids so that they do not contain {JOINT!r}.",
            )
        labels.append(label)
    return Coded(np.asarray(number, dtype=np.int64), object_cells(labels))


def _say_empty(column: str, row: int) -> MissingValue:
    return MissingValue(column)
