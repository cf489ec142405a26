"""Group the rows of a results file into pages: the answer of one rater to one task, with a reproducible id."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from steelyard.errors import LISTED, BadRows, BadSetting, RefusedAnswer, RowMistake, RowMistakes
from steelyard.study.collecting.files.results_rows import ResultRow, Results
from steelyard.study.definition.checks import HIDDEN
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.log.answers import FILE_PREFIX
from steelyard.study.log.entries import Origin

ScoreRange = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Stated:
    """The answer of a row about one item; `values` is None for "can't judge"."""

    values: tuple[Any, ...] | None
    beside: Mapping[str, str | None] = field(default_factory=dict)  # further columns of the row


@dataclass
class Page:
    """The answer of one rater to one task.

    Attributes
    ----------
    worker
        Name of the rater in the file.
    task
        Name of the task in the file, or None.
    occurrence
        How many earlier answers of this rater to this task are in the file.
    assignment
        Id computed from the content, so that importing a file twice does not duplicate answers.
    origin
        Round, condition and probe mark in the file.
    place
        Line or row number of the first row.
    items
        Ids of the items, in the order shown.
    cells
        Answers by item and index of the question.
    rows
        Rows of the page.
    """

    worker: str
    task: str | None
    occurrence: int
    assignment: str
    origin: Origin
    place: int
    items: list[str]
    cells: dict[tuple[str, int], Stated] = field(default_factory=dict)
    rows: list[ResultRow] = field(default_factory=list)

    @property
    def made_as(self) -> tuple[Any, ...]:
        """Key that is equal for pages of the same task, so that each task is created once."""
        own = (self.assignment,) if self.task is None or self.occurrence else ()
        return (self.task, *own, self.items[0], frozenset(self.items), self.origin)

    @property
    def comment(self) -> str:
        """Distinct comments of the rows, one per line."""
        return "\n".join(dict.fromkeys(text for row in self.rows if (text := row.beside.get("comment"))))

    @property
    def excluded(self) -> bool:
        """Whether the file marks the rater as excluded."""
        return any(row.ticked("excluded") for row in self.rows)

    @property
    def at(self) -> float | None:
        """Time of the answer: the latest time of its rows."""
        return max((row.at for row in self.rows if row.at is not None), default=None)

    @property
    def milliseconds(self) -> int | None:
        """Time taken for the page; if the rows have different times, these are times per item and are summed."""
        times = [row.milliseconds for row in self.rows if row.milliseconds is not None]
        if not times:
            return None
        return round(times[0] if len(set(times)) == 1 else sum(times))

    @property
    def times_differ(self) -> bool:
        """Whether the rows have different times."""
        times = [{row.milliseconds for row in self.rows}, {row.at for row in self.rows}]
        return any(len(each) > 1 for each in times)


def pages_of(results: Results, definition: StudyDefinition) -> list[Page]:
    """Group the rows of each rater and task into pages, in the order of the file.

    Comparisons with the same item on the left are on one page. A repeated row starts another page, and so does each
    repetition in a count, so that no answer replaces another.
    """
    _check_rows(results, definition)
    questions = _question_numbers(results.rows, definition)
    seen: Counter[Any] = Counter()
    pages: dict[Any, Page] = {}
    for row in _repeated(results.rows):
        group = _group(row, definition)
        question = questions[row.question]
        occurrence = seen[group, row.about, question]
        seen[group, row.about, question] += 1
        page = pages.get((group, occurrence))
        if page is None:
            page = pages[group, occurrence] = _page(row, group, occurrence, definition)
        if row.about not in page.items:
            page.items.append(row.about)
        page.cells[row.about, question] = _stated(row, results.range, question, definition)
        page.rows.append(row)
    return list(pages.values())


def natural_order(name: str) -> list[Any]:
    """Return a sort key that orders numbers in names by value: r-2 before r-10."""
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in re.split(r"(\d+)", name)]


def _repeated(rows: Iterable[ResultRow]) -> Iterator[ResultRow]:
    """Yield each row as many times as its count."""
    for row in rows:
        for _ in range(1 if row.count is None else int(row.count)):
            yield row


def _group(row: ResultRow, definition: StudyDefinition) -> tuple[Any, ...]:
    """Return a key that is equal for rows of the same page; without tasks, every judgment is a separate page."""
    alone = row.about if row.task is None or definition.asking.way.size is not None else None
    condition = None if row.condition == definition.condition else row.condition
    number = None if row.round is None else int(row.round)
    assignment = row.beside.get("assignment")
    named = (None, None) if assignment is not None else (number, condition)
    return (row.rater, assignment, row.task, row.left, alone, *named)


def _page(row: ResultRow, group: tuple[Any, ...], occurrence: int, definition: StudyDefinition) -> Page:
    described = json.dumps([*group, occurrence], ensure_ascii=False)
    name = f"{FILE_PREFIX}{hashlib.sha256(described.encode()).hexdigest()[:24]}"
    number = None if row.round is None else int(row.round)
    check = row.beside.get("check") or ""
    is_hidden = check.startswith(HIDDEN)  # hidden items are part of a task that is no check
    origin = Origin(number, row.condition, row.ticked("probe"), "" if is_hidden else check)
    shown = [] if row.left is None else [row.left]
    return Page(row.rater, row.task, occurrence, name, origin, row.place, shown)


def _question_numbers(rows: Sequence[ResultRow], definition: StudyDefinition) -> dict[str | None, int]:
    """Return the index of each question that the file names."""
    numbers: dict[str | None, int] = {question.id: at for at, question in enumerate(definition.questions)}
    named = dict.fromkeys(row.question for row in rows)
    unknown = [each for each in named if each not in numbers]
    asked = ", ".join(question.id for question in definition.questions)
    if len(definition.questions) == 1 and len(named) == 1:
        return dict.fromkeys(named, 0)  # with only one question, its name does not matter
    if None in unknown and len(definition.questions) > 1:
        first = asked.split(", ")[0]
        raise BadSetting(
            "question",
            "this study has several questions, and the file does not name the question of each answer. Add a "
            f"question column. In MTurk results, name the question in the field: Answer.{first}_score1.",
        )
    if unknown:
        raise BadSetting(
            "question", f"this study has no question {unknown[0]!r}. Its questions are: {asked}."
        )
    return numbers


def _stated(row: ResultRow, stated: ScoreRange | None, question: int, definition: StudyDefinition) -> Stated:
    if row.values is None:
        return Stated(None)
    values = row.values
    if definition.kind.placed and stated is not None:
        scale = definition.scale_of(definition.questions[question])
        values = tuple(_moved(value, stated, (scale.low, scale.high)) for value in values)
    return Stated(values, row.beside)


def _moved(score: float, stated: ScoreRange, wanted: ScoreRange) -> float:
    """Return a score rescaled from the range of the file to the range of the question."""
    if stated == wanted:  # avoids rounding errors
        return score
    return wanted[0] + (score - stated[0]) / (stated[1] - stated[0]) * (wanted[1] - wanted[0])


def _check_rows(results: Results, definition: StudyDefinition) -> None:
    """Raise BadRows if a row contains a value that an answer cannot have."""
    groups = [mistakes for check in CHECKS if (mistakes := check(results.rows, definition))]
    if groups:
        listed = [RowMistakes(mistakes[:LISTED], len(mistakes), results.unit) for mistakes in groups]
        raise BadRows(results.source, listed)


RefusedRows = list[tuple[int | None, RowMistake]]


def _fractions(rows: Sequence[ResultRow], definition: StudyDefinition) -> RefusedRows:
    words = (
        "count {:g} is not a whole number. A study stores whole answers; `steelyard fit` accepts fractions"
    )
    return _mistakes(rows, lambda row: row.count is not None and not row.count.is_integer(), words, "count")


def _uneven(rows: Sequence[ResultRow], definition: StudyDefinition) -> RefusedRows:
    """Return a mistake for each row of a page whose rows have different counts."""
    counts: dict[Any, set[float | None]] = {}
    for row in rows:
        counts.setdefault(_group(row, definition), set()).add(row.count)
    odd = {group for group, some in counts.items() if len(some) > 1 and group[2] is not None}
    several = definition.asking.way.size is None
    words = "count {:g} differs from the count of another row of the same rater and task"
    return _mistakes(rows, lambda row: several and _group(row, definition) in odd, words, "count")


def _no_round(rows: Sequence[ResultRow], definition: StudyDefinition) -> RefusedRows:
    words = "round {:g} is not a whole number of at least 1"
    return _mistakes(
        rows,
        lambda row: row.round is not None and not (row.round >= 1 and row.round.is_integer()),
        words,
        "round",
    )


def _wrong_marks(rows: Sequence[ResultRow], definition: StudyDefinition) -> RefusedRows:
    kind = definition.kind
    return [
        (row.place, RefusedAnswer(reason))
        for row in rows
        if (reason := kind.wrong_mark(row.beside)) is not None
    ]


def _mistakes(
    rows: Sequence[ResultRow], wrong: Callable[[ResultRow], bool], words: str, column: str
) -> RefusedRows:
    return [
        (
            row.place,
            RefusedAnswer(f"{words.format(1.0 if (cell := getattr(row, column)) is None else cell)}."),
        )
        for row in rows
        if wrong(row)
    ]


CHECKS = (_fractions, _uneven, _no_round, _wrong_marks)
