"""Everything that can go wrong for a user, one class per mistake.

SteelyardError
├── BadInput                  a file or frame of judgments or items
│   ├── BadRows               mistakes found in rows, grouped by class
│   ├── RowMistake            one row's mistake
│   │   ├── MissingValue  NotANumber  NotATime  ScoreOutOfRange  SelfComparison  DuplicateAnswer
│   │   ├── UnknownItem  UnknownOutcome  BadRank  BadChoice  BadCount  CrossedRange  RaggedLine
│   │   └── DuplicateItem  MissingFile
│   ├── MissingColumn  EmptyFile  WrongEncoding  UnreadableFile  NoSuchFile
│   ├── AmbiguousLayout  UnknownLayout
│   ├── TooFewItems  TooFewLevels  NoTies  OnlyTies  Unconnected  Separated
│   └── NothingToFit  NothingToTest  NothingToConvert
├── BadSetting                a setting of a study, a model or a selection
│   ├── UnknownName           a key, model, selection, column or format nobody knows
│   └── DifferentTables       two fits that no likelihood ratio can compare
├── CannotWrite               a result has nowhere to go
└── StudyError                a running study refuses
    ├── TaskClosed  UnknownRater  BadAnswer  NothingToUndo  StudyExists  StudyChanged  NoStudy
    └── NothingToClose  NoColdStart
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import ClassVar

LISTED = 20  # rows named in one message; the rest are counted


class SteelyardError(Exception):
    """Base of every error that a user can mend."""


class BadInput(SteelyardError):
    """A file or frame cannot be read as judgments or items."""


class RowMistake(BadInput):
    """One mistake in one row; `remedy` says what to do about all of its class."""

    remedy: ClassVar[str] = "Correct the row."

    def __init__(self, fact: str) -> None:
        self.fact = fact
        super().__init__(f"{fact} {self.remedy}")


class MissingValue(RowMistake):
    """A required cell is empty."""

    remedy = "Fill the cell or drop the row."

    def __init__(self, column: str) -> None:
        super().__init__(f"{column} is empty.")


class NotANumber(RowMistake):
    """A numeric column holds something else."""

    remedy = "Write a plain number such as 63 or 0.63, or drop the row."

    def __init__(self, column: str, value: object) -> None:
        super().__init__(f"{column} {value!r} is not a number.")


class NotATime(RowMistake):
    """A time is neither ISO text nor seconds since 1970."""

    remedy = "Write times as 2026-03-05T14:07:00+01:00 or as seconds since 1970, or drop the column."

    def __init__(self, column: str, value: object) -> None:
        super().__init__(f"{column} {value!r} is not a time.")


class ScoreOutOfRange(RowMistake):
    """A score lies outside the scale."""

    remedy = (
        "Set the range of the scale (--range LOW HIGH; scale.low and scale.high in study.toml), "
        "or correct the rows."
    )

    def __init__(self, score: float, low: float, high: float) -> None:
        super().__init__(f"score {score:g} is outside {low:g}-{high:g}.")


class SelfComparison(RowMistake):
    """An item was compared with itself."""

    remedy = "Drop the row or correct one of the two items."

    def __init__(self, item: str, rater: str) -> None:
        super().__init__(f"item {item!r} is compared with itself by rater {rater!r}.")


class DuplicateAnswer(RowMistake):
    """One rater answered the same thing twice."""

    remedy = "Keep one of the rows; repeated judgments need a task or round column that tells them apart."

    def __init__(self, rater: str, what: str, first: str = "") -> None:
        super().__init__(f"rater {rater!r} already answered {what}{first}.")


class UnknownItem(RowMistake):
    """A judgment names an item that the study or belief does not have."""

    remedy = "Add the item to the items file, or correct its id."

    def __init__(self, item: str) -> None:
        super().__init__(f"item {item!r} is not among the items.")


class DuplicateItem(RowMistake):
    """Two items have the same id."""

    remedy = "Give every item an id of its own."

    def __init__(self, item: str, first: int) -> None:
        super().__init__(f"id {item!r} stands already in line {first}.")


class MissingFile(RowMistake):
    """An item's image, audio or video is not in the study's folder."""

    remedy = (
        "Put the file inside the study's folder and write its path relative to it, or give an https address."
    )

    def __init__(self, name: str) -> None:
        super().__init__(f"file {name!r} is not in the study's folder.")


class UnknownOutcome(RowMistake):
    """A comparison's outcome is none of the known labels."""

    remedy = "Known outcomes: left, right, tie."

    def __init__(self, outcome: object) -> None:
        super().__init__(f"outcome {outcome!r} is unknown.")


class BadRank(RowMistake):
    """A rank is not 1, 2, 3, ..."""

    remedy = "Ranks are whole numbers from 1 (most); equal ranks are ties."

    def __init__(self, rank: object) -> None:
        super().__init__(f"rank {rank!r} is not a whole number from 1 up.")


