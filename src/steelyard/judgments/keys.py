"""Rows that are alike in some columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steelyard.judgments.table import Table
from steelyard.maths.arrays import Codes

WIDEST_KEY = 2**62  # keys stay below the largest 64-bit integer


def row_key(table: Table, columns: Sequence[str], start: Codes | None = None) -> Codes:
    """One integer per row, the same for two rows when all these columns (where they exist) are the same.

    With a `start`, rows must also be the same there.
    """
    key = np.zeros(len(table), dtype=np.int64) if start is None else np.unique(start, return_inverse=True)[1]
    for column in columns:
        if column in table.codes:
            part = table.codes[column] + 1
        elif column in table.numbers:
            part = np.unique(table.numbers[column], return_inverse=True)[1]
        else:
            continue
        width = int(part.max(initial=0)) + 1
        if int(key.max(initial=0)) + 1 > WIDEST_KEY // width:
            key = np.unique(key, return_inverse=True)[1]
        key = key * width + part
    return key
