"""Write checks to the log as tasks: for one rater, or mixed into a batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from steelyard.selection.pool import Choice
from steelyard.study.collecting.checking import CheckChoice, checks_for_batch
from steelyard.study.collecting.new_tasks import make_task
from steelyard.study.collecting.planner import Planner
from steelyard.study.log.entries import Chosen, Task
from steelyard.study.log.transaction import Transaction

CHECK = "check"  # name in the log of the selection of checks


def write_check(
    planner: Planner, transaction: Transaction, choice: CheckChoice, assignments: int = 1
) -> Task:
    """Write a check as a task.

    Parameters
    ----------
    planner
        Planner of the study.
    transaction
        Open transaction of the study.
    choice
        The check.
    assignments
        Number of raters who answer it.

    Returns
    -------
    Task
        The new task.
    """
    ledger = transaction.ledger
    indices = tuple(ledger.items.index[item] for item in choice.items)
    chosen = Chosen(CHECK, ledger.log_position, ())
    picked = Choice(indices, probe=choice.probe)
    task = make_task(planner.ledger, picked, chosen, transaction.now, assignments)
    task = replace(task, check=choice.name)
    transaction.append(task)
    return task


def mixed_with_checks(
    planner: Planner, transaction: Transaction, planned: Sequence[Task], assignments: int
) -> list[Task]:
    """Return the tasks of a batch with new checks at random places.

    Parameters
    ----------
    planner
        Planner of the study.
    transaction
        Open transaction of the study.
    planned
        The tasks without checks.
    assignments
        Number of raters who answer each task.

    Returns
    -------
    list of Task
        The tasks in their order, with the checks between them.
    """
    mixed = list(planned)
    rng = np.random.default_rng((transaction.ledger.definition.seed, transaction.ledger.log_position))
    for choice in checks_for_batch(transaction.ledger, len(planned)):
        check = write_check(planner, transaction, choice, assignments)
        mixed.insert(int(rng.integers(len(mixed) + 1)), check)
    return mixed
