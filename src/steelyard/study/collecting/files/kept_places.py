"""Places of tasks that are given out as files: kept for whoever answers the file, and not offered on pages."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.study.collecting.already_seen import shows_items
from steelyard.study.collecting.planner import Planner
from steelyard.study.collecting.rater_state import Assignment
from steelyard.study.log.interface import Origin, Task
from steelyard.study.log.transaction import Transaction

FILE_HOLDER = "file"  # holds the places of tasks that were written to a batch file


def keep_for_file(transaction: Transaction, tasks: Sequence[Task]) -> None:
    """Hold every free place of these tasks without end."""
    for task in tasks:
        while (place := transaction.writer.place_of(task.id, "")) is not None:
            transaction.writer.take(place, FILE_HOLDER, "", None)


def release_files(transaction: Transaction) -> int:
    """Withdraw the places that are kept for files; how many there were."""
    released = 0
    while (place := transaction.writer.lease_of(FILE_HOLDER)) is not None:
        transaction.withdraw([place])
        released += 1
    return released


def task_of_file(
    planner: Planner, transaction: Transaction, named: str, items: Sequence[str], origin: Origin | None
) -> Task:
    """The task that a file names, if it shows these items; else one made of them, as its origin says."""
    task = transaction.ledger.tasks.get(named)
    if task is None or not shows_items(transaction.ledger, task, items):
        return planner.write_task(transaction, items, origin)
    return task


def take_from_file(transaction: Transaction, rater: str, task: Task, assignment: str) -> Assignment:
    """A place of this task in a rater's hands: one kept for files, else a free one, else one more."""
    writer = transaction.writer
    place = writer.place_of(task.id, FILE_HOLDER) or writer.place_of(task.id, "")
    if place is None:
        writer.add_place(task, rater, assignment, None)
    else:
        writer.take(place, rater, assignment, None)
    return Assignment(assignment, task)
