"""Files and data frames that cannot be read or written as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from difflib import get_close_matches
from typing import Self

from steelyard.errors.base import BadInput, SteelyardError

CLOSE = 0.75  # similarity, from 0 to 1, from which a column name may be a misspelling
ANOTHER_KIND = (
    "Rename a column, or choose another kind of judgment: kind=... in Python, --kind on the command line."
)


class MissingColumn(BadInput):
    """A required column is missing; `kind` names the kind of judgment or the file that needs it."""

    def __init__(
        self, source: str, missing: Sequence[str], present: Sequence[str], kind: str, line: int | None = 1
    ) -> None:
        named = ", ".join(repr(name) for name in missing)
        noun = "column" if len(missing) == 1 else "columns"
        needs = f"a file of {kind} judgments needs" if kind.isidentifier() else f"{kind} needs"
        self.fact = (
            f"{_place(source, line)}: {needs} the {noun} {named}. Columns found: {', '.join(present)}."
            f"{_misspelt(present, missing)}"
        )
        remedy = ANOTHER_KIND if kind.isidentifier() else "Rename a column, or choose another file."
        super().__init__(f"{self.fact} {remedy}")

    def with_remedy(self, remedy: str) -> Self:
        """Return the same error with another remedy."""
        remedied = copy(self)
        remedied.args = (f"{self.fact} {remedy}",)
        return remedied


class EmptyFile(BadInput):
    """The file has no rows. `line` is the line of the header; None for data without a header line."""

    def __init__(self, source: str, line: int | None = 1) -> None:
        fact = "there are no rows. Add" if line is None else "there is only a header line. Add"
        super().__init__(f"{_place(source, line)}: {fact} at least one row.")

    @classmethod
    def without_header(cls, source: str) -> EmptyFile:
        """Return the error for a file without any content."""
        mistake = cls(source)
        mistake.args = (f"{source}: the file is empty. Add a header line and at least one row.",)
        return mistake


class WrongEncoding(BadInput):
    """The file is not encoded as UTF-8."""

    def __init__(self, source: str, line: int, byte: int) -> None:
        super().__init__(f"{source}, line {line}: byte 0x{byte:02x} is not UTF-8. Save the file as UTF-8.")


class UnreadableFile(BadInput):
    """The file is damaged, or its content does not match its name."""

    def __init__(self, source: str, reason: str, remedy: str, line: int | None = None) -> None:
        super().__init__(f"{_place(source, line)}: {reason} {remedy}")


class StoreUnavailable(UnreadableFile):
    """The database of a study cannot be read or written now; all stored answers are intact."""


class DamagedStudy(UnreadableFile):
    """The log of a study contains something that cannot have been written by Steelyard."""

    def __init__(self, study: str, damage: str) -> None:
        self.damage = damage
        remedy = (
            "List all damage with: steelyard check DIR. Keep the damaged database, and restore the study from a "
            "backup: steelyard restore BACKUP NEW_DIR"
        )
        super().__init__(study, f"the log is damaged: {damage}", remedy)


class NoSuchFile(BadInput):
    """The file does not exist."""

    def __init__(self, source: str, remedy: str = "Check the path.") -> None:
        super().__init__(f"{source}: no such file or folder. {remedy}")


class AmbiguousLayout(BadInput):
    """The columns fit several kinds of judgment; `counts` has the number of rows of each kind."""

    def __init__(self, source: str, counts: Mapping[str, int], line: int | None = 1) -> None:
        named = " and ".join(
            f"{kind} ({rows:,} {'row' if rows == 1 else 'rows'})" for kind, rows in counts.items()
        )
        first = next(iter(counts))
        super().__init__(
            f"{_place(source, line)}: the columns fit {named}. "
            f"Choose one: kind={first!r} in Python, --kind {first} on the command line."
        )


class UnknownLayout(BadInput):
    """The columns fit no kind of judgment."""

    def __init__(
        self, source: str, present: Sequence[str], line: int | None = 1, lacking: Sequence[str] = ()
    ) -> None:
        super().__init__(
            f"{_place(source, line)}: the columns {', '.join(present)} match no known layout."
            f"{_misspelt(present, lacking)}\n"
            "A rating file has the columns rater, item and score. A comparison file has rater, left, right and "
            "outcome. Rename your columns. If several columns together identify an item, name them, for example "
            "--item-key system,segment. "
            'The page "Judgment files" of the documentation describes all layouts.'
        )


class CannotWrite(SteelyardError):
    """A result cannot be written to its path."""

    def __init__(self, path: str, reason: str | None) -> None:
        why = f" ({reason})" if reason else ""
        super().__init__(f"{path}: cannot be written{why}. Choose a path inside an existing folder.")


class MissingLibrary(SteelyardError):
    """A data frame or chart needs a library that is not installed; `extra` is the extra of Steelyard that has it."""

    def __init__(self, library: str, extra: str = "") -> None:
        package = f"'steelyard[{extra}]'" if extra else library
        super().__init__(f"{library} is not installed. Install it: pip install {package}")


def _misspelt(present: Sequence[str], missing: Sequence[str]) -> str:
    """Return a sentence on a column whose name is close to that of a missing one; empty if there is none."""
    for name in missing:
        close = get_close_matches(name, present, n=1, cutoff=CLOSE)
        if close:
            return f" Is the column {close[0]!r} meant to be {name!r}?"
    return ""


def _place(source: str, line: int | None) -> str:
    """Return the source with the line of a text file; data frames and Parquet files have no lines."""
    return source if line is None else f"{source}, line {line}"


class SeveralKinds(BadInput):
    """The rows of a file are answers of two kinds; `nouns` names one answer of each kind."""

    def __init__(self, source: str, nouns: Mapping[str, str], first: str) -> None:
        named = " and ".join(f"{noun}s" for noun in nouns.values())
        options = " or ".join(f"--kind {kind}" for kind in nouns)
        in_python = " or ".join(f"kind={kind!r}" for kind in nouns)
        super().__init__(
            f"{source} has {named} ({first}). Read one kind with {options} (in Python, {in_python})."
        )


class SeveralKindsInPlace(BadInput):
    """A log in place has judgments of several kinds; `counts` has the number of rows of each."""

    def __init__(self, source: str, counts: Mapping[str, int]) -> None:
        named = " and ".join(
            f"{kind} ({rows:,} {'row' if rows == 1 else 'rows'})" for kind, rows in counts.items()
        )
        first = next(iter(counts))
        super().__init__(
            f"{source} has judgments of several kinds: {named}. In place, one kind can be fitted: "
            f"kind={first!r} in Python, --kind {first} on the command line. To fit all kinds on one scale, read a "
            "single file into memory: leave out --in-place."
        )


class JudgeStopped(SteelyardError):
    """A program that judges ended early, did not answer in time or wrote no answers."""

    def __init__(self, reason: str, task: str) -> None:
        super().__init__(
            f"--command: {reason}. It had not answered task {task}. Correct the program, or set a longer --time-limit."
        )
