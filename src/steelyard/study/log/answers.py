"""Does an answer fit its task? Checked once, where it comes in."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from steelyard.errors import BadAnswer, EarlierAnswerKept
from steelyard.judgments.kinds import CHOICES, OUTCOMES
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.sections.scale import ScaleSettings
from steelyard.study.log.cells import CELLS, Bounds, Cell, Pick, Rank, Score, Verdict, ends_of
from steelyard.study.log.interface import Answer, Task

LONGEST_COMMENT = 10_000
LARGEST_INTERACTIONS = 8_000  # bytes of one answer's moves, as they are stored
BEYOND = 4.0  # widths of the scale that a placement may lie past its end
STRENGTHS = (1, 2, 3)  # slightly, clearly, much
FILE_PREFIX = "file-"  # of assignments that come from batch files


def check_answer(answer: Answer, task: Task, definition: StudyDefinition) -> Answer:
    """The answer, in the task's order; BadAnswer says what is missing or does not fit."""
    protocol = definition.asking.way
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
    from_file = is_from_file(answer)
    may_skip = definition.page.cannot_judge or from_file
    if not may_skip and any(cell.value is None for cell in answer.cells):
        raise BadAnswer("This study wants an answer for every item.")
    for question in questions:
        CHECKS[protocol.kind]([given[item, question] for item in items], definition)
    return replace(
        answer,
        cells=tuple(_placed(given[cell], definition, from_file) for cell in wanted),
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


def _check_scores(cells: Sequence[Score], definition: StudyDefinition) -> None:
    """Each score lies on its question's scale."""
    for cell in cells:
        score, scale = cell.score, definition.scale_of(definition.questions[cell.question])
        if score is None:
            continue
        _check_inside("Score", score, scale)
        if scale.levels and not is_level(score, scale):
            raise BadAnswer(f"Score {score:g} is not one of the {scale.levels} levels.")


def _check_bounds(cells: Sequence[Bounds], definition: StudyDefinition) -> None:
    """Both bounds lie on their question's scale and do not cross; a kept one stands at its end."""
    for cell in cells:
        scale = definition.scale_of(definition.questions[cell.question])
        if (cell.low is None) != (cell.high is None):
            raise BadAnswer("Give both bounds, or none.")
        if cell.low is None or cell.high is None:
            continue
        _check_inside("Lower bound", cell.low, scale)
        _check_inside("Upper bound", cell.high, scale)
        if cell.low > cell.high:
            raise BadAnswer(f"The lower bound {cell.low:g} is above the upper bound {cell.high:g}.")
        if (cell.kept_low and cell.low > scale.low) or (cell.kept_high and cell.high < scale.high):
            raise BadAnswer("A bound that was kept at its end stands inside the scale.")


def _check_inside(what: str, value: float, scale: ScaleSettings) -> None:
    """A number of the scale or, where the study allows it, at most so many widths of it past an end."""
    past = BEYOND * (scale.high - scale.low) if scale.beyond else 0.0
    if not math.isfinite(value) or not scale.low - past <= value <= scale.high + past:
        raise BadAnswer(f"{what} {value:g} is outside {scale.low - past:g}-{scale.high + past:g}.")


def _placed(cell: Cell, definition: StudyDefinition, from_file: bool) -> Cell:
    """The cell, marked `outside` where it is; a page must have said so itself."""
    ends, scale = ends_of(cell), definition.scale_of(definition.questions[cell.question])
    if ends is None or not isinstance(cell, Score | Bounds):
        return cell
    outside = bool(ends[0] < scale.low or ends[1] > scale.high)
    if outside and not cell.outside and not from_file:
        raise BadAnswer(f"This is outside {scale.low:g}-{scale.high:g}, and is not marked so.")
    return replace(cell, outside=outside)


def _check_verdicts(cells: Sequence[Verdict], definition: StudyDefinition) -> None:
    """Each outcome is one that the page offered, with a strength where the study asks for one."""
    for cell in cells:
        if cell.outcome is not None and cell.outcome not in OUTCOMES:
            raise BadAnswer(f"Outcome {cell.outcome!r} is not one of {', '.join(OUTCOMES)}.")
        if cell.outcome == "tie" and not definition.asking.ties:
            raise BadAnswer("This study takes no ties.")
        if cell.both_bad and not (definition.asking.both_bad and cell.outcome == "tie"):
            raise BadAnswer("Only a tie may be called both bad, and only where the study asks.")
        asked = definition.asking.strength and cell.outcome in ("left", "right")
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
    if not definition.asking.ties and len(set(ranks)) != len(ranks):
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
    "range": _check_bounds,
}


def is_level(score: float, scale: ScaleSettings) -> bool:
    """Is this the score of one of the scale's levels?"""
    tolerance = 1e-9 * (scale.high - scale.low)
    return any(abs(score - value) <= tolerance for value in scale.level_values())
