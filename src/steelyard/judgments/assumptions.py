"""Remarks on the assumptions of a fit: rows that were omitted, and values that are pooled into one scale."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from steelyard.judgments.findings import Finding, counted, listed
from steelyard.judgments.table import MISSING, Judgments
from steelyard.judgments.table_kinds import ITEM_COLUMNS, per_task_kinds
from steelyard.judgments.table_rows import extreme_scores
from steelyard.judgments.tasks import REPETITION
from steelyard.maths.arrays import Mask

POOLED = ("question", "condition", "round")  # columns whose values may need separate scales


def assumptions(
    judgments: Judgments, apart: Collection[str | None] = (), uses_machine: bool = False
) -> Iterator[Finding]:
    """Yield what a user should know before fitting all these judgments to one scale.

    Parameters
    ----------
    judgments
        Judgments to fit.
    apart
        Columns that are not pooled: each of their values gets a separate scale.
    uses_machine
        Whether the answers of machine judges are used.

    Yields
    ------
    Finding
        One sentence each.
    """
    yield from judgments.reading.of_rows()
    if not uses_machine:
        yield from machine_left_out(judgments)
    yield from _nameless_tasks(judgments)
    yield from _several_kinds(judgments)
    yield from _fractions(judgments)
    for column in POOLED:
        if column not in apart:
            yield from _pooled(judgments, column)
    if "segment" not in apart and not judgments.reading.systems:
        yield from _shared_items(judgments)


def machine_left_out(judgments: Judgments) -> Iterator[Finding]:
    """Yield that the answers of machine judges are not used, if there are any."""
    if judgments.machine is not None:
        rows, judges = len(judgments.machine), len(judgments.machine.raters)
        verb = "is" if rows == 1 else "are"
        sentence = (
            f"{counted(rows, 'row')} by {counted(judges, 'machine judge')} {verb} left out. Only people's answers "
            "are used."
        )
        yield Finding("machine answers", sentence, tuple(str(each) for each in judgments.machine.raters))


def assumed_range(judgments: Judgments) -> str | None:
    """Return a sentence about the range that is assumed; None if it is given, or if there are no scores."""
    scores = None if judgments.range is not None else extreme_scores(judgments.tables.values())
    if scores is None:
        return None
    low, high = judgments.score_range
    return (
        f"No range was set. {low:g} to {high:g} is assumed from the scores, which run from {scores[0]:g} to "
        f"{scores[1]:g}. Set it with --range LOW HIGH, or with range=(low, high) in Python."
    )


def _nameless_tasks(judgments: Judgments) -> Iterator[Finding]:
    """Yield how the answers to one task were separated in a file of rankings or best-worst choices without raters."""
    if not judgments.reading.nameless:
        return
    for kind in per_task_kinds():
        table = judgments.table(kind)
        number = table.numbers.get(REPETITION)
        if not len(table):
            continue
        sentence = (
            f"There are no raters, so the rows of one task count as one {kind.replace('_', '-')} answer."
        )
        if number is not None:
            tasks = len(np.unique(table.codes["task"][number > 1]))
            sentence = (
                f"There are no raters, so {counted(tasks, 'task')} with several {kind.replace('_', '-')} answers "
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
            f"There are judgments of {len(kinds)} kinds ({', '.join(kinds)}). `fit` puts them on one scale."
        )
        yield Finding(
            "several kinds", f"{sentence} To use one kind: --kind, or judgments.only(kind) in Python."
        )


def _fractions(judgments: Judgments) -> Iterator[Finding]:
    """Yield that numbers of judgments are sums of fractions, if the column of counts has any."""
    tables = [table for table in judgments.tables.values() if "count" in table]
    if any(np.any(table.weights % 1.0) for table in tables):
        sentence = (
            "The column count has fractions. Numbers of judgments and answers are sums of this column, and some are "
            "rounded."
        )
        yield Finding("fractional counts", sentence)


def _pooled(judgments: Judgments, column: str) -> Iterator[Finding]:
    yield from pooled_values(column, _values(judgments, column))


def pooled_values(column: str, values: Sequence[str], source: str = "file") -> Iterator[Finding]:
    """Yield that several values of a column are pooled into one scale, if there are several.

    Parameters
    ----------
    column
        Name of the column.
    values
        Its distinct values.
    source
        What has them: "file" or "log".

    Yields
    ------
    Finding
        At most one sentence.
    """
    if len(values) > 1:
        several = f"{counted(len(values), column)} ({listed(values)})"
        sentence = f"The {source} has {several}, which are pooled into one scale."
        yield Finding(
            f"several {column}s",
            f"{sentence} To fit each separately: steelyard fit --by {column}.",
            tuple(values),
        )


def _values(judgments: Judgments, column: str) -> list[str]:
    """Return the values of a column in these rows."""
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
        verb = "occurs" if len(shared) == 1 else "occur"
        sentence = (
            f"{counted(len(shared), 'item')} {verb} in several segments, and equal ids count as one item"
        )
        most = len(shared) > len(judgments.items) / 2
        normal = ". This is normal if items are systems or models." if most else f": {listed(shared)}."
        remedy = (
            "Only if the same id means different things in different segments, use --item-key segment,item."
        )
        yield Finding("items in several segments", f"{sentence}{normal} {remedy}", tuple(shared))


def _in_several_segments(judgments: Judgments) -> Mask:
    """Return which items have rows in more than one segment."""
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
