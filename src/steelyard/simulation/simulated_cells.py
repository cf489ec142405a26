"""What a simulated rater, who sees so much of the quality in each item, answers on a page of each protocol."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from steelyard.maths.arrays import Vector
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.sections.scale import ScaleSettings
from steelyard.study.log.cells import PLACED, Bounds, Cell, Outcome, Pick, Rank, Score, Verdict

TIE_WIDTH = 0.05  # items that seem this close, on [0, 1], are called equal
STRENGTH_STEPS = (0.2, 0.4)  # gaps from which a difference is called clear, and much
HAIR = 1e-9
RANGE_HALF = 0.06  # half of a typical range, on [0, 1]
RANGE_SPREAD = 0.4  # of ranges, in logarithms
BAD_BELOW = 0.25  # both items of a tie are called bad where they seem to have less than this


def simulated_cells(
    seen: Vector, question: int, definition: StudyDefinition, rng: np.random.Generator
) -> list[Cell]:
    """The cells of one question for items that seem to have so much of the quality, in [0, 1]."""
    # Who seems equal to the last digit is ordered by chance, not by side.
    if definition.asking.way.kind not in PLACED:
        seen = seen + HAIR * rng.standard_normal(len(seen))
    if definition.asking.way.kind == "range":
        return _bounds(seen, question, definition, rng)
    return ANSWERS[definition.asking.way.kind](seen, question, definition)


def _scores(seen: Vector, question: int, definition: StudyDefinition) -> list[Cell]:
    on_scale = to_scale(seen, definition.scale_of(definition.questions[question]))
    return [Score(item, question, float(score)) for item, score in enumerate(on_scale)]


def _bounds(seen: Vector, question: int, definition: StudyDefinition, rng: np.random.Generator) -> list[Cell]:
    """Ranges about what is seen, some wider than others; an end of the scale is kept on purpose."""
    half = RANGE_HALF * np.exp(RANGE_SPREAD * rng.standard_normal(len(seen)))
    scale = definition.scale_of(definition.questions[question])
    low, high = (to_scale(np.clip(bound, 0.0, 1.0), scale).tolist() for bound in (seen - half, seen + half))
    return [
        Bounds(item, question, low[item], high[item], low[item] == scale.low, high[item] == scale.high)
        for item in range(len(seen))
    ]


def _verdicts(seen: Vector, question: int, definition: StudyDefinition) -> list[Cell]:
    return [_verdict(seen[0], seen[item], item, question, definition) for item in range(1, len(seen))]


def _verdict(left: float, right: float, item: int, question: int, definition: StudyDefinition) -> Verdict:
    gap = left - right
    tied = definition.asking.ties and abs(gap) < TIE_WIDTH
    outcome: Outcome = "tie" if tied else "left" if gap > 0 else "right"
    strength = 1 + sum(bool(abs(gap) >= step) for step in STRENGTH_STEPS)
    return Verdict(
        item,
        question,
        outcome,
        strength if definition.asking.strength and not tied else None,
        bool(definition.asking.both_bad and tied and max(left, right) < BAD_BELOW),
    )


def _ranks(seen: Vector, question: int, definition: StudyDefinition) -> list[Cell]:
    """From most to least; an item that seems close to the one before it shares its rank."""
    order = np.argsort(-seen, kind="stable")
    apart = -np.diff(seen[order]) >= (TIE_WIDTH if definition.asking.ties else 0.0)
    ranks = np.empty(len(seen), dtype=np.int64)
    ranks[order] = np.concatenate([[1], 1 + np.cumsum(apart)])
    return [Rank(item, question, int(rank)) for item, rank in enumerate(ranks)]


def _picks(seen: Vector, question: int, definition: StudyDefinition) -> list[Cell]:
    order = np.argsort(-seen, kind="stable")
    cells = [Pick(item, question, "none") for item in range(len(seen))]
    cells[order[0]] = Pick(int(order[0]), question, "best")
    cells[order[-1]] = Pick(int(order[-1]), question, "worst")
    return list(cells)


ANSWERS: dict[str, Callable[[Vector, int, StudyDefinition], list[Cell]]] = {
    "rating": _scores,
    "comparison": _verdicts,
    "ranking": _ranks,
    "best_worst": _picks,
}


def to_scale(unit: Vector, scale: ScaleSettings) -> Vector:
    """Scores in [0, 1] as answers on a study's scale, at its steps or levels."""
    score = scale.low + unit * (scale.high - scale.low)
    if scale.levels:
        values: Vector = np.array(scale.level_values())
        nearest: Vector = values[np.abs(score[:, None] - values).argmin(axis=1)]
        return nearest
    step = scale.slider_step
    steps = scale.low + np.round((score - scale.low) / step) * step
    return np.clip(steps, scale.low, scale.high)
