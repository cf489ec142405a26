"""`Fault`: the rows with one class of mistake, their messages, and the rows that cannot be used because of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.errors import LISTED, RowMistake, RowMistakes
from steelyard.maths.arrays import Codes, Mask


@dataclass(frozen=True, slots=True)
class Fault:
    """The rows with one class of mistake, and a function that returns the error for one of them."""

    mistake: type[RowMistake]
    rows: Codes
    say: Callable[[int], RowMistake]
    spoilt: Codes | None = None  # all rows that cannot be used because of the mistake, if there are more

    @property
    def lost(self) -> Codes:
        """The rows that cannot be used."""
        return self.rows if self.spoilt is None else self.spoilt


@dataclass(frozen=True, slots=True)
class Places:
    """Where a user finds a row: `find` returns its line number, or its number in another `unit`."""

    find: Callable[[int], int] = int
    unit: str = "row"

    def __call__(self, row: int) -> str:
        """Return the place as text.

        >>> Places(lambda row: row + 2, "line")(0)
        'line 2'
        """
        return f"{self.unit} {self.find(row)}"

    def among(self, kept: Mask) -> Places:
        """Return the places of the kept rows."""
        rows = np.flatnonzero(kept)
        return Places(lambda row: self.find(int(rows[row])), self.unit)


def rows_where(mask: Mask) -> Codes:
    """Return the indices of the rows where the mask is true."""
    return np.flatnonzero(mask).astype(np.int64)


def group(faults: Iterable[Fault], places: Places) -> list[RowMistakes]:
    """Return faults grouped by class, in order of place; only the listed examples are worded."""
    by_class: dict[type[RowMistake], list[Fault]] = {}
    for fault in faults:
        if len(fault.rows):
            by_class.setdefault(fault.mistake, []).append(fault)
    return [_grouped(some, places) for some in by_class.values()]


def sound(faults: Iterable[Fault], rows: int) -> tuple[Mask, dict[str, int]]:
    """Return which rows have no fault, and the number of the other rows by reason."""
    kept = np.ones(rows, dtype=bool)
    left_out: dict[str, int] = {}
    for fault in faults:
        lost = np.unique(fault.lost)
        lost = lost[kept[lost]]
        kept[lost] = False
        if len(lost):
            left_out[fault.mistake.brief] = left_out.get(fault.mistake.brief, 0) + len(lost)
    return kept, left_out


def _grouped(faults: Sequence[Fault], places: Places) -> RowMistakes:
    first = sorted((int(row), at) for at, fault in enumerate(faults) for row in fault.rows[:LISTED])
    examples = [(places.find(row), faults[at].say(row)) for row, at in first[:LISTED]]
    return RowMistakes(examples, sum(len(fault.rows) for fault in faults), places.unit)
