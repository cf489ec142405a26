"""`Reading`: what was done with a file on its way to a table, so that nothing is left out in silence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from steelyard.judgments.findings import Finding, counted, listed
from steelyard.judgments.table_kinds import KINDS


@dataclass(frozen=True)
class Reading:
    """Counts of rows and names of columns that reading treated in a way worth knowing.

    `rows` is how many there were before any was left out, `nameless` how many came without a rater column,
    `left_out` how many are missing from the table, by reason, `repeated` how many are kept although the same
    rater gave the same kind of answer before, by kind, and `averaged` how many were put into a mean with another.
    `untaken` are columns without a known meaning, kept as covariates; `ignored` are columns that are not kept.
    """

    rows: int = 0
    nameless: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    repeated: Mapping[str, int] = field(default_factory=dict)
    averaged: int = 0
    untaken: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()

    def __add__(self, other: Reading) -> Reading:
        return Reading(
            self.rows + other.rows,
            self.nameless + other.nameless,
            Counter(self.left_out) + Counter(other.left_out),
            Counter(self.repeated) + Counter(other.repeated),
            self.averaged + other.averaged,
            tuple(dict.fromkeys((*self.untaken, *other.untaken))),
            tuple(dict.fromkeys((*self.ignored, *other.ignored))),
        )

    def of_rows(self) -> Iterator[Finding]:
        """What happened to rows."""
        if self.nameless:
            yield Finding("no rater column", self._nameless())
        left_out = sum(self.left_out.values())
        if left_out:
            reasons = ", ".join(f"{times:,} {reason}" for reason, times in self.left_out.items())
            yield Finding(
                "rows left out", f"Left out {left_out:,} of {counted(self.rows, 'row')}: {reasons}."
            )
        for kind, times in self.repeated.items():
            yield Finding("repeated answers", _repeated(kind, times))
        if self.averaged:
            sentence = (
                f"{counted(self.averaged, 'repeated rating')} {_was(self.averaged)} averaged with the rater's"
            )
            yield Finding("averaged answers", f"{sentence} other answers about the same item.")

    def of_columns(self) -> Iterator[Finding]:
        """What happened to columns."""
        if self.untaken:
            sentence = (
                "Columns without a known meaning, kept as covariates and used only where an option names them"
            )
            yield Finding("unrecognised columns", f"{sentence}: {listed(self.untaken)}.", self.untaken)
        if self.ignored:
            yield Finding("ignored columns", f"Ignored columns: {listed(self.ignored)}.", self.ignored)

    def _nameless(self) -> str:
        hint = f" If one of these columns names the rater, rename it to rater: {listed(self.untaken)}."
        return (
            f"There is no rater column: {counted(self.nameless, 'row')} {'counts' if self.nameless == 1 else 'count'} "
            "as answers of one unnamed rater. Differences between raters, their repeated answers and the dependence "
            f"of one rater's answers cannot be seen.{hint if self.untaken else ''}"
        )


def _repeated(kind: str, times: int) -> str:
    repeated = KINDS[kind]
    verb = "repeats" if times == 1 else "repeat"
    kept = "It is" if times == 1 else "All are"
    sentence = f"Of the rows read, {counted(times, repeated.row)} {verb} {repeated.repeat}."
    return f"{sentence} {kept} kept; --repeats first, last or refuse changes that."


def _was(times: int) -> str:
    return "was" if times == 1 else "were"
