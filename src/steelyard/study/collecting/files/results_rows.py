"""Results files to rows: what each row says and where it stands in the file, "can't judge" included."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from steelyard.errors import LISTED, BadRows, ContradictoryRow, MissingColumn, RowMistakes, UnreadableFile
from steelyard.judgments.files import read_file
from steelyard.judgments.formats import mturk
from steelyard.judgments.formats.layout import UNKNOWN_RATER, Answers, blank
from steelyard.judgments.formats.recognise import recognise
from steelyard.judgments.read import read
from steelyard.judgments.reading import Reading
from steelyard.judgments.sheet import Cells, Sheet, id_cells, plain_cells, text_cells
from steelyard.judgments.table import Judgments
from steelyard.judgments.table_kinds import OPTIONAL_NUMBERS, OPTIONAL_TEXT
from steelyard.judgments.tasks import REPETITION
from steelyard.kinds.kind import Kind
from steelyard.kinds.known import KINDS
from steelyard.kinds.rating import RATING
from steelyard.maths.arrays import Mask
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.items import Items

ROW = "row of the results file"  # carries a row's number through the reading
CANNOT_JUDGE = "cannot_judge"
MARKS = ("comment", "assignment", CANNOT_JUDGE, "probe", "excluded")  # of an answer of any kind
UNANSWERED = RATING.name  # rows without an answer are checked as ratings of the item that they are about
WHO = ("rater", "task", "question")
LABELS = ("count", "at", "milliseconds", "round", "condition", "segment")


def _marks() -> tuple[str, ...]:
    """Columns beside the answer itself. They are kept as text: a comment of "007" is not the number 7."""
    return tuple(dict.fromkeys((*MARKS, *(mark for kind in KINDS.values() for mark in kind.marks))))


def _imported() -> set[str]:
    """Columns that something is taken from."""
    own = {column for kind in KINDS.values() for column in (*kind.table.text, *kind.table.numbers)}
    return own | {"item", *OPTIONAL_TEXT, *OPTIONAL_NUMBERS, *_marks(), REPETITION, ROW}


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One row of results; `values` is None for "can't judge", `place` its line or row number."""

    rater: str
    task: str | None
    left: str | None
    about: str
    question: str | None
    values: tuple[Any, ...] | None
    place: int
    count: float | None
    at: float | None
    milliseconds: float | None
    round: float | None
    condition: str | None
    systems: tuple[str | None, ...]
    segment: str | None
    beside: Mapping[str, str | None]

    def ticked(self, name: str) -> bool:
        """Does a column of yes and no say yes?"""
        cell = self.beside.get(name)
        return cell is not None and cell.casefold() in mturk.TICKED


@dataclass(frozen=True, slots=True)
class Results:
    """The rows of a results file, the range that its scores were given on, and what a reader should be told."""

    rows: Sequence[ResultRow]
    range: tuple[float, float] | None
    source: str
    unit: str = "row"
    notes: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()  # columns that nothing is taken from


def read_results(
    path: str | os.PathLike[str],
    definition: StudyDefinition,
    items: Items,
    include_rejected: bool = False,
    reading: Mapping[str, Any] | None = None,
) -> Results:
    """A results file of the study's kind, every row checked; MTurk's own, or any layout that `read` knows.

    `reading` holds arguments of `read`: repeats, item_key and bad_rows.
    """
    sheet = read_file(path)
    answers = _answers(sheet, definition.asking.way.kind)
    notes: list[str] = []
    if mturk.is_mturk(sheet):
        answers, notes = _without_rejected(sheet, answers, include_rejected)
    stated = answers.range if answers.range is not None else _study_range(definition)
    checked = _Checking(sheet, set(items.index), stated, {} if reading is None else reading).checked(answers)
    if not checked.rows:
        raise UnreadableFile(sheet.source, "no row holds an answer.", "Check that this is the right file.")
    notes += [finding.sentence for finding in checked.reading.of_rows()]
    unused = _unused(sheet, answers)
    return Results(checked.rows, stated, sheet.source, sheet.unit, tuple(notes), unused)


