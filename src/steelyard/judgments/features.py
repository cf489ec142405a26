"""Columns of judgments that describe items rather than single judgments."""

from __future__ import annotations

import math
from collections.abc import Sequence

from steelyard.errors import BadSetting, UnknownName
from steelyard.judgments.table import Judgments


def item_columns(judgments: Judgments, names: Sequence[str]) -> dict[str, dict[str, str | float]]:
    """Return the value of each item in these columns; raise BadSetting if an item has two different values.

    >>> from steelyard import Rating
    >>> rows = [Rating("ann", "tea", 20, {"metric": 0.3}), Rating("bob", "tea", 30, {"metric": 0.3})]
    >>> item_columns(Judgments.of(rows), ["metric"])
    {'metric': {'tea': 0.3}}
    """
    table = judgments.table("rating")
    items = judgments.cells("rating", "item")
    columns: dict[str, dict[str, str | float]] = {}
    for name in names:
        if name not in table:
            raise UnknownName("column", name, table.columns)
        values: dict[str, str | float] = {}
        for item, value in zip(items, judgments.cells("rating", name).tolist(), strict=True):
            if value is None or (isinstance(value, float) and math.isnan(value)):
                continue
            if values.setdefault(item, value) != value:
                raise BadSetting(
                    name, f"item {item!r} has two different values. Use a column with one value per item."
                )
        columns[name] = values
    return columns
