"""Promised against measured: answers foretold before they were learnt from, and how reliability grew.

The log is cut into blocks, each a quarter longer than all before it. Answers of a block are foretold from a
refit on everything before the block; only answers to tasks that were not chosen by looking at the belief are
counted, since the others are not a fair sample.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.judgments.table import MISSING, Judgments
from steelyard.models.steelyard.belief import SteelyardBelief
from steelyard.models.steelyard.forecast import forecast, held
from steelyard.quality.calibration import (
    LEVELS,
    Calibration,
    Foretold,
    SystemMean,
    calibration_of,
    clustered_mean,
)
from steelyard.selection.known import SELECTIONS
from steelyard.selection.stopping import predicted_reliability
from steelyard.study.cells import Score
from steelyard.study.learning import LEADING, make_model
from steelyard.study.ledger import Ledger
from steelyard.study.log import Answer, Task

FIRST_BLOCK = 1.0  # answers per item before the first forecast
BLOCK_GROWTH = 1.25


@dataclass(frozen=True, slots=True)
class Mark:
    """Predicted reliability after so many judgments."""

    judgments: int
    reliability: float


@dataclass(frozen=True, slots=True)
class Audit:
    """What the audit slice shows."""

    calibration: Calibration
    growth: tuple[Mark, ...]
    systems: tuple[SystemMean, ...]


class Auditor:
    """Follows one ledger; finished blocks are kept until an answer is taken back."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._model: Any = make_model(ledger)
        self._beliefs: dict[int, SteelyardBelief] = {}
        self._rewritten = 0

    def audit(self) -> Audit | None:
        """The audit at the ledger's position; None where the model makes no forecasts."""
        definition = self._ledger.definition
        if definition.model != "steelyard" or definition.unit != "item":
            return None
        if self._ledger.rewritten != self._rewritten:
            self._beliefs, self._rewritten = {}, self._ledger.rewritten
        answers = self._ledger.standing_answers()
        foretold: list[Foretold] = []
        growth: list[Mark] = []
        for start, end in _blocks(len(answers), self._first()):
            belief = self._belief_before(answers[start].position)
            growth.append(
                Mark(int(belief.count.sum()), predicted_reliability(belief.position, belief.variance))
            )
            for answer in answers[start:end]:
                foretold += self._foretold(belief, answer)
        return Audit(calibration_of(foretold), tuple(growth), self._system_means())

    def _first(self) -> int:
        per_task = max(self._ledger.definition.task_size, 1)
        return max(int(np.ceil(FIRST_BLOCK * len(self._ledger.items) / per_task)), 2)

    def _belief_before(self, position: int) -> SteelyardBelief:
        if position not in self._beliefs:
            known = self._ledger.judgments(LEADING, until=position - 1)
            self._beliefs[position] = self._model.believe(self._ledger.items.ids, known)
        return self._beliefs[position]

    def _foretold(self, belief: SteelyardBelief, answer: Answer) -> list[Foretold]:
        task = self._ledger.tasks[answer.task]
        cells = [
            cell
            for cell in answer.cells
            if isinstance(cell, Score) and cell.question == LEADING and cell.score is not None
        ]
        if not is_fair(task) or not cells:
            return []
        indices = self._ledger.indices(task)
        at = np.array([indices[cell.item] for cell in cells])
        scale = self._ledger.definition.scale_of(self._ledger.definition.questions[LEADING])
        score = np.array([cell.score for cell in cells], dtype=float)
        score = (score - scale.low) / (scale.high - scale.low)
        expected = forecast(belief, answer.rater, at)
        inside = held(expected, score, np.array(LEVELS)).T
        return [
            Foretold(
                task.items[cell.item], float(score[n]), float(expected.mean[n]), tuple(map(bool, inside[n]))
            )
            for n, cell in enumerate(cells)
        ]

    def _system_means(self) -> tuple[SystemMean, ...]:
        """Mean answer per system on fair tasks, errors clustered by rater and, where there are, by segment."""
        fair = {task.id for task in self._ledger.tasks.values() if is_fair(task)}
        judgments = self._ledger.judgments(LEADING)
        table = judgments.table("rating")
        if "system" not in table or not len(table):
            return ()
        keep = np.array([task in fair for task in judgments.cells("rating", "task")]) & (
            table.codes["system"] != MISSING
        )
        return tuple(
            _system_mean(judgments, np.flatnonzero(keep & (table.codes["system"] == code)), str(name))
            for code, name in enumerate(judgments.labels("system"))
            if (keep & (table.codes["system"] == code)).any()
        )


def is_fair(task: Task) -> bool:
    """Was the task chosen without looking at the belief?"""
    selection = SELECTIONS.get(task.chosen.selection)
    return selection is None or not selection.learns


def _system_mean(judgments: Judgments, rows: np.typing.NDArray[np.int64], name: str) -> SystemMean:
    table = judgments.table("rating")
    clusters = [table.codes["rater"][rows].tolist()]
    if "segment" in table:
        clusters.append(table.codes["segment"][rows].tolist())
    mean, error = clustered_mean(table.numbers["score"][rows], clusters)
    return SystemMean(name, mean, error, len(rows))


def _blocks(answers: int, first: int) -> list[tuple[int, int]]:
    """Where blocks start and end, from the first forecast on."""
    blocks, start = [], first
    while start < answers:
        end = min(max(int(np.ceil(BLOCK_GROWTH * start)), start + 1), answers)
        blocks.append((start, end))
        start = max(int(np.ceil(BLOCK_GROWTH * start)), start + 1)
    return blocks
