"""Does an answer fit its task? Checked once, where it comes in."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from steelyard.errors import BadAnswer
from steelyard.judgments.kinds import CHOICES, OUTCOMES
from steelyard.study.cells import CELLS, Pick, Rank, Score, Verdict
from steelyard.study.definition import ScaleSettings, StudyDefinition
from steelyard.study.log import Answer, Task

LONGEST_COMMENT = 10_000
MOST_INTERACTIONS = 1_000
STRENGTHS = (1, 2, 3)  # slightly, clearly, much
FILE_PREFIX = "file-"  # of assignments that come from batch files


def check_answer(answer: Answer, task: Task, definition: StudyDefinition) -> Answer:
    """The answer, in the task's order; BadAnswer says what is missing or does not fit."""
    protocol = definition.asks
    given = {(cell.item, cell.question): cell for cell in answer.cells}
    items, questions = protocol.asked(len(task.items)), range(len(task.questions))
    wanted = [(item, question) for item in items for question in questions]
    if len(given) != len(answer.cells):
        raise BadAnswer("One item was answered twice. Answer each once.")
    if set(given) != set(wanted):
        raise BadAnswer("Answer every item of this task, and no other.")
    if not all(isinstance(cell, CELLS[protocol.kind]) for cell in answer.cells):
        raise BadAnswer(f"This study asks for {protocol.kind.replace('_', '-')} answers.")
    # A batch was answered on somebody else's page, which may have let items be skipped.
    may_skip = definition.cannot_judge or answer.assignment.startswith(FILE_PREFIX)
    if not may_skip and any(cell.value is None for cell in answer.cells):
        raise BadAnswer("This study wants an answer for every item.")
    for question in questions:
        CHECKS[protocol.kind]([given[item, question] for item in items], definition)
    return replace(
        answer,
        cells=tuple(given[cell] for cell in wanted),
        comment=answer.comment[:LONGEST_COMMENT] if definition.comment else "",
        interactions=list(answer.interactions)[:MOST_INTERACTIONS],
    )


def _check_scores(cells: Sequence[Score], definition: StudyDefinition) -> None:
    """Each score lies on its question's scale."""
    for cell in cells:
        score, scale = cell.score, definition.scale_of(definition.questions[cell.question])
        if score is None:
            continue
        if not math.isfinite(score) or not scale.low <= score <= scale.high:
            raise BadAnswer(f"Score {score:g} is outside {scale.low:g}-{scale.high:g}.")
        if scale.levels and not is_level(score, scale):
            raise BadAnswer(f"Score {score:g} is not one of the {scale.levels} levels.")


def _check_verdicts(cells: Sequence[Verdict], definition: StudyDefinition) -> None:
    """Each outcome is one that the page offered, with a strength where the study asks for one."""
    for cell in cells:
        if cell.outcome is not None and cell.outcome not in OUTCOMES:
            raise BadAnswer(f"Outcome {cell.outcome!r} is not one of {', '.join(OUTCOMES)}.")
        if cell.outcome == "tie" and not definition.ties:
            raise BadAnswer("This study takes no ties.")
        if cell.both_bad and not (definition.both_bad and cell.outcome == "tie"):
            raise BadAnswer("Only a tie may be called both bad, and only where the study asks.")
        asked = definition.strength and cell.outcome in ("left", "right")
        if (cell.strength is not None) != asked or cell.strength not in (None, *STRENGTHS):
            raise BadAnswer(
                "Say how much more: 1, 2 or 3." if asked else "This answer has no strength to give."
            )


def _check_ranks(cells: Sequence[Rank], definition: StudyDefinition) -> None:
    """Ranks of all items or of none, from 1 without gaps."""
    ranks = [cell.rank for cell in cells if cell.rank is not None]
    if ranks and len(ranks) != len(cells):
        raise BadAnswer("Rank every item, or none.")
    if ranks and sorted(set(ranks)) != list(range(1, len(set(ranks)) + 1)):
        raise BadAnswer("Ranks go from 1 without gaps; equal ranks tie.")
    if not definition.ties and len(set(ranks)) != len(ranks):
        raise BadAnswer("This study takes no ties.")


def _check_picks(cells: Sequence[Pick], definition: StudyDefinition) -> None:
    """One best and one worst, or no answer at all."""
    choices = [cell.choice for cell in cells]
    if set(choices) == {None}:
        return
    if not set(choices) <= set(CHOICES) or choices.count("best") != 1 or choices.count("worst") != 1:
        raise BadAnswer("Choose one best and one worst.")


CHECKS: dict[str, Callable[[Sequence[Any], StudyDefinition], None]] = {
    "rating": _check_scores,
    "comparison": _check_verdicts,
    "ranking": _check_ranks,
    "best_worst": _check_picks,
}


def is_level(score: float, scale: ScaleSettings) -> bool:
    """Is this the score of one of the scale's levels?"""
    tolerance = 1e-9 * (scale.high - scale.low)
    return any(abs(score - value) <= tolerance for value in scale.level_values())
