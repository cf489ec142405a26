"""What a fit takes for granted about judgments: rows that were left out, and what is pooled into one scale."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from steelyard.judgments.findings import Finding, counted, listed
from steelyard.judgments.table import MISSING, Judgments
from steelyard.judgments.table_kinds import ITEM_COLUMNS, per_task_kinds
from steelyard.judgments.tasks import REPETITION
from steelyard.maths.arrays import Mask

POOLED = ("question", "condition", "round")  # columns whose values may ask for a scale of their own


def assumptions(judgments: Judgments, apart: Collection[str | None] = ()) -> Iterator[Finding]:
    """Everything that a user should know before trusting one scale of all these judgments.

    Columns in `apart` are not pooled: each of their values has a scale of its own.
    """
    yield from judgments.reading.of_rows()
    yield from _nameless_tasks(judgments)
    yield from _several_kinds(judgments)
    for column in POOLED:
        if column not in apart:
            yield from _pooled(judgments, column)
    if "segment" not in apart:
        yield from _shared_items(judgments)


def _nameless_tasks(judgments: Judgments) -> Iterator[Finding]:
    """Rankings and best-worst choices without raters: which rows are one answer is a guess."""
    if not judgments.reading.nameless:
        return
    for kind in per_task_kinds():
        table = judgments.table(kind)
        number = table.numbers.get(REPETITION)
        if not len(table):
            continue
        sentence = f"Without raters, the rows of one task count as one {kind.replace('_', '-')} answer."
        if number is not None:
            tasks = len(np.unique(table.codes["task"][number > 1]))
            sentence = (
                f"Without raters, {counted(tasks, 'task')} with several {kind.replace('_', '-')} answers "
                f"{'was' if tasks == 1 else 'were'} separated by the order of the rows: the first row of each "
                "item belongs to the first answer, the second row to the second."
            )
        yield Finding("tasks without raters", sentence)


def _several_kinds(judgments: Judgments) -> Iterator[Finding]:
    kinds = [
        f"{counted(len(table), f'{kind} row')}" for kind, table in judgments.tables.items() if len(table)
    ]
    if len(kinds) > 1:
        sentence = (
            f"There are judgments of {len(kinds)} kinds ({', '.join(kinds)}), and most models take one."
        )
        yield Finding("several kinds", f"{sentence} --kind chooses, or judgments.only(kind) in Python.")


def _pooled(judgments: Judgments, column: str) -> Iterator[Finding]:
    values = _values(judgments, column)
    if len(values) > 1:
        sentence = f"The file has {counted(len(values), column)} ({listed(values)}), taken as one scale."
        yield Finding(f"several {column}s", f"{sentence} --by {column} takes each apart.", tuple(values))


def _values(judgments: Judgments, column: str) -> list[str]:
    """The values that a column has in these rows."""
    values: dict[str, None] = {}
    for table in judgments.tables.values():
        if column in table.codes:
            used = np.flatnonzero(np.bincount(table.codes[column] + 1)[1:])
            values |= dict.fromkeys(str(label) for label in judgments.labels(column)[used])
        elif column in table.numbers:
            numbers = np.unique(table.numbers[column])
            values |= dict.fromkeys(f"{value:g}" for value in numbers[~np.isnan(numbers)])
    return list(values)


def _shared_items(judgments: Judgments) -> Iterator[Finding]:
    shared = judgments.items[_in_several_segments(judgments)]
    if len(shared):
        verb, one = ("occurs", "counts") if len(shared) == 1 else ("occur", "count")
        sentence = f"{counted(len(shared), 'item')} {verb} in several segments and {one} as one item each"
        remedy = "Where ids start anew in each segment, --item-key segment,item makes them distinct."
        yield Finding("items in several segments", f"{sentence}: {listed(shared)}. {remedy}", tuple(shared))


def _in_several_segments(judgments: Judgments) -> Mask:
    """Which items have rows in more than one segment."""
    any_of = np.full(len(judgments.items), MISSING)
    several = np.zeros(len(judgments.items), dtype=bool)
    pairs = [
        (table.codes[column], table.codes["segment"])
        for table in judgments.tables.values()
        if "segment" in table.codes
        for column in ITEM_COLUMNS
        if column in table.codes
    ]
    placed = [(item[segment != MISSING], segment[segment != MISSING]) for item, segment in pairs]
    for item, segment in placed:
        any_of[item] = segment
    for item, segment in placed:
        several[item[segment != any_of[item]]] = True
    return several
