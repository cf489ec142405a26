"""What a rater may still be shown: no item twice, or no pair twice where items are asked against each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steelyard.maths.arrays import Mask
from steelyard.study.log.interface import Task
from steelyard.study.log.ledger import Ledger
from steelyard.study.log.rater_record import RaterRecord


def suits(ledger: Ledger, record: RaterRecord, task: Task) -> bool:
    """May this rater be shown this task?"""
    if ledger.definition.asking.way.against:
        return not any(pair in record.met for pair in ledger.pairs(task))
    if task.probe:  # for those who have judged its item
        done = {answer.task for answer in record.answers.values()}
        return task.id not in done and all(at in record.seen for at in ledger.indices(task))
    return not any(at in record.seen for at in ledger.indices(task))


def shows_items(ledger: Ledger, task: Task, items: Sequence[str]) -> bool:
    """Does the task show these items, and compare them with the same one?"""
    first = ledger.definition.asking.way.first
    return set(items) <= set(task.items) and tuple(items[:first]) == task.items[:first]


def may_see(ledger: Ledger, record: RaterRecord) -> Mask:
    """The items that this rater may still be shown, where they are compared: with some other of their group."""
    if not ledger.definition.asking.way.against:
        unseen = np.ones(len(ledger.items), dtype=bool)
        unseen[list(record.seen)] = False
        return unseen
    met = np.zeros(len(ledger.items), dtype=np.int64)
    for pair in record.met:
        met[list(pair)] += 1
    return np.less(met, ledger.others)


def tasks_about(ledger: Ledger, record: RaterRecord) -> int:
    """About how many tasks are left for this rater, if all that is open went to them."""
    definition = ledger.definition
    short = np.where(may_see(ledger, record), np.maximum(ledger.wanted - ledger.answered, 0), 0)
    if (
        definition.choosing.traits.asks_every_pair
    ):  # a group is done when all its items but one were the reference
        return sum(max(int(np.sum(short[group] > 0)) - 1, 0) for group in ledger.groups)
    if definition.asking.way.against:
        return -(-int(short.sum()) // definition.asking.task_size)
    return -(-int(np.sum(short > 0)) // definition.asking.task_size)
