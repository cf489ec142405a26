"""The checks that every row passes before any of them counts, each over whole columns."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from steelyard.errors import (
    BadChoice,
    BadCount,
    BadRank,
    CrossedRange,
    MissingValue,
    RowMistake,
    ScoreOutOfRange,
    SelfComparison,
    UnknownItem,
    UnknownOutcome,
)
from steelyard.judgments.faults import Fault, rows_where
from steelyard.judgments.keys import row_key
from steelyard.judgments.kinds import CHOICES, ITEM_COLUMNS, OUTCOMES
from steelyard.judgments.table import MISSING, Judgments, Table, with_missing
from steelyard.judgments.tasks import TOGETHER
from steelyard.maths.arrays import Codes, Labels, Vector


@dataclass(frozen=True, slots=True)
class Rules:
    """What the rows are held against."""

    items: Collection[str] | None = None
    range: tuple[float, float] | None = None
    anonymous: bool = False


def find_faults(judgments: Judgments, rules: Rules) -> Iterator[Fault]:
    """Every mistake in single rows of judgments of one kind."""
    for table in judgments.tables.values():
        yield from _missing_text(table, rules)
        yield from _unknown_items(judgments, table, rules)
        yield from _bad_numbers(table, rules)
        if table.kind.name == "comparison":
            yield from _bad_comparisons(judgments, table)
        if table.kind.name == "best_worst":
            yield from _unknown_choices(judgments, table)


def _missing_text(table: Table, rules: Rules) -> Iterator[Fault]:
    for column in table.kind.text:
        if column == "rater" and rules.anonymous:
            continue
        mistake = MissingValue(column)
        yield Fault(MissingValue, rows_where(table.codes[column] == MISSING), partial(_always, mistake))


def _unknown_items(judgments: Judgments, table: Table, rules: Rules) -> Iterator[Fault]:
    if rules.items is None:
        return
    known = set(rules.items)
    labels = judgments.items
    strange = np.array([label not in known for label in labels] + [False])
    for column in ITEM_COLUMNS:
        if column in table.codes:
            codes = table.codes[column]
            yield Fault(UnknownItem, rows_where(strange[codes]), partial(_say_unknown, labels, codes))


def _always(mistake: RowMistake, row: int) -> RowMistake:
    return mistake


def _say_unknown(labels: Labels, codes: Codes, row: int) -> RowMistake:
    return UnknownItem(labels[codes[row]])


def _say_outside(values: Vector, scale: tuple[float, float], row: int) -> RowMistake:
    return ScoreOutOfRange(values[row], *scale)


def _bad_numbers(table: Table, rules: Rules) -> Iterator[Fault]:
    numbers = table.numbers
    if rules.range is not None:
        low, high = rules.range
        for name in ("score", "low", "high"):
            if name in table.kind.numbers:
                outside = rows_where((numbers[name] < low) | (numbers[name] > high))
                yield Fault(ScoreOutOfRange, outside, partial(_say_outside, numbers[name], rules.range))
    if table.kind.name == "range":
        lows, highs = numbers["low"], numbers["high"]
        yield Fault(CrossedRange, rows_where(lows > highs), lambda row: CrossedRange(lows[row], highs[row]))
    if table.kind.name == "ranking":
        ranks = numbers["rank"]
        odd = (ranks < 1) | (np.floor(ranks) != ranks) & ~np.isnan(ranks)
        yield Fault(BadRank, rows_where(odd), lambda row: BadRank(float(ranks[row])))
    if "count" in numbers:
        counts = numbers["count"]
        yield Fault(BadCount, rows_where(counts < 0), lambda row: BadCount(counts[row]))


def _bad_comparisons(judgments: Judgments, table: Table) -> Iterator[Fault]:
    codes, outcomes = table.codes, judgments.labels("outcome")
    itself = (codes["left"] == codes["right"]) & (codes["left"] != MISSING)

    def say(row: int) -> RowMistake:
        rater = judgments.raters[codes["rater"][row]] if codes["rater"][row] != MISSING else ""
        return SelfComparison(judgments.items[codes["left"][row]], rater)

    yield Fault(SelfComparison, rows_where(itself), say)
    strange = np.array([label not in OUTCOMES for label in outcomes] + [False])
    unknown = rows_where(strange[codes["outcome"]])
    yield Fault(UnknownOutcome, unknown, lambda row: UnknownOutcome(outcomes[codes["outcome"][row]]))


def _unknown_choices(judgments: Judgments, table: Table) -> Iterator[Fault]:
    labels, codes = judgments.labels("choice"), table.codes["choice"]
    strange = np.array([label not in CHOICES for label in labels] + [False])

    def say(row: int) -> RowMistake:
        return BadChoice(f"choice {labels[codes[row]]!r} is none of {', '.join(CHOICES)}.")

    yield Fault(BadChoice, rows_where(strange[codes]), say)


def choice_faults(judgments: Judgments, unclear: Codes) -> Iterator[Fault]:
    """Best-worst answers without one best and one worst item; those of `unclear` rows are not looked at."""
    table = judgments.table("best_worst")
    if not len(table) or "count" in table:
        return
    words = with_missing(judgments.labels("choice"))[table.codes["choice"]]
    _, first, page = np.unique(row_key(table, TOGETHER), return_index=True, return_inverse=True)
    best, worst = (np.bincount(page, np.equal(words, word)).astype(int) for word in ("best", "worst"))
    wrong = (best != 1) | (worst != 1)
    wrong[page[unclear]] = False

    def say(row: int) -> RowMistake:
        task = judgments.cells("best_worst", "task")[row]
        at = page[row]
        return BadChoice(f"task {task!r} has {best[at]} best and {worst[at]} worst items.")

    yield Fault(BadChoice, np.sort(first[wrong]), say, spoilt=rows_where(wrong[page]))
