"""Places of tasks that were written to a file: they are reserved for the file and not offered on pages."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.study.collecting.already_seen import shows_items
from steelyard.study.collecting.new_tasks import write_from_file
from steelyard.study.collecting.planner import Planner
from steelyard.study.collecting.rater_state import Assignment
from steelyard.study.log.entries import Origin, Task
from steelyard.study.log.transaction import Transaction

FILE_HOLDER = "file"  # rater id that holds the places of tasks in batch files


def keep_for_file(transaction: Transaction, tasks: Sequence[Task]) -> None:
    """Reserve every free place of these tasks, without expiry."""
    for task in tasks:
        while (place := transaction.writer.place_of(task.id, "")) is not None:
            transaction.writer.take(place, FILE_HOLDER, "", None)


def release_files(transaction: Transaction) -> int:
    """Withdraw the places that are reserved for files; return how many."""
    released = 0
    for place in transaction.writer.leases_of(FILE_HOLDER):
        transaction.withdraw([place])
        released += 1
    return released


def task_of_file(
    planner: Planner, transaction: Transaction, named: str, items: Sequence[str], origin: Origin | None
) -> Task:
    """Return the task that a file names if it shows these items, else write a new task with them.

    Parameters
    ----------
    planner
        Planner of the study.
    transaction
        Open transaction of the study.
    named
        Id of the task in the file.
    items
        Ids of the items in the file.
    origin
        Round, condition, probe mark and protocol of a new task, or None.

    Returns
    -------
    Task
        The existing or new task.
    """
    task = transaction.ledger.tasks.get(named)
    if task is None or not shows_items(transaction.ledger, task, items):
        own = planner.in_way("" if origin is None else origin.protocol)
        return write_from_file(own.ledger, transaction, items, origin)
    return task


def take_from_file(transaction: Transaction, rater: str, task: Task, assignment: str) -> Assignment:
    """Assign a task to a rater: a place reserved for files, else a free place, else an additional place.

    Parameters
    ----------
    transaction
        Open transaction of the study.
    rater
        Id of the rater.
    task
        The task.
    assignment
        Id of the new assignment.

    Returns
    -------
    Assignment
        The assignment.
    """
    writer = transaction.writer
    place = writer.place_of(task.id, FILE_HOLDER) or writer.place_of(task.id, "")
    if place is None:
        writer.add_place(task, rater, assignment, None)
    else:
        writer.take(place, rater, assignment, None)
    return Assignment(assignment, task)
