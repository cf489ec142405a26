"""Probes: repeated questions that measure the self-consistency of raters, and are omitted from fits.

A probe asks a rater about an item that the same rater has already judged. Counting both answers would double the weight
of this rater's answer about the item.
"""

from __future__ import annotations

import numpy as np

from steelyard.judgments.table import Judgments, Table
from steelyard.maths.arrays import Mask

PROBE = "probe"  # the column that marks probes
YES = ("yes", "true", "1")
NO = ("no", "false", "0", "")


def without_probes(judgments: Judgments) -> tuple[Judgments, int]:
    """Return the judgments without probes, and the number of omitted rows.

    The column `probe` marks them with yes or no, true or false, 1 or 0. A column of this name with other values is a
    covariate, and no row is omitted.

    >>> rows = {"rater": ["ann"] * 3, "item": ["tea", "milk", "tea"], "score": [20, 50, 30], "probe": [0, 0, 1]}
    >>> kept, left_out = without_probes(Judgments.from_columns("rating", rows))
    >>> len(kept), left_out
    (2, 1)
    """
    probes = {kind: probe_rows(judgments, table) for kind, table in judgments.tables.items()}
    left_out = sum(int(rows.sum()) for rows in probes.values())
    if not left_out:
        return judgments, 0
    return judgments.where(lambda table: ~probes[table.kind.name]).compact(), left_out


def probe_rows(judgments: Judgments, table: Table) -> Mask:
    """Return which rows of a table are marked as probes."""
    none = np.zeros(len(table), dtype=bool)
    if PROBE in table.numbers:
        marks = table.numbers[PROBE]
        return np.equal(marks, 1.0) if np.isin(marks[~np.isnan(marks)], (0.0, 1.0)).all() else none
    if PROBE not in table.codes:
        return none
    labels = [str(label).strip().casefold() for label in judgments.labels(PROBE)]
    if not set(labels) <= {*YES, *NO}:
        return none
    marked = np.array([label in YES for label in labels] + [False])  # an empty cell marks nothing
    return np.asarray(marked[table.codes[PROBE]])
