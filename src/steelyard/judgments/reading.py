"""`Reading`: how the rows and columns of a file were treated when it was read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from steelyard.judgments.findings import Finding, counted, listed
from steelyard.judgments.table_kinds import KINDS


@dataclass(frozen=True)
class Reading:
    """Counts of rows and names of columns that were omitted or treated specially.

    Parameters
    ----------
    rows
        Number of rows in the file.
    nameless
        Number of rows from files without a rater column.
    left_out
        Number of rows that were omitted, by reason.
    repeated
        Number of kept rows that repeat an answer of the same rater, by kind of judgment.
    averaged
        Number of rows that were averaged with another row.
    untaken
        Columns without a known meaning, kept as covariates.
    ignored
        Columns that were not kept.
    rater_columns
        Columns that were used as the rater.
    systems
        Whether the layout of the file has systems as items, as in arena votes.
    selected
        Sentence about the rows that the user chose; empty for all rows.
    machine
        Number of rows by machine judges, which are set apart.
    """

    rows: int = 0
    nameless: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    repeated: Mapping[str, int] = field(default_factory=dict)
    averaged: int = 0
    untaken: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    rater_columns: tuple[str, ...] = ()
    systems: bool = False
    selected: str = ""
    machine: int = 0

    def __add__(self, other: Reading) -> Reading:
        return Reading(
            self.rows + other.rows,
            self.nameless + other.nameless,
            Counter(self.left_out) + Counter(other.left_out),
            Counter(self.repeated) + Counter(other.repeated),
            self.averaged + other.averaged,
            tuple(dict.fromkeys((*self.untaken, *other.untaken))),
            tuple(dict.fromkeys((*self.ignored, *other.ignored))),
            tuple(dict.fromkeys((*self.rater_columns, *other.rater_columns))),
            self.systems or other.systems,
            self.selected or other.selected,
            self.machine + other.machine,
        )

    def of_rows(self) -> Iterator[Finding]:
        """Yield the findings about rows."""
        if self.nameless:
            yield Finding("no rater column", self._nameless())
        left_out = sum(self.left_out.values())
        if left_out:
            reasons = ", ".join(f"{times:,} {reason}" for reason, times in self.left_out.items())
            yield Finding("rows left out", f"Omitted {left_out:,} of {counted(self.rows, 'row')}: {reasons}.")
        for kind, times in self.repeated.items():
            yield Finding("repeated answers", _repeated(kind, times))
        if self.averaged:
            sentence = f"{counted(self.averaged, 'repeated rating')} {_was(self.averaged)} averaged"
            yield Finding("averaged answers", f"{sentence} with the same rater's other ratings of the item.")

    def of_columns(self) -> Iterator[Finding]:
        """Yield the findings about columns."""
        if self.untaken:
            sentence = f"Columns without a known meaning: {listed(self.untaken)}."
            kept = "They are kept as covariates and used only if an option names them."
            yield Finding("unrecognised columns", f"{sentence} {kept}", self.untaken)
        if self.ignored:
            yield Finding("ignored columns", f"Ignored columns: {listed(self.ignored)}.", self.ignored)

    def _nameless(self) -> str:
        hint = f" If one of these columns names the rater, rename it to rater: {listed(self.untaken)}."
        some = (
            f" for {counted(self.nameless, 'row')}"
            if self.nameless < self.rows - sum(self.left_out.values())
            else ""
        )
        return (
            f"There is no rater column{some}, so {'these' if some else 'all'} answers are treated as independent. "
            "Differences between raters and repeated answers cannot be detected, and "
            f"intervals may be too narrow.{hint if self.untaken else ''}"
        )


def _repeated(kind: str, times: int) -> str:
    repeated = KINDS[kind]
    verb = "repeats" if times == 1 else "repeat"
    kept = "It is" if times == 1 else "All are"
    sentence = f"Of the rows read, {counted(times, repeated.row)} {verb} {repeated.repeat}."
    return f"{sentence} {kept} kept. To change this, use --repeats first, last or refuse."


def _was(times: int) -> str:
    return "was" if times == 1 else "were"
