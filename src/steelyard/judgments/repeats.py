"""Repeated answers of a rater: which rows they are, and how they are treated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeAlias, get_args

import numpy as np

from steelyard.errors import BadSetting, DuplicateAnswer, RowMistake, UnknownName, UnseparableAnswers
from steelyard.judgments.faults import Fault, rows_where
from steelyard.judgments.keys import distinct, joined_key, occurrences, row_key
from steelyard.judgments.probes import PROBE, probe_rows
from steelyard.judgments.table import MISSING, Judgments, Table
from steelyard.judgments.table_kinds import ITEM_COLUMNS, KINDS
from steelyard.judgments.tasks import REPETITION, TOGETHER
from steelyard.maths.arrays import Codes, Mask, sum_by

Repeats: TypeAlias = Literal["keep", "first", "last", "mean", "refuse"]
# Answers that differ in one of these columns are not repeats.
WITHIN = ("question", "system", "segment", "condition", "round", "task", REPETITION)
OCCASIONS = ("order", "at", "sitting", "turn")  # distinguish two answers without a task


@dataclass(frozen=True)
class Settled:
    """Judgments after the treatment of repeated answers, with counts and faults."""

    judgments: Judgments
    faults: tuple[Fault, ...] = ()
    repeated: int = 0  # kept rows that repeat another row
    left_out: int = 0
    averaged: int = 0

    @property
    def kind(self) -> str:
        """The kind of judgment."""
        return next(iter(self.judgments.kinds), "")


def known_repeats(repeats: str, kind: str) -> Repeats:
    """Return the treatment of repeats; raise an error if it is unknown or does not fit this kind."""
    if repeats not in get_args(Repeats):
        raise UnknownName("value", repeats, get_args(Repeats), where="repeats")
    if repeats == "mean" and not KINDS[kind].placed:
        raise BadSetting(
            "repeats",
            f"{kind} judgments cannot be averaged. Use keep, first, last or refuse (--repeats keep).",
        )
    return repeats  # type: ignore[return-value]


def settle_repeats(
    judgments: Judgments, repeats: Repeats | None, anonymous: bool, place: Callable[[int], str]
) -> Settled:
    """Keep, omit, average or refuse repeated answers.

    A repeat has the same rater and the same item (or pair), question, system, segment, condition, round, task and
    repetition. Rows without a task may also differ in order, at, sitting or turn. A probe does not repeat other rows.
    Without raters no answer is a repeat, but the answers to one task are still separated. Tables of counts have no
    repeats.

    Parameters
    ----------
    judgments
        Judgments of one kind.
    repeats
        Treatment, or None for the default of the kind: ratings and ranges are refused, other kinds are kept.
    anonymous
        Whether the file has no raters.
    place
        Function that returns the place of a row as text.

    Returns
    -------
    Settled
        The judgments, the refused rows as faults, and counts.
    """
    (table,) = judgments.tables.values()
    kind = table.kind
    chosen = kind.repeats if repeats is None else known_repeats(repeats, kind.name)
    if "count" in table or (anonymous and not kind.per_task):
        return Settled(judgments)
    slots = _Slots(table, _slot(table, (PROBE,) if probe_rows(judgments, table).any() else ()))
    if not slots.repeated:
        return Settled(judgments)
    if chosen == "keep" or anonymous:
        return _kept(judgments, slots, anonymous)
    if chosen == "refuse":
        return Settled(judgments, (_duplicates(judgments, slots, place),))
    return _thinned(judgments, slots, chosen)


@dataclass(frozen=True)
class _Slots:
    """The rows of a table by what they answer: two rows with the same key repeat each other."""

    table: Table
    key: Codes

    @cached_property
    def complete(self) -> Mask:
        """Rows without empty text cells; a row with an empty cell is not a repeat."""
        filled = [self.table.codes[column] != MISSING for column in self.table.kind.text]
        return np.asarray(np.all(filled, axis=0), dtype=bool)

    @cached_property
    def repeated(self) -> int:
        """Number of rows that repeat another row."""
        return len(self.key) - distinct(self.key)

    @cached_property
    def before(self) -> Codes:
        """Number of earlier rows with the same key, for each row."""
        return occurrences(self.key)

    @cached_property
    def number(self) -> Codes:
        """Keys as consecutive numbers from 0."""
        return np.asarray(np.unique(self.key, return_inverse=True)[1], dtype=np.int64)

    @cached_property
    def times(self) -> Codes:
        """Number of rows with the key of each row."""
        return np.bincount(self.number)[self.number]


def _slot(table: Table, marks: tuple[str, ...]) -> Codes:
    """Return what each row answers. A row that is marked as a probe answers something else than the others."""
    if table.kind.per_task:
        return row_key(table, [*TOGETHER, "item", "system", *marks])
    items = [column for column in ITEM_COLUMNS if column in table.codes]
    key = row_key(_sorted_pairs(table), ["rater", *items, *WITHIN, *marks])
    return key if distinct(key) == len(key) else _by_occasion(table, key)


def _by_occasion(table: Table, key: Codes) -> Codes:
    """Return keys that also distinguish occasions, for rows without a task."""
    if not any(column in table for column in OCCASIONS):
        return key
    occasion = row_key(table, OCCASIONS)
    if "task" in table.codes:
        occasion = np.where(table.codes["task"] == MISSING, occasion, 0)
    return joined_key(key, occasion)


def _sorted_pairs(table: Table) -> Table:
    """Return the same rows with the items of each pair sorted by code: a against b equals b against a."""
    if "left" not in table.codes:
        return table
    left, right = table.codes["left"], table.codes["right"]
    sides = {"left": np.minimum(left, right), "right": np.maximum(left, right)}
    return Table(table.kind, {**table.codes, **sides}, table.numbers)


def _kept(judgments: Judgments, slots: _Slots, anonymous: bool) -> Settled:
    repeated = 0 if anonymous else slots.repeated
    if not slots.table.kind.per_task:
        return Settled(judgments, repeated=repeated)
    separated = _separated(slots)
    return Settled(
        replace(judgments, tables={separated.kind.name: separated}),
        (_unseparable(judgments, slots),),
        repeated=repeated,
    )


def _separated(slots: _Slots) -> Table:
    """Return the rows with the number of their answer to the task, counted per item in the order of the file."""
    table = slots.table
    key = row_key(table, [REPETITION])
    number = (np.unique(joined_key(key, slots.before), return_inverse=True)[1] + 1).astype(np.float64)
    codes = {name: each for name, each in table.codes.items() if name != REPETITION}
    return replace(table, codes=codes, numbers={**table.numbers, REPETITION: number})


def _unseparable(judgments: Judgments, slots: _Slots) -> Fault:
    """Return the fault of tasks in which some items occur more often than others."""
    table = slots.table
    page = np.unique(row_key(table, TOGETHER), return_inverse=True)[1]
    most = np.zeros(int(page.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(most, page, slots.times)
    fewer = (slots.times != most[page]) & slots.complete
    wrong = np.bincount(page, fewer) > 0
    first = np.unique(page, return_index=True)[1][wrong]

    def say(row: int) -> RowMistake:
        rows = np.flatnonzero(page == page[row])
        often, seldom = rows[np.argmax(slots.times[rows])], rows[np.argmin(slots.times[rows])]
        items = judgments.items
        named = [(items[table.codes["item"][at]], int(slots.times[at])) for at in (often, seldom)]
        return UnseparableAnswers(judgments.labels("task")[table.codes["task"][row]], *named[0], *named[1])

    return Fault(UnseparableAnswers, np.sort(first).astype(np.int64), say, spoilt=rows_where(wrong[page]))


def _duplicates(judgments: Judgments, slots: _Slots, place: Callable[[int], str]) -> Fault:
    table = slots.table
    first = np.unique(slots.key, return_index=True)[1]

    def say(row: int) -> RowMistake:
        named = [judgments.items[table.codes[c][row]] for c in ITEM_COLUMNS if c in table.codes]
        what = " against ".join(f"{item!r}" for item in named)
        rater = judgments.raters[table.codes["rater"][row]]
        return DuplicateAnswer(rater, what, f" in {place(int(first[slots.number[row]]))}")

    return Fault(DuplicateAnswer, rows_where((slots.before > 0) & slots.complete), say)


def _thinned(judgments: Judgments, slots: _Slots, repeats: Repeats) -> Settled:
    """Return one row per answer: the first, the last, or the first with the mean of all in place of its numbers."""
    kept = slots.before == (slots.times - 1 if repeats == "last" else 0)
    omitted = int(len(kept) - kept.sum())
    table = slots.table
    if repeats != "mean":
        return Settled(judgments.where(lambda table: kept), left_out=omitted)
    means = {
        name: (sum_by(slots.number, table.numbers[name]) / np.bincount(slots.number))[slots.number]
        for name in table.kind.numbers
    }
    thinned = replace(table, numbers={**table.numbers, **means}).where(kept)
    return Settled(replace(judgments, tables={thinned.kind.name: thinned}), averaged=omitted)