class BadChoice(RowMistake):
    """A best-worst task does not have one best and one other worst item."""

    remedy = "Each task has one 'best', one other 'worst', and 'none' elsewhere."

    def __init__(self, fact: str) -> None:
        super().__init__(fact)


class BadCount(RowMistake):
    """A row is said to have happened less than zero times."""

    remedy = "Counts are numbers from 0 up, and may be fractional."

    def __init__(self, count: float) -> None:
        super().__init__(f"count {count:g} is below 0.")


class CrossedRange(RowMistake):
    """A range's low end is above its high end."""

    remedy = "Exchange the two, or drop the row."

    def __init__(self, low: float, high: float) -> None:
        super().__init__(f"low {low:g} is above high {high:g}.")


class RaggedLine(RowMistake):
    """A line has another number of fields than the header."""

    remedy = "Quote fields that hold the separator, and give every line as many fields as the header."

    def __init__(self, found: int, wanted: int) -> None:
        super().__init__(f"{found} fields where the header has {wanted}.")


@dataclass(frozen=True)
class RowMistakes:
    """All rows with one class of mistake: the first few in words, all of them counted."""

    examples: Sequence[tuple[int | None, RowMistake]]
    total: int
    unit: str = "line"  # what the numbers count: lines of a text file, or rows of a frame

    def lines(self, source: str) -> Iterable[str]:
        """One line per example, what is left over, and the remedy once."""
        for line, mistake in self.examples[:LISTED]:
            where = source if line is None else f"{source}, {self.unit} {line}"
            yield f"{where}: {mistake.fact}"
        left = self.total - min(len(self.examples), LISTED)
        if left:
            yield f"... and {left:,} more such rows."
        yield self.examples[0][1].remedy


class BadRows(BadInput):
    """Rows with mistakes, grouped by class; nothing of the file was taken over."""

    def __init__(self, source: str, groups: Sequence[RowMistakes]) -> None:
        self.source = source
        self.groups = groups
        super().__init__("\n".join(line for group in groups for line in group.lines(source)))


class MissingColumn(BadInput):
    """A column that the kind of judgment needs is not there."""

    def __init__(
        self, source: str, missing: Sequence[str], present: Sequence[str], kind: str, line: int | None = 1
    ) -> None:
        named = ", ".join(repr(name) for name in missing)
        super().__init__(
            f"{_place(source, line)}: no column {named}, which {kind} needs. "
            f"Columns here: {', '.join(present)}. Rename a column, or say kind=... if it is another kind."
        )


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
    """The columns fit several kinds of judgment."""

    def __init__(self, source: str, kinds: Sequence[str], line: int | None = 1) -> None:
        super().__init__(
            f"{_place(source, line)}: the columns fit {' and '.join(kinds)}. "
            f"Say which: kind={kinds[0]!r} in Python, --kind {kinds[0]} on the command line."
        )


class UnknownLayout(BadInput):
    """The columns fit no kind of judgment."""

    def __init__(self, source: str, present: Sequence[str], line: int | None = 1) -> None:
        super().__init__(
            f"{_place(source, line)}: columns {', '.join(present)} fit no known layout. "
            "A rating file has rater, item, score; a comparison file rater, left, right, outcome; "
            "see docs/judgments.md for the others."
        )


class NothingToFit(BadInput):
    """A model was given no judgments of a kind that it can use."""

    def __init__(self, model: str, kinds: Sequence[str], given: str) -> None:
        super().__init__(
            f"{model} needs {' or '.join(kinds)} judgments; {given}. Choose another model or file."
        )


class TooFewItems(BadInput):
    """Comparisons of fewer than two items."""

    def __init__(self, items: int) -> None:
        super().__init__(
            f"bradley_terry compares items, and there are {items}. Give comparisons of at least two."
        )


class TooFewLevels(BadInput):
    """An effect was to differ between groups of raters, and there is only one."""

    def __init__(self, column: str, level: str) -> None:
        what = "rater" if column == "rater" else "value"
        super().__init__(
            f"{column}: there is only one {what} ({level!r}), so no effect can differ by {column}. "
            f"Leave {column} out of the model, or add judgments of others."
        )


class NoTies(BadInput):
    """A tie effect was asked for, and nobody answered a tie."""

    def __init__(self, ties: str) -> None:
        super().__init__(
            f"ties={ties!r} estimates how likely ties are, and there is no tie among these comparisons. "
            "Use ties='drop', which leaves the tie effect out."
        )


class OnlyTies(BadInput):
    """Every comparison is a tie."""

    def __init__(self) -> None:
        super().__init__(
            "Every comparison is a tie, so nothing tells the items apart. "
            "Collect comparisons in which one is preferred."
        )


