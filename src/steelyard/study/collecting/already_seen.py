"""What a rater may still be shown: no item twice or, if items are compared, no pair twice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steelyard.maths.arrays import Codes, Mask
from steelyard.study.log.entries import Task
from steelyard.study.log.ledger import Ledger
from steelyard.study.log.rater_record import RaterRecord


def suits(ledger: Ledger, record: RaterRecord, task: Task) -> bool:
    """Whether a rater may be shown a task.

    Parameters
    ----------
    ledger
        State of the study.
    record
        Record of the rater.
    task
        The task.

    Returns
    -------
    bool
        False if the task is a check, or repeats an item or, in comparisons, a pair. A probe must repeat items.
    """
    if task.check:  # a check is planned for one rater and never given to another
        return False
    if ledger.definition.asking.way.against:
        return not any(pair in record.met for pair in ledger.pairs(task))
    if task.probe:  # only for raters who have judged its items
        done = {answer.task for answer in record.answers.values()}
        return task.id not in done and all(at in record.seen for at in ledger.indices(task))
    return not any(at in record.seen for at in ledger.judged_indices(task))


def shows_items(ledger: Ledger, task: Task, items: Sequence[str]) -> bool:
    """Whether a task shows these items and compares them with the same reference item.

    Parameters
    ----------
    ledger
        State of the study.
    task
        The task.
    items
        Ids of the items; in comparisons, the reference item is first.

    Returns
    -------
    bool
        Whether the items fit the task.
    """
    first = ledger.definition.in_way(task.protocol).asking.way.first
    return set(items) <= set(task.items) and tuple(items[:first]) == task.items[:first]


def may_see(ledger: Ledger, record: RaterRecord) -> Mask:
    """Return a mask of the items that a rater may still be shown; in comparisons, with at least one other item."""
    if not ledger.definition.asking.way.against:
        unseen = ledger.items.asked.copy()
        unseen[list(record.seen)] = False
        return unseen
    met = np.zeros(len(ledger.items), dtype=np.int64)
    for pair in record.met:
        met[list(pair)] += 1
    return np.asarray(ledger.items.asked & (met < ledger.others))


def tasks_about(ledger: Ledger, record: RaterRecord, missing: Codes) -> int:
    """Return approximately how many tasks are left for a rater who would answer all that is missing.

    Parameters
    ----------
    ledger
        State of the study.
    record
        What the rater has seen.
    missing
        Number of missing answers of each item, negative if it has more than it needs.

    Returns
    -------
    int
        Number of tasks.
    """
    definition = ledger.definition
    short = missing > 0
    short &= may_see(ledger, record)
    if (
        definition.choosing.traits.asks_every_pair
    ):  # a group is finished when all of its items except one were the reference
        return sum(max(int(np.count_nonzero(short[group])) - 1, 0) for group in ledger.groups)
    if definition.asking.way.against:
        return -(-int(missing[short].sum()) // definition.asking.task_size)
    return -(-int(np.count_nonzero(short)) // definition.asking.task_size)
