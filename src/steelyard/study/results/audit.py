"""The audit: observed against nominal coverage of predicted answers, and the growth of reliability.

The answers are split into blocks. Each block makes the number of answers so far 25% larger. The model is fitted to all
answers before a block and predicts the answers in it. Only tasks that were chosen without looking at estimates count,
because the others are not a fair sample.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from steelyard.judgments.table import MISSING, Table
from steelyard.maths.arrays import Codes, Vector
from steelyard.models.model import AnswerForecast, ForecastingModel, forecasting, learn_all
from steelyard.quality.calibration import (
    LEVELS,
    Calibration,
    PredictedAnswer,
    SystemMean,
    calibration_of,
    clustered_mean,
    sum_of,
)
from steelyard.scales.belief import Belief
from steelyard.selection.known import SELECTIONS, traits_of
from steelyard.selection.stopping import predicted_reliability
from steelyard.study.collecting.fitting import LEADING, judgments_to_learn, make_model
from steelyard.study.collecting.planner import AUDIT
from steelyard.study.log.entries import Answer, Task
from steelyard.study.log.ledger import Ledger

FIRST_BLOCK = 1.0  # answers per item before the first prediction
BLOCK_GROWTH = 1.25  # factor by which a block increases the number of answers
NOT_CHOSEN = (AUDIT, "file")  # tasks chosen at random, and tasks from imported results files


@dataclass(frozen=True, slots=True)
class Mark:
    """Predicted reliability after a number of judgments."""

    judgments: int
    reliability: float


@dataclass(frozen=True, slots=True)
class Audit:
    """Results of the audit.

    Attributes
    ----------
    calibration
        Observed coverage of the predicted intervals.
    growth
        Predicted reliability at the start of each block.
    systems
        Mean answer per system on fair tasks.
    """

    calibration: Calibration
    growth: tuple[Mark, ...]
    systems: tuple[SystemMean, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """One block: the calibration of its predictions, and the predicted reliability at its start.

    `mark` is None if the variances of the model do not predict reliability.
    """

    mark: Mark | None
    calibration: Calibration


class Auditor:
    """Computes the audit of a ledger, and computes a block again only if its answers or earlier ones changed."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        is_item = ledger.definition.learning.unit == "item"
        self._model: ForecastingModel[Any] | None = forecasting(make_model(ledger)) if is_item else None
        self._blocks: dict[Hashable, Block] = {}
        self._belief: tuple[Hashable, Belief] | None = None  # at the start of the newest block

    def audit(self) -> Audit | None:
        """Return the audit at the position of the ledger, or None if the model makes no predictions."""
        if self._model is None:
            return None
        answers = self._ledger.counted_answers()
        positions = np.array([answer.log_position for answer in answers], dtype=np.int64)
        blocks: dict[Hashable, Block] = {}
        for start, end in _blocks(len(answers), self._first()):
            key = self._key(positions[:end], start)
            made = self._blocks.get(key)
            blocks[key] = self._block(self._model, answers, start, end) if made is None else made
        self._blocks = blocks
        growth = tuple(block.mark for block in blocks.values() if block.mark is not None)
        calibration = sum_of([block.calibration for block in blocks.values()])
        return Audit(calibration, growth, self._system_means())

    def _key(self, positions: Codes, *rest: Hashable) -> Hashable:
        """Return a key for the answers at these positions; stored answers never change, but rescalings do."""
        rescalings = tuple(sorted(self._ledger.ground.rescalings.items()))
        return (positions.tobytes(), rescalings, *rest)

    def _first(self) -> int:
        per_task = max(self._ledger.definition.asking.task_size, 1)
        return max(int(np.ceil(FIRST_BLOCK * len(self._ledger.items) / per_task)), 2)

    def _block(self, model: ForecastingModel[Any], answers: Sequence[Answer], start: int, end: int) -> Block:
        belief = self._belief_after(model, answers[:start])
        predicted = self._predicted(model, belief, answers[start:end])
        return Block(_mark(model, belief), calibration_of(predicted))

    def _belief_after(self, model: ForecastingModel[Any], answers: Sequence[Answer]) -> Belief:
        key = self._key(np.array([answer.log_position for answer in answers], dtype=np.int64))
        if self._belief is None or self._belief[0] != key:
            judgments = judgments_to_learn(self._ledger, self._ledger.judgments_in(answers, LEADING))
            self._belief = (key, learn_all(model, self._ledger.items.ids, judgments))
        return self._belief[1]

    def _predicted(
        self, model: ForecastingModel[Any], belief: Belief, answers: Sequence[Answer]
    ) -> list[PredictedAnswer]:
        """Return the scores of fair tasks with their predictions; the answers of a rater are predicted together."""
        by_rater: dict[str, list[tuple[int, float]]] = {}
        for answer in answers:
            by_rater.setdefault(answer.rater, []).extend(self._scores(answer))
        return [
            predicted
            for rater, scores in by_rater.items()
            if scores
            for predicted in self._predicted_of(scores, partial(model.forecast, belief, rater))
        ]

    def _predicted_of(
        self, scores: Sequence[tuple[int, float]], forecast: Callable[[Codes], AnswerForecast]
    ) -> list[PredictedAnswer]:
        """Return the answers of one rater with their predictions."""
        at = np.array([item for item, _ in scores], dtype=np.int64)
        score = np.array([each for _, each in scores], dtype=float)
        expected = forecast(at)
        inside = expected.holds(score, np.array(LEVELS)).T.astype(bool)
        named = self._ledger.items.ids[at].tolist()
        rows = zip(named, score.tolist(), expected.mean.tolist(), inside.tolist(), strict=True)
        return [PredictedAnswer(item, each, mean, tuple(levels)) for item, each, mean, levels in rows]

    def _scores(self, answer: Answer) -> list[tuple[int, float]]:
        """Return item indices with scores from 0 to 1; empty if the task is not a fair sample."""
        task = self._ledger.tasks[answer.task]
        if not is_fair(task):
            return []
        indices = self._ledger.indices(task)
        definition = self._ledger.definition.in_way(task.protocol)
        kind, asked = definition.kind, definition.asked(LEADING)
        return [
            (indices[cell.item], fraction)
            for cell in self._ledger.as_read(answer).cells
            if cell.question == LEADING
            and task.items[cell.item] not in task.hidden
            and (fraction := kind.fraction(cell, asked)) is not None
        ]

    def _system_means(self) -> tuple[SystemMean, ...]:
        """Return the mean answer per system on fair tasks, with errors clustered by rater and by segment."""
        if not any(item.system for item in self._ledger.items.all):
            return ()
        fair = {task.id for task in self._ledger.tasks.values() if is_fair(task)}
        judgments, kind = self._ledger.judgments(LEADING), self._ledger.definition.kind
        table, scores = judgments.table(kind.name), kind.scores(judgments)
        if scores is None or "system" not in table or not len(table):
            return ()
        keep = np.array([task in fair for task in judgments.cells(kind.name, "task")]) & (
            table.codes["system"] != MISSING
        )
        return tuple(
            _system_mean(table, scores, np.flatnonzero(keep & (table.codes["system"] == code)), str(name))
            for code, name in enumerate(judgments.labels("system"))
            if (keep & (table.codes["system"] == code)).any()
        )


