"""Rows of a log that cannot be used: counted by class, with a sample. They are never turned into other answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from steelyard.errors import BadLogRows
from steelyard.judgments.findings import counted

SAMPLE = 3  # rows shown of each class
MISSING_ID, SELF_PAIR, UNKNOWN_OUTCOME, BAD_COUNT, BAD_SCORE, BAD_RANK, RANKED_TWICE = (
    "without an item",
    "comparing an item with itself",
    "with an unknown outcome",
    "with a bad count",
    "with a score that is not a number",
    "with a rank that is not a number",
    "with an item that the same ranking has twice",
)


@dataclass(frozen=True)
class Rejected:
    """Rows that were left out.

    Attributes
    ----------
    counts
        Number of judgments by class.
    samples
        Some rows of each class, as text.
    total
        Number of judgments in the log, with those left out.
    """

    counts: Mapping[str, int]
    samples: Mapping[str, tuple[str, ...]]
    total: int

    @property
    def left_out(self) -> int:
        """Number of judgments that were left out."""
        return sum(self.counts.values())

    def sentences(self) -> list[str]:
        """Return one sentence per class, with sample rows."""
        return [
            f"Left out {counted(times, 'row')} {name} of {self.total:,}, such as: {'; '.join(self.samples[name])}."
            for name, times in self.counts.items()
        ]

    def refuse(self, source: str) -> None:
        """Raise `BadLogRows` if there are such rows."""
        if self.counts:
            raise BadLogRows(source, self.sentences())


def rejected_rows(counts: Mapping[str, float], total: float, sample: Callable[[str], Any]) -> Rejected:
    """Return the rows left out, with samples.

    Parameters
    ----------
    counts
        Number of rows by class.
    total
        Number of all rows.
    sample
        Returns an Arrow table with some rows of a class.

    Returns
    -------
    Rejected
        The classes that have rows.
    """
    some = {name: round(times) for name, times in counts.items() if times}
    samples = {name: tuple(map(_as_text, sample(name).to_pylist())) for name in some}
    return Rejected(some, samples, round(total))


def _as_text(row: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={_cell(value)}" for name, value in row.items())


def _cell(value: Any) -> str:
    """Return a cell as written; times in ISO 8601."""
    return value.isoformat() if isinstance(value, date) else repr(value)
