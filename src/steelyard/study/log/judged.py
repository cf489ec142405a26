"""Convert the answers in the log to a table of judgments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.judgments.coding import Vocabulary, code
from steelyard.judgments.probes import PROBE
from steelyard.judgments.table import Judgments, Table
from steelyard.judgments.table_kinds import vocabulary_of
from steelyard.kinds.kind import Kind
from steelyard.maths.arrays import Codes
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.items import Items
from steelyard.study.log.entries import Answer, Task


@dataclass(frozen=True, slots=True)
class AnsweredCell:
    """One cell, with its answer and its task."""

    answer: Answer
    task: Task
    cell: Any


def judged_cells(
    answers: Iterable[Answer], tasks: Mapping[str, Task], question: int | None
) -> list[AnsweredCell]:
    """Return the cells of answers that have a value; "can't judge" is left out.

    Parameters
    ----------
    answers
        The answers.
    tasks
        Tasks by id.
    question
        Index of a question, or None for all questions.

    Returns
    -------
    list of AnsweredCell
        Cells in the order of the answers.
    """
    return [
        AnsweredCell(answer, tasks[answer.task], cell)
        for answer in answers
        for cell in answer.cells
        if cell.value is not None and (question is None or cell.question == question)
    ]


def judgments_of(
    cells: list[AnsweredCell], definition: StudyDefinition, items: Items, question: int | None
) -> Judgments:
    """Return cells as a table of judgments.

    Parameters
    ----------
    cells
        Cells from `judged_cells`.
    definition
        Settings of the study.
    items
        Items of the study. The codes of the table are their indices.
    question
        Index of the question that sets the range of scores, or None for all questions.

    Returns
    -------
    Judgments
        One row per cell, in the table of its kind.
    """
    by_kind: dict[str, list[AnsweredCell]] = {}
    for each in cells:
        by_kind.setdefault(definition.in_way(each.task.protocol).kind.name, []).append(each)
    vocabularies: dict[str, Vocabulary] = {"item": Vocabulary(items.ids)}
    tables: dict[str, Table] = {}
    for way in definition.asked_ways:  # protocols of one kind share a table
        if way.kind.name in by_kind:
            tables[way.kind.name] = _table(by_kind.pop(way.kind.name), way, items, vocabularies)
    if not tables:
        tables[definition.kind.name] = _table([], definition, items, vocabularies)
    span = _range(definition, question, cells) if any(each.kind.placed for each in tables.values()) else None
    return Judgments(tables, vocabularies, span)


def _table(
    cells: list[AnsweredCell], definition: StudyDefinition, items: Items, vocabularies: dict[str, Vocabulary]
) -> Table:
    """Return cells of one kind as a table; their labels are added to the vocabularies."""
    kind = definition.kind
    text, numbers = _columns(kind, cells, items, definition)
    codes: dict[str, Codes] = {}
    for name, at in _items(kind, cells, items).items():
        codes[name] = np.array(at, dtype=np.int64)
    for name, values in text.items():
        family = vocabulary_of(name)
        codes[name], vocabularies[family] = code(values, vocabularies.get(family))
    return Table(kind.table, codes, {name: np.array(each, dtype=float) for name, each in numbers.items()})


def _items(kind: Kind[Any], cells: list[AnsweredCell], items: Items) -> dict[str, list[int]]:
    """Return the item columns as indices: for comparisons, first the reference item of the page."""
    sides = zip(kind.table.items, _sides(kind), strict=True)
    return {name: [items.index[of(each)] for each in cells] for name, of in sides}


def _sides(kind: Kind[Any]) -> tuple[Callable[[AnsweredCell], str], ...]:
    """Return a function per item column that returns the item of a cell."""
    return (_reference, _about)[-len(kind.table.items) :]


def _columns(
    kind: Kind[Any], cells: list[AnsweredCell], items: Items, definition: StudyDefinition
) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """Return the text columns and the number columns, starting with those of the kind."""
    text, numbers = kind.columns([each.cell for each in cells], definition.asked(0))
    text |= {
        "rater": [each.answer.rater for each in cells],
        "question": [definition.questions[each.cell.question].id for each in cells],
        "task": [each.answer.task for each in cells],
        "condition": [each.task.condition for each in cells],
    }
    if definition.grounding.probes is not None or any(
        each.task.probe for each in cells
    ):  # an imported file may contain probes
        text[PROBE] = ["yes" if each.task.probe else "no" for each in cells]
    if definition.page.comment:
        text["comment"] = [each.answer.comment or None for each in cells]
    for name, at in _made_by(kind, cells, items).items():
        text[name] = at
    numbers |= {
        "round": [each.task.round for each in cells],
        "at": [each.answer.at for each in cells],
        "milliseconds": [_or_nan(each.answer.milliseconds) for each in cells],
    }
    return text, numbers


def _made_by(kind: Kind[Any], cells: list[AnsweredCell], items: Items) -> dict[str, list[str | None]]:
    """Return the columns of systems and segments, if items have them; compared items share their segment."""

    def column(name: str, of: Callable[[AnsweredCell], str]) -> list[str | None]:
        return [getattr(items[items.index[of(each)]], name) or None for each in cells]

    columns: dict[str, list[str | None]] = {}
    if any(item.system for item in items.all):
        for name, of in zip(kind.table.systems, _sides(kind), strict=True):
            columns[name] = column("system", of)
    if any(item.segment for item in items.all):
        columns["segment"] = column("segment", _about)
    return columns


def _about(each: AnsweredCell) -> str:
    item: str = each.task.items[each.cell.item]
    return item


def _reference(each: AnsweredCell) -> str:
    return each.task.items[0]


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else value


def _range(
    definition: StudyDefinition, question: int | None, cells: list[AnsweredCell]
) -> tuple[float, float] | None:
    """Return the range of a question, extended to answers beyond its ends.

    For all questions together, return their common range, or None if their ranges differ.
    """
    asked = definition.questions if question is None else (definition.questions[question],)
    ranges = {(definition.scale_of(each).low, definition.scale_of(each).high) for each in asked}
    if len(ranges) != 1:
        return None
    low, high = ranges.pop()
    placed = [ends for each in cells if (ends := each.cell.ends) is not None] if definition.beyond else []
    return min([low, *(start for start, _ in placed)]), max([high, *(end for _, end in placed)])
