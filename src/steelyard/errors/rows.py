"""Mistakes in single rows of a file or data frame, and all mistakes of one file together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from steelyard.errors.base import BadInput

LISTED_ROWS = 5  # rows with the same mistake that a message lists


class RowMistake(BadInput):
    """A mistake in one row, or in one task if `by_task` is set.

    `remedy` says what to do, and `brief` names such rows in counts.
    """

    remedy: str = "Correct the row."
    brief: ClassVar[str] = "with a mistake"
    by_task: ClassVar[bool] = False

    @classmethod
    def of_several(cls) -> str:
        """Return the noun for several such mistakes, with what is wrong."""
        return cls.brief.removeprefix("of ") if cls.by_task else f"rows {cls.brief}"

    joined: ClassVar[bool] = False  # whether rows with the same fact are listed together

    def __init__(self, fact: str) -> None:
        self.fact = fact
        super().__init__(f"{fact} {self.remedy}")


class MissingValue(RowMistake):
    """A required cell is empty."""

    remedy = "Write a value, or remove the row."
    brief = "with an empty cell"

    def __init__(self, column: str) -> None:
        super().__init__(f"{column} is empty, or a missing value such as NA.")


class NotANumber(RowMistake):
    """A numeric column holds something else."""

    remedy = "Write a plain number such as 63 or 0.63, or remove the row."
    brief = "with text where a number is needed"

    def __init__(self, column: str, value: object) -> None:
        super().__init__(f"{column} {value!r} is not a number.")


class NotATime(RowMistake):
    """A time is neither ISO 8601 text nor seconds since 1970."""

    remedy = "Write times as 2026-03-05T14:07:00+01:00 or as seconds since 1970, or remove the column."
    brief = "with a time that cannot be read"

    def __init__(self, column: str, value: object) -> None:
        super().__init__(f"{column} {value!r} is not a time.")


class ScoreOutOfRange(RowMistake):
    """A score is outside the range of the scale."""

    remedy = (
        "Set the range of the scale (--range LOW HIGH for a file; scale.low and scale.high in study.toml for a study), "
        "correct the rows, or leave them out of a file with --drop-bad-rows (bad_rows='drop' in Python)."
    )
    brief = "with a score outside the range"

    def __init__(self, score: float, low: float, high: float) -> None:
        super().__init__(f"score {score:g} is outside {low:g} to {high:g}.")


class SelfComparison(RowMistake):
    """An item is compared with itself."""

    remedy = "Remove the row, or correct one of the two items."
    brief = "that compare an item with itself"

    def __init__(self, item: str, rater: str) -> None:
        super().__init__(f"item {item!r} is compared with itself by rater {rater!r}.")


class DuplicateAnswer(RowMistake):
    """A rater answered the same question about the same item twice."""

    remedy = (
        "Choose which answer counts (--repeats first, last, mean or keep; repeats='first' in Python), or add a task "
        "or round column that distinguishes the answers."
    )
    brief = "that repeat an answer of the same rater"

    def __init__(self, rater: str, what: str, first: str = "") -> None:
        super().__init__(f"rater {rater!r} already answered {what}{first}.")


class UnseparableAnswers(RowMistake):
    """A task has several answers without raters, and some items occur in only some of them."""

    remedy = (
        "Add a rater column, or give every answer its own task id. "
        "To skip these tasks, use bad_rows='drop' (--drop-bad-rows on the command line)."
    )
    brief = "of tasks whose answers cannot be separated"
    by_task = True

    def __init__(self, task: str, item: str, times: int, other: str, other_times: int) -> None:
        super().__init__(
            f"the answers to task {task!r} cannot be separated: item {item!r} occurs {times:,} times, "
            f"item {other!r} only {other_times:,}."
        )


class UnknownItem(RowMistake):
    """A judgment names an item that is not in the study or in the belief."""

    remedy = "Add the item to the items file, or correct its id."
    brief = "with an unknown item"
    joined = True

    def __init__(self, item: str, where: str = "among the items") -> None:
        super().__init__(f"item {item!r} is not {where}.")

    @classmethod
    def in_file(cls, item: str) -> UnknownItem:
        """Return the error for an item of a row that is not in the items file of a study."""
        return cls(item, "in the items file")


class DuplicateItem(RowMistake):
    """Two items have the same id."""

    remedy = "Every item needs a unique value in this column. Change or remove one of the two rows."

    def __init__(self, item: str, first: int, column: str = "id") -> None:
        super().__init__(f"{column} {item!r} is already used in line {first}.")


class MissingFile(RowMistake):
    """The image, audio or video file of an item is not in the study folder."""

    remedy = "Put the file into the study folder and write its path relative to that folder, or use an https address."

    def __init__(self, name: str) -> None:
        super().__init__(f"file {name!r} is not in the study folder.")


class NotMedia(RowMistake):
    """The file of an item is not an image, audio or video file."""

    remedy = "Use an image, audio or video file that browsers can show."

    def __init__(self, name: str, medium: str) -> None:
        super().__init__(f"file {name!r} is not {'an' if medium[0] in 'aei' else 'a'} {medium} file.")


class BadCharacter(RowMistake):
    """A cell holds a character that a page cannot show."""

    remedy = "Remove the character."

    def __init__(self, column: str, code_point: int) -> None:
        super().__init__(f"{column} holds the character U+{code_point:04X}, which a page cannot show.")


class UnknownOutcome(RowMistake):
    """The outcome of a comparison is not a known label."""

    remedy = "Write left, right or tie, or remove the row."
    brief = "with an unknown outcome"

    def __init__(self, outcome: object) -> None:
        super().__init__(f"outcome {outcome!r} is unknown.")

    @classmethod
    def in_column(
        cls, column: str, word: object, items: Sequence[str], words: Sequence[str]
    ) -> UnknownOutcome:
        """Return the error for a column of another name, which may also name one of the two items.

        Parameters
        ----------
        column
            Name of the column in the file.
        word
            Text of the cell.
        items
            The two items, if the column may name them.
        words
            Other words that the column allows.

        Returns
        -------
        UnknownOutcome
            The error, ready to raise.
        """
        mistake = cls(word)
        named = f"{', '.join(items)} (the items), " if items else ""
        mistake.fact = f"{column} {word!r} is not one of: {named}{', '.join(words)}."
        mistake.remedy = "Correct the cell, or remove the row."
        mistake.args = (f"{mistake.fact} {mistake.remedy}",)
        return mistake


class UnknownWord(RowMistake):
    """A cell holds a word that its column does not allow."""

    remedy = "Write one of the allowed words."
    brief = "with an unknown word"

    def __init__(self, column: str, word: object, words: Sequence[str]) -> None:
        super().__init__(f"{column} {word!r} is unknown. Allowed: {', '.join(words)}.")


class MachineRater(RowMistake):
    """A rater is a person in some rows and a machine judge in others."""

    remedy = "Give the machine judge a name of its own, or correct the column source."
    brief = "of a rater that is both a person and a machine judge"

    def __init__(self, rater: str) -> None:
        super().__init__(f"rater {rater!r} is human here and a machine judge in other rows.")


class BadRank(RowMistake):
    """A rank is not 1, 2, 3, ..."""

    remedy = "Write a whole number from 1, the highest rank. Equal ranks are ties."
    brief = "with a rank that is not a whole number"

    def __init__(self, rank: object) -> None:
        shown = f"{rank:g}" if isinstance(rank, float) else repr(rank)
        super().__init__(f"rank {shown} is not a whole number of 1 or more.")


class BadChoice(RowMistake):
    """A best-worst task does not have one best item and another worst item."""

    remedy = "Mark one item of each task 'best', another one 'worst', and all others 'none'."
    brief = "of tasks without one best and one worst item"
    by_task = True

    def __init__(self, fact: str) -> None:
        super().__init__(fact)


class BadCount(RowMistake):
    """The count of a row is negative."""

    remedy = "Write a count of 0 or more, which may be a fraction, or remove the row."
    brief = "with a negative count"

    def __init__(self, count: float) -> None:
        super().__init__(f"count {count:g} is negative.")


class ContradictoryRow(RowMistake):
    """A row of results has an answer although `cannot_judge` is yes."""

    remedy = "Remove the answer, or set cannot_judge to no."

    def __init__(self) -> None:
        super().__init__("cannot_judge is yes, but the row has an answer.")


class RefusedAnswer(RowMistake):
    """A row of results has an answer that the study does not accept."""

    remedy = "Correct these rows, or change study.toml to accept them. Nothing was imported."


class CrossedRange(RowMistake):
    """The low end of a range is above its high end."""

    remedy = "Swap the two numbers, or remove the row."
    brief = "with a low end above the high end"

    def __init__(self, low: float, high: float) -> None:
        super().__init__(f"low {low:g} is above high {high:g}.")


class RaggedLine(RowMistake):
    """A line has more or fewer fields than the header."""

    remedy = (
        "Put fields that hold the separator in quotes, and write as many fields per line as in the header."
    )
    brief = "with too many or too few fields"

    def __init__(self, fields: int, wanted: int) -> None:
        super().__init__(f"{fields} fields, but the header has {wanted}.")


@dataclass(frozen=True)
class RowMistakes:
    """All rows with one class of mistake.

    Attributes
    ----------
    examples
        The first rows with the mistake: the line and the mistake.
    total
        Number of rows with the mistake.
    unit
        What a row is called: `"line"` for a text file, `"row"` for a data frame.
    """

    examples: Sequence[tuple[int | None, RowMistake]]
    total: int
    unit: str = "line"  # "line" for a text file, "row" for a data frame

    def lines(self, source: str) -> Iterable[str]:
        """Yield the number of rows if not all are listed, one line per example, and the remedy."""
        if self.total > LISTED_ROWS:
            yield f"{source} has {self.total:,} {self.examples[0][1].of_several()}. The first {LISTED_ROWS} are:"
        for lines, fact in self._facts():
            places = (
                f", {self.unit}{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}" if lines else ""
            )
            yield f"{source}{places}: {fact}"
        yield self.examples[0][1].remedy

    def _facts(self) -> list[tuple[list[int], str]]:
        """Return the lines and the fact of each listed example, or of all examples with the same fact."""
        facts: list[tuple[list[int], str]] = []
        for line, mistake in self.examples[:LISTED_ROWS]:
            lines = [] if line is None else [line]
            same = [each for each, fact in facts if mistake.joined and fact == mistake.fact]
            if same:
                same[0].extend(each for each in lines if each not in same[0])  # both sides of a pair
            else:
                facts.append((lines, mistake.fact))
        return facts


class BadRows(BadInput):
    """Rows with mistakes, grouped by class. No row of the file was used."""

    def __init__(self, source: str, groups: Sequence[RowMistakes], note: str = "") -> None:
        self.source = source
        self.groups = groups
        ordered = sorted(groups, key=lambda group: group.examples[0][0] or 0)
        lines = [line for group in ordered for line in group.lines(source)]
        super().__init__("\n".join([*lines, note] if note else lines))


class BadLogRows(BadInput):
    """Rows of a large log that cannot be used, if such rows are refused."""

    def __init__(self, source: str, sentences: Sequence[str]) -> None:
        found = "\n".join(sentences).replace("Left out", "Cannot use")
        super().__init__(f"{source}:\n{found}\nCorrect these rows, or leave out --strict.")
