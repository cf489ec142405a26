"""Mistakes in single rows of a file or frame, and all of those in one file together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from steelyard.errors.base import LISTED, BadInput


class RowMistake(BadInput):
    """One mistake in one row; `remedy` says what to do about all of its class, `brief` how such rows are counted."""

    remedy: ClassVar[str] = "Correct the row."
    brief: ClassVar[str] = "with a mistake"

    def __init__(self, fact: str) -> None:
        self.fact = fact
        super().__init__(f"{fact} {self.remedy}")


class MissingValue(RowMistake):
    """A required cell is empty."""

    remedy = "Fill the cell or drop the row."
    brief = "with an empty cell"

    def __init__(self, column: str) -> None:
        super().__init__(f"{column} is empty.")


class NotANumber(RowMistake):
    """A numeric column holds something else."""

    remedy = "Write a plain number such as 63 or 0.63, or drop the row."
    brief = "with text where a number is needed"

    def __init__(self, column: str, value: object) -> None:
        super().__init__(f"{column} {value!r} is not a number.")


class NotATime(RowMistake):
    """A time is neither ISO text nor seconds since 1970."""

    remedy = "Write times as 2026-03-05T14:07:00+01:00 or as seconds since 1970, or drop the column."
    brief = "with a time that cannot be read"

    def __init__(self, column: str, value: object) -> None:
        super().__init__(f"{column} {value!r} is not a time.")


class ScoreOutOfRange(RowMistake):
    """A score lies outside the scale."""

    remedy = (
        "Set the range of the scale (in a study scale.low and scale.high of study.toml, elsewhere --range LOW HIGH), "
        "or correct the rows."
    )
    brief = "with a score outside the range"

    def __init__(self, score: float, low: float, high: float) -> None:
        super().__init__(f"score {score:g} is outside {low:g}-{high:g}.")


class SelfComparison(RowMistake):
    """An item was compared with itself."""

    remedy = "Drop the row or correct one of the two items."
    brief = "that compare an item with itself"

    def __init__(self, item: str, rater: str) -> None:
        super().__init__(f"item {item!r} is compared with itself by rater {rater!r}.")


class DuplicateAnswer(RowMistake):
    """One rater answered the same thing twice."""

    remedy = (
        "Say what counts (--repeats first, last, mean or keep; repeats='first' in Python), or add a task or round "
        "column that distinguishes repeated judgments."
    )
    brief = "that repeat an answer of the same rater"

    def __init__(self, rater: str, what: str, first: str = "") -> None:
        super().__init__(f"rater {rater!r} already answered {what}{first}.")


class UnseparableAnswers(RowMistake):
    """The rows of a task are several answers, and some items are missing from some of them."""

    remedy = (
        "Add a rater column where several people answered a task, or give every answer a task of its own. "
        "bad_rows='drop' (--drop-bad-rows on the command line) leaves such tasks out."
    )
    brief = "of tasks whose answers cannot be separated"

    def __init__(self, task: str, item: str, times: int, other: str, other_times: int) -> None:
        super().__init__(
            f"the rows of task {task!r} run together: item {item!r} occurs {times:,} times, "
            f"item {other!r} only {other_times:,}."
        )


class UnknownItem(RowMistake):
    """A judgment names an item that the study or belief does not have."""

    remedy = "Add the item to the items file, or correct its id."
    brief = "with an unknown item"

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


class NotMedia(RowMistake):
    """An item shows a file that is no image, sound or film."""

    remedy = "Name an image, audio or video file that browsers can show."

    def __init__(self, name: str, medium: str) -> None:
        super().__init__(f"file {name!r} is not {'an' if medium[0] in 'aei' else 'a'} {medium} file.")


class BadCharacter(RowMistake):
    """A cell holds a character that no page can show."""

    remedy = "Remove the character."

    def __init__(self, column: str, code_point: int) -> None:
        super().__init__(f"{column} holds U+{code_point:04X}, which no page can show.")


class UnknownOutcome(RowMistake):
    """A comparison's outcome is none of the known labels."""

    remedy = "Known outcomes: left, right, tie."
    brief = "with an unknown outcome"

    def __init__(self, outcome: object) -> None:
        super().__init__(f"outcome {outcome!r} is unknown.")


class UnknownWord(RowMistake):
    """A cell of a column with a fixed set of words holds another one."""

    remedy = "Write one of the words that this column may hold."
    brief = "with an unknown word"

    def __init__(self, column: str, word: object, words: Sequence[str]) -> None:
        super().__init__(f"{column} {word!r} is none of {', '.join(words)}.")


class BadRank(RowMistake):
    """A rank is not 1, 2, 3, ..."""

    remedy = "Ranks are whole numbers from 1 (most); equal ranks are ties."
    brief = "with a rank that is not a whole number"

    def __init__(self, rank: object) -> None:
        super().__init__(f"rank {rank!r} is not a whole number from 1 up.")


class BadChoice(RowMistake):
    """A best-worst task does not have one best and one other worst item."""

    remedy = "Each task has one 'best', one other 'worst', and 'none' elsewhere."
    brief = "of tasks without one best and one worst item"

    def __init__(self, fact: str) -> None:
        super().__init__(fact)


class BadCount(RowMistake):
    """The count of a row is below zero."""

    remedy = "Counts are numbers from 0 up, and may be fractional."
    brief = "with a negative count"

    def __init__(self, count: float) -> None:
        super().__init__(f"count {count:g} is below 0.")


class ContradictoryRow(RowMistake):
    """A row of results holds an answer, and says that there is none."""

    remedy = "Empty the answer, or set cannot_judge to no."

    def __init__(self) -> None:
        super().__init__("cannot_judge says yes, but the row holds an answer.")


class RefusedAnswer(RowMistake):
    """A row of results holds an answer that the study does not take."""

    remedy = "Correct these rows, or the setting of study.toml that they do not fit. Nothing was imported."


class CrossedRange(RowMistake):
    """A range's low end is above its high end."""

    remedy = "Exchange the two, or drop the row."
    brief = "with a low end above the high end"

    def __init__(self, low: float, high: float) -> None:
        super().__init__(f"low {low:g} is above high {high:g}.")


class RaggedLine(RowMistake):
    """A line has another number of fields than the header."""

    remedy = "Quote fields that hold the separator, and give every line as many fields as the header."
    brief = "with too many or too few fields"

    def __init__(self, fields: int, wanted: int) -> None:
        super().__init__(f"{fields} fields where the header has {wanted}.")


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
