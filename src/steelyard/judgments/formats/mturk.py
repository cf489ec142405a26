"""Results of MTurk and Turkle batches: a row per assignment, and a numbered answer field per item."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from functools import cache, partial
from typing import Any

import numpy as np

from steelyard.judgments.formats.layout import Answers, FileLayout, numbered, words
from steelyard.judgments.sheet import Sheet, id_cells, number_cells, text_cells, time_cells
from steelyard.judgments.table_kinds import KINDS
from steelyard.maths.arrays import Mask, object_cells

TICKED = frozenset({"on", "true", "1", "yes", "checked"})
MS_PER_SECOND = 1000.0
NOT_APPLICABLE = "na"  # field of one item, or of the whole page
OWN = ("WorkerId", "HITId", "AssignmentId", "AssignmentStatus", "WorkTimeInSeconds", "SubmitTime")
CLOCK = re.compile(r"\w{3} (\w{3} \d{1,2} \d{2}:\d{2}:\d{2}) (\w+) (\d{4})")  # Wed Mar 13 08:03:24 PDT 2019
ZONES = {"UTC": 0, "GMT": 0, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6}
ZONES |= {"PST": -8, "PDT": -7}  # hours from UTC; MTurk writes its local time

FieldPlace = tuple[str, str, int]  # question ("" where the field names none), field, slot (0: the whole page)
Texts = Sequence[str | None]


@dataclass(frozen=True, slots=True)
class SlotAnswer:
    """The answer of one assignment about one slot and question, by column; empty for "can't judge"."""

    row: int
    question: str
    slot: int
    values: Mapping[str, Any]


def is_mturk(sheet: Sheet) -> bool:
    """Whether the sheet has the columns of MTurk results."""
    return sheet.named("WorkerId") is not None and sheet.named("Input.id1") is not None


def rejected_rows(sheet: Sheet) -> Mask:
    """Return which assignments were rejected."""
    status = sheet.named("AssignmentStatus")
    if status is None:
        return np.zeros(len(sheet), dtype=bool)
    return words(sheet.columns[status]).where("rejected".__eq__)


def every_slot(sheet: Sheet, kind: str) -> Answers:
    """Return one row per item of every assignment, including rejected ones.

    `cannot_judge` is yes if a slot has no answer. The task is Input.task if the batch has it, otherwise the HIT.
    `milliseconds` is the working time of the whole page, and `at` the time of submission. The field name contains the
    question: Answer.fluency_score1.
    """
    fields = _fields(sheet)
    slots = list(_slot_answers(sheet, kind, fields))
    rows = np.array([each.row for each in slots], dtype=np.int64)
    columns = {
        name: object_cells([cells[row] for row in rows]) for name, cells in _own(sheet, fields).items()
    }
    ids = _ids(sheet)
    about = [ids[each.slot][each.row] for each in slots]
    *reference, asked = KINDS[kind].items
    for name in reference:  # the first item of the page is compared with the others
        columns[name] = object_cells([ids[1][row] for row in rows])
    columns[asked] = object_cells(about)
    if any(each.question for each in slots):
        columns["question"] = object_cells([each.question for each in slots])
    names = dict.fromkeys((*KINDS[kind].required, *(name for each in slots for name in each.values)))
    for name in names:
        if name not in columns:
            columns[name] = object_cells([each.values.get(name) for each in slots])
    columns["cannot_judge"] = object_cells(["no" if each.values else "yes" for each in slots])
    return Answers(kind, columns, rows, _range(kind, fields))


def unused_columns(sheet: Sheet, kind: str) -> tuple[str, ...]:
    """Return the columns of MTurk results that are not read."""
    fields = KINDS[kind].fields
    read_from, pattern = (*fields.holding, *fields.beside, NOT_APPLICABLE, "comment"), field_pattern()
    used = {column for name in (*OWN, "Input.task") if (column := sheet.named(name)) is not None}
    used |= set(numbered(sheet, "Input.id").values())
    for column in sheet.columns:
        match = pattern.fullmatch(column)
        if match and (match["slotted"] or match["whole"]).casefold() in read_from:
            used.add(column)
    return tuple(column for column in sheet.columns if column not in used)


def unread_times(sheet: Sheet) -> int:
    """Return the number of assignments whose submission time has an unknown format."""
    times = _texts(sheet, "SubmitTime")
    return sum(text is not None and _moment(text) is None for text in times)


def layout(kind: str) -> FileLayout:
    """Return the layout of MTurk results of one kind."""
    return MTurkLayout("MTurk results", kind, ("WorkerId", "Input.id1"), partial(_judged, kind=kind))


class MTurkLayout(FileLayout):
    """A layout that is recognised by its answer fields, for any question and option."""

    def missing(self, sheet: Sheet) -> list[str]:
        """Return the required columns that the sheet does not have."""
        present = {field for _, field, _ in _fields(sheet)} if is_mturk(sheet) else set()
        holding = KINDS[self.kind].fields.holding
        lacking = [] if present & set(holding) else [f"Answer.{holding[0]}"]
        return [*(name for name in self.needs if sheet.named(name) is None), *lacking]


def _judged(sheet: Sheet, kind: str) -> Answers:
    """Return only the judgments, without unanswered items and rejected assignments."""
    answers = every_slot(sheet, kind)
    kept = answers.where(~rejected_rows(sheet)[answers.rows], "of rejected assignments")
    judged = np.array([cell == "no" for cell in kept.columns["cannot_judge"]], dtype=bool)
    kept = kept.where(judged, "without an answer, or marked as not applicable")
    columns = {name: c for name, c in kept.columns.items() if name not in ("cannot_judge", "assignment")}
    return replace(kept, columns=columns, ignored=unused_columns(sheet, kind))


def _fields(sheet: Sheet) -> dict[FieldPlace, Texts]:
    """Return the values of each answer field by row; a field with a column per option holds the selected option."""
    fields: dict[FieldPlace, list[str | None]] = {}
    pattern = field_pattern()
    for column in sheet.columns:
        match = pattern.fullmatch(column)
        if match is None:
            continue
        field = (match["slotted"] or match["whole"]).casefold()
        where = (match["question"] or "", field, int(match["slot"] or 0))
        cells = id_cells(sheet.columns[column]).tolist()
        if match["option"] is not None:
            cells = [match["option"] if _is_ticked(cell) else None for cell in cells]
        before = fields.get(where, [None] * len(sheet))
        fields[where] = [old if new is None else new for old, new in zip(before, cells, strict=True)]
    return dict(fields)


def _is_ticked(cell: str | None) -> bool:
    return cell is not None and cell.casefold() in TICKED


def _slot_answers(sheet: Sheet, kind: str, fields: Mapping[FieldPlace, Texts]) -> Iterator[SlotAnswer]:
    ids = _ids(sheet)
    reference = len(KINDS[kind].items) - 1
    slots = [slot for slot in ids if slot > reference]
    holding = KINDS[kind].fields.holding
    asked = dict.fromkeys(question for question, field, _ in fields if field in holding)
    for row in range(len(sheet)):
        for question in asked:
            for slot in slots:
                if ids[slot][row] is not None:
                    yield SlotAnswer(row, question, slot, _values(kind, fields, question, slot, row))


def _values(
    kind: str, fields: Mapping[FieldPlace, Texts], question: str, slot: int, row: int
) -> dict[str, str | None]:
    def cell(field: str, at: int = slot, of: str = question) -> str | None:
        texts = fields.get((of, field, at))
        return None if texts is None else texts[row]

    if any(_is_ticked(cell(NOT_APPLICABLE, at, of)) for at in (slot, 0) for of in (question, "")):
        return {}
    return KINDS[kind].fields.read(cell, slot)


def _own(sheet: Sheet, fields: Mapping[FieldPlace, Texts]) -> dict[str, Texts | Sequence[Any]]:
    """Return the columns of the whole assignment under Steelyard's names, without empty columns."""
    task = _texts(sheet, "Input.task", "HITId", "AssignmentId")
    columns: dict[str, Sequence[Any]] = {
        "rater": _texts(sheet, "WorkerId"),
        "task": [str(row + 1) if cell is None else cell for row, cell in enumerate(task)],
        "assignment": _texts(sheet, "AssignmentId"),
        "milliseconds": _milliseconds(sheet),
        "at": [None if cell is None else _moment(cell) for cell in _texts(sheet, "SubmitTime")],
        "comment": _comments(sheet),
    }
    always = ("rater", "task")
    return {n: cells for n, cells in columns.items() if n in always or any(c is not None for c in cells)}


