"""Read a results file as checked rows with their line numbers, including rows with "can't judge"."""

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
from steelyard.maths.arrays import Mask
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.items import Items

ROW = "row of the results file"  # internal column with the number of the row
CANNOT_JUDGE = "cannot_judge"
MARKS = (
    "comment",
    "assignment",
    CANNOT_JUDGE,
    "probe",
    "check",
    "excluded",
)  # further columns of any kind of answer
# Rows without an answer are checked as if they had one position of their item.
UNANSWERED = next(name for name, kind in KINDS.built_in.items() if kind.pointed)
WHO = ("rater", "task", "question")
LABELS = ("count", "at", "milliseconds", "round", "condition", "segment")


def _marks() -> tuple[str, ...]:
    """Return the columns in addition to the answer; they are read as text, so that a comment "007" is kept."""
    return tuple(dict.fromkeys((*MARKS, *(mark for kind in KINDS.values() for mark in kind.marks))))


def _imported() -> set[str]:
    """Return the names of all columns that are imported."""
    own = {column for kind in KINDS.values() for column in (*kind.table.text, *kind.table.numbers)}
    return own | {"item", *OPTIONAL_TEXT, *OPTIONAL_NUMBERS, *_marks(), REPETITION, ROW}


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One row of a results file.

    Attributes
    ----------
    rater, task, question
        Names in the file; None if the column is missing.
    left
        Reference item of a comparison, or None.
    about
        Item that the row judges.
    values
        The answer; None for "can't judge".
    place
        Line or row number in the file.
    count
        How many times the answer was given, or None for once.
    at
        Time of the answer in seconds since 1970, or None.
    milliseconds
        Time taken for the answer, or None.
    round, condition, segment
        Labels in the file, or None.
    systems
        Systems of the items in the file.
    beside
        Further columns as text, by name.
    """

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
        """Whether a yes/no column contains yes."""
        cell = self.beside.get(name)
        return cell is not None and cell.casefold() in mturk.TICKED


@dataclass(frozen=True, slots=True)
class Results:
    """The rows of a results file.

    Attributes
    ----------
    rows
        Checked rows, in the order of the file.
    range
        Smallest and largest possible score in the file, or None.
    source
        Name of the file in messages.
    unit
        What `place` counts: lines or rows.
    notes
        Sentences about rows that were left out or changed.
    unused
        Columns that are not imported.
    """

    rows: Sequence[ResultRow]
    range: tuple[float, float] | None
    source: str
    unit: str = "row"
    notes: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()


def read_results(
    path: str | os.PathLike[str] | Sheet,
    definition: StudyDefinition,
    items: Items,
    include_rejected: bool = False,
    reading: Mapping[str, Any] | None = None,
) -> Results:
    """Read a results file from MTurk, or in any layout that `steelyard.read` supports, and check every row.

    Parameters
    ----------
    path
        The file, or its rows by people.
    definition
        Settings of the study, with the kind of judgment and the scale.
    items
        Items of the study. Every item in the file must be one of them.
    include_rejected
        Whether to include rejected assignments of an MTurk file.
    reading
        Arguments of `steelyard.read`: repeats, item_key and bad_rows.

    Returns
    -------
    Results
        The rows, with notes on what was left out.
    """
    sheet = path if isinstance(path, Sheet) else read_file(path)
    answers = _answers(sheet, definition.asking.way.kind)
    notes: list[str] = []
    if mturk.is_mturk(sheet):
        answers, notes = _without_rejected(sheet, answers, include_rejected)
    stated = answers.range if answers.range is not None else _study_range(definition)
    checked = _Checking(sheet, set(items.index), stated, {} if reading is None else reading).checked(answers)
    if not checked.rows:
        raise UnreadableFile(sheet.source, "no row contains an answer.", "Check that this is the right file.")
    notes += [finding.sentence for finding in checked.reading.of_rows()]
    unused = _unused(sheet, answers)
    return Results(checked.rows, stated, sheet.source, sheet.unit, tuple(notes), unused)


def results_of(judgments: Judgments, kind: str) -> Results:
    """Return judgments in memory as results."""
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
    """Return the answers, without rejected assignments unless `include` is set, and notes on them."""
    rejected, unread = mturk.rejected_rows(sheet), mturk.unread_times(sheet)
    notes = []
    if unread:
        notes.append(
            f"Rows whose SubmitTime could not be read: {unread:,}. Their answers get the time of the import."
        )
    number = int(rejected.sum())
    if not number:
        return answers, notes
    if include:
        return answers, [*notes, f"Rejected assignments imported: {number:,}."]
    notes.append(f"Rejected assignments left out: {number:,}. Use --include-rejected to import them.")
    return answers.where(~rejected[answers.rows]), notes


def _skipped(sheet: Sheet, answers: Answers) -> Mask:
    """Return a mask of rows with "can't judge"; raise BadRows if such a row also has an answer."""
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
    """Return the common range of all questions; None if ranges differ or answers may lie beyond their ends."""
    scales = {definition.scale_of(question) for question in definition.questions}
    ranges = {(scale.low, scale.high) for scale in scales}
    return ranges.pop() if len(ranges) == 1 and not definition.beyond else None


@dataclass(frozen=True, slots=True)
class _Checked:
    """Rows that passed the checks, and counts of answers that were left out or averaged."""

    rows: list[ResultRow]
    reading: Reading


@dataclass(frozen=True, slots=True)
class _Checking:
    """Checks of the answers in a sheet; `settings` are arguments of `read`."""

    sheet: Sheet
    items: Collection[str]
    range: tuple[float, float] | None
    settings: Mapping[str, Any]

    def checked(self, answers: Answers) -> _Checked:
        """Return the answers as rows in their order; rows with "can't judge" are checked separately."""
        skipped = _skipped(self.sheet, answers)
        reading = Reading(len(answers.rows) + sum(answers.left_out.values()), left_out=answers.left_out)
        numbered: list[tuple[int, ResultRow]] = []
        ragged = self.sheet.ragged
        for part in (False, True):
            at = np.flatnonzero(skipped == part)
            if len(at) or not (part or len(self.sheet)):  # `read` raises the error for a sheet without rows
                rows, more = self._part(answers.where(skipped == part), part, ragged)
                numbered += [(int(at[number]), row) for number, row in rows]
                reading, ragged = reading + more, None  # lines of the wrong length are counted once
        return _Checked([row for _, row in sorted(numbered, key=lambda pair: pair[0])], reading)

    def _part(
        self, answers: Answers, skipped: bool, ragged: RowMistakes | None
    ) -> tuple[list[tuple[int, ResultRow]], Reading]:
        """Return these answers as rows with their numbers, after the checks of `read`."""
        kind, as_kind = KINDS[answers.kind], UNANSWERED if skipped else answers.kind
        places = [self.sheet.place(int(row)) for row in answers.rows]
        long = Sheet(self.sheet.source, _columns(answers, skipped), partial(list, places), ragged)
        limits = self.range if kind.placed and not skipped else None
        settings = dict(self.settings)
        if skipped and settings.get("repeats") is None:  # the same rule as for the other answers
            settings["repeats"] = kind.table.repeats
        try:
            judgments = read(long, as_kind, range=limits, items=self.items, **settings)
        except UnreadableFile:  # every row of this part was left out; the other part may have valid rows
            return [], Reading(left_out={"with mistakes": len(places)})
        left_out, averaged = judgments.reading.left_out, judgments.reading.averaged
        more = Reading(judgments.reading.rows - len(places), left_out=left_out, averaged=averaged)
        order = [int(at) for at in judgments.table(as_kind).numbers[ROW]]
        beside = {name: [cells[at] for at in order] for name, cells in _beside(answers).items()}
        rows = _rows(judgments, kind, as_kind, beside, [places[at] for at in order], skipped=skipped)
        return list(zip(order, rows, strict=True)), more


def _columns(answers: Answers, skipped: bool) -> dict[str, Cells]:
    """Return the columns to check, with row numbers; rows without an answer get a position of 0."""
    marks, kind = _marks(), KINDS[answers.kind]
    columns: dict[str, Cells] = {n: cells for n, cells in answers.columns.items() if n not in marks}
    columns[ROW] = np.arange(len(answers.rows), dtype=float)
    if "assignment" in answers.columns:  # two assignments are two answers, even of the same task
        columns["task"] = answers.columns["assignment"]
    if not skipped:
        return columns
    columns = {name: cells for name, cells in columns.items() if name not in kind.cell.values}
    about = columns[kind.table.items[-1]]
    zeros = dict.fromkeys(KINDS[UNANSWERED].table.positions, np.zeros(len(answers.rows)))
    return {**columns, "item": about, **zeros}


def _beside(answers: Answers) -> dict[str, list[str | None]]:
    """Return the further columns as text, and the task as the file names it."""
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
    """Return the rows of a table; `beside` has further columns as text."""
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
    """Return a column as text, even if it was read as numbers."""
    return list(text_cells(np.asarray(judgments.cells(kind, column), dtype=object)).tolist())


def _unused(sheet: Sheet, answers: Answers) -> tuple[str, ...]:
    """Return the columns of the file that are not imported."""
    if mturk.is_mturk(sheet):
        return mturk.unused_columns(sheet, answers.kind)
    imported = _imported()
    left = [name for name in answers.columns if name not in imported]
    return (*left, *answers.ignored, *sheet.left_out)


def nameless(worker: str) -> bool:
    """Whether this is the name given to raters of a file without rater names."""
    return worker == UNKNOWN_RATER
