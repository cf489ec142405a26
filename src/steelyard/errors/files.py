"""Files and frames that cannot be read or written as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Self

from steelyard.errors.base import BadInput, SteelyardError

ANOTHER_KIND = (
    "Rename a column, or name another kind if it is one: kind=... in Python, --kind on the command line."
)


class MissingColumn(BadInput):
    """A column that a kind of judgment needs is missing, or one that a file described by `kind` needs."""

    def __init__(
        self, source: str, missing: Sequence[str], present: Sequence[str], kind: str, line: int | None = 1
    ) -> None:
        named = ", ".join(repr(name) for name in missing)
        lacking = f"no column {named}, which {kind} needs"
        self.fact = f"{_place(source, line)}: {lacking}. Columns here: {', '.join(present)}."
        remedy = ANOTHER_KIND if kind.isidentifier() else "Rename a column, or give another file."
        super().__init__(f"{self.fact} {remedy}")

    def with_remedy(self, remedy: str) -> Self:
        """The same fact, where something else can be done about it."""
        remedied = copy(self)
        remedied.args = (f"{self.fact} {remedy}",)
        return remedied


class EmptyFile(BadInput):
    """There is nothing in it."""

    def __init__(self, source: str, line: int | None = 1) -> None:
        super().__init__(f"{_place(source, line)}: no rows. Write a header line and at least one row.")


class WrongEncoding(BadInput):
    """The file is not UTF-8."""

    def __init__(self, source: str, line: int, byte: int) -> None:
        super().__init__(f"{source}, line {line}: byte 0x{byte:02x} is not UTF-8. Save the file as UTF-8.")


class UnreadableFile(BadInput):
    """The file is damaged or not what its name says."""

    def __init__(self, source: str, reason: str, remedy: str, line: int | None = None) -> None:
        super().__init__(f"{_place(source, line)}: {reason} {remedy}")


class NoSuchFile(BadInput):
    """There is no such file."""

    def __init__(self, source: str) -> None:
        super().__init__(f"{source}: no such file. Check the path.")


class AmbiguousLayout(BadInput):
    """The columns fit several kinds of judgment; `counts` says how many rows hold each."""

    def __init__(self, source: str, counts: Mapping[str, int], line: int | None = 1) -> None:
        named = " and ".join(
            f"{kind} ({rows:,} {'row' if rows == 1 else 'rows'})" for kind, rows in counts.items()
        )
        first = next(iter(counts))
        super().__init__(
            f"{_place(source, line)}: the columns fit {named}. "
            f"Say which: kind={first!r} in Python, --kind {first} on the command line."
        )


class UnknownLayout(BadInput):
    """The columns fit no kind of judgment."""

    def __init__(self, source: str, present: Sequence[str], line: int | None = 1) -> None:
        super().__init__(
            f"{_place(source, line)}: columns {', '.join(present)} fit no known layout. "
            "A rating file has rater, item, score; a comparison file rater, left, right, outcome; "
            "see docs/judgments.md for the others."
        )


class CannotWrite(SteelyardError):
    """A result cannot be written where it was to go."""

    def __init__(self, path: str, reason: str | None) -> None:
        why = f" ({reason})" if reason else ""
        super().__init__(f"{path}: cannot be written{why}. Choose a place in a folder that is there.")


class MissingLibrary(SteelyardError):
    """A frame was asked for from a library that is not installed."""

    def __init__(self, library: str) -> None:
        super().__init__(f"This needs {library}, which is not installed. Install it: pip install {library}")


def _place(source: str, line: int | None) -> str:
    """Where it is: the line of a text file; a frame or a Parquet file has none."""
    return source if line is None else f"{source}, line {line}"
