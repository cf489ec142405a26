"""The answers that raters gave about an item, as text."""

from __future__ import annotations

import numpy as np

from steelyard.judgments.findings import short_count
from steelyard.judgments.table import MISSING, Judgments, Table
from steelyard.maths.arrays import Mask
from steelyard.report import words

LISTED = 10  # of more answers, a summary is shown
SIDES = {"own": "preferred", "tie": "tied", "other": "not preferred"}


def answers_given(judgments: Judgments, item: str, column: str = "item") -> str:
    """Return the answers about an item.

    Parameters
    ----------
    judgments
        Judgments of one kind.
    item
        Id of the item, or of the system if `column` is "system".
    column
        "item" or "system".

    Returns
    -------
    str
        Positions in ascending order, or how often each answer was given; empty without answers.

    Examples
    --------
    >>> from steelyard import Comparison, Rating
    >>> answers_given(Judgments.of([Rating("ann", "tea", 30), Rating("bob", "tea", 5)]), "tea")
    '5, 30'
    >>> answers = [Comparison("ann", "tea", "egg", "left"), Comparison("bob", "egg", "tea", "tie")]
    >>> answers_given(Judgments.of(answers), "tea")
    '1 preferred, 1 tied'
    """
    codes = np.flatnonzero(judgments.labels(column) == item)
    tables = [table for table in judgments.tables.values() if len(table)]
    if not len(codes) or not tables:
        return ""
    table = tables[0]
    sides = table.kind.items if column == "item" else table.kind.systems
    of_item = [table.codes[side] == codes[0] for side in sides if side in table.codes]
    if not of_item:
        return ""
    if len(sides) > 1:
        return _preferences(judgments, table, of_item[0], of_item[-1])
    if table.kind.placed:
        return _positions(table, of_item[0])
    return _words(judgments, table, of_item[0])


def _positions(table: Table, rows: Mask) -> str:
    values = np.stack([table.numbers[name][rows] for name in table.kind.positions], axis=1)
    ordered = values[np.lexsort(values.T[::-1])]
    if len(ordered) > LISTED:
        ends = f"{_short(values.min())} to {_short(values.max())}"
        return f"{len(ordered):,} answers from {ends}, median {_short(np.median(values.mean(axis=1)))}"
    return ", ".join("–".join(_short(value) for value in row) for row in ordered)


def _short(value: float) -> str:
    """A position in at most four digits."""
    return words.score(float(f"{value:.4g}"))


def _preferences(judgments: Judgments, table: Table, left: Mask, right: Mask) -> str:
    (column,) = table.kind.values[:1]
    labels = judgments.labels(column)
    counts = dict.fromkeys(SIDES, 0.0)
    for mask, own, other in ((left, "left", "right"), (right, "right", "left")):
        outcome, weights = labels[table.codes[column][mask]], table.weights[mask]
        for name, side in ((own, "own"), (other, "other"), ("tie", "tie")):
            counts[side] += float(weights[outcome == name].sum())
    return ", ".join(f"{short_count(counts[side])} {word}" for side, word in SIDES.items() if counts[side])


def _words(judgments: Judgments, table: Table, rows: Mask) -> str:
    """Counts of each word or of each number."""
    (column,) = table.kind.values[:1]
    counts: dict[str, float] = {}
    if column in table.numbers:
        answers = [(f"{column} {value:g}") for value in table.numbers[column][rows]]
    else:
        labels, codes = judgments.labels(column), table.codes[column][rows]
        answers = [words.answer(str(labels[code])) for code in codes if code != MISSING]
    for name, weight in zip(answers, table.weights[rows], strict=True):
        counts[name] = counts.get(name, 0.0) + float(weight)
    return ", ".join(
        f"{short_count(count)} × {name}" for name, count in sorted(counts.items(), key=lambda each: each[0])
    )
