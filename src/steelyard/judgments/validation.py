"""Checks of every row, each over whole columns."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from steelyard.errors import (
    BadCount,
    MissingValue,
    RowMistake,
    ScoreOutOfRange,
    UnknownItem,
    UnknownWord,
)
from steelyard.judgments.faults import Fault, rows_where
from steelyard.judgments.table import MISSING, Judgments, Table, with_missing
from steelyard.judgments.table_kinds import ITEM_COLUMNS
from steelyard.maths.arrays import Codes, Labels, Vector


@dataclass(frozen=True, slots=True)
class Rules:
    """Allowed items, range of the scale, and whether the file has no raters."""

    items: Collection[str] | None = None
    range: tuple[float, float] | None = None
    anonymous: bool = False


def find_faults(judgments: Judgments, rules: Rules) -> Iterator[Fault]:
    """Yield the mistakes in single rows of judgments of one kind."""
    for table in judgments.tables.values():
        yield from _missing_text(table, rules)
        yield from _unknown_items(judgments, table, rules)
        yield from _bad_numbers(table, rules)
        yield from (table.kind.row_faults or word_faults)(judgments, table)


def _missing_text(table: Table, rules: Rules) -> Iterator[Fault]:
    for column in table.kind.text:
        if column == "rater" and rules.anonymous:
            continue
        mistake = MissingValue(column)
        yield Fault(MissingValue, rows_where(table.codes[column] == MISSING), partial(_always, mistake))


def _unknown_items(judgments: Judgments, table: Table, rules: Rules) -> Iterator[Fault]:
    if rules.items is None:
        return
    items = set(rules.items)
    labels = judgments.items
    unknown = np.array([label not in items for label in labels] + [False])
    for column in ITEM_COLUMNS:
        if column in table.codes:
            codes = table.codes[column]
            yield Fault(UnknownItem, rows_where(unknown[codes]), partial(_say_unknown, labels, codes))


def _always(mistake: RowMistake, row: int) -> RowMistake:
    return mistake


def _say_unknown(labels: Labels, codes: Codes, row: int) -> RowMistake:
    return UnknownItem.in_file(labels[codes[row]])


def _say_outside(values: Vector, scale: tuple[float, float], row: int) -> RowMistake:
    return ScoreOutOfRange(values[row], *scale)


def _bad_numbers(table: Table, rules: Rules) -> Iterator[Fault]:
    numbers = table.numbers
    if rules.range is not None:
        low, high = rules.range
        for name in table.kind.positions:
            outside = rows_where((numbers[name] < low) | (numbers[name] > high))
            yield Fault(ScoreOutOfRange, outside, partial(_say_outside, numbers[name], rules.range))
    if "count" in numbers:
        counts = numbers["count"]
        yield Fault(BadCount, rows_where(counts < 0), lambda row: BadCount(counts[row]))


def word_faults(judgments: Judgments, table: Table) -> Iterator[Fault]:
    """Yield cells with a word that their column does not allow."""
    for column, words in table.kind.words.items():
        cells = with_missing(judgments.labels(column))[table.codes[column]]
        yield Fault(
            UnknownWord,
            rows_with_other_words(judgments, table, column),
            partial(_say_word, column, words, cells),
        )


def rows_with_other_words(judgments: Judgments, table: Table, column: str) -> Codes:
    """Return the rows whose cell holds a word that the column does not allow.

    Parameters
    ----------
    judgments
        Judgments that contain the table.
    table
        Table to check.
    column
        Text column with a fixed set of words.

    Returns
    -------
    Codes
        Indices of the rows.
    """
    words = table.kind.words[column]
    unknown = np.array([label not in words for label in judgments.labels(column)] + [False])
    return rows_where(unknown[table.codes[column]])


def _say_word(column: str, words: tuple[str, ...], cells: Labels, row: int) -> RowMistake:
    return UnknownWord(column, cells[row], words)


def answer_faults(judgments: Judgments, unclear: Codes) -> Iterator[Fault]:
    """Yield mistakes that show only in whole answers; answers of `unclear` rows are skipped."""
    for table in judgments.tables.values():
        if table.kind.answer_faults is not None:
            yield from table.kind.answer_faults(judgments, unclear)
