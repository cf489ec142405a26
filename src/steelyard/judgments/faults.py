"""`Fault`: the rows with one class of mistake; how faults are put in words, and what they spoil."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.errors import LISTED, RowMistake, RowMistakes
from steelyard.maths.arrays import Codes, Mask


@dataclass(frozen=True, slots=True)
class Fault:
    """The rows with one class of mistake, and how to say it of one of them."""

    mistake: type[RowMistake]
    rows: Codes
    say: Callable[[int], RowMistake]
    spoilt: Codes | None = None  # the rows that are lost with them, when there are more

    @property
    def lost(self) -> Codes:
        """The rows that cannot be used."""
        return self.rows if self.spoilt is None else self.spoilt


@dataclass(frozen=True, slots=True)
class Places:
    """Where a user finds a row: `find` gives the number of the line, or of another `unit`."""

    find: Callable[[int], int] = int
    unit: str = "row"

    def __call__(self, row: int) -> str:
        """The place in words.

        >>> Places(lambda row: row + 2, "line")(0)
        'line 2'
        """
        return f"{self.unit} {self.find(row)}"

    def among(self, kept: Mask) -> Places:
        """The places of the rows that were kept."""
        rows = np.flatnonzero(kept)
        return Places(lambda row: self.find(int(rows[row])), self.unit)


def rows_where(mask: Mask) -> Codes:
    """The rows of which something is true."""
    return np.flatnonzero(mask).astype(np.int64)


def group(faults: Iterable[Fault], places: Places) -> list[RowMistakes]:
    """Faults of one class together, in order of place; only those that will be listed are put in words."""
    by_class: dict[type[RowMistake], list[Fault]] = {}
    for fault in faults:
        if len(fault.rows):
            by_class.setdefault(fault.mistake, []).append(fault)
    return [_grouped(some, places) for some in by_class.values()]


def sound(faults: Iterable[Fault], rows: int) -> tuple[Mask, dict[str, int]]:
    """The rows that no fault spoils, and how many others there are, by what is wrong with them."""
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
