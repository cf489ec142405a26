"""Simulated raters and checks: the positions of the items of a check, as honest raters perceive them."""

from __future__ import annotations

import numpy as np

from steelyard.kinds.cell import Cell
from steelyard.maths.arrays import Vector
from steelyard.simulation.scenarios import SimulatedRater
from steelyard.study.definition.checks import Check
from steelyard.study.definition.sections.checks import HiddenItems
from steelyard.study.log.entries import Task
from steelyard.study.log.ledger import Ledger

WORSE = 0.4  # how far a degraded copy is below its original, on [0, 1]
MIDDLE = 0.5


def followed(ledger: Ledger, task: Task, question: int, habits: SimulatedRater) -> list[Cell] | None:
    """Return the reference answer of an attention check, which every rater who reads it gives; otherwise None.

    Parameters
    ----------
    ledger
        Ledger of the study, with its checks.
    task
        The task.
    question
        Index of the question.
    habits
        The simulated rater.

    Returns
    -------
    list of Cell, or None
        None for spammers and for other tasks.
    """
    check = ledger.checks.by_name.get(task.check)
    if habits.spam or check is None or check.type != "attention" or check.question != question:
        return None
    return list(check.right)


def perceived(ledger: Ledger, task: Task, question: int, truth: Vector) -> Vector:
    """Return the true positions of the items of a task, with those of checks from their reference answers.

    Parameters
    ----------
    ledger
        Ledger of the study, with its checks.
    task
        The task.
    question
        Index of the question.
    truth
        True position of every item of the study, on [0, 1].

    Returns
    -------
    Vector
        Position of each item of the task.
    """
    positions = truth[ledger.indices(task)]
    check = ledger.checks.by_name.get(task.check)
    if check is not None and check.original:
        return _degraded(ledger, task, check, truth)
    if check is not None and check.question == question:
        positions = np.full(len(task.items), MIDDLE)
        for cell in check.right:
            asked = ledger.definition.asked(question)
            positions[cell.item] = ledger.definition.kind.position(cell, asked, len(task.items))
    for at, item in enumerate(task.items):
        if item in task.hidden and item in ledger.checks.hidden:
            positions[at] = _hidden(ledger, ledger.checks.hidden[item], question)
    return positions


def _degraded(ledger: Ledger, task: Task, check: Check, truth: Vector) -> Vector:
    original = truth[ledger.items.index[check.original]]
    positions = truth[ledger.indices(task)]
    for at, item in enumerate(task.items):
        if item in check.items:
            positions[at] = max(original - WORSE, 0.0)
    return positions


def _hidden(ledger: Ledger, settings: HiddenItems, question: int) -> float:
    """Return the middle of the scores that pass; the lowest quarter of the scale for an item below another one."""
    scale = ledger.definition.asked(question).scale
    if settings.below:
        return 0.125
    least = scale.low if settings.least is None else settings.least
    most = scale.high if settings.most is None else settings.most
    return ((least + most) / 2.0 - scale.low) / (scale.high - scale.low)