def results_of(judgments: Judgments, kind: str) -> Results:
    """Judgments that are in memory, as results."""
    table = judgments.table(kind)
    beside = {name: _texts(judgments, kind, name) for name in _marks() if name in table}
    numbers = range(1, len(table) + 1)
    rows = _rows(judgments, KINDS[kind], kind, beside, list(numbers))
    imported = _imported()
    unused = tuple(name for name in table.columns if name not in imported)
    return Results(rows, judgments.range, "the judgments", unused=unused)


def _answers(sheet: Sheet, kind: str) -> Answers:
    if not mturk.is_mturk(sheet):
        return recognise(sheet, kind)
    missing = mturk.layout(kind).missing(sheet)
    if missing:
        raise MissingColumn(sheet.source, missing, list(sheet.columns), kind, sheet.header_line)
    return mturk.every_slot(sheet, kind)


def _without_rejected(sheet: Sheet, answers: Answers, include: bool) -> tuple[Answers, list[str]]:
    """The answers of assignments that were not rejected, unless those are wanted too; and what was left out."""
    rejected, unread = mturk.rejected_rows(sheet), mturk.unread_times(sheet)
    notes = []
    if unread:
        notes.append(
            f"SubmitTime could not be read in {unread:,} rows: their answers have the time of import."
        )
    number = int(rejected.sum())
    if not number:
        return answers, notes
    if include:
        return answers, [*notes, f"Rejected assignments were imported too: {number:,}."]
    notes.append(f"Rejected assignments left out: {number:,}. --include-rejected imports them too.")
    return answers.where(~rejected[answers.rows]), notes


def _skipped(sheet: Sheet, answers: Answers) -> Mask:
    """The rows that say "can't judge"; an answer beside that is a mistake."""
    if CANNOT_JUDGE not in answers.columns:
        return np.zeros(len(answers.rows), dtype=bool)
    folded = (cell.casefold() if cell else "" for cell in text_cells(answers.columns[CANNOT_JUDGE]).tolist())
    skipped = np.array([cell in mturk.TICKED for cell in folded], dtype=bool)
    named = [name for name in KINDS[answers.kind].cell.values if name in answers.columns]
    empty = np.all([blank(text_cells(answers.columns[name])) for name in named], axis=0)
    both = [(sheet.place(int(row)), ContradictoryRow()) for row in answers.rows[skipped & ~empty]]
    if both:
        raise BadRows(sheet.source, [RowMistakes(both[:LISTED], len(both), sheet.unit)])
    return skipped


def _study_range(definition: StudyDefinition) -> tuple[float, float] | None:
    """The range that all questions share; None where raters may go past it, or questions differ."""
    scales = {definition.scale_of(question) for question in definition.questions}
    ranges = {(scale.low, scale.high) for scale in scales}
    return ranges.pop() if len(ranges) == 1 and not definition.beyond else None


@dataclass(frozen=True, slots=True)
class _Checked:
    """Rows that passed the checks, and how many answers did not become rows of their own."""

    rows: list[ResultRow]
    reading: Reading


@dataclass(frozen=True, slots=True)
class _Checking:
    """How the answers of a sheet are checked; `settings` are arguments of `read`."""

    sheet: Sheet
    items: Collection[str]
    range: tuple[float, float] | None
    settings: Mapping[str, Any]

    def checked(self, answers: Answers) -> _Checked:
        """The answers as rows, in their order; those that say "can't judge" are checked by themselves."""
        skipped = _skipped(self.sheet, answers)
        reading = Reading(len(answers.rows) + sum(answers.left_out.values()), left_out=answers.left_out)
        numbered: list[tuple[int, ResultRow]] = []
        ragged = self.sheet.ragged
        for part in (False, True):
            at = np.flatnonzero(skipped == part)
            if len(at) or not (part or len(self.sheet)):  # a sheet without rows is refused by `read`
                rows, more = self._part(answers.where(skipped == part), part, ragged)
                numbered += [(int(at[number]), row) for number, row in rows]
                reading, ragged = reading + more, None  # lines of a wrong length are counted once
        return _Checked([row for _, row in sorted(numbered, key=lambda pair: pair[0])], reading)

    def _part(
        self, answers: Answers, skipped: bool, ragged: RowMistakes | None
    ) -> tuple[list[tuple[int, ResultRow]], Reading]:
        """These answers with their numbers, through the checks that every file of judgments passes."""
        kind, as_kind = KINDS[answers.kind], UNANSWERED if skipped else answers.kind
        places = [self.sheet.place(int(row)) for row in answers.rows]
        long = Sheet(self.sheet.source, _columns(answers, skipped), partial(list, places), ragged)
        limits = self.range if kind.placed and not skipped else None
        settings = dict(self.settings)
        if skipped and settings.get("repeats") is None:  # as for the answers beside them
            settings["repeats"] = kind.table.repeats
        try:
            judgments = read(long, as_kind, range=limits, items=self.items, **settings)
        except UnreadableFile:  # every row was left out; the other part may hold some
            return [], Reading(left_out={"with mistakes": len(places)})
        left_out, averaged = judgments.reading.left_out, judgments.reading.averaged
        more = Reading(judgments.reading.rows - len(places), left_out=left_out, averaged=averaged)
        order = [int(at) for at in judgments.table(as_kind).numbers[ROW]]
        beside = {name: [cells[at] for at in order] for name, cells in _beside(answers).items()}
        rows = _rows(judgments, kind, as_kind, beside, [places[at] for at in order], skipped=skipped)
        return list(zip(order, rows, strict=True)), more