class Unconnected(BadInput):
    """No judgment connects some items with the others, directly or through a chain: one scale cannot hold them."""

    def __init__(self, model: str, groups: Sequence[Sequence[str]], remedy: str) -> None:
        told = "; ".join(_some_ids(group) for group in groups[:LISTED])
        more = f"; and {len(groups) - LISTED:,} more" if len(groups) > LISTED else ""
        super().__init__(
            f"{model}: no judgment connects these {len(groups):,} groups of items: {told}{more}. {remedy}"
        )


class Separated(BadInput):
    """Estimates would be infinite: some items or effects decide judgments without exception.

    `fact` goes on from there: who they are.
    """

    def __init__(self, model: str, fact: str, remedy: str) -> None:
        super().__init__(f"{model}: some estimates would be infinite: {fact}. {remedy}")

    @classmethod
    def by_items(
        cls, model: str, never_below: Sequence[str], never_above: Sequence[str], remedy: str
    ) -> Separated:
        """Some items are never below, or never above, those on the other side."""
        sides = (("never below", never_below), ("never above", never_above))
        told = [f"{side} the others: {_some_ids(names)}" for side, names in sides if names]
        return cls(model, "; ".join(told), remedy)

    @classmethod
    def by_effects(cls, model: str, names: Sequence[str], remedy: str) -> Separated:
        """Some effects, together, decide every judgment that they are about."""
        return cls(model, f"these decide without exception: {_some_ids(names)}", remedy)


class NothingToTest(BadInput):
    """Comparisons from which a test of preference cannot be made."""

    def __init__(self, test: str, reason: str, remedy: str) -> None:
        super().__init__(f"{test}: {reason} {remedy}")


class NothingToConvert(BadInput):
    """There are no judgments that can be told as another kind."""

    def __init__(self, kinds: Sequence[str], to: str, known: Sequence[str]) -> None:
        given = ", ".join(kinds) if kinds else "none"
        super().__init__(
            f"Nothing here can be converted to {to}: the judgments are {given}. "
            f"Known conversions: {', '.join(known)}; ratings need a task column that says which were made together."
        )


class BadSetting(SteelyardError):
    """A setting has a value that cannot be used."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")


class UnknownName(BadSetting):
    """A name nobody knows, answered with the closest one that is known."""

    def __init__(self, what: str, name: str, known: Sequence[str], where: str = "") -> None:
        close = get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        place = f"{where}: u" if where else "U"
        SteelyardError.__init__(self, f"{place}nknown {what} {name!r}.{hint} Known: {', '.join(known)}.")


class DifferentTables(BadSetting):
    """Two fits whose deviances are about different tables."""

    def __init__(self, reason: str) -> None:
        SteelyardError.__init__(self, f"These fits cannot be compared by a likelihood ratio: {reason}")


class CannotWrite(SteelyardError):
    """A result cannot be written where it was to go."""

    def __init__(self, path: str, reason: str | None) -> None:
        why = f" ({reason})" if reason else ""
        super().__init__(f"{path}: cannot be written{why}. Choose a place in a folder that is there.")


class StudyError(SteelyardError):
    """A running study refuses."""


class TaskClosed(StudyError):
    """The assignment is no longer this rater's."""

    def __init__(self) -> None:
        super().__init__(
            "This task was closed while you were away. Your answer was not needed. Here is another."
        )


class UnknownRater(StudyError):
    """No rater has this id or link."""

    def __init__(self) -> None:
        super().__init__("This link is not known here. Ask whoever gave it to you for a new one.")


class BadAnswer(StudyError):
    """An answer does not fit the task that it answers."""


class NothingToUndo(StudyError):
    """The rater has no answer that may be taken back."""

    def __init__(self) -> None:
        super().__init__("There is no answer to take back.")


class NothingToClose(StudyError):
    """A round is closed before anybody has answered in it."""

    def __init__(self) -> None:
        super().__init__("Nobody has answered in this round yet, so there is nothing to close.")


class NoColdStart(StudyError):
    """Someone draws or places first examples where there are none to draw or place."""

    def __init__(self) -> None:
        super().__init__("There are no first examples for you to draw or place now. Load the page again.")


class StudyExists(StudyError):
    """The folder already holds a study."""

    def __init__(self, folder: str) -> None:
        super().__init__(f"{folder} already holds a study. Choose another folder.")


class StudyChanged(StudyError):
    """study.toml or the items were changed so that answers given before would mean something else."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"Answers are there already, and {what} changed since. Put it back, or make a new study for the change."
        )


class NoStudy(StudyError):
    """The folder holds no study."""

    def __init__(self, folder: str) -> None:
        super().__init__(
            f"{folder} holds no study.toml. Make a study with: steelyard new {folder} --items items.csv"
        )


def _some_ids(ids: Sequence[str]) -> str:
    """The first few ids, and how many more there are."""
    left = len(ids) - LISTED
    return ", ".join(map(str, ids[:LISTED])) + (f" and {left:,} more" if left > 0 else "")


def _place(source: str, line: int | None) -> str:
    """Where it is: the line of a text file; a frame or a Parquet file has none."""
    return source if line is None else f"{source}, line {line}"
