"""Self-consistency of each rater: answers to a question that the rater answered before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.judgments.keys import is_repeated, row_key
from steelyard.judgments.opinions import named_raters
from steelyard.judgments.table import Judgments, Table
from steelyard.maths.arrays import sum_by
from steelyard.quality.repeats import count_repeats

SAME = ("rater", "item", "question", "condition")  # columns that must agree for a repeat


@dataclass(frozen=True, slots=True)
class SelfConsistency:
    """Repeated answers of one rater.

    Attributes
    ----------
    repeats
        Number of answers to a question that the rater answered before.
    value
        If answers are positions, the mean absolute difference from the answer before, in points of the scale; ranges
        are compared by their midpoints. Otherwise the share of answers that did not change.
    """

    repeats: int
    value: float


def consistency_by_rater(judgments: Judgments) -> dict[str, SelfConsistency]:
    """Return the self-consistency of every rater who answered a question again.

    Parameters
    ----------
    judgments
        Judgments, including probes.

    Returns
    -------
    dict
        Self-consistency by rater. Raters without repeats are left out, and rankings and best-worst choices do not
        count.

    Examples
    --------
    >>> from steelyard import Rating
    >>> ratings = [Rating("ann", "tea", 20), Rating("ann", "tea", 30), Rating("bob", "tea", 20)]
    >>> consistency_by_rater(Judgments.of(ratings))
    {'ann': SelfConsistency(repeats=1, value=10.0)}
    """
    placed = [table for table in judgments.tables.values() if table.kind.placed and len(table)]
    if placed:
        return _of_positions(judgments, placed[0])
    if "comparison" not in judgments.kinds:
        return {}
    return {
        each.rater: SelfConsistency(each.repeats, 1.0 - each.changed / each.repeats)
        for each in count_repeats(judgments)
    }


def _of_positions(judgments: Judgments, table: Table) -> dict[str, SelfConsistency]:
    rows = table.where(named_raters(judgments, table) & (table.weights > 0))
    rows = rows.where(is_repeated(row_key(rows, SAME)))
    if not len(rows):
        return {}
    position = np.mean([rows.numbers[name] for name in rows.kind.positions], axis=0)
    at = rows.numbers.get("at", np.zeros(len(rows)))
    key = row_key(rows, SAME)
    order = np.lexsort((np.nan_to_num(at), key))
    key, position, rater = key[order], position[order], rows.codes["rater"][order]
    again = np.flatnonzero(key[1:] == key[:-1]) + 1
    size = len(judgments.raters)
    repeats = np.bincount(rater[again], minlength=size)
    change = sum_by(rater[again], np.abs(position[again] - position[again - 1]), size)
    return {
        str(judgments.raters[code]): SelfConsistency(int(repeats[code]), float(change[code] / repeats[code]))
        for code in np.flatnonzero(repeats)
    }