def is_fair(task: Task) -> bool:
    """Whether the task was chosen without looking at estimates."""
    name = task.chosen.selection
    if name in NOT_CHOSEN:
        return True
    return name in SELECTIONS and not traits_of(name).learns  # an unknown selection may have used estimates


def _mark(model: ForecastingModel[Any], belief: Belief) -> Mark | None:
    """Return the predicted reliability, or None if the variances of the model do not allow a prediction."""
    if "intervals" not in model.capabilities.belief:
        return None
    return Mark(int(belief.count.sum()), predicted_reliability(belief.position, belief.variance))


def _system_mean(table: Table, scores: Vector, rows: Codes, name: str) -> SystemMean:
    clusters = [table.codes["rater"][rows].tolist()]
    if "segment" in table:
        clusters.append(table.codes["segment"][rows].tolist())
    mean, error = clustered_mean(scores[rows], clusters)
    return SystemMean(name, mean, error, len(rows))


def _blocks(answers: int, first: int) -> list[tuple[int, int]]:
    """Return the start and the end of each block, beginning with the first predicted answer."""
    blocks, start = [], first
    while start < answers:
        end = min(max(int(np.ceil(BLOCK_GROWTH * start)), start + 1), answers)
        blocks.append((start, end))
        start = max(int(np.ceil(BLOCK_GROWTH * start)), start + 1)
    return blocks