def _columns(answers: Answers, skipped: bool) -> dict[str, Cells]:
    """The columns to check, with the number of each row; a row without an answer counts as a rating."""
    marks, kind = _marks(), KINDS[answers.kind]
    columns: dict[str, Cells] = {n: cells for n, cells in answers.columns.items() if n not in marks}
    columns[ROW] = np.arange(len(answers.rows), dtype=float)
    if "assignment" in answers.columns:  # two assignments are two answers, whatever task they name
        columns["task"] = answers.columns["assignment"]
    if not skipped:
        return columns
    columns = {name: cells for name, cells in columns.items() if name not in kind.cell.values}
    about = columns[kind.table.items[-1]]
    return {**columns, "item": about, "score": np.zeros(len(answers.rows))}


def _beside(answers: Answers) -> dict[str, list[str | None]]:
    """What is said beside the answers, as text, and the task as the file names it."""
    marks = [name for name in _marks() if name in answers.columns]
    beside = {name: text_cells(answers.columns[name]).tolist() for name in marks}
    if "task" in answers.columns:
        beside["task"] = id_cells(answers.columns["task"]).tolist()
    return beside


def _rows(
    judgments: Judgments,
    kind: Kind[Any],
    as_kind: str,
    beside: Mapping[str, Sequence[str | None]],
    places: Sequence[int],
    *,
    skipped: bool = False,
) -> list[ResultRow]:
    """The rows of a table; what stands `beside` it is text."""
    table = judgments.table(as_kind)
    *reference, about = kind.table.items
    values, systems, marks = () if skipped else kind.cell.values, kind.table.systems, _marks()
    names = (*WHO, "left", about, *values, *LABELS, *systems)
    columns: dict[str, Sequence[Any]] = {
        name: plain_cells(judgments.cells(as_kind, name)) if name in table else [None] * len(table)
        for name in names
    }
    columns |= beside
    rows = []
    for at, place in enumerate(places):
        row = {name: cells[at] for name, cells in columns.items()}
        rows.append(
            ResultRow(
                **{name: row[name] for name in (*WHO, *LABELS)},
                left=row["left"] if reference else None,
                about=row[about],
                values=None if skipped else tuple(row[name] for name in values),
                place=place,
                systems=tuple(row[name] for name in systems),
                beside={name: row[name] for name in marks if name in row},
            )
        )
    return rows


def _texts(judgments: Judgments, kind: str, column: str) -> list[str | None]:
    """A column as text, whichever way it was read."""
    return list(text_cells(np.asarray(judgments.cells(kind, column), dtype=object)).tolist())


def _unused(sheet: Sheet, answers: Answers) -> tuple[str, ...]:
    """Columns of the file that nothing is taken from."""
    if mturk.is_mturk(sheet):
        return mturk.unused_columns(sheet, answers.kind)
    imported = _imported()
    left = [name for name in answers.columns if name not in imported]
    return (*left, *answers.ignored, *sheet.left_out)


def nameless(worker: str) -> bool:
    """Does this name stand for raters that the file does not name?"""
    return worker == UNKNOWN_RATER
