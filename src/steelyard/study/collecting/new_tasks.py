"""New tasks: the record of a task with the items of a choice, and how it is written to the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from steelyard.selection.pool import Choice
from steelyard.study.collecting.checking import with_hidden
from steelyard.study.log.entries import Chosen, Origin, Task
from steelyard.study.log.ledger import Ledger
from steelyard.study.log.transaction import Transaction

FILE = "file"  # name in the log of tasks made by an imported file


def make_task(ledger: Ledger, choice: Choice, chosen: Chosen, now: float, assignments: int) -> Task:
    """Return a task with the items of a choice, which is not written to the log.

    Parameters
    ----------
    ledger
        Ledger with the tasks of the protocol.
    choice
        Items of the task.
    chosen
        How it was chosen.
    now
        Time of creation, in seconds since 1970.
    assignments
        Number of raters who answer it.

    Returns
    -------
    Task
        The task.
    """
    definition = ledger.definition
    return Task(
        id=f"t{ledger.tasks_logged + 1}",
        items=tuple(ledger.items[at].id for at in choice.items),
        questions=tuple(question.id for question in definition.questions),
        protocol=definition.asking.way.name,
        chosen=chosen,
        condition=definition.condition,
        round=ledger.round,
        assignments=definition.choosing.redundancy if choice.sequence is not None else assignments,
        sequence=choice.sequence,
        probe=choice.probe,
        at=now,
    )


def write_chosen(
    ledger: Ledger, transaction: Transaction, choice: Choice, chosen: Chosen, assignments: int
) -> Task:
    """Write a chosen task, with the hidden items of its segment.

    Parameters
    ----------
    ledger
        Ledger with the tasks of the protocol.
    transaction
        Open transaction of the study.
    choice
        Items of the task.
    chosen
        How it was chosen.
    assignments
        Number of raters who answer it.

    Returns
    -------
    Task
        The new task.
    """
    task = make_task(ledger, choice, chosen, transaction.now, assignments)
    if ledger.checks.hidden and task.counts:
        rng = np.random.default_rng((ledger.definition.seed, ledger.log_position))
        mixed, hidden = with_hidden(ledger, choice.items, rng)
        names = ledger.items.ids
        task = replace(task, items=tuple(names[mixed]), hidden=tuple(names[hidden]))
    transaction.append(task)
    return task


def write_from_file(
    ledger: Ledger, transaction: Transaction, items: Sequence[str], origin: Origin | None = None
) -> Task:
    """Write a task with these items of a file for one rater.

    Parameters
    ----------
    ledger
        Ledger with the tasks of the protocol.
    transaction
        Open transaction of the study.
    items
        Ids of the items.
    origin
        Round, condition, probe mark and check of the task; by default those of the study.

    Returns
    -------
    Task
        The new task.
    """
    indices = tuple(ledger.items.index[item] for item in items)
    task = make_task(ledger, Choice(indices), Chosen(FILE, ledger.log_position, ()), transaction.now, 1)
    if origin is not None:
        number = task.round if origin.round is None else origin.round
        condition = task.condition if origin.condition is None else origin.condition
        task = replace(task, round=number, condition=condition, probe=origin.probe, check=origin.check)
    hidden = tuple(item for item in task.items if item in ledger.checks.hidden)
    if len(hidden) < len(task.items):
        task = replace(task, hidden=hidden)
    transaction.append(task)
    return task
