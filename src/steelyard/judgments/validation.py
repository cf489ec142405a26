"""The checks that every row passes before any of them counts, each over whole columns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from steelyard.errors import (
    LISTED,
    BadChoice,
    BadCount,
    BadRank,
    CrossedRange,
    DuplicateAnswer,
    MissingValue,
    RowMistake,
    RowMistakes,
    ScoreOutOfRange,
    SelfComparison,
    UnknownItem,
    UnknownOutcome,
)
from steelyard.judgments.keys import all_differ, joined_key, row_key
from steelyard.judgments.kinds import CHOICES, ITEM_COLUMNS, OUTCOMES
from steelyard.judgments.table import MISSING, Judgments, Table, with_missing
from steelyard.maths.arrays import Codes, Labels, Mask, Vector

WITHIN = (
    "question",
    "system",
    "segment",
    "condition",
    "round",
    "task",
)  # answers apart in one of these differ
OCCASIONS = ("order", "at", "sitting", "turn")  # what tells two answers apart where no task does


@dataclass(frozen=True, slots=True)
class Fault:
    """The rows with one class of mistake, and how to say it of one of them."""

    mistake: type[RowMistake]
    rows: Codes
    say: Callable[[int], RowMistake]
    spoilt: Codes | None = None  # the rows that are lost with them, when there are more


@dataclass(frozen=True, slots=True)
class Rules:
    """What the rows are held against; `place` finds the line (or other `unit`) of a row, for messages."""

    items: Collection[str] | None = None
    range: tuple[float, float] | None = None
    anonymous: bool = False
    place: Callable[[int], int] = int
    unit: str = "row"


def find_faults(judgments: Judgments, rules: Rules) -> Iterator[Fault]:
    """Every mistake in judgments of one kind.

    A rater's repeated answer is a mistake when item (or pair), question, system, segment, condition, round
    and task are all the same; rows without a task may also differ in order, at, sitting or turn. Tables of
    counts and files without raters have no repeats.
    """
    for table in judgments.tables.values():
        yield from _missing_text(table, rules)
        yield from _unknown_items(judgments, table, rules)
        yield from _bad_numbers(table, rules)
        if table.kind.name == "comparison":
            yield from _bad_comparisons(judgments, table)
        if table.kind.name == "best_worst":
            yield from _bad_choices(judgments, table, rules)
        if not rules.anonymous and "count" not in table:
            yield from _duplicates(judgments, table, rules)


def group(faults: Iterable[Fault], rules: Rules) -> list[RowMistakes]:
    """Faults of one class together, in order of place; only those that will be listed are put in words."""
    by_class: dict[type[RowMistake], list[Fault]] = {}
    for fault in faults:
        if len(fault.rows):
            by_class.setdefault(fault.mistake, []).append(fault)
    return [_grouped(some, rules) for some in by_class.values()]


def sound(faults: Iterable[Fault], rows: int) -> Mask:
    """The rows that no fault spoils."""
    kept = np.ones(rows, dtype=bool)
    for fault in faults:
        kept[fault.rows if fault.spoilt is None else fault.spoilt] = False
    return kept


def _grouped(faults: Sequence[Fault], rules: Rules) -> RowMistakes:
    first = sorted((int(row), at) for at, fault in enumerate(faults) for row in fault.rows[:LISTED])
    examples = [(rules.place(row), faults[at].say(row)) for row, at in first[:LISTED]]
    return RowMistakes(examples, sum(len(fault.rows) for fault in faults), rules.unit)


def _rows(mask: Mask) -> Codes:
    return np.flatnonzero(mask).astype(np.int64)


def _missing_text(table: Table, rules: Rules) -> Iterator[Fault]:
    for column in table.kind.text:
        if column == "rater" and rules.anonymous:
            continue
        mistake = MissingValue(column)
        yield Fault(MissingValue, _rows(table.codes[column] == MISSING), partial(_always, mistake))


def _unknown_items(judgments: Judgments, table: Table, rules: Rules) -> Iterator[Fault]:
    if rules.items is None:
        return
    known = set(rules.items)
    labels = judgments.items
    strange = np.array([label not in known for label in labels] + [False])
    for column in ITEM_COLUMNS:
        if column in table.codes:
            codes = table.codes[column]
            yield Fault(UnknownItem, _rows(strange[codes]), partial(_say_unknown, labels, codes))


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
                outside = _rows((numbers[name] < low) | (numbers[name] > high))
                yield Fault(ScoreOutOfRange, outside, partial(_say_outside, numbers[name], rules.range))
    if table.kind.name == "range":
        lows, highs = numbers["low"], numbers["high"]
        yield Fault(CrossedRange, _rows(lows > highs), lambda row: CrossedRange(lows[row], highs[row]))
    if table.kind.name == "ranking":
        ranks = numbers["rank"]
        odd = (ranks < 1) | (np.floor(ranks) != ranks) & ~np.isnan(ranks)
        yield Fault(BadRank, _rows(odd), lambda row: BadRank(float(ranks[row])))
    if "count" in numbers:
        counts = numbers["count"]
        yield Fault(BadCount, _rows(counts < 0), lambda row: BadCount(counts[row]))


def _bad_comparisons(judgments: Judgments, table: Table) -> Iterator[Fault]:
    codes, outcomes = table.codes, judgments.labels("outcome")
    itself = (codes["left"] == codes["right"]) & (codes["left"] != MISSING)

    def say(row: int) -> RowMistake:
        rater = judgments.raters[codes["rater"][row]] if codes["rater"][row] != MISSING else ""
        return SelfComparison(judgments.items[codes["left"][row]], rater)

    yield Fault(SelfComparison, _rows(itself), say)
    strange = np.array([label not in OUTCOMES for label in outcomes] + [False])
    unknown = _rows(strange[codes["outcome"]])
    yield Fault(UnknownOutcome, unknown, lambda row: UnknownOutcome(outcomes[codes["outcome"][row]]))


def _bad_choices(judgments: Judgments, table: Table, rules: Rules) -> Iterator[Fault]:
    labels, codes = judgments.labels("choice"), table.codes["choice"]
    strange = np.array([label not in CHOICES for label in labels] + [False])

    def say_unknown(row: int) -> RowMistake:
        return BadChoice(f"choice {labels[codes[row]]!r} is none of {', '.join(CHOICES)}.")

    yield Fault(BadChoice, _rows(strange[codes]), say_unknown)
    if rules.anonymous or "count" in table:
        return  # Without raters a task's answers cannot be told apart.
    words = with_missing(labels)[codes]
    _, first, page = np.unique(row_key(table, ["rater", *WITHIN]), return_index=True, return_inverse=True)
    best, worst = (np.bincount(page, np.equal(words, word)).astype(int) for word in ("best", "worst"))
    wrong = (best != 1) | (worst != 1)

    def say(row: int) -> RowMistake:
        task = judgments.cells("best_worst", "task")[row]
        at = page[row]
        return BadChoice(f"task {task!r} has {best[at]} best and {worst[at]} worst items.")

    yield Fault(BadChoice, np.sort(first[wrong]), say, spoilt=_rows(wrong[page]))


def _duplicates(judgments: Judgments, table: Table, rules: Rules) -> Iterator[Fault]:
    key = row_key(_sorted_pairs(table), ["rater", *(c for c in ITEM_COLUMNS if c in table.codes), *WITHIN])
    if all_differ(key):
        return
    key = _by_occasion(table, key)
    if all_differ(key):
        return
    complete = np.all([table.codes[column] != MISSING for column in table.kind.text], axis=0)
    _, first, same = np.unique(key, return_index=True, return_inverse=True)
    repeated = (first[same] != np.arange(len(table))) & complete

    def say(row: int) -> RowMistake:
        named = [judgments.items[table.codes[c][row]] for c in ITEM_COLUMNS if c in table.codes]
        what = " against ".join(f"{item!r}" for item in named)
        rater = judgments.raters[table.codes["rater"][row]]
        return DuplicateAnswer(rater, what, f" in {rules.unit} {rules.place(int(first[same[row]]))}")

    yield Fault(DuplicateAnswer, _rows(repeated), say)


def _by_occasion(table: Table, key: Codes) -> Codes:
    """Keys of rows, apart for rows without a task that were answered on other occasions."""
    if not any(column in table for column in OCCASIONS):
        return key
    occasion = row_key(table, OCCASIONS)
    if "task" in table.codes:
        occasion = np.where(table.codes["task"] == MISSING, occasion, 0)
    return joined_key(key, occasion)


def _sorted_pairs(table: Table) -> Table:
    """The same rows with each pair's items in order of code: a against b is b against a."""
    if "left" not in table.codes:
        return table
    left, right = table.codes["left"], table.codes["right"]
    sides = {"left": np.minimum(left, right), "right": np.maximum(left, right)}
    return Table(table.kind, {**table.codes, **sides}, table.numbers)