def _comments(sheet: Sheet) -> Texts:
    """Return comments as they were typed, including spaces."""
    column = sheet.named("Answer.comment")
    cells: Texts = [None] * len(sheet) if column is None else text_cells(sheet.columns[column]).tolist()
    return cells


def _milliseconds(sheet: Sheet) -> list[float | None]:
    column = sheet.named("WorkTimeInSeconds")
    if column is None:
        return [None] * len(sheet)
    seconds, bad = number_cells(sheet.columns[column])
    unread = np.isnan(seconds) | bad
    return [None if no else MS_PER_SECOND * each for each, no in zip(seconds.tolist(), unread, strict=True)]


def _moment(text: str) -> float | None:
    """Return seconds since 1970 for ISO text or for a time in MTurk's format, otherwise None.

    >>> _moment("Wed Mar 13 08:03:24 PDT 2019"), _moment("2019-03-13T15:03:24Z"), _moment("yesterday")
    (1552489404.0, 1552489404.0, None)
    """
    match = CLOCK.fullmatch(text)
    if match is None or match[2].upper() not in ZONES:
        seconds, bad = time_cells(object_cells([text]))
        return None if bad[0] else float(seconds[0])
    zone = timezone(timedelta(hours=ZONES[match[2].upper()]))
    try:
        moment = datetime.strptime(f"{match[1]} {match[3]}", "%b %d %H:%M:%S %Y")
    except ValueError:
        return None
    return moment.replace(tzinfo=zone).timestamp()


