"""Does an answer fit its task? Checked once, where it comes in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from steelyard.errors import BadAnswer, EarlierAnswerKept
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.log.interface import Answer, Task

LONGEST_COMMENT = 10_000
LARGEST_INTERACTIONS = 8_000  # bytes of one answer's moves, as they are stored
FILE_PREFIX = "file-"  # of assignments that come from batch files


def check_answer(answer: Answer, task: Task, definition: StudyDefinition) -> Answer:
    """The answer, in the task's order; BadAnswer says what is missing or does not fit."""
    protocol, kind = definition.asking.way, definition.kind
    given = {(cell.item, cell.question): cell for cell in answer.cells}
    items, questions = protocol.asked(len(task.items)), range(len(task.questions))
    wanted = [(item, question) for item in items for question in questions]
    if len(given) != len(answer.cells):
        raise BadAnswer("One item was answered twice. Answer each once.")
    if set(given) != set(wanted):
        raise BadAnswer("Answer every item of this task, and no other.")
    if not all(isinstance(cell, kind.cell) for cell in answer.cells):
        raise BadAnswer(f"This study asks for {kind.words} answers.")
    # A batch was answered on somebody else's page, which may have let items be skipped.
    from_file = is_from_file(answer)
    may_skip = definition.page.cannot_judge or from_file
    if not may_skip and any(cell.value is None for cell in answer.cells):
        raise BadAnswer("This study wants an answer for every item.")
    for question in questions:
        kind.check([given[item, question] for item in items], definition.asked(question))
    return replace(
        answer,
        cells=tuple(kind.settle(given[cell], definition.asked(cell[1]), from_file) for cell in wanted),
        comment=answer.comment[:LONGEST_COMMENT] if definition.page.comment or from_file else "",
        interactions=trimmed(answer.interactions),
    )


def is_from_file(answer: Answer) -> bool:
    """Does the answer come from a results file?"""
    return answer.assignment.startswith(FILE_PREFIX)


def check_repeat(answer: Answer, earlier: Answer, task: Task, definition: StudyDefinition) -> None:
    """Refuse an answer that differs from the rater's earlier one to the same task."""
    checked = check_answer(answer, task, definition)
    if (checked.cells, checked.comment) != (earlier.cells, earlier.comment):
        raise EarlierAnswerKept


def trimmed(interactions: Sequence[Any]) -> list[Any]:
    """As many of these moves as fit, and at the end how many were dropped: [None, None, None, "dropped", count]."""
    room, kept = LARGEST_INTERACTIONS, 0
    for each in interactions:
        room -= len(json.dumps(each))
        if room < 0:
            break
        kept += 1
    dropped = len(interactions) - kept
    return [*interactions[:kept], *([[None, None, None, "dropped", dropped]] if dropped else [])]
