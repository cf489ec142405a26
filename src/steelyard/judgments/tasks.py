"""Which rows of rankings, best-worst choices or list ratings belong to one answer."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from steelyard.judgments.formats.layout import UNKNOWN_RATER
from steelyard.judgments.keys import occurrences, row_key
from steelyard.judgments.table import Judgments, Table
from steelyard.maths.arrays import Codes, Mask

REPETITION = "repetition"  # the number of an answer among those of one rater to one task
TOGETHER = (
    "rater",
    "task",
    "question",
    "segment",
    "condition",
    "round",
    REPETITION,
)  # columns in which the rows of an answer agree


def answers_of(judgments: Judgments, kind: str) -> Codes:
    """Return the number of the answer that each row belongs to, from 0 without gaps.

    Without raters, a task that several people answered occurs several times. Then the first row of each item belongs
    to the first person, the second row to the second, in the order of the file.
    """
    table = judgments.table(kind)
    key = row_key(table, TOGETHER)
    again = np.where(_nameless(judgments, table), occurrences(row_key(table, ("item",), key)), 0)
    both = np.unique(np.column_stack([key, again]), axis=0, return_inverse=True)[1]
    return np.asarray(both, dtype=np.int64).ravel()


def _nameless(judgments: Judgments, table: Table) -> Mask:
    """Return which rows have no named rater."""
    if "rater" not in table.codes:
        return np.ones(len(table), dtype=bool)
    unknown = np.array([label == UNKNOWN_RATER for label in judgments.raters] + [True])
    return unknown[table.codes["rater"]]


def by_size(answer: Codes) -> Iterator[Codes]:
    """Yield the rows of all answers of one size, one line per answer, for each size.

    >>> [rows.tolist() for rows in by_size(np.array([0, 1, 1, 2]))]
    [[[0], [3]], [[1, 2]]]
    """
    order = np.argsort(answer, kind="stable")
    size = np.bincount(answer)
    for wanted in np.unique(size[size > 0]):
        rows = order[np.repeat(size == wanted, size)]
        yield rows.reshape(-1, wanted)