def _ids(sheet: Sheet) -> dict[int, Texts]:
    """Return the items of each slot, by row."""
    return {
        at: id_cells(sheet.columns[column]).tolist() for at, column in numbered(sheet, "Input.id").items()
    }


def _texts(sheet: Sheet, *names: str) -> Texts:
    """Return the cells of the first of these columns that exists."""
    column = sheet.named(*names)
    cells: Texts = [None] * len(sheet) if column is None else id_cells(sheet.columns[column]).tolist()
    return cells


def _range(kind: str, fields: Mapping[FieldPlace, Texts]) -> tuple[float, float] | None:
    """Return the range of a field that has its own; the first field is on the scale of the study."""
    own = KINDS[kind].fields
    return None if own.holding[0] in {field for _, field, _ in fields} else own.range


def mturk_layouts() -> tuple[FileLayout, ...]:
    """Return the layout of every kind that an MTurk batch supports."""
    return tuple(layout(name) for name, kind in KINDS.items() if kind.fields.holding)


def field_pattern() -> re.Pattern[str]:
    """Return a pattern for the names of answer fields, with question, slot and option."""
    kinds = [kind.fields for kind in KINDS.values()]
    numbered = {name for fields in kinds for name in (*fields.numbered, *fields.beside)}
    whole = {name for fields in kinds for name in fields.whole}
    return _compiled(
        "|".join(sorted(numbered | {NOT_APPLICABLE})), "|".join(sorted(whole | {NOT_APPLICABLE, "comment"}))
    )


@cache
def _compiled(numbered: str, whole: str) -> re.Pattern[str]:
    return re.compile(
        rf"answer\.(?:(?P<question>.+)_)?(?:(?P<slotted>{numbered})(?P<slot>[1-9]\d*)|(?P<whole>{whole}))"
        r"(?:\.(?P<option>.+))?",
        re.IGNORECASE,
    )
