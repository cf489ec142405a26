"""Does an answer fit its task? Checked once, where it comes in."""

from __future__ import annotations

import math
from dataclasses import replace

from steelyard.errors import BadAnswer
from steelyard.study.definition import ScaleSettings, StudyDefinition
from steelyard.study.log import Answer, Score, Task

LONGEST_COMMENT = 10_000
MOST_INTERACTIONS = 1_000
FILE_PREFIX = "file-"  # of assignments that come from batch files


def check_answer(answer: Answer, task: Task, definition: StudyDefinition) -> Answer:
    """The answer, in the task's order; BadAnswer says what is missing or does not fit."""
    given = {(score.item, score.question): score for score in answer.scores}
    wanted = [(item, question) for item in range(len(task.items)) for question in range(len(task.questions))]
    if len(given) != len(answer.scores):
        raise BadAnswer("One item was answered twice. Answer each once.")
    if set(given) != set(wanted):
        raise BadAnswer("Answer every item of this task, and no other.")
    # A batch was answered on somebody else's page, which may have let items be skipped.
    from_file = answer.assignment.startswith(FILE_PREFIX)
    for score in answer.scores:
        _check_score(score, definition, from_file)
    return replace(
        answer,
        scores=tuple(given[cell] for cell in wanted),
        comment=answer.comment[:LONGEST_COMMENT] if definition.comment else "",
        interactions=list(answer.interactions)[:MOST_INTERACTIONS],
    )


def _check_score(score: Score, definition: StudyDefinition, from_file: bool) -> None:
    if score.score is None:
        if not (definition.cannot_judge or from_file):
            raise BadAnswer("This study wants a score for every item.")
        return
    scale = definition.scale_of(definition.questions[score.question])
    if not math.isfinite(score.score) or not scale.low <= score.score <= scale.high:
        raise BadAnswer(f"Score {score.score:g} is outside {scale.low:g}-{scale.high:g}.")
    if scale.levels and not is_level(score.score, scale):
        raise BadAnswer(f"Score {score.score:g} is not one of the {scale.levels} levels.")


def is_level(score: float, scale: ScaleSettings) -> bool:
    """Is this the score of one of the scale's levels?"""
    tolerance = 1e-9 * (scale.high - scale.low)
    return any(abs(score - value) <= tolerance for value in scale.level_values())
