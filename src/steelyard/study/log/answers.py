"""Checks that an answer fits its task."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from steelyard.errors import BadAnswer, EarlierAnswerKept
from steelyard.kinds.cell import Cell
from steelyard.kinds.kind import Kind
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.log.entries import Answer, Task

LONGEST_COMMENT = 10_000
LARGEST_INTERACTIONS = 8_000  # bytes of interactions stored with one answer
FILE_PREFIX = "file-"  # start of the ids of assignments that were answered in a file


def check_answer(answer: Answer, task: Task, definition: StudyDefinition) -> Answer:
    """Return the answer as it is stored, with its cells in the order of the task.

    Raises BadAnswer if a cell is missing, is not part of the task or has an invalid value.

    Parameters
    ----------
    answer
        The answer of a rater.
    task
        The task that it answers.
    definition
        Settings of the study.

    Returns
    -------
    Answer
        The checked answer. Comments and interactions that are too long are cut.
    """
    definition = definition.in_way(task.protocol)
    protocol, kind = definition.asking.way, definition.kind
    answer = replace(answer, cells=tuple(_of_its_kind(cell, kind) for cell in answer.cells))
    cells = {(cell.item, cell.question): cell for cell in answer.cells}
    items, questions = protocol.asked(len(task.items)), range(len(task.questions))
    wanted = [(item, question) for item in items for question in questions]
    if len(cells) != len(answer.cells):
        raise BadAnswer("An item was answered twice. Answer each item once.")
    if set(cells) != set(wanted):
        raise BadAnswer("Answer every item of this task, and only these items.")
    if not all(isinstance(cell, kind.cell) for cell in answer.cells):
        raise BadAnswer(f"This task asks for {kind.words} answers.")
    # A batch is answered on pages of another site, which may allow raters to skip items.
    from_file = is_from_file(answer)
    may_skip = definition.page.cannot_judge or from_file
    if not may_skip and any(cell.value is None for cell in answer.cells):
        raise BadAnswer("This study needs an answer for every item.")
    for question in questions:
        kind.check([cells[item, question] for item in items], definition.asked(question))
    return replace(
        answer,
        cells=tuple(kind.settle(cells[cell], definition.asked(cell[1]), from_file) for cell in wanted),
        comment=answer.comment[:LONGEST_COMMENT] if definition.page.comment or from_file else "",
        interactions=trimmed(answer.interactions),
    )


def check_cells(answer: Answer, task: Task, questions: int) -> None:
    """Raise IndexError if a stored answer is about an item that its task does not have, or about another question.

    Parameters
    ----------
    answer
        An answer in the log.
    task
        The task that it answers.
    questions
        Number of questions of the study.
    """
    items = len(task.items)
    for cell in answer.cells:
        if not 0 <= cell.item < items:
            raise IndexError(f"the answer is about item {cell.item!r} of a task with {items} items")
        if not 0 <= cell.question < questions:
            raise IndexError(f"the answer is about question {cell.question!r} of a study with {questions}")


def _of_its_kind(cell: Cell, kind: Kind[Any]) -> Cell:
    """Return "can't judge" as a cell of this kind; pages of all protocols send it in the same way."""
    if isinstance(cell, kind.cell) or cell.value is not None:
        return cell
    made: Cell = kind.make(cell.item, cell.question, None)
    return made


def is_from_file(answer: Answer) -> bool:
    """Whether the answer was imported from a results file."""
    return answer.assignment.startswith(FILE_PREFIX)


def check_repeat(answer: Answer, earlier: Answer, task: Task, definition: StudyDefinition) -> None:
    """Raise EarlierAnswerKept if an answer differs from the earlier answer of the rater to the same task.

    Parameters
    ----------
    answer
        The new answer.
    earlier
        The stored answer.
    task
        The task of both.
    definition
        Settings of the study.
    """
    checked = check_answer(answer, task, definition)
    if (checked.cells, checked.comment) != (earlier.cells, earlier.comment):
        raise EarlierAnswerKept


def trimmed(interactions: Sequence[Any]) -> list[Any]:
    """Return the interactions that fit into the limit.

    If some are dropped, the last entry is [None, None, None, "dropped", count].
    """
    if len(json.dumps(interactions)) <= LARGEST_INTERACTIONS:  # nearly always, and one call is fast
        return list(interactions)
    room, kept = LARGEST_INTERACTIONS, 0
    for each in interactions:
        room -= len(json.dumps(each))
        if room < 0:
            break
        kept += 1
    dropped = len(interactions) - kept
    return [*interactions[:kept], *([[None, None, None, "dropped", dropped]] if dropped else [])]
